"""The glyph tape: families, their glyphs, streams of them, on every store. A4 and A7 of the acceptance list."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from foveal import Memory
from foveal.config import Settings
from foveal.doors.cli.demo import conversation
from foveal.engine.memory import View
from foveal.engine.runtime.runtime import Runtime
from foveal.engine.tape import build
from foveal.engine.tape.keeper import keep
from foveal.errors import Conflict, EncoderMismatch, Invalid, NotFound
from foveal.model.glyph import TapeState
from foveal.model.notice import Kind
from foveal.model.query import Viewpoint
from foveal.model.results import What
from foveal.rules import glyphs as rules
from foveal.rules.addresses import Plane, generic_plane
from foveal.rules.duplicates import interchangeable
from foveal.rules.glyphs import ENOUGH, LOSSY, glyph
from foveal.testing import ManualClock

TURNS = conversation()


@pytest.fixture(params=["ram", "sqlite"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    # Tapes are built here when they are asked for, and not in a thread beside the test.
    place = ":memory:" if request.param == "ram" else tmp_path / "memory.db"
    with Memory(place, settings=Settings(metabolism="off")) as memory:
        yield memory


@pytest.fixture
def ada(memory: Memory) -> View:
    view = memory.view(actor_id="ada")
    view.write_many(TURNS[:120])
    return view


def test_a4_glyphs_are_one_to_one_and_the_most_used_family_has_the_shortest(ada: View) -> None:
    ada.tape.build()
    families = ada.tape.families(limit=1000)
    assert len({one.glyph for one in families}) == len(families) == ada.tape.list()[0].families
    assert [one.glyph for one in families] == [glyph(one.number) for one in families]
    assert [one.uses for one in families] == sorted((one.uses for one in families), reverse=True)
    assert len(families[0].glyph) == 1


def test_a7_depth_0_summaries_exist_and_the_shallow_leave_most_of_the_budget_to_the_deep(ada: View) -> None:
    ada.write_many(["The new roof needs slate, and this is a long story about it. " * 12 for _ in range(6)])
    ada.write_many([f"Roof note {n}: the slate came late again, and we waited all day. " * 9 for n in range(6)])
    context = ada.read("what about the slate for the roof?", token_budget=512)
    shallow = [item for item in context.items if item.depth < 2]
    deep = [item for item in context.items if item.depth == 2]
    assert 0 in {item.depth for item in shallow}
    assert all(item.summary and item.address.depth == item.depth for item in context.items)
    assert sum(item.tokens for item in shallow) < sum(item.tokens for item in deep)
    # Where not even the best fits whole, its gist is what is shown.
    assert {item.depth for item in ada.read("slate for the roof", token_budget=64).items} == {0}


def test_every_record_of_the_memory_comes_back_exactly_from_its_stream(ada: View) -> None:
    tape = ada.tape.build()
    shorter = 0
    for record in ada.timeline(limit=1000):
        made = ada.tape.encode(record.text)
        assert made.exact
        assert made.tape == tape.number
        assert 0 <= made.density <= 1
        assert ada.tape.decode(made.stream).text == record.text
        shorter += len(made.stream) < len(record.text)
    assert shorter > 100


def test_words_the_tape_has_never_seen_stay_literal_and_signs_in_them_are_escaped(ada: View) -> None:
    ada.tape.build()
    for text in ("Quixotic zebras juggle.", "亍 and ⠁ and ␛ are letters here", "⁓", "a\nb"):
        made = ada.tape.encode(text)
        assert ada.tape.decode(made.stream).text == text
        assert made.density == 0


def test_a_write_is_as_dense_as_the_tape_knows_its_words(ada: View) -> None:
    with pytest.raises(NotFound):
        ada.tape.density("x")
    known = ada.write("We should paint the kitchen door blue.").id
    ada.tape.build()
    again = ada.write("We should paint the kitchen door blue. Ferrets juggle quantum marmalade.").id
    new = ada.write("Ferrets juggle quantum marmalade.").id
    found = ada.tape.density([known, again, new])
    written = ada.write_many([ada.get(one).text for one in (known, again, new)])
    assert dict(zip((known, again, new), written.density, strict=True)) == found
    assert [bool(signs) for signs in written.glyphs] == [True, True, False]
    assert list(found) == [known, again, new]
    assert found[known] == ada.tape.encode(ada.get(known).text).density > 0.9
    assert found[known] > found[again] > found[new] == 0
    ada.tape.update()
    assert ada.tape.density(new) == {new: 0.0}
    with pytest.raises(NotFound):
        ada.tape.density([known, "nowhere"])


def test_every_level_of_the_map_says_what_lies_in_its_cells(ada: View) -> None:
    for tape in (0, ada.tape.build().number):
        ada.tape.use(tape)
        found = ada.tape.cells(levels=9)
        assert found[0].digits == ""
        by_length = {len(one.digits): 0 for one in found}
        for one in found:
            by_length[len(one.digits)] += one.records
            assert one.summary
            assert len(one.summary) <= 240
        assert by_length == dict.fromkeys(range(10), ada.stats().records)
        [top, *_] = ada.tape.cells(found[-1].digits, levels=5)
        assert top == found[-1]
        assert ada.tape.cells(levels=0) == found[:1]
    said = " ".join(one.text for one in ada.timeline(limit=1000))
    assert all(label.rstrip(" …") in said for label in ada.tape.cells(levels=0)[0].summary.split("; "))


def test_the_lossy_form_says_so(ada: View) -> None:
    known = ada.write("We should paint the kitchen door blue.").id
    ada.tape.build()
    text = "We should paint the kitchen doors blue."
    made = ada.tape.encode(text, lossy=True)
    assert not made.exact
    assert LOSSY in made.stream
    read = ada.tape.decode(made.stream)
    assert not read.exact
    assert read.text != text
    assert ada.tape.encode(ada.get(known).text, lossy=True).exact


def test_enough_records_get_a_tape_unasked_that_is_kept_and_moves_no_address(tmp_path: Path) -> None:
    clock = ManualClock()
    with Memory(tmp_path / "memory.db", clock=clock) as memory:
        ada = memory.view(actor_id="ada")
        listening = memory.bus.subscribe(kinds=[Kind.TAPE])
        ada.write_many(TURNS[: ENOUGH - 1])
        assert _kept(memory)
        assert ada.tape.list() == []
        before = ada.write_many(TURNS[ENOUGH : ENOUGH + 40])
        assert before.density == (0.0,) * 40
        assert _kept(memory)
        [tape] = ada.tape.list()
        assert (tape.state, tape.active, tape.records, tape.waiting) == (TapeState.READY, False, ENOUGH + 39, 0)
        heard = listening.take()
        assert heard is not None
        assert (heard.what, heard.ids) == ("built", ("1",))
        assert [ada.get(one).address for one in before.ids] == list(before.addresses)
        assert ada.read("the roof", mode="glyph").receipt.degraded == ()
        later = ada.write_many(f"{turn['text']} Remark {n}." for n, turn in enumerate(TURNS[:40]))
        assert max(later.density) > 0.5
        assert _kept(memory)
        [tape] = ada.tape.list()
        assert tape.records == ENOUGH + 79
        ada.write_many(
            f"Ferret {n} juggles {n * 7} quantum marmalade jars at {n}:15, she said." for n in range(600)
        )
        ada.lifecycle.run()
        assert _kept(memory)
        assert [one.number for one in ada.tape.list()] == [1, 2]
        assert ada.tape.list()[1].waiting == 0
        second, first = [move for move in ada.lifecycle.journal(limit=5000) if move.what is What.TAPED]
        assert (first.version, first.why) == (1, f"tape 1 was built from {ENOUGH + 39} records")
        # A tape that was built unasked can be taken back, like every move; not while it is in use.
        ada.tape.use(1)
        with pytest.raises(Conflict, match="tape 1 is in use"):
            ada.lifecycle.undo(first.id)
        ada.lifecycle.undo(second.id)
        assert [one.number for one in ada.tape.list()] == [1]
    with Memory(tmp_path / "other.db", settings=Settings(metabolism="off")) as memory:
        memory.write_many(TURNS[:150], actor_id="ada")
        assert memory.runtime.wrote is Runtime.wrote
        assert memory.tape.list(actor_id="ada") == []


def test_a_process_that_writes_once_looks_after_the_tape(tmp_path: Path) -> None:
    with Memory(tmp_path / "memory.db", settings=Settings(metabolism="off")) as memory:
        memory.write_many(TURNS[:150], actor_id="ada")
    with Memory(tmp_path / "memory.db") as memory:
        memory.write("The kettle is on.", actor_id="ada")
        assert _kept(memory)
        [tape] = memory.tape.list(actor_id="ada")
        assert (tape.state, tape.records, tape.waiting) == (TapeState.READY, 151, 0)


def _kept(memory: Memory) -> bool:
    """Whether the thread has done all that is due."""
    pace = memory._pace  # pyright: ignore[reportPrivateUsage]
    return pace is not None and pace.tapes.wait(30)


def test_a_build_that_is_cut_short_goes_on_when_the_memory_is_opened_again(tmp_path: Path) -> None:
    clock = ManualClock()
    off = Settings(metabolism="off")
    with Memory(tmp_path / "memory.db", clock=clock, settings=off) as memory:
        memory.write_many(TURNS[:150], actor_id="ada")
        viewpoint = Viewpoint(actor_id="ada")
        begun = memory.runtime.store.tapes.begin(viewpoint, memory.runtime.encoder.id, clock.now())
        assert keep(memory.runtime, viewpoint) == 0
    clock.turn(timedelta(minutes=10))
    with Memory(tmp_path / "memory.db", clock=clock, settings=off) as memory:
        assert keep(memory.runtime, viewpoint) == 1
        [tape] = memory.tape.list(actor_id="ada")
        assert (tape.number, tape.state) == (begun.number, TapeState.READY)
        assert keep(memory.runtime, viewpoint) == 0


def test_a_family_says_how_tight_it_is_and_in_which_languages(ada: View) -> None:
    ada.tape.build()
    for one in ada.tape.families(limit=1000):
        assert one.label == one.examples[0]
        assert one.size >= len(one.examples)
        assert 0 < one.coherence <= 1
        assert sum(one.languages.values()) == one.size
        assert one.entropy >= 0
        assert one.x >= 0 <= one.y
        assert one.x + one.y <= 1.000001
        assert len(one.digits) == 9


class Meanings:
    """A tiny encoder that knows six things in three languages, and nothing else."""

    id = "meanings-1"
    dimension = 8
    words = (
        ("flight", "vuelo", "vol "),
        ("kitchen", "cocina", "cuisine"),
        ("doctor", "médico", "médecin"),
        ("harbour", "puerto", "le port"),
        ("winter", "invierno", "hiver"),
        ("bread", "pan ", "pain"),
    )

    @property
    def plane(self) -> Plane:
        return generic_plane(self.dimension)

    def embed(self, texts: Sequence[str], *, asking: bool = False) -> NDArray[np.float32]:
        rows = np.full((len(texts), 8), 0.02, np.float32)
        for row, text in zip(rows, texts, strict=True):
            for place, words in enumerate(self.words):
                row[place] += any(word in f"{text.lower()} " for word in words)
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def test_with_an_encoder_of_many_languages_a_family_spans_them(tmp_path: Path) -> None:
    said = {
        "en": [f"we talked about the {words[0]} on day {n}" for n in range(5) for words in Meanings.words],
        "es": [f"hablamos de la {words[1]} el día {n}" for n in range(5) for words in Meanings.words],
        "fr": [f"nous avons parlé de la {words[2]} le jour {n}" for n in range(5) for words in Meanings.words],
    }
    with Memory(tmp_path / "m.db", embedder=Meanings()) as memory:
        ada = memory.view(actor_id="ada")
        ada.write_many([text for texts in said.values() for text in texts])
        ada.tape.build()
        families = ada.tape.families()
        mixed = [one for one in families if {"en", "es", "fr"} <= set(one.languages)]
        assert len(mixed) >= len(families) / 2
        assert all(one.entropy > 1 for one in mixed)


def test_a_new_phrase_joins_the_family_it_is_like_or_waits(ada: View) -> None:
    ada.write_many(["We should paint the kitchen door blue.", "We could paint the kitchen door blue."])
    tape = ada.tape.build()
    ada.write("We should paint the kitchen doors blue.")
    ada.write("Ferrets juggle quantum marmalade.")
    after = ada.tape.update()
    assert after.digest == tape.digest
    assert after.records == tape.records + 2
    assert after.waiting >= 1
    mine = ada.tape.glyphs("We should paint the kitchen doors blue.")
    assert any(one.exact for one in mine)
    assert ada.tape.decode(ada.tape.encode("We should paint the kitchen doors blue.").stream).exact
    assert ada.tape.update() == after


def test_glyphs_show_what_a_context_is_about(ada: View) -> None:
    without = ada.read("the roof", mode="glyph")
    assert without.receipt.degraded == ("tape",)
    assert any(item.excerpt and item.excerpt in item.text for item in without.items)
    assert not any(item.glyphs or item.density for item in without.items)
    ada.tape.build()
    whole = ada.read("which colour do the doors get?", token_budget=400)
    shown = ada.read("which colour do the doors get?", token_budget=400, mode="glyph")
    assert shown.tokens <= 400
    assert {item.depth for item in shown.items} <= {0, 1, 2}
    signed = [item for item in shown.items if item.depth < 2]
    assert signed
    assert len(shown.items) > 0 < len(whole.items)
    assert shown.receipt.degraded == ()
    assert all(
        item.glyphs and 0 < item.density <= 1 for item in (*shown.items, *whole.items) if len(item.record.text) > 40
    )
    glyphs = {one.glyph for one in ada.tape.families(limit=1000)}
    assert {sign for item in whole.items for sign in item.glyphs} <= glyphs
    assert all(set(item.text) & set("".join(glyphs)) for item in signed)
    with pytest.raises(Invalid):
        ada.read("the roof", mode="glyphs")


def test_a_glyph_is_inspected(ada: View) -> None:
    ada.tape.build()
    family = ada.tape.families(limit=1)[0]
    found = ada.tape.inspect(family.glyph)
    assert found.families == (family,)
    assert len(found.phrases) == family.size
    assert found.phrases[0].text == family.label
    said = {one.text for one in found.phrases}
    assert found.records
    assert all(any(phrase in record.text for phrase in said) for record in found.records)
    times = [one.occurred_at for one in found.records]
    assert times == sorted(times, reverse=True)
    assert [one.digits for one in found.cells] == [family.digits[:n] for n in range(10)]
    assert found.cells[0].records == 120
    assert all(one.summary for one in found.cells)
    with pytest.raises(NotFound):
        ada.tape.inspect(glyph(5000))


def _labels(text: str, glyphs: set[str]) -> list[str]:
    """The labels in a line of glyphs, without the speaker before them."""
    parts = text.split("; ")
    first = min((parts[0].find(one) for one in glyphs if one in parts[0]), default=-1)
    return [part.partition(" ")[2] for part in [parts[0][first:], *parts[1:]]] if first >= 0 else []


def test_an_unrelated_fact_is_never_shown_as_another(memory: Memory) -> None:
    ada = memory.view(actor_id="ada")
    facts = [
        *("I am allergic to walnuts.", "The wifi password is on the fridge.", "I am allergic to shellfish."),
        *("My flight lands at 6 in the morning.", "My flight lands at 9 in the morning.", "I do not like olives."),
        *("I like olives.", "Ines plays chess on Sundays.", "Hugo plays chess on Sundays."),
    ]
    repeats = ["By the way, I am allergic to walnuts.", "On Sundays Ines plays chess."]
    for fact in [*facts, *repeats]:
        ada.write(fact)
    ada.tape.build()
    owners = {fact: max(ada.tape.glyphs(fact), key=lambda one: one.end - one.start).family for fact in facts}
    assert len(set(owners.values())) == len(facts)
    for said, first in zip(repeats, (facts[0], facts[7]), strict=True):
        assert max(ada.tape.glyphs(said), key=lambda one: one.end - one.start).family == owners[first]
    glyphs = {one.glyph for one in ada.tape.families(limit=1000)}
    shown = ada.read("what do you know about me?", mode="glyph", token_budget=2000, min_relevance=0.0)
    assert len(shown.items) == len(facts) + len(repeats)
    for item in shown.items:
        for label in _labels(item.text, glyphs):
            assert interchangeable(label.removeprefix("≈"), item.record.text), (label, item.record.text)


def test_a_phrase_that_is_like_no_other_is_its_own_and_keeps_its_words(ada: View) -> None:
    ada.tape.build()
    singles = {one.glyph: one.label for one in ada.tape.families(limit=1000) if one.size == 1}
    assert len(singles) > 100
    for record in ada.timeline(limit=1000):
        for mention in ada.tape.glyphs(record.text):
            if mention.glyph in singles:
                assert mention.label == mention.text == singles[mention.glyph]


def _anything(_one: str, _other: str) -> float:
    return -1.0


def test_a_loose_family_of_an_older_tape_shows_each_its_own_words(
    ada: View, monkeypatch: pytest.MonkeyPatch
) -> None:
    walnuts, wifi = "I am allergic to walnuts.", "The wifi password is on the fridge."
    ada.write_many([walnuts, wifi])
    monkeypatch.setattr(build, "least_likeness", _anything)
    monkeypatch.setattr(rules, "LIKE", -1.0)
    ada.tape.build()
    monkeypatch.undo()
    for item in ada.read("walnuts wifi password fridge", mode="glyph", token_budget=300).items:
        if item.record.text in (walnuts, wifi):
            assert item.record.text.rstrip(".") in item.text


def test_the_map_has_every_family_in_its_triangle(ada: View) -> None:
    tape = ada.tape.build()
    landmarks = ada.tape.map(limit=1000)
    assert len(landmarks) == tape.families
    assert all(one.x >= 0 and one.y >= 0 and one.x + one.y <= 1.000001 for one in landmarks)
    assert len({one.digits[0] for one in landmarks}) == 3


def test_an_empty_or_wordless_memory_has_a_tape_without_families(memory: Memory) -> None:
    eve = memory.view(actor_id="eve")
    for call in (eve.tape.build, eve.tape.families, eve.tape.update, lambda: eve.tape.encode("anything at all")):
        with pytest.raises(NotFound):
            call()
    eve.write("ok")
    tape = eve.tape.build()
    assert (tape.records, tape.families, eve.tape.families(), eve.tape.map()) == (1, 0, [], [])
    assert eve.tape.encode("nothing is known here yet", lossy=True).density == 0
    eve.write("still not much")
    assert eve.tape.update().waiting == 1


def test_another_encoder_needs_another_tape(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with Memory(path) as memory:
        ada = memory.view(actor_id="ada")
        first = ada.write("see you at the harbour").id
        ada.tape.build()
        old = ada.get(first).address
    with Memory(path, embedder=Meanings()) as memory:
        ada = memory.view(actor_id="ada")
        with pytest.raises(EncoderMismatch):
            ada.tape.update()
        memory.admin.reindex()
        assert ada.get(first).address.tape == 0
        with pytest.raises(NotFound):
            ada.tape.update()
        assert ada.tape.inspect(old).record is not None
        assert ada.tape.build().number == 2
        assert [one.active for one in ada.tape.list()] == [False, True]
