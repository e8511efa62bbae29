"""The scheduled jobs, run under a lease, and the `Worker` loop around them."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Self

from foveal.engine.lifecycle.passes import SLICE, fade, summarise
from foveal.engine.lifecycle.run import age_ledgers, keep_tapes, metabolise, reap_crystals
from foveal.engine.records.extraction import extract
from foveal.engine.runtime.runtime import Runtime
from foveal.errors import CircuitOpen, Corrupt, ModelUnavailable
from foveal.model.ids import new_id
from foveal.model.policy import Schedule
from foveal.rules.lifecycle import due_daily, due_every

LOG = logging.getLogger("foveal.scheduler")
# How long a scheduler holds the lease: if it dies, another takes over after this time.
LEASE = timedelta(minutes=2)
NAME = "metabolism"
# How many versions get vectors for the second look in one run; this many take a fraction of the lease.
LOOKED_AT = 4096
# How long one run lets the model read; a call that has begun is waited for.
READING = timedelta(seconds=30)

Job = Callable[[Runtime, Schedule], int]


def _migration(runtime: Runtime, _: Schedule) -> int:
    moved = metabolise(runtime, passes=("bring_back", "digest", "assimilate", "sediment", "prune")).moves
    return moved + age_ledgers(runtime)


def _reaping(runtime: Runtime, _: Schedule) -> int:
    return metabolise(runtime, passes=("expire",)).moves + reap_crystals(runtime)


def _decay(runtime: Runtime, schedule: Schedule) -> int:
    return sum(1 for _ in fade(runtime, schedule))


def _consolidation(runtime: Runtime, _: Schedule) -> int:
    merged = metabolise(runtime, passes=("consolidate",)).moves
    return merged + sum(1 for _ in summarise(runtime)) + keep_tapes(runtime)


def _second_look(runtime: Runtime, _: Schedule) -> int:
    second, done = runtime.second_look, 0
    if second is None:
        return 0
    for organism in runtime.store.counts.organisms():
        done += sum(second.catch_up(organism, LOOKED_AT - done))
        if done >= LOOKED_AT:
            break
    return done


def _extraction(runtime: Runtime, _: Schedule) -> int:
    if runtime.llm is None or runtime.llm_calls < 1:
        return 0
    calls, end = 0, runtime.clock.now() + READING
    for organism in runtime.store.counts.organisms():
        try:
            calls += extract(runtime, organism, lambda: runtime.clock.now() >= end)
        except (ModelUnavailable, CircuitOpen) as error:
            LOG.info("the extraction of facts waits: %s", error)
            runtime.degraded("extraction", error)
            break
    return calls


def _cleanup(runtime: Runtime, schedule: Schedule) -> int:
    before = runtime.clock.now() - timedelta(days=schedule.journal_days)
    gone = 0
    while count := runtime.store.lifecycle.forget_moves(before, 5 * SLICE):
        gone += count
    return gone


def _health_check(runtime: Runtime, _: Schedule) -> int:
    problems = runtime.store.check()
    for problem in problems:
        LOG.error("the store is not well: %s", problem)
    if problems and runtime.notifier is not None:
        runtime.notifier.fault("store", Corrupt())
    return len(problems)


JOBS: dict[str, Job] = {
    "reaping": _reaping,
    "migration": _migration,
    "consolidation": _consolidation,
    "second_look": _second_look,
    "extraction": _extraction,
    "decay": _decay,
    "cleanup": _cleanup,
    "health_check": _health_check,
}


class Scheduler:
    """Runs the due jobs when `tick` is called, unless another scheduler of the store holds the lease."""

    def __init__(self, runtime: Runtime, schedule: Schedule) -> None:
        self._first_runtime = runtime
        self._schedule = schedule
        self._holder = new_id(runtime.clock.now())

    @property
    def _runtime(self) -> Runtime:
        return self._first_runtime.newest

    def due(self) -> list[str]:
        """The jobs that are due, including those missed while no scheduler ran."""
        return [name for name in JOBS if self._is_due(name)]

    def _is_due(self, name: str) -> bool:
        last, now = self._runtime.store.server.ran_at(name), self._runtime.clock.now()
        if name == "health_check":
            return due_daily(last, self._schedule.health_check, now)
        return due_every(last, getattr(self._schedule, name), now)

    def tick(self) -> dict[str, int]:
        """Run every due job. Returns how much each did; nothing runs while another scheduler holds the lease."""
        done: dict[str, int] = {}
        for name in self.due():
            if not self._hold():
                break
            # Another scheduler may have run the job before this one got the lease.
            if self._is_due(name):
                started = self._runtime.clock.now()
                done[name] = JOBS[name](self._runtime, self._schedule)
                self._runtime.store.server.ran(name, started)
                # Most runs find nothing to do; logging them at DEBUG keeps the log of a quiet server readable.
                LOG.log(logging.INFO if done[name] else logging.DEBUG, "%s: %d", name, done[name])
        return done

    def failed(self, error: Exception) -> None:
        """Publish a notice, if there is a bus, that a job failed."""
        if self._runtime.notifier is not None:
            self._runtime.notifier.fault("scheduler", error)

    def _hold(self) -> bool:
        return self._runtime.store.server.lease(NAME, self._holder, self._runtime.clock.now(), LEASE)

    def stop(self) -> None:
        """Release the lease, so that the next scheduler need not wait."""
        self._runtime.store.server.release(NAME, self._holder)


LOG_OF_WORKER = logging.getLogger("foveal.worker")
SECONDS = 20.0

Told = Callable[[str, int], None]


class Worker:
    """Calls `tick` until it is stopped. A failure is logged with its traceback and retried at the next tick."""

    def __init__(self, scheduler: Scheduler, *, seconds: float = SECONDS, told: Told | None = None) -> None:
        self._scheduler = scheduler
        self._seconds = seconds
        self._told = told
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    def run(self) -> None:
        """Work until `stop` is called."""
        while True:
            try:
                for name, count in self._scheduler.tick().items():
                    if self._told is not None:
                        self._told(name, count)
            except Exception as error:
                self._scheduler.failed(error)
                LOG_OF_WORKER.exception("a job failed; it is tried again")
            if self._stopped.wait(self._seconds):
                break
        self._scheduler.stop()

    def stop(self) -> None:
        """Stop after the current job."""
        self._stopped.set()

    def __enter__(self) -> Self:
        """Work in a thread of this process."""
        self._thread = threading.Thread(target=self.run, name="foveal-worker", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        if self._thread is not None:
            self._thread.join()
