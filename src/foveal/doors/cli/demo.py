"""`foveal demo`: a conversation with questions, or a generated memory of any size."""

from __future__ import annotations

import random
import re
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from html import unescape
from importlib import resources
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING, Annotated, Any

from foveal.doors.cli.browse import cut_by_reason
from foveal.doors.cli.invocation import Invocation, option
from foveal.doors.cli.output import Answer, Printer, moment, size
from foveal.errors import Conflict

if TYPE_CHECKING:
    from foveal.engine.memory import View
    from foveal.model.results import Context, KnownFact


BUDGET = 512
QUESTIONS = 4
NEXT = (
    'search "who is allergic"',
    'read "which colour do the doors get" -b 400',
    "facts",
    "stats",
)


@dataclass(frozen=True)
class Question:
    """A question about the conversation, its answer, and the lines that hold the answer, if any do.

    One that was `asked_before` is itself in the memory, as a chat stores its questions.
    """

    question: str
    answer: str
    evidence: tuple[int, ...]
    asked_before: bool = False


@dataclass(frozen=True)
class Answered:
    """A question, the context that was read for it, and the ids of the turns that hold the answer."""

    question: str
    expected: str
    context: Context
    milliseconds: float
    evidence: tuple[str, ...]

    @property
    def shown(self) -> int:
        """The number of turns in the context that hold the answer."""
        return len(set(self.evidence) & {item.id for item in self.context.items})


@dataclass(frozen=True)
class Story:
    """The results of the demo."""

    path: Path
    turns: list[dict[str, Any]]
    seconds: float
    answered: tuple[Answered, ...]
    told: tuple[str, ...]
    known: tuple[KnownFact, ...]


def demo(
    call: Invocation,
    path: Annotated[
        Path | None, option("--path", "FILE", "The file to create; by default in a temporary folder.")
    ] = None,
    seed: Annotated[
        int | None, option("--seed", "N", "Instead, generate a memory of N records of several actors.", min=1)
    ] = None,
) -> Answer:
    """Write a long conversation, and ask four questions about it."""
    import tempfile

    from foveal.compose import Memory

    if path is None and call.options.url is not None:
        path = Path(call.options.url)
    if path is not None and path.exists():
        raise Conflict(f"{path} exists already: the demo needs a new file", path=str(path))
    path = path or Path(tempfile.mkdtemp(prefix="foveal-demo-")) / "memory.db"
    if seed is not None:
        return _generate(call, path, seed)
    turns = conversation()
    clock = StoryClock(datetime.fromisoformat(turns[0]["occurred_at"]))
    with Memory(path, clock=clock) as memory:
        view = memory.view(**call.at)
        ids, seconds = _lived(view, turns, clock, progress=call.progress("Writing"))
        clock.at = max(clock.at, datetime.now(UTC))
        answered = tuple(_answered(view, question, ids) for question in questions()[:QUESTIONS])
        told = _around(view, clock)
        known = tuple(view.facts(limit=len(told)))
    story = Story(path, turns, seconds, answered, told, known)
    return Answer(_document(story), lambda page: _tell_story(page, story, call), [str(path)])


def _lived(
    view: View, turns: list[dict[str, Any]], clock: StoryClock, *, progress: Callable[[int, int], None]
) -> tuple[tuple[str, ...], float]:
    """Write each session when it took place, and let the metabolism run after it, as a worker does.

    Returns the ids of the turns, and the seconds that writing them took.
    """
    ids: list[str] = []
    seconds = 0.0
    for _, session in groupby(turns, key=lambda turn: turn["session_id"]):
        said = list(session)
        clock.at = datetime.fromisoformat(said[-1]["occurred_at"])
        started = time.perf_counter()
        ids += view.write_many(said).ids
        seconds += time.perf_counter() - started
        view.lifecycle.run()
        progress(len(ids), len(turns))
    return tuple(ids), seconds


def _around(view: View, clock: StoryClock) -> tuple[str, ...]:
    """Add what belongs to the conversation, so that no view of the console is empty; return what Mara told.

    Facts that she told, some of which changed; goals, decisions and tool calls of the agents; a piece of work that
    was set aside on several branches; a map of meaning.
    """
    script = _script("boathouse.json")
    told = [
        {"text": text, "speaker": "Mara", "occurred_at": datetime.fromisoformat(day).replace(tzinfo=UTC)}
        for day, text in script["told"]
    ]
    view.remember(told, session_id="told")
    for node, scope, text in script["notes"]:
        view.view(node=node).write(text, scope=scope, source="assistant")
    end, clock.at = clock.at, clock.at - timedelta(days=200)
    work(script, view, clock, end=end)
    clock.at = end - timedelta(days=20)
    _branches(script["work"], view, clock)
    clock.at = end
    view.tape.build()
    return tuple(text for _, text in script["told"])


