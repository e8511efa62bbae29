"""The second look: what a fine encoder adds to a search, and what happens without it."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from numpy.typing import NDArray

from foveal import Memory
from foveal.backends.models.adapters import CallingEmbedder
from foveal.backends.sqlite import SqliteStore
from foveal.config import Settings
from foveal.errors import ModelUnavailable, StoreUnavailable, Unsupported
from foveal.model.notice import Kind
from foveal.testing.builders import vector_of

ON = Settings(second_look="minilm")
REMARKS = (
    "They moved us up to the fifth floor last week.",
    "The dentist can see me on Tuesday at nine.",
    "I can't stand coriander, it tastes like soap to me.",
    "Our cat knocked the vase off the shelf.",
    "The landlord wants the money on the third of each month.",
)


def fine(texts: Sequence[str]) -> NDArray[np.float32]:
    return np.stack([vector_of(text, 24) for text in texts])


def other_fine(texts: Sequence[str]) -> NDArray[np.float32]:
    return np.stack([vector_of(f"other {text}", 12) for text in texts])


def test_a_question_in_other_words_finds_what_was_said(tmp_path: Path) -> None:
    with Memory(tmp_path / "memory.db", settings=ON) as memory:
        ada = memory.view(actor_id="ada")
        ada.write_many(REMARKS)
        assert ada.search("Which foods should a cook avoid for me?", k=1)[0].text == REMARKS[2]
        assert ada.search("What happened to our pottery?", k=1)[0].text == REMARKS[3]
        receipt = ada.read("When is the rent due?", token_budget=200).receipt
        assert (receipt.first_look_only, receipt.degraded) == (0, ())
        stats = ada.stats()
        assert (stats.second_look or "").startswith("onnx:minilm:")
        assert stats.second_look_waiting == 0


def test_a_search_that_is_overtaken_by_the_end_of_its_memory_is_told_so() -> None:
    with Memory(":memory:", second_look=fine) as memory:
        second = memory.runtime.second_look
        assert second is not None
        assert second.ask(["Where?"]).result().shape == (1, 24)
    with pytest.raises(StoreUnavailable):
        second.ask(["Where?"])
    with pytest.raises(StoreUnavailable):
        memory.search("Where?", actor_id="ada")


def test_the_share_of_the_second_look_is_explained(tmp_path: Path) -> None:
    with Memory(tmp_path / "memory.db", settings=ON) as memory:
        ada = memory.view(actor_id="ada")
        ada.write_many(REMARKS)
        parts = ada.search("What happened to our pottery?", k=1, explain=True)[0].parts
        assert parts is not None and parts["second_look"] > 0


def test_what_was_told_after_a_like_question_was_asked_counts_as_its_answer() -> None:
    said = (
        "The boiler man charges 90 an hour.",
        "Hector's driving test went fine, he parked like a swan.",
        "Does anybody know how much the loft ladder was?",
        "The neighbours are having their windows done.",
        "Dug the receipt out at last, 214 with delivery.",
    )
    with Memory(":memory:", settings=ON) as memory:
        ada = memory.view(actor_id="ada")
        for day, text in enumerate(said):
            ada.write(text, session_id=f"day {day}", occurred_at=datetime(2026, 3, 1 + day, tzinfo=UTC))
        hits = {hit.text: hit.parts or {} for hit in ada.search("How much did the loft ladder cost?", explain=True)}
        assert hits[said[4]]["answers"] > 0.3
        assert hits[said[0]].get("answers", 0.0) == pytest.approx(0, abs=0.3)
        ranks = list(hits)
        assert ranks.index(said[4]) < ranks.index(said[0])


def test_a_change_that_shares_only_a_number_replaces_nothing() -> None:
    said = (
        "ok so Leo starts school in September, he'll be six on the 14th of August",
        "the plumber quoted 480 for the bathroom tap, daylight robbery",
        "Tuesdays are yoga now, they gave my Thursday slot to spinning",
        "signed Leo up for swimming, Saturdays at nine, the pool on Mill Lane",
        "we got a kitten, she sleeps in the colander",
        "yoga's moved again, Wednesdays at six",
    )
    with Memory(":memory:", settings=ON) as memory:
        ada = memory.view(actor_id="ada")
        for day, text in enumerate(said):
            ada.write(text, session_id=f"day {day}", occurred_at=datetime(2026, 3, 1 + day, tzinfo=UTC))
        best = ada.search("How old will Leo be?")[0]
        assert (best.text, best.replaced_by) == (said[0], None)


def test_a_short_remark_is_about_what_was_said_before_it() -> None:
    said = (
        ("Somebody look at the alert for the lag of the label queue, please.", "it pages at 50k"),
        ("I was at the cinema with Hector, the seats were awful.", "it starts at 9"),
        ("The new coffee machine has a grinder.", "it holds 2 litres"),
    )
    with Memory(":memory:", settings=ON) as memory:
        ada = memory.view(actor_id="ada")
        for day, texts in enumerate(said):
            for minute, text in enumerate(texts):
                moment = datetime(2026, 3, 1 + day, 9, minute, tzinfo=UTC)
                ada.write(text, session_id=f"day {day}", speaker="Nadira", occurred_at=moment)
        assert "it holds 2 litres" in [hit.text for hit in ada.search("How big is the coffee maker's tank?", k=2)]
        assert "it starts at 9" in [hit.text for hit in ada.search("What time was the film?", k=2)]


def test_what_a_process_leaves_undone_is_done_by_the_next(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with Memory(path, settings=Settings(second_look="off")) as memory:
        memory.write_many(REMARKS, actor_id="ada")
        assert memory.stats(actor_id="ada").second_look is None
    with Memory(path, settings=ON) as memory:
        assert memory.stats(actor_id="ada").second_look_waiting == len(REMARKS)
        assert memory.search("What happened to our pottery?", k=1, actor_id="ada")[0].text == REMARKS[3]
        assert memory.stats(actor_id="ada").second_look_waiting == 0


def test_reindexing_completes_the_second_look(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with Memory(path, settings=Settings(second_look="off")) as memory:
        memory.write_many([f"note {n}" for n in range(200)], actor_id="ada")
    with Memory(path, second_look=fine) as memory:
        assert memory.admin.reindex().looked_at == 200
        assert memory.stats(actor_id="ada").second_look_waiting == 0
        assert memory.admin.reindex().looked_at == 0


def test_another_encoder_takes_over_in_place(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with Memory(path, second_look=fine) as memory:
        memory.write_many(REMARKS, actor_id="ada")
        memory.admin.reindex()
    with Memory(path, second_look=other_fine) as memory:
        assert memory.stats(actor_id="ada").second_look_waiting == len(REMARKS)
        assert memory.read("the cat", token_budget=200, actor_id="ada").receipt.first_look_only == 0
        assert memory.stats(actor_id="ada").second_look_waiting == 0


def test_records_without_a_vector_are_ranked_and_counted() -> None:
    """A search does not wait for many vectors, and says how many were not there."""
    go_on = threading.Event()

    def slow(texts: Sequence[str]) -> NDArray[np.float32]:
        go_on.wait(60)
        return fine(texts)

    with Memory(":memory:", second_look=CallingEmbedder(slow, id="slow")) as memory:
        memory.write_many([f"note {n} about the garden" for n in range(400)], actor_id="ada")
        waiting = memory.read("the garden", token_budget=300, actor_id="ada").receipt.first_look_only
        go_on.set()
        assert waiting == 200
        memory.admin.reindex()
        assert memory.read("the garden", token_budget=300, actor_id="ada").receipt.first_look_only == 0


def test_a_search_answers_while_the_encoder_is_away() -> None:
    away: list[bool] = []

    def moody(texts: Sequence[str]) -> NDArray[np.float32]:
        if away:
            raise ModelUnavailable("the encoder is away")
        return fine(texts)

    with Memory(":memory:", second_look=CallingEmbedder(moody, id="moody")) as memory:
        memory.write_many(REMARKS, actor_id="ada")
        memory.admin.reindex()
        away.append(True)
        context = memory.read("When is the dentist?", token_budget=200, actor_id="ada")
        assert "dentist" in context.text
        assert context.receipt.degraded == ("second look",)


def test_a_fork_looks_at_both_layers() -> None:
    with Memory(":memory:", second_look=fine) as memory:
        ada = memory.view(actor_id="ada")
        ada.write_many(REMARKS)
        ada.snapshots.take("monday")
        fork = ada.snapshots.fork("monday")
        fork.write("The fork has a note of its own.")
        memory.admin.reindex()
        assert fork.read("the cat", token_budget=200).receipt.first_look_only == 0


def test_texts_in_a_language_that_the_encoder_does_not_read_keep_their_first_look() -> None:
    german = (
        "Der Zahnarzt hat am Dienstag um neun Zeit für mich.",
        "Die Vermieterin will das Geld am dritten jedes Monats.",
        "Mit dem Hund bin ich heute nicht gegangen, er hat sich die Pfote verletzt.",
    )
    with Memory(":memory:", settings=ON) as memory:
        ada = memory.view(actor_id="ada")
        ada.write_many(german)
        context = ada.read("When does the dentist see me?", token_budget=200)
        assert (context.receipt.first_look_only, ada.stats().second_look_waiting) == (0, 0)
        hits = ada.search("When does the dentist see me?", explain=True, min_relevance=0)
        assert len(hits) == 3 and not any("second_look" in (hit.parts or {}) for hit in hits)
        ada.write_many(REMARKS)
        hits = ada.search("When does the dentist see me?", explain=True, min_relevance=0)
        assert hits[0].text == REMARKS[1] and (hits[0].parts or {})["second_look"] > 0
        assert ada.read("What about the dentist?", token_budget=200).receipt.first_look_only == 0


UNCLOSED = """
import sys
from foveal import Memory, Settings

