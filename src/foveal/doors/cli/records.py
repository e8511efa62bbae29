"""Write, supersede, forget, pin, link, tree, sessions."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from foveal.doors.cli.invocation import Code, Filters, Invocation, Limit, RecordId, RecordOptions
from foveal.errors import Invalid

if TYPE_CHECKING:
    from foveal.doors.cli.output import Printer
    from foveal.model.results import Written


SessionId = Annotated[str, typer.Argument(metavar="SESSION", help="The id of a session.")]


def children(
    call: Invocation,
    record_id: RecordId,
    limit: Limit = 100,
    sort: Annotated[
        str,
        typer.Option("--sort", metavar="FIELD", help="By time, importance, uses, ...: occurred_at if not said."),
    ] = "occurred_at",
    descending: Annotated[bool, typer.Option("--desc", help="The greatest first.")] = False,
) -> None:
    """List the records written under this one, oldest first."""
    from foveal.doors.cli import output

    with call.memory() as memory:
        order = "desc" if descending else "asc"
        found = memory.children(record_id, limit=limit, sort_field=sort, sort_order=order)
    call.answer(found, lambda page: output.format_records(page, found), [record.id for record in found])


def tree(
    call: Invocation,
    record_id: RecordId,
    depth: Annotated[int, typer.Option("--depth", metavar="N", help="How many steps down.")] = 3,
    limit: Limit = 1000,
) -> None:
    """Show a record and what lies below it."""
    from foveal.rules.text import gist

    with call.memory() as memory:
        found = memory.tree(record_id, depth=depth, limit=limit)

    def tell(page: Printer) -> None:
        for one in found:
            more = f" ({one.children:,} more below)" if one.depth == depth and one.children else ""
            page.item("-", f"{one.record.id}  {gist(one.record.text)}{more}", indent=2 * one.depth)

    call.answer(found, tell, [one.record.id for one in found])
    if len(found) == limit:
        call.note(f"only the first {limit:,} are shown: say --limit")


def start(
    call: Invocation,
    kind: Annotated[str, typer.Option("--kind", metavar="NAME", help="What it is.")] = "conversation",
    metadata: Annotated[
        list[str] | None,
        typer.Option("--metadata", "-m", metavar="KEY=VALUE", help="Anything else; or a JSON object. Repeatable."),
    ] = None,
) -> None:
    """Begin a session, of a fresh id or of the one that --session-id says."""
    from foveal.doors.cli import invocation

    with call.memory(fresh=True) as memory:
        said = call.options.session_id
        about = invocation.metadata(metadata)
        if said is None:
            session = memory.create_session(kind=kind, metadata=about)
        else:
            session = memory.create_session(kind=kind, metadata=about, session_id=said)
    call.answer(session, lambda page: page.line(session.id), [session.id])


def ls(call: Invocation, limit: Limit = 20) -> None:
    """List the sessions, the latest first."""
    from foveal.doors.cli import output

    with call.memory() as memory:
        found = memory.sessions(limit=limit)

    def tell(page: Printer) -> None:
        rows = [
            (
                one.id,
                one.kind,
                f"{one.records:,}",
                output.moment(one.started_at or one.first_at),
                output.moment(one.last_at),
                output.moment(one.ended_at),
            )
            for one in found
        ]
        page.table(("session", "kind", "records", "begun", "last", "ended"), rows, right=["records"])

    call.answer(found, tell, [one.id for one in found])
    if not found:
        call.note("no sessions yet")


def end(call: Invocation, session: SessionId) -> None:
    """Say that a session is over."""
    from foveal.doors.cli.output import counted

    with call.memory() as memory:
        ended = memory.end_session(session)
    call.answer(ended, lambda page: page.line(f"ended  {ended.id}  {counted(ended.records, 'record')}"), [ended.id])


Source = Annotated[str, typer.Argument(metavar="FROM", help="The id of the record the edge starts at.")]
Target = Annotated[str, typer.Argument(metavar="TO", help="The id of the record the edge ends at.")]
Kind = Annotated[str | None, typer.Option("--kind", metavar="NAME", help="Only edges of this kind.")]


def pin(call: Invocation, record_id: RecordId) -> None:
    """Keep a record from being forgotten and from decay."""
    with call.memory() as memory:
        record = memory.pin(record_id)
    call.answer(record, lambda page: page.line(f"pinned  {record.id}"))


def unpin(call: Invocation, record_id: RecordId) -> None:
    """Let a record age like the others again."""
    with call.memory() as memory:
        record = memory.unpin(record_id)
    call.answer(record, lambda page: page.line(f"unpinned  {record.id}"))


def mute(call: Invocation, record_id: RecordId) -> None:
    """Keep a record from being recalled.

    No search or read finds it; get and ls still do.
    """
    with call.memory() as memory:
        record = memory.mute(record_id)
    call.answer(record, lambda page: page.line(f"muted  {record.id}"))


def unmute(call: Invocation, record_id: RecordId) -> None:
    """Let a record be recalled again."""
    with call.memory() as memory:
        record = memory.unmute(record_id)
    call.answer(record, lambda page: page.line(f"unmuted  {record.id}"))


def reinforce(
    call: Invocation,
    record_id: RecordId,
    factor: Annotated[
        float | None,
        typer.Option("--factor", metavar="X", help="How much its importance grows; that of its kind if not said."),
    ] = None,
) -> None:
    """Say that a record matters: its importance grows, to 1 at most."""
    with call.memory() as memory:
        record = memory.reinforce(record_id, factor)
    call.answer(record, lambda page: page.line(f"importance {record.vitals.importance:.2f}  {record.id}"))


def link(
    call: Invocation,
    source_id: Source,
    target_id: Target,
    kind: Annotated[str, typer.Option("--kind", metavar="NAME", help="What the edge means.")] = "relates",
    weight: Annotated[float, typer.Option("--weight", metavar="0..1", help="How strong it is.")] = 1.0,
) -> None:
    """Draw an edge between two records.

    Drawn again, it takes the new weight.
    """
    with call.memory() as memory:
        drawn = memory.link(source_id, target_id, kind=kind, weight=weight)
    call.answer(drawn, lambda page: page.line(f"{drawn.source_id}  {drawn.kind}  {drawn.target_id}"))


def unlink(call: Invocation, source_id: Source, target_id: Target, kind: Kind = None) -> None:
    """Take the edges between two records away."""
    from foveal.doors.cli.output import counted

    with call.memory() as memory:
        removed = memory.unlink(source_id, target_id, kind=kind)
    call.answer({"removed": removed}, lambda page: page.line(f"removed {counted(removed, 'edge')}"))


def related(
    call: Invocation,
    record_id: RecordId,
    kind: Kind = None,
    depth: Annotated[int, typer.Option("--depth", metavar="N", help="Over how many edges.")] = 1,
) -> None:
    """List the records that edges lead to, nearest first."""
    from foveal.doors.cli import output

    with call.memory() as memory:
        found = memory.related(record_id, kind=kind, depth=depth)

    def tell(page: Printer) -> None:
        for one in found:
            way = "to" if one.link.target_id == one.record.id else "from"
            far = f" at {one.distance}" if depth > 1 else ""
            edge = f"{one.link.kind} {way} {one.strength:.2f}{far}"
            page.card([*output.format_heads(one.record)[:3], edge], one.record.text)

    call.answer(found, tell, [one.record.id for one in found])
    if not found:
        call.note("nothing is tied to it")


def write(
    call: Invocation,
    about: RecordOptions,
    text: Annotated[
        str | None, typer.Argument(metavar="TEXT", help="What to remember; - reads it from stdin.")
    ] = None,
    file: Annotated[
        str | None,
        typer.Option("--file", metavar="FILE", help="One JSON object, or one text or object a line; - is stdin."),
    ] = None,
    own_id: Annotated[str | None, typer.Option("--id", metavar="ID", help="An id of your own.")] = None,
    idempotency_key: Annotated[
        str | None,
        typer.Option(
            "--idempotency-key", metavar="KEY", help="A name for this write: sent twice, it is stored once."
        ),
    ] = None,
) -> None:
    """Remember a text, or a file of them.

    Alias: add. Of a file, what cannot be taken is reported and the rest is stored.
    """
    from foveal.doors.cli import invocation

    if (text is None) == (file is None):
        raise Invalid("say a text, - for standard input, or --file; one of them")
    details = about.details()
    if own_id is not None:
        details["id"] = own_id
    if idempotency_key is not None:
        details["idempotency_key"] = idempotency_key
    if file is None:
        said = invocation.text_of("-").rstrip("\r\n") if text == "-" else text or ""
        with call.memory(fresh=True) as memory:
            written = memory.write(said, **details)
        call.answer(written, lambda page: _tell(page, written), written.ids)
        return
    numbered = invocation.items(invocation.text_of(file), file)
    items = [item for _, item in numbered]
    with call.memory(fresh=True) as memory:
        written = memory.write_many(_watched(call, items), **details)
    call.answer(written, lambda page: _tell(page, written), written.ids)
    for one in written.rejected:
        call.note(f"{file}, line {numbered[one.index][0]}: {one.message}")
    if written.rejected:
        raise typer.Exit(Code.INVALID)


def _watched(call: Invocation, items: Sequence[str | dict[str, Any]]) -> Iterator[str | dict[str, Any]]:
    show = call.progress("Writing")
    for number, item in enumerate(items, 1):
        yield item
        show(number, len(items))


def _tell(page: Printer, written: Written) -> None:
    known = set(written.duplicates)
    for one, address in zip(written.ids, written.addresses, strict=True):
        page.line(f"{'known  ' if one in known else 'wrote  '}{one}  {address}")
    for one in written.repeats:
        page.line(f"repeats {one}")
    if written.pending:
        page.line(f"{len(written.pending)} without a vector: the encoder does not answer; run foveal reindex")


def supersede(
    call: Invocation,
    about: RecordOptions,
    record_id: RecordId,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The new text; - reads it from stdin.")],
    expected_version: Annotated[
        int | None, typer.Option("--expected-version", metavar="N", help="Refuse if the newest is another.")
    ] = None,
) -> None:
    """Give a record a new text; the old one stays in its history."""
    from foveal.doors.cli import invocation, output

    said = invocation.text_of("-").rstrip("\r\n") if text == "-" else text
    with call.memory() as memory:
        record = memory.supersede(record_id, said, expected_version=expected_version, **about.details())
    call.answer(record, lambda page: output.format_records(page, [record]), [record.id])


def forget(
    call: Invocation,
    record_ids: Annotated[list[str] | None, typer.Argument(metavar="ID", help="The ids of records.")] = None,
    filters: Filters = None,
    cascade: Annotated[bool, typer.Option("--cascade", help="With all that lies below them.")] = False,
    hard: Annotated[bool, typer.Option("--hard", help="Erase for good, with all versions. Asks first.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Take records out of sight; with --hard, erase them for good."""
    from foveal.doors.cli import invocation, output

    if bool(record_ids) == bool(filters):
        raise Invalid("say which: ids, or --filter field=value")
    wanted = invocation.condition(filters)
    target: Any = wanted or (record_ids if len(record_ids or ()) > 1 else (record_ids or [""])[0])
    with call.memory() as memory:
        if hard and not yes:
            _confirm(wanted, record_ids or [], cascade)
        gone = memory.forget(target, hard=hard, cascade=cascade)

    def tell(page: Printer) -> None:
        page.line(f"{'erased' if gone.erased else 'forgot'} {output.counted(len(gone.ids), 'record')}")
        if gone.pinned:
            page.line(f"left because pinned: {_joined(gone.pinned)}")

    call.answer(gone, tell, gone.ids)
    if gone.pinned:
        raise typer.Exit(Code.CONFLICT)


def _confirm(wanted: dict[str, Any] | None, ids: Sequence[str], cascade: bool) -> None:
    if not sys.stdin.isatty():
        raise Invalid("--hard erases for good: add --yes to say that you mean it")
    what = "all records that the filter finds" if wanted else _joined(ids)
    what += " and all that lies below" if cascade else ""
    typer.confirm(f"Erase {what} for good?", abort=True, err=True)


def _joined(ids: Iterable[str]) -> str:
    return ", ".join(ids)