def _script(name: str) -> dict[str, Any]:
    import msgspec

    return msgspec.json.decode(resources.files("foveal.demo").joinpath(name).read_bytes())


def _generate(call: Invocation, path: Path, records: int) -> Answer:
    from foveal.compose import Memory

    written = seed(path, records, progress=call.progress("Writing"))
    with Memory(path) as memory:
        actors = memory.admin.actors()

    def tell(page: Printer) -> None:
        page.line(f"Wrote {written:,} records of {len(actors)} actors. Look at them:")
        page.command(f"foveal -u {path} actors")
        page.command(f"foveal -u {path} -a {actors[0].actor_id} console")

    return Answer({"path": str(path), "records": written, "actors": actors}, tell, [str(path)])


def conversation() -> list[dict[str, Any]]:
    """The turns of the conversation, as items for `write_many`."""
    import msgspec

    data = resources.files("foveal.demo").joinpath("conversation.jsonl").read_bytes()
    names = {"session": "session_id", "at": "occurred_at", "speaker": "speaker", "text": "text"}
    turns = [msgspec.json.decode(line, type=dict[str, str]) for line in data.splitlines()]
    sources = {"Juno": "assistant"}
    return [
        {"source": sources.get(turn["speaker"], "user"), **{names[name]: value for name, value in turn.items()}}
        for turn in turns
    ]


def questions() -> list[Question]:
    """The questions about the conversation."""
    import msgspec

    data = resources.files("foveal.demo").joinpath("questions.json").read_bytes()
    return msgspec.json.decode(data, type=list[Question])


def _answered(view: View, question: Question, ids: tuple[str, ...]) -> Answered:
    if question.asked_before:
        view.write(question.question, source="user")
    started = time.perf_counter()
    context = view.read(question.question, token_budget=BUDGET)
    milliseconds = (time.perf_counter() - started) * 1000
    evidence = tuple(ids[line - 1] for line in question.evidence)
    return Answered(question.question, question.answer, context, milliseconds, evidence)


def _document(story: Story) -> dict[str, Any]:
    return {
        "path": str(story.path),
        "turns": len(story.turns),
        "seconds": story.seconds,
        "bytes": story.path.stat().st_size,
        "questions": [
            {**vars(answered), "evidence": {"shown": answered.shown, "of": len(answered.evidence)}}
            for answered in story.answered
        ],
        "facts": [{"text": fact.text, "before": fact.before} for fact in story.known],
    }


def _tell_story(page: Printer, story: Story, call: Invocation) -> None:
    turns = story.turns
    speakers = " and ".join(dict.fromkeys(turn["speaker"] for turn in turns))
    sessions = len({turn["session_id"] for turn in turns})
    first, last = (turns[place]["occurred_at"][:10] for place in (0, -1))
    page.line(
        f"{speakers} talked from {first} to {last}: {len(turns)} turns in {sessions} sessions. Foveal keeps "
        f"every word, and for a question it gives the turns to show a model, in {BUDGET} tokens at most."
    )
    for number, answered in enumerate(story.answered, 1):
        _tell_answer(page, answered, number)
    _tell_facts(page, story)
    page.line()
    page.line(
        f"Wrote {len(turns)} turns in {story.seconds:.2f} s; the file has {size(story.path.stat().st_size)}. "
        f"No server, no key, no download.",
        style="bold",
    )
    page.line("Try more with the file it left:")
    from foveal.config import DEFAULT_ACTOR

    actor = call.at.get("actor_id", DEFAULT_ACTOR)
    who = "" if actor == DEFAULT_ACTOR else f" -a {actor}"
    for words in NEXT:
        page.command(f"{_program()} -u {story.path}{who} {words}")
    missing = not (find_spec("fastapi") and find_spec("uvicorn"))
    first = ", after `pip install 'foveal[server]'` (in a clone, `pip install '.[server]'`)" if missing else ""
    page.line(f"Look at it in the browser{first}:")
    page.command(f"{_program()} -u {story.path}{who} console")


