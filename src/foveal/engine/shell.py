"""The verbs for asynchronous callers: each runs in a thread, with the same signature."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial, wraps
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, Unpack

from foveal.engine.facade.taping import Taping
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


class AsyncTaping(Shell[Taping]):
    """`Taping` for asynchronous callers."""

    build = threaded(Taping.build)
    update = threaded(Taping.update)
    list = threaded(Taping.list)
    use = threaded(Taping.use)
    families = threaded(Taping.families)
    glyphs = threaded(Taping.glyphs)
    neighbours = threaded(Taping.neighbours)
    inspect = threaded(Taping.inspect)
    encode = threaded(Taping.encode)
    decode = threaded(Taping.decode)
    map = threaded(Taping.map)


class AsyncView(Shell[View]):
    """`View` for asynchronous callers."""

    def view(self, **at: Unpack[At]) -> AsyncView:
        """The same memory with a viewpoint bound."""
        return AsyncView(self.sync.view(**at))

    @property
    def tape(self) -> AsyncTaping:
        """The glyph tape: families of phrases, their glyphs, and the map they lie on."""
        return AsyncTaping(self.sync.tape)

    write = threaded(View.write)
    write_many = threaded(View.write_many)
    supersede = threaded(View.supersede)
    forget = threaded(View.forget)
    search = threaded(View.search)
    read = threaded(View.read)
    get = threaded(View.get)
    get_many = threaded(View.get_many)
    history = threaded(View.history)
    timeline = threaded(View.timeline)
    children = threaded(View.children)
    pin = threaded(View.pin)
    unpin = threaded(View.unpin)
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
    export = threaded(View.export)
    import_ = threaded(View.import_)
    backup = threaded(View.backup)
    reindex = threaded(View.reindex)
    check = threaded(View.check)
