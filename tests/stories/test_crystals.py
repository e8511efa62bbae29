"""Crystals keep what matters, through compressions, generations, branches, restarts and the reaper."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from foveal import AsyncMemory, Memory
from foveal.engine.memory import View
from foveal.errors import BudgetTooSmall, Conflict, Invalid, NotFound, Pinned, TooLarge
from foveal.model.crystal import ContextWindow
from foveal.model.record import Linearity
from foveal.testing import ManualClock

MONDAY = datetime(2026, 1, 5, 9, tzinfo=UTC)
HOUR = timedelta(hours=1)
DECISION = "Decision: keep one SQLite file because nobody wants to run a server."
RULE = "Every answer must cite its source, exactly: [n]."


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(MONDAY)


@pytest.fixture(params=["ram", "sqlite"])
def memory(request: pytest.FixtureRequest, tmp_path: Path, clock: ManualClock) -> Iterator[Memory]:
    with Memory(":memory:" if request.param == "ram" else tmp_path / "memory.db", clock=clock) as memory:
        yield memory


@pytest.fixture
def ada(memory: Memory) -> View:
    return memory.view(actor_id="ada", session_id="run")


def _thread(steps: int = 12, start: int = 0) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    for n in range(start, start + steps):
        call = {"id": f"c{n}", "type": "function", "function": {"name": "read_file", "arguments": f'{{"n": {n}}}'}}
        messages.append({"role": "assistant", "content": f"Reading part {n}.", "tool_calls": [call]})
        rows = "".join(f"row {n}.{row} of the table of harbours is open\n" for row in range(40))
        messages.append({"role": "tool", "tool_call_id": f"c{n}", "content": rows})
    return messages


def _long(ada: View, **said: Any) -> ContextWindow:
    head = [{"role": "system", "content": "You keep a harbour."}, {"role": "user", "content": RULE}]
    return ada.crystals.window([*head, {"role": "assistant", "content": DECISION}, *_thread()], **said)


def _texts(window: ContextWindow) -> list[str]:
    return [turn.content for turn in window.turns]


def test_compressing_twice_keeps_what_is_preserved(ada: View) -> None:  # D1
    window = _long(ada, max_tokens=6000)
    once = ada.crystals.compress(window)
    assert once.after <= 3000 < once.before
    grown = ada.crystals.add(once.window, _thread(12, 12))
    twice = ada.crystals.compress(grown)
    assert twice.after <= 3000
    for made in (once.window, twice.window):
        assert RULE in _texts(made)
        assert any(DECISION in text for text in _texts(made))
    assert twice.window.compressions == 2


def test_decisions_survive_three_generations(ada: View) -> None:  # D2
    window = _long(ada)
    said = [RULE, DECISION]
    for generation in range(3):
        crystal = ada.crystals.crystallize(window)
        window = ada.crystals.resume(crystal.crystal_id).window
        new = f"Decision: generation {generation} paints gate {generation} red because it rusts."
        filler = "Then nothing happened for a while. " * 30
        window = ada.crystals.add(window, [{"role": "assistant", "content": new + " " + filler}, *_thread(3, 20)])
        said.append(new)
        assert crystal.branch_depth == generation
    last = ada.crystals.resume(ada.crystals.crystallize(window).crystal_id)
    stated = "\n".join(_texts(last.window))
    assert [one for one in said if one not in stated] == []
    assert len(ada.crystals.lineage(last.crystal.crystal_id)) == 4


def test_decisions_survive_generations_that_go_through_messages(ada: View) -> None:  # D2, as an agent loop does it
    messages = ada.crystals.messages(_long(ada))
    for generation in range(3):
        crystal = ada.crystals.crystallize(messages)
        assert crystal.branch_depth == generation
        messages = ada.crystals.messages(ada.crystals.resume(crystal.crystal_id).window)
        messages += _thread(3, 30 * generation)
    stated = "\n".join(str(one["content"]) for one in messages)
    assert RULE in stated
    assert DECISION in stated
    assert stated.count("[Resumed from crystal") == 1


def test_a_cherished_crystal_survives_a_restart_and_the_reaper(tmp_path: Path, clock: ManualClock) -> None:  # D3
    path = tmp_path / "memory.db"
    with Memory(path, clock=clock) as memory:
        ada = memory.view(actor_id="ada")
        kept, other = (ada.crystals.crystallize(_long(ada)).crystal_id for _ in range(2))
        assert ada.crystals.cherish(kept).pinned
    clock.turn(48 * HOUR)
    with Memory(path, clock=clock) as memory:
        crystals = memory.view(actor_id="ada").crystals
        reaped = crystals.reap()
        assert (reaped.ids, reaped.reaped_count, reaped.skipped_pinned) == ((other,), 1, 1)
        assert DECISION in crystals.resume(kept).crystal.decisions
        crystals.uncherish(kept)
        clock.turn(48 * HOUR)
        assert crystals.reap().ids == (kept,)


def test_a_lineage_survives_the_reaping_of_a_parent(ada: View, clock: ManualClock) -> None:  # D4
    first = ada.crystals.crystallize(_long(ada), ttl=HOUR)
    second = ada.crystals.crystallize(ada.crystals.resume(first.crystal_id).window, ttl=9 * HOUR)
    clock.turn(2 * HOUR)
    assert ada.crystals.reap().ids == (first.crystal_id,)
    line = ada.crystals.lineage(second.crystal_id)
    assert [(one.crystal_id, one.tombstone) for one in line] == [
        (second.crystal_id, False),
        (first.crystal_id, True),
    ]
    with pytest.raises(NotFound, match="reaped"):
        ada.crystals.resume(first.crystal_id)


def test_a_ttl_of_zero_expires_at_once(ada: View) -> None:  # D5
    crystal = ada.crystals.crystallize(_long(ada), ttl=0)
    assert crystal.ttl == timedelta(0)
    assert crystal.is_expired(MONDAY)
    with pytest.raises(NotFound, match="expired"):
        ada.crystals.resume(crystal.crystal_id)
    assert ada.crystals.reap().ids == (crystal.crystal_id,)


def test_a_focus_hint_and_a_focus_mark_are_kept_verbatim(ada: View) -> None:  # D6
    marked = "[FOCUS:error] Berth 7 reported: winch torn off at 03:12."
    hinted = "The pilot's number is +47 555 0199, ask for Ingrid."
    messages = [*_thread(6), {"role": "assistant", "content": marked}, {"role": "assistant", "content": hinted}]
    window = ada.crystals.window([*messages, *_thread(6, 6)], max_tokens=4000)
    done = ada.crystals.compress(window, focus_hints=["Pilot's number"])
    assert {marked, hinted} <= set(_texts(done.window))
    crystal = ada.crystals.crystallize(window, ["pilot's number"])
    assert [(one.hint, one.content, one.linearity) for one in crystal.focus_fragments] == [
        ("error", marked, Linearity.PRESERVED),
        ("pilot's number", hinted, Linearity.PRESERVED),
    ]
    assert [one.position for one in crystal.focus_fragments] == [13, 14]


@pytest.mark.parametrize("strategy", ["summarise", "squash", "rebase", "cherry_pick"])
def test_a_merge_is_right_when_the_parent_grew(ada: View, strategy: str) -> None:  # D8
    root = ada.crystals.crystallize(_long(ada))
    child = ada.crystals.branch(root.crystal_id, "try the north gate")
    there = ada.crystals.resume(child.crystal_id).window
    found = "Conclusion: the north gate holds 12 ships because the sill is deep."
    asked = "The user wants the north gate painted."
    there = ada.crystals.add(
        there, [{"role": "assistant", "content": found}, {"role": "user", "content": asked}, *_thread(2)]
    )
    worked = ada.crystals.crystallize(there, reason="a deep sill")
    here = ada.crystals.resume(root.crystal_id).window
    grown = "Decision: the south gate stays closed because of ice."
    here = ada.crystals.add(here, [{"role": "assistant", "content": grown}] * 3)
    parent = ada.crystals.crystallize(here)
    pick = [one.id for one in worked.focus_fragments if one.content in (found, asked)]
    merged = ada.crystals.merge(
        worked.crystal_id, parent.crystal_id, strategy=strategy, pick=pick if strategy == "cherry_pick" else ()
    )
    stated = "\n".join(_texts(ada.crystals.resume(merged.crystal_id).window))
    for one in (RULE, DECISION, grown, found, asked):
        assert one in stated
    assert stated.count(found) == 1
    assert (merged.parent_crystal, merged.merged) == (parent.crystal_id, worked.crystal_id)
    assert merged.branch_reason == "merge of a deep sill"
    with pytest.raises(Conflict, match="before"):
        ada.crystals.merge(worked.crystal_id, merged.crystal_id)


def test_windows_merge_by_what_was_said_and_not_by_place(ada: View) -> None:  # D8, without crystals
    base = _long(ada)
    child = ada.crystals.add(base, [{"role": "assistant", "content": "Conclusion: north."}, *_thread(1, 50)])
    parent = ada.crystals.add(base, [{"role": "user", "content": "And hurry."}, *_thread(2, 60)])
    merged = ada.crystals.merge_windows(parent, child, base=base, strategy="rebase")
    assert _texts(merged)[: len(parent.turns)] == _texts(parent)
    assert _texts(merged)[len(parent.turns) :] == _texts(child)[len(base.turns) :]
    with pytest.raises(Conflict):
        ada.crystals.merge_windows(merged, child, base=base, strategy="rebase")
    with pytest.raises(TooLarge):
        ada.crystals.merge_windows(parent, child, base=base, strategy="rebase", budget=9)
    with pytest.raises(Invalid):
        ada.crystals.merge_windows(parent, child, base=base, strategy="octopus")
    with pytest.raises(Invalid):
        ada.crystals.merge_windows(parent, child, base=base, strategy="cherry_pick", pick=["no such turn"])


def test_a_reaped_crystal_leaves_its_tombstone_and_summary(ada: View, clock: ManualClock) -> None:  # D9
    crystal = ada.crystals.crystallize(_long(ada), ttl=HOUR)
    clock.turn(HOUR)
    reaped = ada.crystals.reap()
    assert (reaped.ids, reaped.skipped_pinned, reaped.skipped_unexpired) == ((crystal.crystal_id,), 0, 0)
    left = ada.crystals.get(crystal.crystal_id)
    assert left.history_summary == crystal.history_summary != ""
    assert (left.focus_fragments, left.reaped_at) == ((), clock.now())
    [line] = ada.crystals.lineages()
    assert (line.tombstone, line.history_summary) == (True, crystal.history_summary)


def test_masked_text_is_recalled_from_memory(ada: View) -> None:
    window = _long(ada, max_tokens=6000)
    done = ada.crystals.compress(window)
    first = next(turn for turn in done.window.turns if turn.form == "masked")
    record_id = first.content.rpartition("foveal get ")[2].removesuffix("]")
    record = ada.get(record_id)
    assert record.text in _texts(window)
    assert (record.kind, record.linearity, record.source) == ("observation", Linearity.DROPPABLE, "tool")
    assert record_id in {hit.id for hit in ada.search("row 0.17 of the table of harbours", k=3)}
    assert set(done.kept) == {one.id for one in ada.timeline(filters={"metadata.window": "run"}, limit=1000)}
    again = ada.crystals.compress(_long(ada, max_tokens=6000))
    assert again.kept == done.kept
    assert ada.stats().records == len(done.kept)


def test_nothing_is_written_when_it_is_not_to_be_kept(ada: View) -> None:
    done = ada.crystals.compress(_long(ada, max_tokens=6000), keep=False)
    assert done.kept == ()
    assert any(text.endswith("get it back: not kept]") for text in _texts(done.window))
    assert ada.stats().records == 0


def test_a_loop_lowers_the_threshold_and_progress_moves_it(ada: View) -> None:
    step = {"role": "assistant", "content": "Trying again."}
    window = ada.crystals.window([step] * 6)
    assert ada.crystals.pulse(window).level == "critical"
    assert ada.crystals.compress(window).threshold == pytest.approx(0.55)  # pyright: ignore[reportUnknownMemberType]
    calm = ada.crystals.window([step])
    assert ada.crystals.compress(calm, progress=0.9).threshold == pytest.approx(0.6)  # pyright: ignore[reportUnknownMemberType]


def test_resuming_puts_back_state_summary_and_fragments(ada: View, clock: ManualClock) -> None:
    task = {"task_id": "t7", "description": "dredge\nthe basin", "status": "paused", "progress": 0.4}
    crystal = ada.crystals.crystallize(_long(ada), task_state=task, working_memory={"depth": 7.5})
    clock.turn(HOUR)
    resumed = ada.crystals.resume(crystal.crystal_id)
    head = _texts(resumed.window)[0]
    assert head.startswith(f"[Resumed from crystal {crystal.crystal_id}]\nTask: t7 dredge the basin (paused, 40%)")
    assert '"depth": 7.5' in head
    assert crystal.history_summary in head
    assert resumed.working_memory == {"depth": 7.5}
    assert (resumed.task_state.status, resumed.window.last_number) == ("paused", 27)
    assert ada.crystals.get(crystal.crystal_id).uses == 1
    [line] = ada.crystals.lineages()
    assert line.expires_at == MONDAY + 25 * HOUR
    after = ada.crystals.crystallize(resumed.window)
    assert (after.working_memory, after.task_state.progress) == ({"depth": 7.5}, 0.4)


def test_a_branch_is_deeper_has_a_reason_and_a_budget(ada: View) -> None:
    root = ada.crystals.crystallize(_long(ada))
    child = ada.crystals.branch(root.crystal_id, "cheap try", budget=0.1)
    assert (child.branch_depth, child.branch_reason, child.parent_crystal) == (1, "cheap try", root.crystal_id)
    assert child.budget == int(root.total_tokens() * 0.1)
    window = ada.crystals.resume(child.crystal_id).window
    window = ada.crystals.add(window, [{"role": "user", "content": "Word for word. " * 200}])
    grown = ada.crystals.crystallize(window)
    assert grown.budget == child.budget
    with pytest.raises(TooLarge):
        ada.crystals.merge(grown.crystal_id, root.crystal_id, strategy="rebase")
    assert ada.crystals.duplicate(root.crystal_id).focus_fragments == root.focus_fragments
    with pytest.raises(Conflict, match="has all of it"):
        ada.crystals.merge(root.crystal_id, grown.crystal_id)
    stranger = ada.crystals.crystallize([{"role": "user", "content": "hello"}])
    with pytest.raises(Conflict, match="nothing in common"):
        ada.crystals.merge(stranger.crystal_id, root.crystal_id)


def test_a_difference_says_what_each_has_alone(ada: View) -> None:
    first = ada.crystals.crystallize(_long(ada), working_memory={"a": 1, "b": 2})
    window = ada.crystals.resume(first.crystal_id).window
    window = ada.crystals.add(window, [{"role": "user", "content": "One more thing."}])
    second = ada.crystals.crystallize(window, working_memory={"a": 1, "b": 3}, task_state={"progress": 0.5})
    found = ada.crystals.diff(first.crystal_id, second.crystal_id)
    assert [one.content for one in found.added] == ["One more thing."]
    assert (found.removed, found.kept, found.ancestor) == ((), 3, first.crystal_id)
    assert found.working_memory == {"b": (2, 3)}
    assert found.task_state == {"progress": (0.0, 0.5)}
    assert found.summary is None
    assert found.tokens > 0


def test_composting_is_now_and_a_cherished_crystal_refuses(ada: View) -> None:
    crystal = ada.crystals.crystallize(_long(ada), pin=True)
    with pytest.raises(Pinned):
        ada.crystals.compost(crystal.crystal_id)
    ada.crystals.uncherish(crystal.crystal_id)
    assert ada.crystals.compost(crystal.crystal_id).ids == (crystal.crystal_id,)
    with pytest.raises(NotFound):
        ada.crystals.compost(crystal.crystal_id)
    ada.crystals.compost(crystal.crystal_id, hard=True)
    assert ada.crystals.get(crystal.crystal_id).history_summary == ""


HELLO = [{"role": "user", "content": "x"}]
WRONG: dict[str, Callable[[Any], object]] = {
    "a hint that is no list": lambda crystals: crystals.crystallize(HELLO, "one hint"),
    "a negative ttl": lambda crystals: crystals.crystallize(HELLO, ttl=-1),
    "no ttl": lambda crystals: crystals.crystallize(HELLO, ttl=None),
    "memory that is not JSON": lambda crystals: crystals.crystallize(HELLO, working_memory={"x": object()}),
    "an unknown status": lambda crystals: crystals.crystallize(HELLO, task_state={"status": "bored"}),
    "progress over 1": lambda crystals: crystals.crystallize(HELLO, task_state={"progress": 7}),
    "half a character": lambda crystals: crystals.window([{"role": "user", "content": "\ud800"}]),
    "an unknown format": lambda crystals: crystals.window([], format="yaml"),
    "no room": lambda crystals: crystals.window([], max_tokens=0),
    "a branch without a reason": lambda crystals: crystals.branch("crystal_1", ""),
    "a negative budget": lambda crystals: crystals.branch("crystal_1", "why", budget=-1),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_bad_input_has_a_name_and_leaves_nothing(ada: View, wrong: str) -> None:
    with pytest.raises(Invalid):
        WRONG[wrong](ada.crystals)
    assert ada.crystals.lineages() == []


def test_a_crystal_of_an_unknown_parent_is_refused_and_a_foreign_head_is_not(ada: View) -> None:
    with pytest.raises(NotFound):
        ada.crystals.crystallize(_long(ada), parent="crystal_000000000000")
    window = ada.crystals.window([{"role": "system", "content": "[Resumed from crystal crystal_far] hello"}])
    assert ada.crystals.crystallize(window).parent_crystal is None


def test_crystals_move_with_the_memory(ada: View, tmp_path: Path, clock: ManualClock) -> None:
    old = ada.crystals.crystallize(_long(ada), ttl=0)
    ada.crystals.reap()
    kept = ada.crystals.crystallize(_long(ada), working_memory={"n": 1}, pin=True)
    ada.admin.export(tmp_path / "ada.jsonl")
    with Memory(tmp_path / "other.db", clock=clock) as other:
        bob = other.view(actor_id="bob")
        assert bob.admin.import_(tmp_path / "ada.jsonl").crystals == 2
        assert bob.crystals.get(kept.crystal_id) == kept
        assert bob.crystals.get(old.crystal_id).reaped_at == clock.now()
        assert bob.admin.import_(tmp_path / "ada.jsonl").crystals == 0
        planner = other.view(actor_id="eve", node="/planner").admin.import_(tmp_path / "ada.jsonl")
        assert planner.crystals == planner.records == 0
        assert {one.code for one in planner.rejected} == {"forbidden"}
        assert sum(kept.crystal_id in one.message for one in planner.rejected) == 1


def test_the_asynchronous_crystals_are_the_same(tmp_path: Path) -> None:
    import asyncio

    async def story() -> tuple[str, ...]:
        async with AsyncMemory(tmp_path / "m.db") as memory:
            crystals = memory.view(actor_id="ada").crystals
            crystal = await crystals.crystallize([{"role": "assistant", "content": DECISION}])
            return (await crystals.resume(crystal.crystal_id)).crystal.decisions

    assert asyncio.run(story()) == (DECISION,)


def test_a_resumed_window_keeps_to_its_budget_with_what_is_preserved_first(ada: View) -> None:
    thread: list[dict[str, Any]] = [{"role": "user", "content": "Never touch the payment service."}]
    thread += [{"role": "assistant", "content": f"decision: part {n} is built of {n} bricks"} for n in range(30)]
    thread += [{"role": "assistant", "content": f"Chatting about the weather of day {n}."} for n in range(30)]
    crystal = ada.crystals.crystallize(thread, task_state={"task_id": "t1"})
    whole = ada.crystals.resume(crystal.crystal_id)
    assert whole.left_out == ()
    for room in range(60, whole.window.tokens + 20, 40):
        cut = ada.crystals.resume(crystal.crystal_id, max_tokens=room)
        texts = _texts(cut.window)
        assert cut.window.tokens <= room
        assert "t1" in texts[0]
        assert "Never touch the payment service." in texts
        assert len(cut.left_out) + len(texts) == len(crystal.focus_fragments) + 1
        assert bool(cut.left_out) == (len(texts) < len(whole.window.turns))
    newest = _texts(ada.crystals.resume(crystal.crystal_id, max_tokens=120).window)[-1]
    assert "part 29" in newest
    with pytest.raises(BudgetTooSmall) as caught:
        ada.crystals.resume(crystal.crystal_id, max_tokens=5)
    needed = caught.value.data["needed"]
    assert isinstance(needed, int)
    assert ada.crystals.resume(crystal.crystal_id, max_tokens=needed).window.tokens == needed


@pytest.mark.parametrize("cascade", [False, True])
def test_what_is_erased_leaves_every_crystal_that_holds_it(ada: View, memory: Memory, cascade: bool) -> None:
    secret = "The vault opens with 4711 and nothing else."
    thread = [{"role": "user", "content": f"Hello there. {secret}"}, {"role": "user", "content": "Be brief."}]
    said = ada.write(secret)
    below = ada.view(node="/helper")
    kept = ada.crystals.crystallize(thread, working_memory={"note": [secret]}, pin=True)
    other = below.crystals.crystallize([{"role": "user", "content": secret}])
    clean = ada.crystals.crystallize([{"role": "user", "content": "Be brief."}])
    strangers = memory.view(actor_id="eve").crystals.crystallize(thread)
    done = ada.forget(said.id, hard=True, cascade=cascade)
    assert set(done.crystals) == {kept.crystal_id, other.crystal_id}
    for view, one in ((ada, kept), (below, other)):
        assert "4711" not in str(view.crystals.get(one.crystal_id))
    left = ada.crystals.get(kept.crystal_id)
    assert left.pinned
    assert [one.content for one in left.focus_fragments] == ["Hello there. [erased]", "Be brief."]
    assert ada.crystals.get(clean.crystal_id) == clean
    assert "4711" in str(memory.view(actor_id="eve").crystals.get(strangers.crystal_id))