def _tell_facts(page: Printer, story: Story) -> None:
    """What Mara told with `remember`, and what is known of it now."""
    page.line()
    page.line(
        f"Mara also told {len(story.told)} things about herself with `remember`, which draws facts. "
        "What is known now:",
        style="bold",
    )
    page.line()
    for fact in sorted(story.known, key=lambda fact: fact.since):
        before = f' (before: "{fact.before}")' if fact.before else ""
        page.item("*" if before else "-", f"{fact.text}{before}", style="green" if before else "", indent=3)


def _program() -> str:
    """The name to type for this program: a shell may not find it as `foveal`."""
    return "foveal" if which("foveal") else sys.argv[0]


def _tell_answer(page: Printer, answered: Answered, number: int) -> None:
    page.line()
    page.item(f"{number}.", answered.question, style="bold")
    page.line()
    for item in answered.context.items:
        is_evidence = item.id in answered.evidence
        shown = f"{moment(item.record.occurred_at)}  {unescape(item.text)}"
        page.item("*" if is_evidence else "-", shown, style="green" if is_evidence else "", indent=3)
    page.line()
    receipt = answered.context.receipt
    loading = "; the first read also loads the tokenizer" if number == 1 else ""
    page.facts(
        [
            ("tokens", f"{receipt.tokens} of {receipt.token_budget}, counted with {receipt.counter}"),
            ("turns", f"{receipt.considered} considered, {receipt.chosen} chosen, cut: {cut_by_reason(receipt)}"),
            (
                "found by",
                f"words and {receipt.encoder or 'no encoder'}, in {answered.milliseconds:.0f} ms{loading}",
            ),
            ("answer", answered.expected),
            ("evidence", _evidence(answered)),
        ],
        indent=3,
    )


def _evidence(answered: Answered) -> str:
    """How much of the evidence is shown, in words."""
    if not answered.evidence:
        best = max((item.relevance for item in answered.context.items), default=0.0)
        return f"nothing found: the most relevant turn is {best:.0%} likely to help"
    return f"{answered.shown} of {len(answered.evidence)} turns shown" + ", marked *" * bool(answered.shown)


YEAR = timedelta(days=365)
# Metrics are kept by the hour: two days of them make a curve.
HOURS = 48


class StoryClock:
    """A clock that the story sets."""

    def __init__(self, begin: datetime) -> None:
        self.at = begin

    def now(self) -> datetime:
        """The next moment, one millisecond after the last."""
        self.at += timedelta(milliseconds=1)
        return self.at


def work(script: dict[str, Any], view: View, clock: StoryClock, *, end: datetime) -> None:
    """Write the work of an actor up to `end`: goals, tool calls, decisions, events, metrics."""
    begin = clock.at

    def advance(step: int, steps: int) -> None:
        clock.at = begin + (end - begin) * ((step + 1) / (steps + 1))

    _goals(script, view, advance)
    _calls(script, view, advance)
    for number, (context, chosen, options, why, level, goal, outcome) in enumerate(script["decisions"], 1):
        advance(number, len(script["decisions"]) + 1)
        view.ledger.store_decision(
            context,
            chosen,
            options=options,
            reasoning=why,
            agent="planner",
            intelligence_level=level,
            goal_id=goal,
            outcome=outcome,
            decision_id=f"decision-{number}",
        )
    for number, (trigger, action, rate, uses) in enumerate(script["patterns"], 1):
        view.ledger.store_pattern(trigger, action, success_rate=rate, uses=uses, pattern_id=f"pattern-{number}")
    for number, (category, source, data, critical) in enumerate(script["events"], 1):
        advance(number, len(script["events"]) + 1)
        event_id = f"event-{number}"
        view.operational.push_event(category, data, source=source, critical=critical, event_id=event_id)
    for hour in range(HOURS):
        clock.at = end - timedelta(hours=HOURS - hour)
        for place, (key, middle, spread) in enumerate(script["metrics"]):
            view.operational.update_metric(key, middle + spread * ((hour * (7 + place)) % 13 - 6) / 6)


def _goals(script: dict[str, Any], view: View, advance: Callable[[int, int], None]) -> None:
    ledger, goals = view.ledger, script["goals"]
    for number, (goal, tasks, status, result) in enumerate(goals, 1):
        advance(number, len(goals) + 2)
        stored = ledger.store_goal(goal, status=status, priority=number, goal_id=f"goal-{number}")
        for step, (task, task_status) in enumerate(tasks, 1):
            name = f"goal-{number}-task-{step}"
            ledger.store_task(stored.id, task, agent="planner" if step == 1 else "coder", task_id=name)
            if task_status != "pending":
                ledger.update_task(
                    name, task_status, error="it still fails, less often" if task_status == "failed" else None
                )
        if result:
            advance(number + 1, len(goals) + 2)
            ledger.update_goal(stored.id, result=result)


