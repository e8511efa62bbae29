"""The command that shows every record with its address and what it is filed under."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from foveal.doors.cli.call import Call

if TYPE_CHECKING:
    from foveal.doors.cli.page import Page
    from foveal.model.record import Record


def dump(
    call: Call,
    show_spans: Annotated[
        bool,
        typer.Option("--show-spans", help="Also the pieces that are embedded, and the terms of the word index."),
    ] = False,
    region: Annotated[str | None, typer.Option("--region", metavar="NAME", help="Only this region.")] = None,
    limit: Annotated[int | None, typer.Option("--limit", "-n", metavar="N", help="At most this many.")] = None,
) -> None:
    """Show every record with its address, oldest first."""
    from foveal.doors.cli import cards
    from foveal.wire.codec import plain

    with call.memory() as memory:
        found = memory.timeline(
            filters=None if region is None else {"region": region},
            limit=sys.maxsize if limit is None else limit,
            newest_first=False,
        )

    def tell(page: Page) -> None:
        for record in found:
            page.card([str(record.address), record.id, cards.moment(record.occurred_at)], record.text)
            if show_spans:
                for number, piece in enumerate(pieces(record), 1):
                    page.line(f"piece {number}: {' '.join(piece.split())}", style="green", indent=4)
                page.line(f"terms: {' '.join(filed_under(record))}", style="yellow", indent=4)

    def spans(record: Record) -> dict[str, list[str]]:
        return {"pieces": pieces(record), "terms": filed_under(record)} if show_spans else {}

    shown = [{**plain(record), **spans(record)} for record in found] if call.options.json else []
    call.answer(shown, tell, [record.id for record in found])


def pieces(record: Record) -> list[str]:
    """What is embedded for a record, one string for each piece of its text."""
    from foveal.engine.records.write import chunks_of

    return chunks_of(record)


def filed_under(record: Record) -> list[str]:
    """The terms whose codes the word index has for a record."""
    from foveal.rules.recall.index import filed_terms

    return filed_terms(record)
