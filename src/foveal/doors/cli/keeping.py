"""The commands that change the life of a record, and tie records together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from foveal.doors.cli.call import Call
from foveal.doors.cli.options import RecordId

if TYPE_CHECKING:
    from foveal.doors.cli.page import Page

Source = Annotated[str, typer.Argument(metavar="FROM", help="The id of the record the edge starts at.")]
Target = Annotated[str, typer.Argument(metavar="TO", help="The id of the record the edge ends at.")]
Kind = Annotated[str | None, typer.Option("--kind", metavar="NAME", help="Only edges of this kind.")]


def pin(call: Call, record_id: RecordId) -> None:
    """Keep a record from being forgotten and from decay."""
    with call.memory() as memory:
        record = memory.pin(record_id)
    call.answer(record, lambda page: page.line(f"pinned  {record.id}"))


def unpin(call: Call, record_id: RecordId) -> None:
    """Let a record age like the others again."""
    with call.memory() as memory:
        record = memory.unpin(record_id)
    call.answer(record, lambda page: page.line(f"unpinned  {record.id}"))


def mute(call: Call, record_id: RecordId) -> None:
    """Keep a record from being recalled.

    No search or read finds it; get and ls still do.
    """
    with call.memory() as memory:
        record = memory.mute(record_id)
    call.answer(record, lambda page: page.line(f"muted  {record.id}"))


def unmute(call: Call, record_id: RecordId) -> None:
    """Let a record be recalled again."""
    with call.memory() as memory:
        record = memory.unmute(record_id)
    call.answer(record, lambda page: page.line(f"unmuted  {record.id}"))


def reinforce(
    call: Call,
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
    call: Call,
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


def unlink(call: Call, source_id: Source, target_id: Target, kind: Kind = None) -> None:
    """Take the edges between two records away."""
    from foveal.doors.cli.cards import counted

    with call.memory() as memory:
        removed = memory.unlink(source_id, target_id, kind=kind)
    call.answer({"removed": removed}, lambda page: page.line(f"removed {counted(removed, 'edge')}"))


def related(
    call: Call,
    record_id: RecordId,
    kind: Kind = None,
    depth: Annotated[int, typer.Option("--depth", metavar="N", help="Over how many edges.")] = 1,
) -> None:
    """List the records that edges lead to, nearest first."""
    from foveal.doors.cli import cards

    with call.memory() as memory:
        found = memory.related(record_id, kind=kind, depth=depth)

    def tell(page: Page) -> None:
        for one in found:
            way = "to" if one.link.target_id == one.record.id else "from"
            far = f" at {one.distance}" if depth > 1 else ""
            edge = f"{one.link.kind} {way} {one.strength:.2f}{far}"
            page.card([*cards.heads(one.record)[:3], edge], one.record.text)

    call.answer(found, tell, [one.record.id for one in found])
    if not found:
        call.note("nothing is tied to it")
