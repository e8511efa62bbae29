"""Clock, bus, cache, machine readings, external vector index."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from types import TracebackType
from typing import Protocol, Self

from msgspec import Struct

from foveal.model.notice import Kind, Notice
from foveal.model.search import Floats

Heard = Callable[[Notice], bool]


class Traffic(Struct, frozen=True, kw_only=True):
    """How much a bus carries: who listens, what was told since it began, and what the slow ones lost.

    `away` says why notices do not leave this process now, if they should.
    """

    subscribers: int
    published: int
    dropped: int
    away: str = ""


class Subscription(Protocol):
    """Notices in their order. One who is too slow gets a gap in their place, and then goes on."""

    def take(self) -> Notice | None:
        """The next notice, or None if there is none yet."""
        ...

    def next(self, timeout: timedelta | None = None) -> Notice | None:
        """The next notice, waiting for it; None when the time is up or the subscription closed."""
        ...

    def close(self) -> None:
        """Listen no more."""
        ...

    def __iter__(self) -> Iterator[Notice]:
        """Notices until the subscription closes."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class Bus(Protocol):
    """Carries notices. Who tells something never waits for those who listen."""

    def publish(self, notice: Notice) -> None:
        """Tell a notice to all who want it. The bus gives it its id."""
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
        """Listen to these kinds, or to all, and of them to those that `heard` lets through.

        With `after`, the id of the last notice that was received, it begins with those that came since; "0" begins
        with the oldest kept. What is no longer kept is a gap. `wake` is called, in any thread, when there is
        something to take. With `here`, only what this process tells is heard.
        """
        ...

    def traffic(self) -> Traffic:
        """How much it carries."""
        ...

    def close(self) -> None:
        """End every subscription."""
        ...


class Cache(Protocol):
    """Bytes by key, for a while. It may forget anything at any time, and never fails.

    A key stands for everything that its value depends on, so that no value is ever wrong and none has to be taken
    back.
    """

    def get(self, keys: Sequence[str]) -> list[bytes | None]:
        """What is known for each key."""
        ...

    def put(self, values: Mapping[str, bytes], ttl: timedelta) -> None:
        """Keep values, so long at most."""
        ...

    @property
    def away(self) -> str:
        """Why it knows nothing now, if it does not."""
        ...

    def close(self) -> None:
        """Let go of what it holds."""
        ...


class Clock(Protocol):
    """Says what time it is."""

    def now(self) -> datetime:
        """This moment, with a time zone."""
        ...


class SystemClock:
    """The clock of this machine."""

    def now(self) -> datetime:
        """This moment in UTC."""
        return datetime.now(UTC)


class Machine(Protocol):
    """Says how busy the machine is, and which processes are alive."""

    @property
    def owner(self) -> str:
        """The name of this process, never given to another."""
        ...

    def alive(self, owner: str) -> bool:
        """Whether a process of that name may still be running: false only when it surely is not."""
        ...

    def measured(self) -> Mapping[str, float]:
        """cpu.usage in percent, memory.used_mb, memory.total_mb, disk.used_gb and disk.total_gb."""
        ...


Organism = tuple[str, str]
"""The world and the actor whose vectors they are."""


class VectorIndex(Protocol):
    """Vectors under ids, apart for every organism and kind. It finds candidates; the store says who may see them.

    `Unavailable` when it is away.
    """

    def upsert(self, organism: Organism, kind: str, ids: Sequence[str], vectors: Floats) -> None:
        """Keep one row under each id, in place of all that was under it; an id that comes twice keeps both rows.

        `Invalid` if they do not fit together.
        """
        ...

    def delete(self, organism: Organism, ids: Sequence[str]) -> None:
        """Let go of these, of whatever kind; an id that is not there is passed over."""
        ...

    def query(
        self, organism: Organism, kinds: Sequence[str] | None, vector: Floats, k: int
    ) -> list[tuple[str, float]]:
        """The `k` nearest ids of these kinds, or of all, each once with its best cosine, the nearest first.

        Fewer than `k` only if there are no more.
        """
        ...

    def mark(self, organism: Organism) -> str | None:
        """What `set_mark` was told last, if anything."""
        ...

    def set_mark(self, organism: Organism, mark: str) -> None:
        """Note how far the organism has been followed. It lasts as long as the vectors do."""
        ...

    def clear(self, organism: Organism) -> None:
        """Let go of all vectors of an organism, and of its mark."""
        ...

    def close(self) -> None:
        """Let go of everything that is open."""
        ...
