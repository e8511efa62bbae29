"""A believable memory of any size, the same every time it is made."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec

from foveal.compose import Memory
from foveal.config import load_settings
from foveal.doors.cli.seeding_work import StoryClock, work
from foveal.engine.memory import View

BEGIN = datetime(2026, 1, 5, 8, tzinfo=UTC)
SPAN = timedelta(days=300)
ROUNDS = 6
_SLOT = re.compile(r"{(\w+)}")
_KINDS = ("note", "note", "fact", "episode")


def seed(path: str | Path, records: int, *, progress: Callable[[int, int], None] = lambda done, of: None) -> int:
    """Make a file with about so many records of several actors, and all that grows around records.

    The same number gives the same memory. Gives how many records were written.
    """
    told = msgspec.json.decode(resources.files("foveal.demo").joinpath("seed.json").read_bytes())
    settings = msgspec.structs.replace(load_settings(), metabolism="off")
    clock = StoryClock(BEGIN)
    written = 0
    with Memory(path, settings=settings, clock=clock) as memory:
        for place, (actor, world, share) in enumerate(told["actors"]):
            clock.at = BEGIN
            view = memory.view(actor_id=actor, world=world)
            author = _Author(told, random.Random(f"{records} {place}"), view, clock)
            for count in author.live(max(1, round(records * share))):
                written += count
                progress(written, records)
            clock.at = BEGIN
            work(told, view, clock, end=BEGIN + SPAN, line=author.line)
        clock.at = BEGIN + SPAN
        if records >= 100:
            memory.view(actor_id=told["actors"][0][0]).tape.build()
    return written


class _Author:
    """Writes the life of one actor."""

    def __init__(self, told: dict[str, Any], chance: random.Random, view: View, clock: StoryClock) -> None:
        self._told, self._chance, self._view, self._clock = told, chance, view, clock
        self._ids: list[str] = []

    def live(self, records: int) -> Iterator[int]:
        """Let the actor say so many things, in rounds: after each, memories age, change and are asked for."""
        changed = [(f"fact-{number}", versions) for number, versions in enumerate(self._told["changes"])]
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
            # What another node keeps for itself cannot be tended from here.
            self._tend([one.id for one in self._view.get_many(self._ids[first:])])
            for name, versions in changed:
                if 0 < number < len(versions):
                    self._view.supersede(name, versions[number])
            for question in self._chance.sample(self._told["questions"], 4):
                self._view.read(question, token_budget=600)
            self._clock.at = BEGIN + SPAN * (number + 1) / ROUNDS
            self._view.metabolise()

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
        topic = self._chance.choice(self._told["topics"])
        node = self._chance.choice(self._told["nodes"])
        made: list[dict[str, Any]] = []
        for number in range(self._chance.randint(1, most) if most > 1 else most):
            agent = number % 3 == 2
            made.append(
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
        return made

    def line(self, lines: list[str]) -> str:
        words = self._told["words"]

        def fill(slot: re.Match[str]) -> str:
            name = slot.group(1)
            return str(self._chance.randint(2, 90)) if name == "number" else self._chance.choice(words[name])

        return _SLOT.sub(fill, self._chance.choice(lines))

    def _tend(self, ids: list[str]) -> None:
        """Tie some together, pin some, keep some from being recalled, forget some."""
        if len(ids) < 10:
            return
        for _ in range(len(ids) // 20):
            first, second = self._chance.sample(ids, 2)
            self._view.link(first, second, kind=self._chance.choice(("relates", "derived_from")), weight=0.8)
        picked = self._chance.sample(ids, max(3, len(ids) // 40))
        third = max(1, len(picked) // 3)
        for one in picked[:third]:
            self._view.pin(one)
        for one in picked[third : 2 * third]:
            self._view.mute(one)
        self._view.forget(picked[2 * third :])
