"""The verbs for asynchronous callers: each runs in a thread, with the same signature."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar, Unpack

from foveal.engine.view import View
from foveal.model.draft import At

P = ParamSpec("P")
R = TypeVar("R")


def _threaded(
    verb: Callable[Concatenate[View, P], R],
) -> Callable[Concatenate[AsyncView, P], Coroutine[Any, Any, R]]:
    @wraps(verb)
    async def call(self: AsyncView, *args: P.args, **kwargs: P.kwargs) -> R:
        return await asyncio.to_thread(partial(verb, self.sync, *args, **kwargs))

    return call


class AsyncView:
    """`View` for asynchronous callers."""

    def __init__(self, view: View) -> None:
        self.sync = view

    def view(self, **at: Unpack[At]) -> AsyncView:
        """The same memory with a viewpoint bound."""
        return AsyncView(self.sync.view(**at))

    write = _threaded(View.write)
    write_many = _threaded(View.write_many)
    supersede = _threaded(View.supersede)
    forget = _threaded(View.forget)
    search = _threaded(View.search)
    read = _threaded(View.read)
    get = _threaded(View.get)
    get_many = _threaded(View.get_many)
    history = _threaded(View.history)
    timeline = _threaded(View.timeline)
    children = _threaded(View.children)
    pin = _threaded(View.pin)
    unpin = _threaded(View.unpin)
    reinforce = _threaded(View.reinforce)
    link = _threaded(View.link)
    unlink = _threaded(View.unlink)
    related = _threaded(View.related)
    group = _threaded(View.group)
    ungroup = _threaded(View.ungroup)
    groups = _threaded(View.groups)
    members = _threaded(View.members)
    regions = _threaded(View.regions)
    addresses = _threaded(View.addresses)
    stats = _threaded(View.stats)
    export = _threaded(View.export)
    import_ = _threaded(View.import_)
    backup = _threaded(View.backup)
    reindex = _threaded(View.reindex)
    check = _threaded(View.check)
