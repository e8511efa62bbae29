"""Builds tapes and keeps them up to date without being asked, in a thread of its own or for a scheduler."""

from __future__ import annotations

import atexit
import logging
import threading
from collections import Counter
from collections.abc import Callable

from foveal.engine.runtime.runtime import WHO, Runtime
from foveal.engine.tape import build
from foveal.errors import FovealError
from foveal.model.glyph import Tape
from foveal.model.ids import new_id
from foveal.model.query import Viewpoint
from foveal.model.results import Change, Move, What
from foveal.ports.store import Order, PlannedMove
from foveal.ports.system import Organism
from foveal.rules.glyphs import is_tape_due

LOG = logging.getLogger("foveal.tape")
PART = "tape"
# The tape of an organism is looked after at the first write of a process, because many processes write little, and
# then after this many.
WRITES = 32
# Writers come first: the thread waits until none wrote for so many seconds, but no more than so many times.
QUIET, TIMES = 0.2, 100
# A thread without work ends after so many seconds.
IDLE = 5.0


class _Stopped(Exception):
    """The memory is being closed; the build goes on where it stopped when it is due again."""


def keep(runtime: Runtime, viewpoint: Viewpoint, *, progress: Callable[[int, int], None] | None = None) -> int:
    """Add what was written since to the tape of an organism, or build one if it is due. Returns 1 if it changed.

    A tape that is built here shows no addresses: those that an agent remembers stay as they are until `tape.use`.
    A tape that is in use is followed by one that is in use.
    """
    encoder, changed = runtime.embedder.id, 0
    number = runtime.store.tapes.legible(viewpoint, encoder)
    if number and runtime.store.tapes.count_uncut(viewpoint, number):
        build.update(runtime, viewpoint)
        changed = 1
    tapes = [tape for tape in runtime.store.tapes.all(viewpoint) if tape.encoder == encoder]
    records = runtime.store.tapes.count_uncut(viewpoint, 0)
    if is_tape_due(records, tapes[-1] if tapes else None, runtime.clock.now()):
        tape = build.build(runtime, viewpoint, use=any(tape.active for tape in tapes), progress=progress)
        _journal(runtime, viewpoint, tape)
        changed = 1
    return changed


def _journal(runtime: Runtime, viewpoint: Viewpoint, tape: Tape) -> None:
    access = runtime.access(viewpoint, as_owner=True)
    for newest in runtime.store.records.scan(access, order=Order.NEWEST, limit=1):
        now = runtime.clock.now()
        move = Move(
            id=new_id(now),
            at=now,
            who=WHO,
            what=What.TAPED,
            why=f"tape {tape.number} was built from {tape.records} records",
            changes=(Change(record_id=newest.id, before=newest.vitals, after=newest.vitals),),
            version=tape.number,
        )
        runtime.writes.apply(access, [PlannedMove(move=move)], runtime.encoder)


class TapeKeeper:
    """Looks after the tapes of organisms that are written to, in a thread, whenever writers are quiet."""

    def __init__(self) -> None:
        self._lock = threading.Condition()
        self._written: Counter[Organism] = Counter()
        self._pending: dict[Organism, Runtime] = {}
        self._thread: threading.Thread | None = None
        self._busy: Organism | None = None
        self._stopping = False
        self._writes = 0

    def wrote(self, runtime: Runtime, organism: Organism, count: int) -> None:
        """Count a write."""
        with self._lock:
            self._writes += 1
            first = organism not in self._written
            self._written[organism] += count
            if self._stopping or not (first or self._written[organism] >= WRITES):
                return
            self._written[organism] = 0
            self._pending[organism] = runtime
            if self._thread is None or not self._thread.is_alive():
                # As for the second look: a process that ends while the encoder runs would crash.
                atexit.unregister(self.close)
                atexit.register(self.close)
                self._thread = threading.Thread(target=self._run, name="foveal-tape", daemon=True)
                self._thread.start()
            self._lock.notify_all()

    def wait(self, seconds: float) -> bool:
        """Wait until nothing is left to do. Returns whether that came true in time."""
        with self._lock:
            return self._lock.wait_for(lambda: not self._pending and self._busy is None, seconds)

    def _run(self) -> None:
        while (work := self._next()) is not None:
            organism, runtime = work
            try:
                keep(runtime, Viewpoint(world=organism[0], actor_id=organism[1]), progress=self._step)
            except _Stopped:
                continue
            except FovealError as error:
                LOG.info("the tape waits: %s", error)
                runtime.degraded(PART, error)
            finally:
                with self._lock:
                    self._busy = None
                    self._lock.notify_all()

    def _step(self, _done: int, _total: int) -> None:
        if self._stopping:
            raise _Stopped

    def _next(self) -> tuple[Organism, Runtime] | None:
        """The organism that was noted first, once writers are quiet; None to end the thread."""
        with self._lock:
            if not self._lock.wait_for(lambda: self._pending or self._stopping, IDLE) or self._stopping:
                self._thread = None
                return None
            for _ in range(TIMES):
                before = self._writes
                if self._lock.wait_for(lambda: self._stopping, QUIET) or before == self._writes:
                    break
            if self._stopping:
                return None
            organism = self._busy = next(iter(self._pending))
            return organism, self._pending.pop(organism).newest

    def close(self) -> None:
        """Stop after the step that is being made."""
        atexit.unregister(self.close)
        with self._lock:
            self._stopping = True
            thread = self._thread
            self._lock.notify_all()
        if thread is not None and thread is not threading.current_thread():
            thread.join()
