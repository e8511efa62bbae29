"""One fixed story told to a memory, and every answer to it, comparable between stores and between versions."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import msgspec

from foveal import Memory, Settings
from foveal.errors import FovealError
from foveal.testing import ManualClock

START = datetime(2026, 1, 5, 9, tzinfo=UTC)
TOLD = (
    ("ada", "Ada prefers green tea in the morning, never coffee."),
    ("bob", "The certificate of the harbour office expires on 2026-03-01."),
    ("ada", "We decided to keep the archive in Postgres because the team knows it."),
    ("bob", "Bob moved to Lisbon last week; his new phone number is 555-0199."),
    ("ada", "Ada asked for a table by the window at the Blue Door restaurant."),
    ("bob", "The deploy failed because the disk of build-7 was full."),
)
_ID = re.compile(
    r"(?<![0-9a-z])(?:[0-9a-hjkmnp-tv-z]{26}|(?<=crystal_)[0-9a-f]{12}|[0-9a-f]{16}|[0-9a-f]{24})(?![0-9a-z])"
)
# A server has its own clock for some columns, and a number that is computed may differ in its last digits.
_LATER = re.compile(r"^(?!2026-0[1-4])20\d\d-\d\d-\d\dT.*")


class Story:
    """The answers so far, with ids in the order in which they were first met."""

    def __init__(self) -> None:
        self.answers: dict[str, Any] = {}
        self._ids: dict[str, str] = {}

    def ask(self, name: str, call: Callable[[], Any]) -> Any:
        """Make a call and keep its answer, or the code of its error."""
        try:
            answer = call()
        except FovealError as error:
            self.answers[name] = {"error": error.code}
            return None
        self.answers[name] = self._plain(msgspec.to_builtins(answer, enc_hook=str, str_keys=True))
        return answer

    def _plain(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {self._text(str(key)): self._plain(one) for key, one in cast("dict[Any, Any]", value).items()}
        if isinstance(value, list | tuple):
            return [self._plain(one) for one in cast("list[Any]", value)]
        if isinstance(value, float):
            return round(value, 3)
        return self._text(value) if isinstance(value, str) else value

    def _text(self, value: str) -> str:
        named = _ID.sub(lambda one: self._ids.setdefault(one[0], f"id-{len(self._ids) + 1}"), value)
        return _LATER.sub("later", named)


def told(url: str | Path) -> dict[str, Any]:
    """Tell the story to the memory at a URL, and give its answers."""
    clock, story = ManualClock(START), Story()
    with Memory(url, clock=clock, settings=Settings(second_look="off", metabolism="worker")) as memory:
        view = memory.view(actor_id="ada", session_id="monday")
        ask, ids = story.ask, list[str]()
        for number, (speaker, text) in enumerate(TOLD):
            clock.turn(timedelta(minutes=7))
            written = view.write(text, speaker=speaker, kind="turn", tags=[speaker, f"n{number % 2}"])
            ids += written.ids
            ask(f"write {number}", lambda written=written: written)
        other = memory.view(actor_id="eve", session_id="tuesday")
        ask("another actor", lambda: other.write("Eve keeps bees.", importance=0.9))
        ask("what another sees", lambda: other.get(ids[0]))
        _records(ask, view, ids)
        clock.turn(timedelta(hours=1))
        snapshot = ask("snapshot", lambda: view.snapshots.take("noon"))
        _changes(ask, view, ids)
        ask("changes", lambda: view.snapshots.changes(snapshot.id))
        ask("past", lambda: view.snapshots.at(snapshot.id).get(ids[0]))
        _ledger(ask, view, clock)
        _crystals(ask, view, clock)
        clock.turn(timedelta(days=40))
        ask("forecast", lambda: view.lifecycle.forecast(ids[1]))
        ask("dry run", lambda: view.lifecycle.run(dry_run=True))
        ask("metabolise", lambda: view.lifecycle.run())
        moves = ask("journal", lambda: view.lifecycle.journal(limit=10))
        if moves:
            ask("undo", lambda: view.lifecycle.undo(moves[0].id))
        ask("summaries", lambda: view.lifecycle.summaries())
        ask("restore", lambda: view.snapshots.restore(snapshot.id))
        ask("after it", lambda: [one.text for one in view.timeline(limit=20)])
        ask("erase", lambda: view.forget(ids[3]))
        ask("pinned", lambda: view.forget(ids[0]))
        ask("what is left", lambda: [one.text for one in view.browse.page(limit=50).records])
        ask("the other still", lambda: [one.text for one in other.timeline(limit=5)])
        ask("check", lambda: view.admin.check())
    return story.answers


def _records(ask: Any, view: Any, ids: list[str]) -> None:
    ask("get", lambda: view.get(ids[0]))
    ask("get missing", lambda: view.get("01arz3ndektsv4rrffq69g5fav"))
    for question in ("What does Ada drink?", "Where did Bob go?", "Why did the deploy fail?", "2026-03-01"):
        ask(f"search: {question}", lambda question=question: [hit.text for hit in view.search(question, k=4)])
        ask(f"read: {question}", lambda question=question: view.read(question, token_budget=120).text)
    ask("filtered", lambda: [hit.text for hit in view.search("what happened?", filters={"tags": "n1"}, k=5)])
    ask("page", lambda: [one.text for one in view.browse.page(limit=3).records])
    ask("outline", lambda: view.browse.outline())
    ask("regions", lambda: view.browse.regions())
    ask("addresses", lambda: view.browse.addresses())
    ask("sessions", lambda: view.sessions.list())
    ask("nodes", lambda: view.nodes.list())
    ask("stats", lambda: view.get_stats())
    ask("recalls", lambda: [one.query for one in view.browse.recalls(limit=3)])


def _changes(ask: Any, view: Any, ids: list[str]) -> None:
    ask("pin", lambda: view.pin(ids[0]))
    ask("mute", lambda: view.mute(ids[5]))
    ask("reinforce", lambda: view.lifecycle.reinforce(ids[1]))
    ask(
        "supersede",
        lambda: view.supersede(ids[4], "Ada asked for a table by the door of the Blue Door restaurant."),
    )
    ask("history", lambda: view.history(ids[4]))
    ask("link", lambda: view.links.add(ids[1], ids[2], kind="supports"))
    ask("related", lambda: view.links.related(ids[1]))
    ask("child", lambda: view.write("The renewal form is on the shared drive.", parent_id=ids[1]))
    ask("children", lambda: view.links.children(ids[1]))
    ask("tree", lambda: view.links.tree(ids[1]))
    group = ask("group", lambda: view.groups.add("plans", ids[:2]))
    ask("members", lambda: view.groups.members(group.id))
    ask("unlink", lambda: view.links.remove(ids[1], ids[2]))
    ask("same text again", lambda: view.write(TOLD[0][1], speaker="ada"))
    ask("tape", lambda: view.tape.build())
    ask("families", lambda: view.tape.families())
    encoded = ask("encode", lambda: view.tape.encode("Ada prefers green tea in the morning."))
    ask("decode", lambda: view.tape.decode(encoded.stream))


def _ledger(ask: Any, view: Any, clock: ManualClock) -> None:
    goal = ask("goal", lambda: view.ledger.store_goal("Renew the certificate", priority=1))
    task = ask("task", lambda: view.ledger.store_task(goal.id, "Fill in the form", agent="clerk"))
    ask("tool call", lambda: view.ledger.store_tool_call(task.id, "print", agent="clerk", given={"copies": 2}))
    clock.turn(timedelta(minutes=5))
    ask("task done", lambda: view.ledger.update_task(task.id, "completed", output="signed"))
    ask("goal done", lambda: view.ledger.update_goal(goal.id, "completed", result="valid until 2027"))
    ask("goals", lambda: view.ledger.get_goals())
    ask("event", lambda: view.operational.push_event("deploy", {"host": "build-7"}))
    ask("metric", lambda: view.operational.update_metric("disk", 0.97))
    ask("metrics", lambda: view.operational.get_metrics())
    ask("agent", lambda: view.ledger.store_agent_state("clerk", "idle"))
    ask("agents", lambda: view.ledger.get_agent_states())
    ask("knowledge", lambda: view.longterm.add_knowledge("Renewals", "Certificates are renewed every year."))
    ask("known", lambda: [one.content for one in view.longterm.search_knowledge("how often is it renewed?")])
    ask(
        "context",
        lambda: view.assemble_context("renew the certificate", max_tokens=300, tiers=["working", "longterm"]),
    )


def _crystals(ask: Any, view: Any, clock: ManualClock) -> None:
    messages = [{"role": "user", "content": text} for _, text in TOLD]
    window = ask("window", lambda: view.crystals.window(messages))
    crystal = ask("crystallize", lambda: view.crystals.crystallize(window, reason="the end of the day"))
    if crystal is None:
        return
    clock.turn(timedelta(minutes=5))
    ask("resume", lambda: [one.content for one in view.crystals.resume(crystal.crystal_id).window.turns])
    ask("lineages", lambda: view.crystals.lineages())
    ask("cherish", lambda: view.crystals.cherish(crystal.crystal_id))
    ask("reap", lambda: view.crystals.reap())
