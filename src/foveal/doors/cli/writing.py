"""The commands that change what is remembered."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from foveal.doors.cli.call import Call
from foveal.doors.cli.exits import Code
from foveal.doors.cli.options import About, Filters, RecordId
from foveal.errors import Invalid

if TYPE_CHECKING:
    from foveal.doors.cli.page import Page
    from foveal.model.results import Written


def write(
    call: Call,
    about: About,
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
    from foveal.doors.cli import values

    if (text is None) == (file is None):
        raise Invalid("say a text, - for standard input, or --file; one of them")
    details = about.details()
    if own_id is not None:
        details["id"] = own_id
    if idempotency_key is not None:
        details["idempotency_key"] = idempotency_key
    if file is None:
        said = values.text_of("-").rstrip("\r\n") if text == "-" else text or ""
        with call.memory(fresh=True) as memory:
            written = memory.write(said, **details)
        call.answer(written, lambda page: _tell(page, written), written.ids)
        return
    numbered = values.items(values.text_of(file), file)
    items = [item for _, item in numbered]
    with call.memory(fresh=True) as memory:
        written = memory.write_many(_watched(call, items), **details)
    call.answer(written, lambda page: _tell(page, written), written.ids)
    for one in written.rejected:
        call.note(f"{file}, line {numbered[one.index][0]}: {one.message}")
    if written.rejected:
        raise typer.Exit(Code.INVALID)


def _watched(call: Call, items: Sequence[str | dict[str, Any]]) -> Iterator[str | dict[str, Any]]:
    show = call.progress("Writing")
    for number, item in enumerate(items, 1):
        yield item
        show(number, len(items))


def _tell(page: Page, written: Written) -> None:
    known = set(written.duplicates)
    for one, address in zip(written.ids, written.addresses, strict=True):
        page.line(f"{'known  ' if one in known else 'wrote  '}{one}  {address}")
    for one in written.repeats:
        page.line(f"repeats {one}")
    if written.pending:
        page.line(f"{len(written.pending)} without a vector: the encoder does not answer; run foveal reindex")


def supersede(
    call: Call,
    about: About,
    record_id: RecordId,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The new text; - reads it from stdin.")],
    expected_version: Annotated[
        int | None, typer.Option("--expected-version", metavar="N", help="Refuse if the newest is another.")
    ] = None,
) -> None:
    """Give a record a new text; the old one stays in its history."""
    from foveal.doors.cli import cards, values

    said = values.text_of("-").rstrip("\r\n") if text == "-" else text
    with call.memory() as memory:
        record = memory.supersede(record_id, said, expected_version=expected_version, **about.details())
    call.answer(record, lambda page: cards.records(page, [record]), [record.id])


def forget(
    call: Call,
    record_ids: Annotated[list[str] | None, typer.Argument(metavar="ID", help="The ids of records.")] = None,
    filters: Filters = None,
    cascade: Annotated[bool, typer.Option("--cascade", help="With all that lies below them.")] = False,
    hard: Annotated[bool, typer.Option("--hard", help="Erase for good, with all versions. Asks first.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Take records out of sight; with --hard, erase them for good."""
    from foveal.doors.cli import cards, values

    if bool(record_ids) == bool(filters):
        raise Invalid("say which: ids, or --filter field=value")
    wanted = values.condition(filters)
    target: Any = wanted or (record_ids if len(record_ids or ()) > 1 else (record_ids or [""])[0])
    with call.memory() as memory:
        if hard and not yes:
            _confirm(wanted, record_ids or [], cascade)
        gone = memory.forget(target, hard=hard, cascade=cascade)

    def tell(page: Page) -> None:
        page.line(f"{'erased' if gone.erased else 'forgot'} {cards.counted(len(gone.ids), 'record')}")
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
