"""The commands that write, change, link and forget records, and those of sessions."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from foveal.doors.cli import parsing
from foveal.doors.cli.invocation import (
    Code,
    Filters,
    Invocation,
    Limit,
    Metadata,
    RecordId,
    RecordOptions,
    argument,
    flag,
    option,
)
from foveal.doors.cli.output import Answer, Printer, cards, counted, format_heads, record_cards, table
from foveal.errors import Invalid

if TYPE_CHECKING:
    from foveal.model.query import At
    from foveal.model.record import Record
    from foveal.model.results import Related, Written


def children(
    call: Invocation,
    record_id: RecordId,
    limit: Limit = 100,
    sort: Annotated[
        str, option("--sort", "FIELD", "The field to sort by: occurred_at, importance, uses, ...")
    ] = "occurred_at",
    descending: Annotated[bool, flag("--desc", "Sort in descending order.")] = False,
) -> Answer:
    """List the records written under this one, oldest first."""
    order = "desc" if descending else "asc"
    with call.memory() as memory:
        return record_cards(memory.links.children(record_id, limit=limit, sort_field=sort, sort_order=order))


def tree(
    call: Invocation,
    record_id: RecordId,
    depth: Annotated[int, option("--depth", "N", "How many levels down.")] = 3,
    limit: Limit = 1000,
) -> Answer:
    """Show a record and everything below it."""
    from foveal.rules.text import gist

    with call.memory() as memory:
        branches = memory.links.tree(record_id, depth=depth, limit=limit)

    def tell(page: Printer) -> None:
        for branch in branches:
            more = f" ({branch.children:,} more below)" if branch.depth == depth and branch.children else ""
            page.item("-", f"{branch.record.id}  {gist(branch.record.text)}{more}", indent=2 * branch.depth)

    notes = [f"only the first {limit:,} are shown: raise --limit"] if len(branches) == limit else []
    return Answer(branches, tell, [branch.record.id for branch in branches], notes=notes)


def start(
    call: Invocation,
    kind: Annotated[str, option("--kind", "NAME", "The kind of session.")] = "conversation",
    metadata: Metadata = None,
) -> Answer:
    """Start a session, with a new id or that of --session-id."""
    with call.memory(fresh=True) as memory:
        at: At = {} if call.options.session_id is None else {"session_id": call.options.session_id}
        session = memory.sessions.start(kind=kind, metadata=parsing.metadata(metadata), **at)
    return Answer(session, session.id, [session.id])


def ls(call: Invocation, limit: Limit = 20) -> Answer:
    """List the sessions, the latest first."""
    with call.memory() as memory:
        return table(
            memory.sessions.list(limit=limit),
            ("session", "kind", ">records", "begun", "last", "ended"),
            lambda each: (
                *(each.id, each.kind, each.records),
                *(each.started_at or each.first_at, each.last_at, each.ended_at),
            ),
            empty="no sessions yet",
        )


def end(call: Invocation, session: Annotated[str, argument("SESSION", "The id of a session.")]) -> Answer:
    """End a session."""
    with call.memory() as memory:
        ended = memory.sessions.end(session)
    return Answer(ended, f"ended  {ended.id}  {counted(ended.records, 'record')}", [ended.id])


Source = Annotated[str, argument("FROM", "The id of the record the edge starts at.")]
Target = Annotated[str, argument("TO", "The id of the record the edge ends at.")]
Kind = Annotated[str | None, option("--kind", "NAME", "Only edges of this kind.")]


def pin(call: Invocation, record_id: RecordId) -> Answer:
    """Keep a record from being forgotten and from decay."""
    with call.memory() as memory:
        return _changed("pinned", memory.pin(record_id))


def unpin(call: Invocation, record_id: RecordId) -> Answer:
    """Let a record decay like the others again."""
    with call.memory() as memory:
        return _changed("unpinned", memory.unpin(record_id))


def mute(call: Invocation, record_id: RecordId) -> Answer:
    """Keep a record from being recalled.

    No search or read finds it; get and ls still do.
    """
    with call.memory() as memory:
        return _changed("muted", memory.mute(record_id))


def unmute(call: Invocation, record_id: RecordId) -> Answer:
    """Let a record be recalled again."""
    with call.memory() as memory:
        return _changed("unmuted", memory.unmute(record_id))


def _changed(done: str, record: Record) -> Answer:
    return Answer(record, f"{done}  {record.id}")


def reinforce(
    call: Invocation,
    record_id: RecordId,
    factor: Annotated[
        float | None, option("--factor", "X", "How much its importance grows; by default that of its kind.")
    ] = None,
) -> Answer:
    """Raise the importance of a record, up to 1."""
    with call.memory() as memory:
        record = memory.lifecycle.reinforce(record_id, factor)
    return Answer(record, f"importance {record.vitals.importance:.2f}  {record.id}")


def link(
    call: Invocation,
    source_id: Source,
    target_id: Target,
    kind: Annotated[str, option("--kind", "NAME", "What the edge means.")] = "relates",
    weight: Annotated[float, option("--weight", "0..1", "How strong it is.")] = 1.0,
) -> Answer:
    """Add an edge between two records.

    An existing edge takes the new weight.
    """
    with call.memory() as memory:
        edge = memory.links.add(source_id, target_id, kind=kind, weight=weight)
    return Answer(edge, f"{edge.source_id}  {edge.kind}  {edge.target_id}")


def unlink(call: Invocation, source_id: Source, target_id: Target, kind: Kind = None) -> Answer:
    """Remove the edges between two records."""
    with call.memory() as memory:
        removed = memory.links.remove(source_id, target_id, kind=kind)
    return Answer({"removed": removed}, f"removed {counted(removed, 'edge')}")


def related(
    call: Invocation,
    record_id: RecordId,
    kind: Kind = None,
    depth: Annotated[int, option("--depth", "N", "How many edges away.")] = 1,
) -> Answer:
    """List the records that edges lead to, nearest first."""

    def card(neighbour: Related) -> list[str]:
        record, edge = neighbour.record, neighbour.link
        direction = "to" if edge.target_id == record.id else "from"
        distance = f" at {neighbour.distance}" if depth > 1 else ""
        label = f"{edge.kind} {direction} {neighbour.strength:.2f}{distance}"
        return [*format_heads(record)[:3], label, record.text]

    with call.memory() as memory:
        return cards(memory.links.related(record_id, kind=kind, depth=depth), card, empty="nothing is tied to it")


def write(
    call: Invocation,
    about: RecordOptions,
    text: Annotated[str | None, argument("TEXT", "What to remember; - reads it from stdin.")] = None,
    file: Annotated[
        str | None, option("--file", "FILE", "One JSON object, or one text or object per line; - is stdin.")
    ] = None,
    own_id: Annotated[str | None, option("--id", "ID", "An id of your own.")] = None,
    idempotency_key: Annotated[
        str | None, option("--idempotency-key", "KEY", "A name for this write: repeated, it is stored once.")
    ] = None,
) -> Answer:
    """Store a text, or a file of texts.

    Alias: add. Of a file, invalid lines are reported and the rest is stored.
    """
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
            return _written(memory.write(new_text, **details))
    numbered = parsing.items(parsing.text_of(file), file)
    items = [item for _, item in numbered]
    with call.memory(fresh=True) as memory:
        written = memory.write_many(_with_progress(call, items), **details)
    return _written(
        written,
        [f"{file}, line {numbered[rejected.index][0]}: {rejected.message}" for rejected in written.rejected],
    )


def _text_or_stdin(text: str) -> str:
    return parsing.text_of("-").rstrip("\r\n") if text == "-" else text


def _with_progress(call: Invocation, items: Sequence[str | dict[str, Any]]) -> Iterator[str | dict[str, Any]]:
    show = call.progress("Writing")
    for number, item in enumerate(items, 1):
        yield item
        show(number, len(items))


# Of more records than this, only their number is printed.
FEW = 10


def _written(written: Written, notes: Sequence[str] = ()) -> Answer:
    known = set(written.duplicates)
    if len(written.ids) > FEW:
        more = f", {len(known):,} known already" if known else ""
        lines = [f"wrote {counted(len(written.ids) - len(known), 'record')}{more}; --quiet prints their ids"]
        return _told(written, lines, notes)
    lines = [
        f"{'known  ' if record_id in known else 'wrote  '}{record_id}  {address}"
        for record_id, address in zip(written.ids, written.addresses, strict=True)
    ]
    lines += [f"repeats {record_id}" for record_id in written.repeats]
    return _told(written, lines, notes)


def _told(written: Written, lines: list[str], notes: Sequence[str]) -> Answer:
    if written.pending:
        lines.append(f"{len(written.pending)} without a vector: the encoder does not answer; run foveal reindex")
    return Answer(written, lines, written.ids, notes=notes, code=Code.INVALID if written.rejected else Code.OK)


def supersede(
    call: Invocation,
    about: RecordOptions,
    record_id: RecordId,
    text: Annotated[str, argument("TEXT", "The new text; - reads it from stdin.")],
    expected_version: Annotated[
        int | None, option("--expected-version", "N", "Fail if this is not the newest version.")
    ] = None,
) -> Answer:
    """Give a record a new text; the old one stays in its history."""
    new_text = _text_or_stdin(text)
    with call.memory() as memory:
        record = memory.supersede(record_id, new_text, expected_version=expected_version, **about.details())
    return Answer(record, lambda page: page.card(format_heads(record), record.text), [record.id])


def forget(
    call: Invocation,
    record_ids: Annotated[list[str] | None, argument("ID", "The ids of records.")] = None,
    filters: Filters = None,
    cascade: Annotated[bool, flag("--cascade", "Also everything below them.")] = False,
    hard: Annotated[bool, flag("--hard", "Erase for good, with all versions. Asks first.")] = False,
    yes: Annotated[bool, flag("--yes -y", "Do not ask.")] = False,
) -> Answer:
    """Hide records from now on; with --hard, erase them for good."""
    if bool(record_ids) == bool(filters):
        raise Invalid("pass either ids or --filter field=value")
    condition = parsing.condition(filters)
    call.understood(condition)
    target: Any = condition or (record_ids if len(record_ids or ()) > 1 else (record_ids or [""])[0])
    with call.memory() as memory:
        if hard and not yes:
            _confirm(condition, record_ids or [], cascade)
        forgotten = memory.forget(target, hard=hard, cascade=cascade)
    lines = [f"{'erased' if forgotten.erased else 'forgot'} {counted(len(forgotten.ids), 'record')}"]
    if forgotten.pinned:
        lines.append(f"left because pinned: {', '.join(forgotten.pinned)}")
    return Answer(forgotten, lines, forgotten.ids, code=Code.CONFLICT if forgotten.pinned else Code.OK)


def _confirm(condition: dict[str, Any] | None, ids: Sequence[str], cascade: bool) -> None:
    if not sys.stdin.isatty():
        raise Invalid("--hard erases for good: add --yes to confirm")
    what = "all records that match the filter" if condition else ", ".join(ids)
    what += " and everything below" if cascade else ""
    typer.confirm(f"Erase {what} for good?", abort=True, err=True)
