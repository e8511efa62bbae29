"""The commands that write, change, link and forget records, and those of sessions."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from foveal.doors.cli.invocation import Code, Filters, Invocation, Limit, RecordId, RecordOptions
from foveal.errors import Invalid

if TYPE_CHECKING:
    from foveal.doors.cli.output import Printer
    from foveal.engine.memory import View
    from foveal.model.query import At
    from foveal.model.record import Record
    from foveal.model.results import Written


SessionId = Annotated[str, typer.Argument(metavar="SESSION", help="The id of a session.")]


def children(
    call: Invocation,
    record_id: RecordId,
    limit: Limit = 100,
    sort: Annotated[
        str,
        typer.Option("--sort", metavar="FIELD", help="The field to sort by: occurred_at, importance, uses, ..."),
    ] = "occurred_at",
    descending: Annotated[bool, typer.Option("--desc", help="Sort in descending order.")] = False,
) -> None:
    """List the records written under this one, oldest first."""
    from foveal.doors.cli import output

    with call.memory() as memory:
        order = "desc" if descending else "asc"
        records = memory.children(record_id, limit=limit, sort_field=sort, sort_order=order)
    call.answer(records, lambda page: output.format_records(page, records), [record.id for record in records])


def tree(
    call: Invocation,
    record_id: RecordId,
    depth: Annotated[int, typer.Option("--depth", metavar="N", help="How many levels down.")] = 3,
    limit: Limit = 1000,
) -> None:
    """Show a record and everything below it."""
    from foveal.rules.text import gist

    with call.memory() as memory:
        branches = memory.tree(record_id, depth=depth, limit=limit)

    def tell(page: Printer) -> None:
        for branch in branches:
            more = f" ({branch.children:,} more below)" if branch.depth == depth and branch.children else ""
            page.item("-", f"{branch.record.id}  {gist(branch.record.text)}{more}", indent=2 * branch.depth)

    call.answer(branches, tell, [branch.record.id for branch in branches])
    if len(branches) == limit:
        call.note(f"only the first {limit:,} are shown: raise --limit")


def start(
    call: Invocation,
    kind: Annotated[str, typer.Option("--kind", metavar="NAME", help="The kind of session.")] = "conversation",
    metadata: Annotated[
        list[str] | None,
        typer.Option("--metadata", "-m", metavar="KEY=VALUE", help="Anything else; or a JSON object. Repeatable."),
    ] = None,
) -> None:
    """Start a session, with a new id or that of --session-id."""
    from foveal.doors.cli import invocation

    with call.memory(fresh=True) as memory:
        at: At = {} if call.options.session_id is None else {"session_id": call.options.session_id}
        session = memory.create_session(kind=kind, metadata=invocation.metadata(metadata), **at)
    call.answer(session, lambda page: page.line(session.id), [session.id])


def ls(call: Invocation, limit: Limit = 20) -> None:
    """List the sessions, the latest first."""
    from foveal.doors.cli import output

    with call.memory() as memory:
        sessions = memory.sessions(limit=limit)

    def tell(page: Printer) -> None:
        rows = [
            (
                session.id,
                session.kind,
                f"{session.records:,}",
                output.moment(session.started_at or session.first_at),
                output.moment(session.last_at),
                output.moment(session.ended_at),
            )
            for session in sessions
        ]
        page.table(("session", "kind", "records", "begun", "last", "ended"), rows, right=["records"])

    call.answer(sessions, tell, [session.id for session in sessions], empty="no sessions yet")


def end(call: Invocation, session: SessionId) -> None:
    """End a session."""
    from foveal.doors.cli.output import counted

    with call.memory() as memory:
        ended = memory.end_session(session)
    call.answer(ended, lambda page: page.line(f"ended  {ended.id}  {counted(ended.records, 'record')}"), [ended.id])


Source = Annotated[str, typer.Argument(metavar="FROM", help="The id of the record the edge starts at.")]
Target = Annotated[str, typer.Argument(metavar="TO", help="The id of the record the edge ends at.")]
Kind = Annotated[str | None, typer.Option("--kind", metavar="NAME", help="Only edges of this kind.")]


def pin(call: Invocation, record_id: RecordId) -> None:
    """Keep a record from being forgotten and from decay."""
    _change(call, lambda memory: memory.pin(record_id), "pinned")


def unpin(call: Invocation, record_id: RecordId) -> None:
    """Let a record decay like the others again."""
    _change(call, lambda memory: memory.unpin(record_id), "unpinned")


def mute(call: Invocation, record_id: RecordId) -> None:
    """Keep a record from being recalled.

    No search or read finds it; get and ls still do.
    """
    _change(call, lambda memory: memory.mute(record_id), "muted")


def unmute(call: Invocation, record_id: RecordId) -> None:
    """Let a record be recalled again."""
    _change(call, lambda memory: memory.unmute(record_id), "unmuted")


def _change(call: Invocation, change: Callable[[View], Record], done: str) -> None:
    with call.memory() as memory:
        record = change(memory)
    call.answer(record, lambda page: page.line(f"{done}  {record.id}"))


def reinforce(
    call: Invocation,
    record_id: RecordId,
    factor: Annotated[
        float | None,
        typer.Option("--factor", metavar="X", help="How much its importance grows; by default that of its kind."),
    ] = None,
) -> None:
    """Raise the importance of a record, up to 1."""
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
    """Add an edge between two records.

    An existing edge takes the new weight.
    """
    with call.memory() as memory:
        edge = memory.link(source_id, target_id, kind=kind, weight=weight)
    call.answer(edge, lambda page: page.line(f"{edge.source_id}  {edge.kind}  {edge.target_id}"))


def unlink(call: Invocation, source_id: Source, target_id: Target, kind: Kind = None) -> None:
    """Remove the edges between two records."""
    from foveal.doors.cli.output import counted

    with call.memory() as memory:
        removed = memory.unlink(source_id, target_id, kind=kind)
    call.answer({"removed": removed}, lambda page: page.line(f"removed {counted(removed, 'edge')}"))


def related(
    call: Invocation,
    record_id: RecordId,
    kind: Kind = None,
    depth: Annotated[int, typer.Option("--depth", metavar="N", help="How many edges away.")] = 1,
) -> None:
    """List the records that edges lead to, nearest first."""
    from foveal.doors.cli import output

    with call.memory() as memory:
        neighbours = memory.related(record_id, kind=kind, depth=depth)

    def tell(page: Printer) -> None:
        for neighbour in neighbours:
            record, edge = neighbour.record, neighbour.link
            direction = "to" if edge.target_id == record.id else "from"
            distance = f" at {neighbour.distance}" if depth > 1 else ""
            label = f"{edge.kind} {direction} {neighbour.strength:.2f}{distance}"
            page.card([*output.format_heads(record)[:3], label], record.text)

    ids = [neighbour.record.id for neighbour in neighbours]
    call.answer(neighbours, tell, ids, empty="nothing is tied to it")


def write(
    call: Invocation,
    about: RecordOptions,
    text: Annotated[
        str | None, typer.Argument(metavar="TEXT", help="What to remember; - reads it from stdin.")
    ] = None,
    file: Annotated[
        str | None,
        typer.Option("--file", metavar="FILE", help="One JSON object, or one text or object per line; - is stdin."),
    ] = None,
    own_id: Annotated[str | None, typer.Option("--id", metavar="ID", help="An id of your own.")] = None,
    idempotency_key: Annotated[
        str | None,
        typer.Option(
            "--idempotency-key", metavar="KEY", help="A name for this write: repeated, it is stored once."
        ),
    ] = None,
) -> None:
    """Store a text, or a file of texts.

    Alias: add. Of a file, invalid lines are reported and the rest is stored.
    """
    from foveal.doors.cli import invocation

    if (text is None) == (file is None):
        raise Invalid("pass either a text, - for standard input, or --file")
    details = about.details()
    if own_id is not None:
        details["id"] = own_id
    if idempotency_key is not None:
        details["idempotency_key"] = idempotency_key
    if file is None:
        # Read before the memory is opened, so that unreadable input creates no file.
        new_text = _text_or_stdin(text or "")
        with call.memory(fresh=True) as memory:
            written = memory.write(new_text, **details)
        call.answer(written, lambda page: _tell(page, written), written.ids)
        return
    numbered = invocation.items(invocation.text_of(file), file)
    items = [item for _, item in numbered]
    with call.memory(fresh=True) as memory:
        written = memory.write_many(_with_progress(call, items), **details)
    call.answer(written, lambda page: _tell(page, written), written.ids)
    for rejected in written.rejected:
        call.note(f"{file}, line {numbered[rejected.index][0]}: {rejected.message}")
    if written.rejected:
        raise typer.Exit(Code.INVALID)


def _text_or_stdin(text: str) -> str:
    from foveal.doors.cli import invocation

    return invocation.text_of("-").rstrip("\r\n") if text == "-" else text


def _with_progress(call: Invocation, items: Sequence[str | dict[str, Any]]) -> Iterator[str | dict[str, Any]]:
    show = call.progress("Writing")
    for number, item in enumerate(items, 1):
        yield item
        show(number, len(items))


def _tell(page: Printer, written: Written) -> None:
    known = set(written.duplicates)
    for record_id, address in zip(written.ids, written.addresses, strict=True):
        page.line(f"{'known  ' if record_id in known else 'wrote  '}{record_id}  {address}")
    for record_id in written.repeats:
        page.line(f"repeats {record_id}")
    if written.pending:
        page.line(f"{len(written.pending)} without a vector: the encoder does not answer; run foveal reindex")


def supersede(
    call: Invocation,
    about: RecordOptions,
    record_id: RecordId,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The new text; - reads it from stdin.")],
    expected_version: Annotated[
        int | None, typer.Option("--expected-version", metavar="N", help="Fail if this is not the newest version.")
    ] = None,
) -> None:
    """Give a record a new text; the old one stays in its history."""
    from foveal.doors.cli import output

    new_text = _text_or_stdin(text)
    with call.memory() as memory:
        record = memory.supersede(record_id, new_text, expected_version=expected_version, **about.details())
    call.answer(record, lambda page: output.format_records(page, [record]), [record.id])


def forget(
    call: Invocation,
    record_ids: Annotated[list[str] | None, typer.Argument(metavar="ID", help="The ids of records.")] = None,
    filters: Filters = None,
    cascade: Annotated[bool, typer.Option("--cascade", help="Also everything below them.")] = False,
    hard: Annotated[bool, typer.Option("--hard", help="Erase for good, with all versions. Asks first.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Hide records from now on; with --hard, erase them for good."""
    from foveal.doors.cli import invocation, output

    if bool(record_ids) == bool(filters):
        raise Invalid("pass either ids or --filter field=value")
    condition = invocation.condition(filters)
    target: Any = condition or (record_ids if len(record_ids or ()) > 1 else (record_ids or [""])[0])
    with call.memory() as memory:
        if hard and not yes:
            _confirm(condition, record_ids or [], cascade)
        forgotten = memory.forget(target, hard=hard, cascade=cascade)

    def tell(page: Printer) -> None:
        page.line(f"{'erased' if forgotten.erased else 'forgot'} {output.counted(len(forgotten.ids), 'record')}")
        if forgotten.pinned:
            page.line(f"left because pinned: {', '.join(forgotten.pinned)}")

    call.answer(forgotten, tell, forgotten.ids)
    if forgotten.pinned:
        raise typer.Exit(Code.CONFLICT)


def _confirm(condition: dict[str, Any] | None, ids: Sequence[str], cascade: bool) -> None:
    if not sys.stdin.isatty():
        raise Invalid("--hard erases for good: add --yes to confirm")
    what = "all records that match the filter" if condition else ", ".join(ids)
    what += " and everything below" if cascade else ""
    typer.confirm(f"Erase {what} for good?", abort=True, err=True)