def _calls(script: dict[str, Any], view: View, advance: Callable[[int, int], None]) -> None:
    calls = script["calls"]
    for number, (task, tool, given, output, success, took, reason) in enumerate(calls, 1):
        advance(number, len(calls) + 1)
        view.ledger.store_tool_call(
            task,
            tool,
            agent="coder",
            given=given,
            output=output,
            success=success,
            duration=timedelta(milliseconds=took),
            reason=reason,
            call_id=f"call-{number}",
        )


def _heron(script: dict[str, Any], view: View, clock: StoryClock, line: Callable[[list[str]], str]) -> None:
    """A piece of work that was set aside, with two branches that continue it."""
    turns = [{"role": "user", "content": "Plan the move of Heron to September."}]
    turns += [
        {"role": role, "content": line(topic["lines"])}
        for topic in script["topics"]
        for role in ("assistant", "user")
    ]
    crystals = view.crystals
    first = crystals.crystallize(turns, ["Heron", "September"], YEAR, reason="before the audit", pin=True)
    clock.at += timedelta(days=2)
    crystals.branch(first.crystal_id, "keep June, drop the export", ttl=YEAR)
    crystals.branch(first.crystal_id, "move everything to September", ttl=YEAR)


def _branches(script: dict[str, Any], view: View, clock: StoryClock) -> None:
    """Work that was tried on several branches: one is composted, one is continued and merged back."""
    crystals = view.crystals
    turns = [{"role": role, "content": text} for role, text in script["said"]]
    root = crystals.crystallize(
        turns,
        script["hints"],
        YEAR,
        task_state=script["task"],
        working_memory=script["memory"],
        reason=script["reason"],
    )
    clock.at += timedelta(days=1)
    first, second, third = script["ways"]
    dead = crystals.branch(root.crystal_id, first, ttl=YEAR)
    way = crystals.branch(root.crystal_id, second, ttl=YEAR)
    clock.at += timedelta(days=3)
    later = [*turns, {"role": "assistant", "content": script["later"]}]
    done = crystals.crystallize(later, script["hints"], YEAR, parent=way.crystal_id, reason=third)
    crystals.compost(dead.crystal_id)
    clock.at += timedelta(days=1)
    crystals.merge(done.crystal_id, root.crystal_id, ttl=YEAR)


BEGIN = datetime(2026, 1, 5, 8, tzinfo=UTC)
SPAN = timedelta(days=300)
ROUNDS = 6
_SLOT = re.compile(r"{(\w+)}")
_KINDS = ("note", "note", "fact", "episode")


def seed(path: str | Path, records: int, *, progress: Callable[[int, int], None] = lambda done, of: None) -> int:
    """Create a file with about `records` records of several actors, and everything that belongs to them.

    The same number gives the same memory. Returns how many records were written.
    """
    import msgspec

    from foveal.compose import Memory
    from foveal.config import load_settings

    script = _script("seed.json")
    settings = msgspec.structs.replace(load_settings(), metabolism="off")
    clock = StoryClock(BEGIN)
    written = 0
    with Memory(path, settings=settings, clock=clock) as memory:
        for place, (actor, world, share) in enumerate(script["actors"]):
            clock.at = BEGIN
            view = memory.view(actor_id=actor, world=world)
            author = _Author(script, random.Random(f"{records} {place}"), view, clock)
            for count in author.live(max(1, round(records * share))):
                written += count
                progress(written, records)
            clock.at = BEGIN
            work(script, view, clock, end=BEGIN + SPAN)
            clock.at = BEGIN + SPAN - timedelta(days=20)
            _heron(script, view, clock, author.line)
            _branches(script["work"], view, clock)
        first = memory.view(actor_id=script["actors"][0][0])
        written += _tell(script["told"], first, clock)
        clock.at = BEGIN + SPAN
        if records >= 100:
            first.tape.build()
    return written


