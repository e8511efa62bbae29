"""The commands about families of records, and about sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from foveal.doors.cli.call import Call
from foveal.doors.cli.options import Limit, RecordId

if TYPE_CHECKING:
    from foveal.doors.cli.page import Page

SessionId = Annotated[str, typer.Argument(metavar="SESSION", help="The id of a session.")]


def children(
    call: Call,
    record_id: RecordId,
    limit: Limit = 100,
    sort: Annotated[
        str,
        typer.Option("--sort", metavar="FIELD", help="By time, importance, uses, ...: occurred_at if not said."),
    ] = "occurred_at",
    descending: Annotated[bool, typer.Option("--desc", help="The greatest first.")] = False,
) -> None:
    """List the records written under this one, oldest first."""
    from foveal.doors.cli import cards

    with call.memory() as memory:
        order = "desc" if descending else "asc"
        found = memory.children(record_id, limit=limit, sort_field=sort, sort_order=order)
    call.answer(found, lambda page: cards.records(page, found), [record.id for record in found])


def tree(
    call: Call,
    record_id: RecordId,
    depth: Annotated[int, typer.Option("--depth", metavar="N", help="How many steps down.")] = 3,
    limit: Limit = 1000,
) -> None:
    """Show a record and what lies below it."""
    from foveal.rules.text import gist

    with call.memory() as memory:
        found = memory.tree(record_id, depth=depth, limit=limit)

    def tell(page: Page) -> None:
        for one in found:
            more = f" ({one.children:,} more below)" if one.depth == depth and one.children else ""
            page.item("-", f"{one.record.id}  {gist(one.record.text)}{more}", indent=2 * one.depth)

    call.answer(found, tell, [one.record.id for one in found])
    if len(found) == limit:
        call.note(f"only the first {limit:,} are shown: say --limit")


def start(
    call: Call,
    kind: Annotated[str, typer.Option("--kind", metavar="NAME", help="What it is.")] = "conversation",
    metadata: Annotated[
        list[str] | None,
        typer.Option("--metadata", "-m", metavar="KEY=VALUE", help="Anything else; or a JSON object. Repeatable."),
    ] = None,
) -> None:
    """Begin a session, of a fresh id or of the one that --session-id says."""
    from foveal.doors.cli import values

    with call.memory(fresh=True) as memory:
        said = call.options.session_id
        about = values.metadata(metadata)
        if said is None:
            session = memory.create_session(kind=kind, metadata=about)
        else:
            session = memory.create_session(kind=kind, metadata=about, session_id=said)
    call.answer(session, lambda page: page.line(session.id), [session.id])


def ls(call: Call, limit: Limit = 20) -> None:
    """List the sessions, the latest first."""
    from foveal.doors.cli import cards

    with call.memory() as memory:
        found = memory.sessions(limit=limit)

    def tell(page: Page) -> None:
        rows = [
            (
                one.id,
                one.kind,
                f"{one.records:,}",
                cards.moment(one.started_at or one.first_at),
                cards.moment(one.last_at),
                cards.moment(one.ended_at),
            )
            for one in found
        ]
        page.table(("session", "kind", "records", "begun", "last", "ended"), rows, right=["records"])

    call.answer(found, tell, [one.id for one in found])
    if not found:
        call.note("no sessions yet")


def end(call: Call, session: SessionId) -> None:
    """Say that a session is over."""
    from foveal.doors.cli.cards import counted

    with call.memory() as memory:
        ended = memory.end_session(session)
    call.answer(ended, lambda page: page.line(f"ended  {ended.id}  {counted(ended.records, 'record')}"), [ended.id])