memory = Memory(sys.argv[1], settings=Settings(second_look="minilm"))
memory.write_many([f"The ship {n} sailed on a Tuesday." for n in range(3000)], actor_id="ada")
memory.search("a ship", actor_id="ada")
"""


def test_a_process_may_end_while_vectors_are_made(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", UNCLOSED, str(tmp_path / "memory.db")], capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")
    with Memory(tmp_path / "memory.db", settings=ON) as memory:
        assert memory.stats(actor_id="ada").second_look_waiting > 0


KILLED = """
import sys
from foveal import Memory, Settings

memory = Memory(sys.argv[1], settings=Settings(second_look="minilm"))
memory.write_many([f"The ship {n} sailed on a Tuesday." for n in range(400)], actor_id="ada")
for organism in memory.runtime.store.counts.organisms():
    for count in memory.runtime.second_look.catch_up(organism):
        print(count, flush=True)
"""


def test_a_process_killed_while_vectors_are_made_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    command = [sys.executable, "-c", KILLED, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        made = sum(int(process.stdout.readline()) for _ in range(2))
        process.kill()
    with Memory(path, settings=ON) as memory:
        stats = memory.stats(actor_id="ada")
        assert stats.records == 400
        assert 0 < stats.second_look_waiting <= 400 - made
        assert memory.admin.reindex().looked_at == stats.second_look_waiting
        assert memory.read("a ship", token_budget=200, actor_id="ada").receipt.first_look_only == 0


WITHOUT_RUNTIME = """
import sys
# As if it were not installed.
sys.modules["onnxruntime"] = None
from foveal import Memory
from foveal.doors.cli.app import app