def _tell(told: list[str], view: View, clock: StoryClock) -> int:
    """Let the user tell things over the months, some of which change; facts are drawn from them."""
    stored = 0
    for number, text in enumerate(told, 1):
        clock.at = BEGIN + SPAN * number / (len(told) + 1)
        remembered = view.remember([{"role": "user", "content": text}], session_id=f"told-{number}")
        stored += len(remembered.ids)
    return stored


class _Author:
    """Writes the memory of one actor."""

    def __init__(self, script: dict[str, Any], chance: random.Random, view: View, clock: StoryClock) -> None:
        self._script, self._chance, self._view, self._clock = script, chance, view, clock
        self._ids: list[str] = []

    def live(self, records: int) -> Iterator[int]:
        """Write that many records in rounds; after each round, memories age, change and are read.

        Yields the number of records of each step.
        """
        changed = [(f"fact-{number}", versions) for number, versions in enumerate(self._script["changes"])]
        changed = changed[: max(0, records - 1)]
        for name, versions in changed:
            self._view.write(versions[0], id=name, kind="fact", importance=0.8, tags=["profile"], speaker="user")
        yield len(changed)
        left = records - len(changed)
        for number in range(ROUNDS):
            part = left // (ROUNDS - number)
            left -= part
            first = len(self._ids)
            yield self._talk(part, number)
            # Records that are local to another node cannot be changed from here.
            self._tend([record.id for record in self._view.get_many(self._ids[first:], touch=False)])
            for name, versions in changed:
                if 0 < number < len(versions):
                    self._view.supersede(name, versions[number])
            for question in self._chance.sample(self._script["questions"], 4):
                self._view.read(question, token_budget=600)
            self._clock.at = BEGIN + SPAN * (number + 1) / ROUNDS
            self._view.lifecycle.run()

    def _talk(self, count: int, round_: int) -> int:
        items: list[dict[str, Any]] = []
        while len(items) < count:
            items += self._session(f"s{round_ + 1}-{len(items):04}", min(count - len(items), 14))
        begin, end = BEGIN + SPAN * round_ / ROUNDS, BEGIN + SPAN * (round_ + 1) / ROUNDS
        for place, item in enumerate(items):
            item["id"] = f"m{len(self._ids) + place + 1:05}"
            item["occurred_at"] = begin + (end - begin) * 0.95 * (place / max(1, count))
        self._clock.at = begin
        for first in range(0, len(items), 500):
            part = items[first : first + 500]
            self._clock.at = max(self._clock.at, part[-1]["occurred_at"])
            self._ids += self._view.write_many(part).ids
        return len(items)

    def _session(self, name: str, most: int) -> list[dict[str, Any]]:
        topic = self._chance.choice(self._script["topics"])
        node = self._chance.choice(self._script["nodes"])
        items: list[dict[str, Any]] = []
        for number in range(self._chance.randint(1, most) if most > 1 else most):
            agent = number % 3 == 2
            items.append(
                {
                    "text": self.line(topic["lines"]),
                    "session_id": name,
                    "region": topic["name"],
                    "kind": topic["kind"] if number % 4 == 0 else self._chance.choice(_KINDS),
                    "tags": topic["tags"] if number % 2 == 0 else [],
                    "speaker": "Juno" if agent else "user",
                    "source": "assistant" if agent else "user",
                    "importance": round(self._chance.triangular(0.2, 0.95, 0.5), 2),
                    "node": node,
                    "scope": self._chance.choice(("local", "shared", "global")) if node != "/" else "global",
                    "metadata": {"client": self._chance.choice(("cli", "editor", "phone")), "turn": number + 1},
                }
            )
        return items

    def line(self, lines: list[str]) -> str:
        words = self._script["words"]

        def fill(slot: re.Match[str]) -> str:
            name = slot.group(1)
            return str(self._chance.randint(2, 90)) if name == "number" else self._chance.choice(words[name])

        return _SLOT.sub(fill, self._chance.choice(lines))

    def _tend(self, ids: list[str]) -> None:
        """Link, pin, mute and forget some of the records."""
        if len(ids) < 10:
            return
        for _ in range(len(ids) // 20):
            first, second = self._chance.sample(ids, 2)
            self._view.links.add(first, second, kind=self._chance.choice(("relates", "derived_from")), weight=0.8)
        picked = self._chance.sample(ids, max(3, len(ids) // 40))
        third = max(1, len(picked) // 3)
        for record_id in picked[:third]:
            self._view.pin(record_id)
        for record_id in picked[third : 2 * third]:
            self._view.mute(record_id)
        self._view.forget(picked[2 * third :])
