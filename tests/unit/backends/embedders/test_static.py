"""What a user may rely on when the shipped table turns text into vectors."""

import hashlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from foveal.backends.models.static import FAMILIAR_AFTER, FAMILIAR_COUNTED, FAMILIAR_ROOM, StaticEmbedder
from foveal.rules.addresses import corners, digits

ODD = [
    "",
    "   ",
    "\n",
    "😀",
    "🫨🫨",
    "Привет, как дела?",
    "今日はいい天気ですね",
    "สวัสดี",
    "\x00",
    "\ud800",
    "a" * 9000,
]
PLAIN = [
    "Caroline went to a support group yesterday.",
    "My dog is afraid of thunder.",
    "We booked the flights to Lisbon for May.",
]


@pytest.fixture(scope="module")
def embedder() -> StaticEmbedder:
    return StaticEmbedder()


def closeness(embedder: StaticEmbedder, one: str, other: str) -> float:
    a, b = embedder.embed([one, other])
    return float(a @ b)


def test_every_row_has_unit_length_whatever_the_text(embedder: StaticEmbedder) -> None:
    vectors = embedder.embed(PLAIN + ODD)
    assert vectors.shape == (len(PLAIN) + len(ODD), embedder.dimension)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_no_texts_give_no_rows(embedder: StaticEmbedder) -> None:
    assert embedder.embed([]).shape == (0, embedder.dimension)


def test_the_batch_does_not_change_a_vector(embedder: StaticEmbedder) -> None:
    texts = PLAIN + ODD
    together = embedder.embed(texts)
    alone = np.concatenate([embedder.embed([text]) for text in texts])
    assert together.tobytes() == alone.tobytes()
    assert embedder.embed(texts[::-1])[::-1].tobytes() == together.tobytes()


def test_a_batch_larger_than_one_gather_is_whole(embedder: StaticEmbedder) -> None:
    many = embedder.embed(["the cat sat on the mat " * 200] * 100 + PLAIN)
    assert many[-3:].tobytes() == embedder.embed(PLAIN).tobytes()
    assert (many[:100] == many[0]).all()


def test_a_fresh_process_gives_the_same_bytes(embedder: StaticEmbedder) -> None:
    program = (
        "import hashlib\n"
        "from foveal.backends.models.static import StaticEmbedder\n"
        f"print(hashlib.sha256(StaticEmbedder().embed({PLAIN!r}).tobytes()).hexdigest())"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == hashlib.sha256(embedder.embed(PLAIN).tobytes()).hexdigest()


def test_threads_share_one_embedder() -> None:
    fresh = StaticEmbedder()
    with ThreadPoolExecutor(8) as pool:
        answers = [rows.tobytes() for rows in pool.map(fresh.embed, [PLAIN] * 32)]
    assert set(answers) == {fresh.embed(PLAIN).tobytes()}


@pytest.mark.parametrize(
    ("text", "paraphrase", "unrelated"),
    [
        (
            "The doctor told me to rest.",
            "My physician said I should take it easy.",
            "The train to Oslo was late.",
        ),
        ("She adores her puppy.", "Her little dog is much loved.", "The shares fell on Friday."),
        ("Where did I park the car?", "Your vehicle is in the garage on level two.", "Add a pinch of salt."),
    ],
)
def test_a_paraphrase_is_closer_than_another_subject(
    embedder: StaticEmbedder, text: str, paraphrase: str, unrelated: str
) -> None:
    assert closeness(embedder, text, paraphrase) > closeness(embedder, text, unrelated) + 0.1


def test_a_question_finds_its_answer(embedder: StaticEmbedder) -> None:
    question = embedder.embed(["When is the trip to Portugal?"], asking=True)
    assert int(np.argmax(embedder.embed(PLAIN) @ question[0])) == 2


def test_case_and_accents_do_not_matter(embedder: StaticEmbedder) -> None:
    assert closeness(embedder, "CAFÉ NOIR", "cafe noir") == pytest.approx(1)


def test_a_word_the_table_does_not_know_still_equals_itself(embedder: StaticEmbedder) -> None:
    assert closeness(embedder, "🦩", "🦩") == pytest.approx(1)
    assert closeness(embedder, "🦩", "🫎") < 0.5


def test_a_text_without_words_gets_one_fixed_vector(embedder: StaticEmbedder) -> None:
    assert len({row.tobytes() for row in embedder.embed(["", " ", "\t", "\x00"])}) == 1


def test_pieces_are_like_themselves_and_like_their_kin(embedder: StaticEmbedder) -> None:
    pieces = np.array(embedder.pieces("dog puppy tax"))
    like = embedder.likeness(pieces, pieces)
    assert np.allclose(np.diag(like), 1, atol=1e-3)
    assert like[0, 1] > like[0, 2]
    assert len(embedder.pieces("")) == 0
    assert max(embedder.pieces("word " * 50)) < 1 << 16


def test_a_piece_that_becomes_familiar_is_as_like_as_before() -> None:
    embedder = StaticEmbedder()
    held = np.array(embedder.pieces("the quick brown fox jumps over the lazy dog"))
    for text in ("what did the fox do", "unheard of", ""):
        asked = np.array(embedder.pieces(text))
        fresh = embedder.likeness(held, asked)
        assert fresh.shape == (len(held), len(asked))
        for _ in range(FAMILIAR_AFTER + 1):
            assert np.array_equal(embedder.likeness(held, asked), fresh)


def test_familiar_are_those_asked_for_most() -> None:
    embedder = StaticEmbedder()
    held = np.array(embedder.pieces("fox"))
    often = np.array(embedder.pieces("what"))
    for n in range(3 * FAMILIAR_COUNTED):
        embedder.likeness(held, np.array([often[0] if n % 2 else 1000 + n // 2]))
    familiar = embedder._familiar._rows  # pyright: ignore[reportPrivateUsage]
    assert set(familiar) == {often[0]}
    for n in range(FAMILIAR_AFTER * 2 * FAMILIAR_ROOM):
        embedder.likeness(held, np.array([2000 + n % (2 * FAMILIAR_ROOM)]))
    assert len(familiar) == FAMILIAR_ROOM
    assert often[0] in familiar


def test_the_plane_is_orthonormal_and_its_cells_fill(embedder: StaticEmbedder) -> None:
    plane = embedder.plane
    assert plane.axes.shape == (embedder.dimension, 2)
    assert np.allclose(plane.axes.T @ plane.axes, np.eye(2), atol=1e-4)
    assert len({digits(corners(vector, plane), 1) for vector in embedder.embed(PLAIN + ODD)}) > 1