with Memory(sys.argv[1]) as memory:
    memory.write_many(sys.argv[2:], actor_id="ada")
    assert memory.search("the dentist", k=1, actor_id="ada")[0].text == sys.argv[3]
    assert memory.stats(actor_id="ada").second_look is None
app(["doctor", "--url", sys.argv[1]])
"""


def test_without_its_runtime_the_first_look_answers_and_doctor_says_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "memory.db"
    monkeypatch.delenv("FOVEAL_SECOND_LOOK", raising=False)
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_RUNTIME, str(path), *REMARKS], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert "onnxruntime is not installed: pip install onnxruntime" in " ".join(done.stdout.split())
    with Memory(path, settings=ON) as memory:
        assert memory.search("What happened to our pottery?", k=1, actor_id="ada")[0].text == REMARKS[3]


def test_a_memory_that_cannot_be_written_is_searched_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with Memory(path, settings=Settings(second_look="off")) as memory:
        memory.write_many(REMARKS, actor_id="ada")
    with Memory(f"sqlite:///{path}?mode=ro", second_look=fine) as memory:
        assert memory.search("the dentist", k=1, actor_id="ada")[0].text == REMARKS[1]
        assert memory.stats(actor_id="ada").second_look_waiting == len(REMARKS)


def test_an_encoder_that_is_not_there_is_refused_by_name() -> None:
    with pytest.raises(Unsupported, match="make multilingual"):
        Memory(":memory:", settings=Settings(second_look="multilingual"))


def test_a_full_disk_is_told_and_nothing_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with Memory(path, settings=Settings(second_look="off")) as memory:
        memory.write_many([f"note {n} about the garden" for n in range(100)], actor_id="ada")
    with Memory(path, second_look=fine) as memory, memory.bus.subscribe("0", kinds=[Kind.ERROR]) as listening:
        store = cast(SqliteStore, memory.runtime.store)
        with store._db.maintaining() as db:  # pyright: ignore[reportPrivateUsage]
            # The limit is the database's own: the same error that a full disk gives.
            db.execute("pragma max_page_count = 1")
        assert memory.search("the garden", k=1, actor_id="ada")[0].text.endswith("the garden")
        notice = next(iter(listening))
        assert "second look" in str(notice)
        waiting = memory.stats(actor_id="ada").second_look_waiting
        assert waiting > 0
    with Memory(path, second_look=fine) as memory:
        assert memory.admin.reindex().looked_at == waiting
