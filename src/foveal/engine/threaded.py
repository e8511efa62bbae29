"""How a verb becomes a coroutine: it runs in a thread, with the same signature."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial, wraps
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S", covariant=True)


class Shell(Generic[S]):
    """A facade for asynchronous callers, around the one it forwards to."""

    def __init__(self, sync: S) -> None:
        self._sync = sync

    @property
    def sync(self) -> S:
        """The facade that does the work."""
        return self._sync


def threaded(verb: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[Shell[S], P], Coroutine[Any, Any, R]]:
    """The verb as a coroutine function of the same parameters, which runs it in a thread."""

    @wraps(verb)
    async def call(self: Shell[S], *args: P.args, **kwargs: P.kwargs) -> R:
        # By name, so that a facade which forwards the verb elsewhere does so here, too.
        return await asyncio.to_thread(partial(getattr(self.sync, verb.__name__), *args, **kwargs))

    return call
