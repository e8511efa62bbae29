"""The command that shows what Foveal does: a conversation goes in, four questions are answered."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING, Annotated, Any

import typer

from foveal.doors.cli.call import DEFAULT_ACTOR, Call
from foveal.errors import Conflict

if TYPE_CHECKING:
    from foveal.doors.cli.page import Page
    from foveal.engine.memory import View
    from foveal.model.results import Context

BUDGET = 512
QUESTIONS = 4
NEXT = (
    'search "who is allergic"',
    'read "which colour do the doors get" -b 400',
    "ls --limit 5",
    "stats",
)


@dataclass(frozen=True)
class Question:
    """A question about the conversation, its answer, and the lines that hold it: none if it was never told.

    One that was `asked_before` stands in the memory itself, as a chat keeps what was asked.
    """

    question: str
    answer: str
    evidence: tuple[int, ...]
    asked_before: bool = False


@dataclass(frozen=True)
class Answered:
    """A question, what was shown for it, and the ids of the turns that hold the answer."""

    question: str
    expected: str
    context: Context
    milliseconds: float
    evidence: tuple[str, ...]

    @property
    def shown(self) -> int:
        """How many of the turns that hold the answer are in the context."""
        return len(set(self.evidence) & {item.id for item in self.context.items})


@dataclass(frozen=True)
class Story:
    """What the demonstration did."""

    path: Path
    turns: list[dict[str, Any]]
    seconds: float
    answered: tuple[Answered, ...]


def demo(
    call: Call,
    path: Annotated[
        Path | None,
        typer.Option("--path", metavar="FILE", help="Where to make the memory; else a temporary folder."),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", metavar="N", min=1, help="Instead, make a memory of N records of several actors."),
    ] = None,
) -> None:
    """Write a long conversation, and ask it four questions."""
    import tempfile

    from foveal.compose import Memory

    if path is None and call.options.url is not None:
        path = Path(call.options.url)
    if path is not None and path.exists():
        raise Conflict(f"{path} exists already: the demo needs a new file", path=str(path))
    if seed is not None:
        _seeded(call, path or Path(tempfile.mkdtemp(prefix="foveal-demo-")) / "memory.db", seed)
        return
    path = path or Path(tempfile.mkdtemp(prefix="foveal-demo-")) / "memory.db"
    turns = conversation()
    with Memory(path) as memory:
        view = memory.view(**call.at)
        started = time.perf_counter()
        ids = view.write_many(turns).ids
        seconds = time.perf_counter() - started
        answered = tuple(_answered(view, one, ids) for one in questions()[:QUESTIONS])
    story = Story(path, turns, seconds, answered)
    call.answer(_document(story), lambda page: _tell(page, story, call), [str(path)])


def _seeded(call: Call, path: Path, records: int) -> None:
    from foveal.compose import Memory
    from foveal.doors.cli.seeding import seed

    written = seed(path, records, progress=call.progress("Writing"))
    with Memory(path) as memory:
        actors = memory.actors()

    def tell(page: Page) -> None:
        page.line(f"Wrote {written:,} records of {len(actors)} actors. Look at them:")
        page.command(f"foveal -u {path} actors")
        page.command(f"foveal -u {path} -a {actors[0].actor_id} console")

    call.answer({"path": str(path), "records": written, "actors": actors}, tell, [str(path)])


def conversation() -> list[dict[str, Any]]:
    """The turns of the conversation, as `write_many` takes them."""
    from importlib import resources

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
    """The questions that come with the conversation."""
    from importlib import resources

    import msgspec

    data = resources.files("foveal.demo").joinpath("questions.json").read_bytes()
    return msgspec.json.decode(data, type=list[Question])


def _answered(view: View, asked: Question, ids: tuple[str, ...]) -> Answered:
    if asked.asked_before:
        view.write(asked.question, source="user")
    started = time.perf_counter()
    context = view.read(asked.question, token_budget=BUDGET)
    milliseconds = (time.perf_counter() - started) * 1000
    evidence = tuple(ids[line - 1] for line in asked.evidence)
    return Answered(asked.question, asked.answer, context, milliseconds, evidence)


def _document(story: Story) -> dict[str, Any]:
    return {
        "path": str(story.path),
        "turns": len(story.turns),
        "seconds": story.seconds,
        "bytes": story.path.stat().st_size,
        "questions": [
            {**vars(one), "evidence": {"shown": one.shown, "of": len(one.evidence)}} for one in story.answered
        ],
    }


def _tell(page: Page, story: Story, call: Call) -> None:
    from foveal.doors.cli.cards import size

    turns = story.turns
    speakers = " and ".join(dict.fromkeys(turn["speaker"] for turn in turns))
    sessions = len({turn["session_id"] for turn in turns})
    first, last = (turns[place]["occurred_at"][:10] for place in (0, -1))
    page.line(
        f"{speakers} talked from {first} to {last}: {len(turns)} turns in {sessions} sessions. Foveal keeps "
        f"every word, and for a question it gives the turns to show a model, in {BUDGET} tokens at most."
    )
    for number, one in enumerate(story.answered, 1):
        _tell_one(page, one, number)
    page.line()
    page.line(
        f"Wrote {len(turns)} turns in {story.seconds:.2f} s; the file has {size(story.path.stat().st_size)}. "
        f"No server, no key, no download.",
        style="bold",
    )
    page.line("Try more with the file it left:")
    actor = call.at.get("actor_id", DEFAULT_ACTOR)
    who = "" if actor == DEFAULT_ACTOR else f" -a {actor}"
    for words in NEXT:
        page.command(f"{_called()} -u {story.path}{who} {words}")


def _called() -> str:
    """What to type for this command: a shell may not find it by its name alone."""
    return "foveal" if which("foveal") else sys.argv[0]


def _tell_one(page: Page, one: Answered, number: int) -> None:
    from foveal.doors.cli.cards import moment
    from foveal.doors.cli.reading import cut_by_reason

    page.line()
    page.item(f"{number}.", one.question, style="bold")
    page.line()
    for item in one.context.items:
        told = item.id in one.evidence
        shown = f"{moment(item.record.occurred_at)}  {item.text}"
        page.item("*" if told else "-", shown, style="green" if told else "", indent=3)
    page.line()
    receipt = one.context.receipt
    loading = "; the first read also loads the tokenizer" if number == 1 else ""
    page.facts(
        [
            ("tokens", f"{receipt.tokens} of {receipt.token_budget}, counted with {receipt.counter}"),
            (
                "turns",
                f"{receipt.considered} considered, {receipt.chosen} chosen, cut: {cut_by_reason(receipt)}",
            ),
            (
                "found by",
                f"words and {receipt.encoder or 'no encoder'}, in {one.milliseconds:.0f} ms{loading}",
            ),
            ("answer", one.expected),
            ("evidence", _evidence(one)),
        ],
        indent=3,
    )


def _evidence(one: Answered) -> str:
    """How much of the evidence is shown, or that there is none."""
    if not one.evidence:
        best = max((item.relevance for item in one.context.items), default=0.0)
        return f"there is none; the most relevant turn shown has {best:.2f}"
    return f"{one.shown} of {len(one.evidence)} turns shown" + ", marked *" * bool(one.shown)
