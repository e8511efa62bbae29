"""What carries notices to those who listen."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from datetime import timedelta
from types import TracebackType
from typing import Protocol, Self

from msgspec import Struct

from foveal.model.notice import Kind, Notice

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
