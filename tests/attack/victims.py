"""Processes that work on a memory, and say what was acknowledged, until they are killed."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count
from multiprocessing.connection import Connection
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from foveal import Memory, Settings
from foveal.compose import migrate
from foveal.doors.server import serve_one
from foveal.engine.memory import View
from foveal.errors import NotFound

_FORKS = multiprocessing.get_context("forkserver")

BATCH = 20
# What a worker says: a word, and what it is about.
Said = tuple[str, Any]


class Calendar:
    """A clock that can be turned ahead of the time of the machine."""

    def __init__(self) -> None:
        self.ahead = timedelta(0)

    def now(self) -> datetime:
        """The time that the clock shows."""
        return datetime.now(UTC) + self.ahead


@dataclass(frozen=True)
class Desk:
    """Where a worker works: its memory, its clock, a folder, and a name for this run that no other has."""

    ada: View
    calendar: Calendar
    folder: Path
    run: str

    def notes(self) -> Iterator[str]:
        """Texts, each of which is written once."""
        return (f"Note {number} of {self.run}: the spare key hangs behind boiler {number}." for number in count())


Work = Callable[[Desk], Iterator[Said]]


def prepare_forks() -> None:
    """Have the process that others are forked from import all they need."""
    _FORKS.set_forkserver_preload(["tests.attack.victims"])


class Victim:
    """A process that runs a function, which gets its arguments and a line to speak through, until it is killed."""

    def __init__(self, work: Callable[..., None], *arguments: Any) -> None:
        self._hears, speaks = _FORKS.Pipe(duplex=False)
        self._process = _FORKS.Process(target=_run, args=(work, speaks, *arguments), daemon=True)
        self._process.start()
        speaks.close()

    @property
    def pid(self) -> int:
        """The number of the process."""
        assert self._process.pid is not None
        return self._process.pid

    def heard(self, within: float) -> list[Said]:
        """What it says within so many seconds, or until it ends."""
        said, end = list[Said](), time.monotonic() + within
        with suppress(EOFError):
            while self._hears.poll(max(0.0, end - time.monotonic())):
                said.append(self._hears.recv())
        return said

    def next(self) -> Said:
        """What it says next."""
        return self._hears.recv()

    def kill(self) -> list[Said]:
        """Kill it with -9. Returns what it had said and nobody had heard yet."""
        # It may have ended by itself by now: opening a memory does not take long.
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        self._process.join()
        said = list[Said]()
        # Half a word, if it was killed while it spoke.
        with suppress(EOFError, OSError):
            while True:
                said.append(self._hears.recv())
        return said

    @property
    def ended(self) -> int | None:
        """What it ended with, if it did."""
        return self._process.exitcode

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.join()
        self._hears.close()


def _run(work: Callable[..., None], line: Connection, *arguments: Any) -> None:
    work(line, *arguments)


def writes(desk: Desk) -> Iterator[Said]:
    """Single writes."""
    for note in desk.notes():
        yield "stored", desk.ada.write(note).ids


def batches(desk: Desk) -> Iterator[Said]:
    """Batches, each of which is stored whole or not at all."""
    notes = desk.notes()
    for number in count():
        written = desk.ada.write_many([next(notes) for _ in range(BATCH)], tags=["batch", f"{desk.run}-{number}"])
        yield "stored", written.ids


def changes(desk: Desk) -> Iterator[Said]:
    """New versions, links, and records that are forgotten or erased."""
    for note in desk.notes():
        kept, gone = desk.ada.write(note).id, desk.ada.write(f"Gone: {note}").id
        yield "stored", (kept,)
        desk.ada.links.add(kept, gone)
        newer = desk.ada.supersede(kept, f"Newer: {note}")
        yield "superseded", (kept, newer.text)
        desk.ada.forget(gone, hard=True)
        yield "erased", gone


def metabolism(desk: Desk) -> Iterator[Said]:
    """Records that move from tier to tier as days pass."""
    notes = desk.notes()
    while True:
        yield "stored", desk.ada.write_many([next(notes) for _ in range(5)], session_id=desk.run).ids
        desk.calendar.ahead += timedelta(days=2)
        desk.ada.lifecycle.run()
        yield "moved", None


def reindexing(desk: Desk) -> Iterator[Said]:
    """All indexes and vectors are computed again."""
    for note in desk.notes():
        yield "stored", desk.ada.write(note).ids
        desk.ada.admin.reindex()
        yield "reindexed", None


def vacuuming(desk: Desk) -> Iterator[Said]:
    """The store is compacted after erasures."""
    for note in desk.notes():
        kept, gone = desk.ada.write(note).id, desk.ada.write(f"Gone: {note}").id
        yield "stored", (kept,)
        desk.ada.forget(gone, hard=True)
        yield "erased", gone
        desk.ada.admin.vacuum()
        yield "vacuumed", None


def crystals(desk: Desk) -> Iterator[Said]:
    """Crystals that build upon each other."""
    parent: str | None = None
    for note in desk.notes():
        said = [{"role": "user", "content": f"[FOCUS:key] {note}"}]
        parent = desk.ada.crystals.crystallize(said, parent=parent).crystal_id
        yield "crystal", parent


def ingestion(desk: Desk) -> Iterator[Said]:
    """A folder of documents that grows."""
    documents = desk.folder / desk.run
    documents.mkdir()
    for number, note in enumerate(desk.notes()):
        (documents / f"{number}.md").write_text(f"# Chapter {number}\n\n{note}\n", encoding="utf-8")
        desk.ada.longterm.ingest(documents)
        yield "chapter", note


def ledger(desk: Desk) -> Iterator[Said]:
    """Goals, their tasks, and critical events."""
    for note in desk.notes():
        goal = desk.ada.ledger.store_goal(note).id
        yield "goal", goal
        yield "task", desk.ada.ledger.store_task(goal, note).id
        yield "event", desk.ada.operational.push_event("deploy", {"note": note}, critical=True).id


def tapes(desk: Desk) -> Iterator[Said]:
    """Tapes of glyphs that are built and put to use."""
    notes = desk.notes()
    while True:
        yield "stored", desk.ada.write_many([next(notes) for _ in range(BATCH)]).ids
        try:
            desk.ada.tape.update()
        except NotFound:
            desk.ada.tape.build()
        yield "tape", None


WORKS: dict[str, Work] = {
    work.__name__: work
    for work in (writes, batches, changes, metabolism, reindexing, vacuuming, crystals, ingestion, ledger, tapes)
}


def work_on(line: Connection, url: str, settings: Settings, name: str, run: str, folder: Path) -> None:
    """Open a memory and work until the end, which is not to be expected."""
    calendar = Calendar()
    with Memory(url, settings=settings, clock=calendar) as memory:
        for said in WORKS[name](Desk(memory.view(actor_id="ada"), calendar, folder, run)):
            line.send(said)


def serve(line: Connection, url: str, settings: Settings) -> None:
    """Serve a memory, and say so when the ports are open."""
    serve_one(settings, url, None, tell=lambda _: line.send(("ready", None)))


def upgrade(line: Connection, url: str, settings: Settings) -> None:
    """Open a memory of an earlier schema."""
    line.send(("opening", None))
    Memory(url, settings=settings).close()
    line.send(("opened", None))


def copy(line: Connection, source: str, target: str) -> None:
    """Copy a memory into another store, as `foveal migrate` does."""
    migrate(source, target, progress=lambda done, _: line.send(("copied", done)))
    line.send(("done", None))
