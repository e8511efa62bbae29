"""Verbs take turns while they are quick, and what takes long keeps nobody waiting."""

from __future__ import annotations

import asyncio
import threading

import pytest

from foveal.doors.http.endpoint import WorkerSlots

NEVER = 1e6


def test_what_is_quick_never_runs_beside_another() -> None:
    running: list[int] = []
    beside: list[int] = []

    def work() -> None:
        running.append(1)
        beside.append(len(running))
        running.pop()

    async def many() -> None:
        places = WorkerSlots(4, quick=NEVER)
        await asyncio.gather(*(places.run(work) for _ in range(50)))

    asyncio.run(many())
    assert beside == [1] * 50


def test_what_takes_long_lets_others_go_on_beside_it() -> None:
    came = threading.Event()

    async def both() -> bool:
        places = WorkerSlots(2, quick=0)
        first = asyncio.ensure_future(places.run(lambda: came.wait(60)))
        await places.run(came.set)
        return await first

    assert asyncio.run(both())


def test_a_turn_ends_when_the_work_fails() -> None:
    def fail() -> None:
        raise ValueError("it failed")

    async def both() -> str:
        places = WorkerSlots(1, quick=NEVER)
        with pytest.raises(ValueError, match="it failed"):
            await places.run(fail)
        return await places.run(lambda: "the next")

    assert asyncio.run(both()) == "the next"
