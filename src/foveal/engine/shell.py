"""The verbs for asynchronous callers: each runs in a thread, with the same signature."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial, wraps
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, Unpack

from foveal.engine.view import View
from foveal.model.draft import At

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
        return await asyncio.to_thread(partial(verb, self.sync, *args, **kwargs))

    return call


class AsyncView(Shell[View]):
    """`View` for asynchronous callers."""

    def view(self, **at: Unpack[At]) -> AsyncView:
        """The same memory with a viewpoint bound."""
        return AsyncView(self.sync.view(**at))

    write = threaded(View.write)
    write_many = threaded(View.write_many)
    supersede = threaded(View.supersede)
    forget = threaded(View.forget)
    search = threaded(View.search)
    read = threaded(View.read)
    recalls = threaded(View.recalls)
    get = threaded(View.get)
    get_many = threaded(View.get_many)
    history = threaded(View.history)
    timeline = threaded(View.timeline)
    children = threaded(View.children)
    tree = threaded(View.tree)
    create_session = threaded(View.create_session)
    end_session = threaded(View.end_session)
    get_session = threaded(View.get_session)
    sessions = threaded(View.sessions)
    pin = threaded(View.pin)
    unpin = threaded(View.unpin)
    mute = threaded(View.mute)
    unmute = threaded(View.unmute)
    reinforce = threaded(View.reinforce)
    link = threaded(View.link)
    unlink = threaded(View.unlink)
    related = threaded(View.related)
    group = threaded(View.group)
    ungroup = threaded(View.ungroup)
    groups = threaded(View.groups)
    members = threaded(View.members)
    regions = threaded(View.regions)
    addresses = threaded(View.addresses)
    stats = threaded(View.stats)
    metabolise = threaded(View.metabolise)
    forecast = threaded(View.forecast)
    journal = threaded(View.journal)
    undo = threaded(View.undo)
    summaries = threaded(View.summaries)
    get_stats = threaded(View.get_stats)
    export = threaded(View.export)
    import_ = threaded(View.import_)
    backup = threaded(View.backup)
    reindex = threaded(View.reindex)
    check = threaded(View.check)
