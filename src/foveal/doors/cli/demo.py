"""The command that shows what Foveal does: a conversation goes in, three questions come out."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from foveal.doors.cli.call import Call
from foveal.errors import Conflict

if TYPE_CHECKING:
    from foveal.doors.cli.page import Page
    from foveal.model.context import Context, Item

BUDGET = 256
QUESTIONS = 3


@dataclass(frozen=True)
class Asked:
    """A question, what was shown for it, and whether the turns that answer it were among that."""

    question: str
    answer: str
    context: Context
    milliseconds: float
    evidence: tuple[str, ...]

    @property
    def shown(self) -> int:
        """How many of the turns that hold the answer are in the context."""
        return len(set(self.evidence) & {item.id for item in self.context.items})


@dataclass(frozen=True)
class Told:
    """What the demonstration did."""

    path: Path
    actor: str
    turns: int
    sessions: int
    seconds: float
    asked: tuple[Asked, ...]


def demo(
    call: Call,
    path: Annotated[
        Path | None,
        typer.Option("--path", metavar="FILE", help="Where to make the memory; else a temporary folder."),
    ] = None,
) -> None:
    """Write a conversation of eight months into a new memory, and ask it three questions."""
    import tempfile

    if path is not None and path.exists():
        raise Conflict(f"{path} exists already: the demo needs a new file", path=str(path))
    told = _told(call, path or Path(tempfile.mkdtemp(prefix="foveal-demo-")) / "memory.db")
    call.answer(_document(told), lambda page: _tell(page, told), [str(told.path)])


def _told(call: Call, path: Path) -> Told:
    from foveal.compose import Memory

    turns = conversation()
    with Memory(path) as memory:
        view = memory.view(**call.at)
        started = time.perf_counter()
        ids = view.write_many(turns).ids
        seconds = time.perf_counter() - started
        asked: list[Asked] = []
        for one in questions()[:QUESTIONS]:
            started = time.perf_counter()
            context = view.read(one["question"], token_budget=BUDGET)
            milliseconds = (time.perf_counter() - started) * 1000
            evidence = tuple(ids[line - 1] for line in one["evidence"])
            asked.append(Asked(one["question"], one["answer"], context, milliseconds, evidence))
    sessions = len({turn["session_id"] for turn in turns})
    return Told(path, call.at.get("actor_id", ""), len(ids), sessions, seconds, tuple(asked))


def conversation() -> list[dict[str, Any]]:
    """The turns of the conversation, as `write_many` takes them."""
    from importlib import resources

    import msgspec

    text = resources.files("foveal.demo").joinpath("conversation.jsonl").read_bytes()
    turns = [msgspec.json.decode(line, type=dict[str, str]) for line in text.splitlines()]
    names = {"session": "session_id", "at": "occurred_at", "speaker": "speaker", "text": "text"}
    return [{names[name]: value for name, value in turn.items()} for turn in turns]


def questions() -> list[dict[str, Any]]:
    """The questions, their answers, and the lines of the conversation that hold them."""
    from importlib import resources

    import msgspec

    return msgspec.json.decode(resources.files("foveal.demo").joinpath("questions.json").read_bytes())


def _document(told: Told) -> dict[str, Any]:
    return {
        "path": str(told.path),
        "turns": told.turns,
        "sessions": told.sessions,
        "seconds": told.seconds,
        "bytes": told.path.stat().st_size,
        "questions": [
            {
                "question": one.question,
                "answer": one.answer,
                "evidence": {"shown": one.shown, "of": len(one.evidence)},
                "milliseconds": one.milliseconds,
                "context": one.context,
            }
            for one in told.asked
        ],
    }


def _tell(page: Page, told: Told) -> None:
    from foveal.doors.cli.cards import size

    page.line(
        f"Mara plans a boathouse with her assistant Juno: {told.turns} turns in {told.sessions} sessions, "
        f"March to November. Foveal remembers them all, and shows the model only what a question needs."
    )
    for number, one in enumerate(told.asked, 1):
        page.line()
        page.line(f"Question {number}: {one.question}", style="bold")
        page.line()
        for item in one.context.items:
            _item(page, item, one)
        page.line()
        _receipt(page, one)
    page.line()
    page.line(
        f"Wrote {told.turns} turns in {told.seconds:.2f} s; the file has {size(told.path.stat().st_size)}. "
        f"No server, no key, no download."
    )
    page.line()
    page.line("Go on with the file it left:", style="bold")
    said = "" if told.actor == "me" else f" -a {told.actor}"
    for rest in (
        'search "who is allergic"',
        'read "what colour are the doors" -b 400',
        "ls --limit 5",
        "stats",
    ):
        command, _, options = rest.partition(" ")
        page.line(
            f"foveal {command} {options}{' ' if options else ''}-u {told.path}{said}", style="cyan", indent=2
        )


def _item(page: Page, item: Item, asked: Asked) -> None:
    from foveal.doors.cli.cards import moment

    record = item.record
    mark = "  < the answer is here" if item.id in asked.evidence else ""
    short = "  (shortened)" if item.depth < 2 else ""
    page.card(
        [f"  {moment(record.occurred_at)}  {record.speaker or record.source}{short}{mark}"], item.excerpt
    )


def _receipt(page: Page, asked: Asked) -> None:
    from foveal.doors.cli.reading import receipt

    page.facts(
        [
            ("  expected", asked.answer),
            ("  evidence", f"{asked.shown} of {len(asked.evidence)} turns shown"),
            *((f"  {name}", value) for name, value in receipt(asked.context.receipt)),
            ("  time", f"{asked.milliseconds:.0f} ms"),
        ]
    )
