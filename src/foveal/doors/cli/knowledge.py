"""The commands that bring documents in and search them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from foveal.doors.cli.call import Call
from foveal.doors.cli.options import Limit, Query

if TYPE_CHECKING:
    from foveal.doors.cli.page import Page


def add(
    call: Call,
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A file or a folder: Markdown, text, HTML, PDF.")],
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="What to call the folder, so that it may move.")
    ] = None,
    tags: Annotated[
        list[str] | None, typer.Option("--tag", "-t", metavar="TAG", help="A label to filter by. Repeatable.")
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Also what was forgotten or erased of it.")] = False,
) -> None:
    """Bring a file or a folder in, cut along its structure.

    Run again, it follows the files: only what changed is written. What was forgotten stays forgotten.
    """
    from foveal.doors.cli.cards import counted

    with call.memory(fresh=True) as memory:
        done = memory.longterm.ingest(
            path, name=name, tags=tags or (), again=again, progress=call.progress("Reading")
        )

    def tell(page: Page) -> None:
        page.line(
            f"read {counted(done.files, 'file')}: {counted(done.added, 'new chunk')}, {done.changed:,} changed, "
            f"{done.unchanged:,} as before, {done.forgotten:,} gone"
        )

    call.answer(done, tell)
    if done.withheld:
        call.note(
            f"{counted(done.withheld, 'chunk')} forgotten or erased before and left out: --again brings them in"
        )
    for one in done.skipped:
        call.note(f"skipped {one.path}: {one.reason}")


def ls(call: Call, limit: Limit = 20) -> None:
    """List the pieces of knowledge, newest first."""
    with call.memory() as memory:
        found = memory.longterm.list_knowledge(limit)

    def tell(page: Page) -> None:
        for one in found:
            page.card([one.id, str(one.metadata.get("title", ""))], one.text)

    call.answer(found, tell, [one.id for one in found])
    if not found:
        call.note("nothing here")


def search(
    call: Call,
    query: Query,
    count: Annotated[int, typer.Option("-k", metavar="N", help="How many.")] = 5,
) -> None:
    """Find the pieces of knowledge that answer a question."""
    with call.memory() as memory:
        found = memory.longterm.search_knowledge(query, count)

    def tell(page: Page) -> None:
        for one in found:
            page.card([one.id, f"{one.relevance:.2f}", str(one.metadata.get("title", ""))], one.content)

    call.answer(found, tell, [one.id for one in found])
