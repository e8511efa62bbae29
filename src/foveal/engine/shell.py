"""The verbs for asynchronous callers: each runs in a thread, with the same signature."""

from __future__ import annotations

from typing import Unpack

from foveal.engine.ledger.shell import AsyncLedger, AsyncLongTerm, AsyncOperational
from foveal.engine.threaded import Shell, threaded
from foveal.engine.view import View
from foveal.model.draft import At


class AsyncView(Shell[View]):
    """`View` for asynchronous callers."""

    def view(self, **at: Unpack[At]) -> AsyncView:
        """The same memory with a viewpoint bound."""
        return AsyncView(self.sync.view(**at))

    @property
    def operational(self) -> AsyncOperational:
        """What happens now: events, metrics, the state of the machine."""
        return AsyncOperational(self.sync.operational)

    @property
    def ledger(self) -> AsyncLedger:
        """What agents do: goals, tasks, tool calls, decisions, patterns, states."""
        return AsyncLedger(self.sync.ledger)

    @property
    def longterm(self) -> AsyncLongTerm:
        """What lasts: procedures, incidents, configuration changes, knowledge."""
        return AsyncLongTerm(self.sync.longterm)

    assemble_context = threaded(View.assemble_context)
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
