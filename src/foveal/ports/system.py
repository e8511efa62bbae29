"""Ports to the system: clock, bus, cache, machine readings, external vector index."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Protocol, Self

from msgspec import Struct

from foveal.model.notice import Kind, Notice
from foveal.model.search import Floats

Heard = Callable[[Notice], bool]


class Traffic(Struct, frozen=True, kw_only=True):
    """The traffic of a bus: its subscribers, the notices published, and those dropped for slow subscribers.

    `away` says why notices cannot leave this process now; it is empty while they can, or need not.
    """

    subscribers: int
    published: int
    dropped: int
    away: str = ""


class Subscription(Protocol):
    """A stream of notices in order. A subscriber that is too slow gets a gap in place of those it missed."""

    def take(self) -> Notice | None:
        """The next notice, or None if there is none yet."""
        ...

    def next(self, timeout: timedelta | None = None) -> Notice | None:
        """Wait for the next notice; None on a timeout or when the subscription is closed."""
        ...

    def close(self) -> None:
        """End the subscription."""
        ...

    def __iter__(self) -> Iterator[Notice]:
        """Notices until the subscription closes."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...


class Bus(Protocol):
    """Carries notices to subscribers. Publishing never waits for them."""

    def publish(self, notice: Notice) -> None:
        """Send a notice to every subscriber that wants it. The bus assigns its id."""
        ...

    def subscribe(
        self,
        after: str | None = None,
        *,
        kinds: Collection[Kind] = (),
        heard: Heard | None = None,
        wake: Callable[[], None] | None = None,
        here: bool = False,
    ) -> Subscription:
        """Subscribe to notices of these kinds, or of all kinds, for which `heard` returns true.

        With `after`, the id of the last notice received, the subscription starts with the notices since then; "0"
        starts with the oldest one kept. Notices that are no longer kept are reported as a gap. `wake` is called,
        from any thread, when a notice is ready. With `here`, only notices of this process are delivered.
        """
        ...

    def traffic(self) -> Traffic:
        """The traffic so far."""
        ...

    def close(self) -> None:
        """End every subscription."""
        ...


class Cache(Protocol):
    """A cache of bytes by key. It may drop any value at any time, and it never fails.

    A key covers everything that its value depends on, so values never become wrong and need no invalidation.
    """

    def get(self, keys: Sequence[str]) -> list[bytes | None]:
        """The value of each key, or None where there is none."""
        ...

    def put(self, values: Mapping[str, bytes], ttl: timedelta) -> None:
        """Store values for at most `ttl`."""
        ...

    @property
    def away(self) -> str:
        """Why the cache is unavailable now, or "" if it is available."""
        ...

    def close(self) -> None:
        """Release its resources."""
        ...


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> datetime:
        """The current time, with a time zone."""
        ...


class SystemClock:
    """The clock of this machine."""

    def now(self) -> datetime:
        """The current time in UTC."""
        return datetime.now(UTC)


class Machine(Protocol):
    """Reports the load of the machine, and which processes are alive."""

    @property
    def owner(self) -> str:
        """A name for this process that no other process ever has."""
        ...

    def alive(self, owner: str) -> bool:
        """Whether the process with this name may still be running; false only if it certainly is not."""
        ...

    def measured(self) -> Mapping[str, float]:
        """cpu.usage in percent, memory.used_mb, memory.total_mb, disk.used_gb and disk.total_gb."""
        ...


Organism = tuple[str, str]
"""The world and the actor that the vectors belong to."""


class VectorIndex(Protocol):
    """Vectors by id, separate for each actor and kind. It finds candidates; the store decides who may see them.

    Its methods raise `Unavailable` when the index does not answer.
    """

    def upsert(self, organism: Organism, kind: str, ids: Sequence[str], vectors: Floats) -> None:
        """Store one row for each id, replacing its previous rows; an id that is given twice keeps both rows.

        Raises `Invalid` if the ids and vectors do not match.
        """
        ...

    def delete(self, organism: Organism, ids: Sequence[str]) -> None:
        """Delete the vectors of these ids, of every kind; unknown ids are ignored."""
        ...

    def query(
        self, organism: Organism, kinds: Sequence[str] | None, vector: Floats, k: int
    ) -> list[tuple[str, float]]:
        """The `k` nearest ids of these kinds, or of all kinds, each once with its best cosine, nearest first.

        There are fewer than `k` only if the index has no more.
        """
        ...

    def mark(self, organism: Organism) -> str | None:
        """The last value passed to `set_mark`, or None."""
        ...

    def set_mark(self, organism: Organism, mark: str) -> None:
        """Record how far the index has followed the organism. The mark lives as long as the vectors."""
        ...

    def clear(self, organism: Organism) -> None:
        """Delete all vectors of an organism, and its mark."""
        ...

    def close(self) -> None:
        """Close all connections and files."""
        ...
