"""The commands that name moments of a memory, and go back to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from foveal.doors.cli.call import Call

if TYPE_CHECKING:
    from foveal.doors.cli.page import Page

Moment = Annotated[str, typer.Argument(metavar="SNAPSHOT", help="The id or the label of a snapshot.")]


def snapshot(
    call: Call, label: Annotated[str, typer.Argument(metavar="LABEL", help="What to call the present.")]
) -> None:
    """Name the present, so that it can be compared and gone back to."""
    with call.memory() as memory:
        taken = memory.snapshot(label)
    call.answer(taken, lambda page: page.line(f"took {taken.id}  {taken.label}"), [taken.id])


def snapshots(call: Call) -> None:
    """List the snapshots, oldest first."""
    from foveal.doors.cli import cards

    with call.memory() as memory:
        found = memory.snapshots()

    def tell(page: Page) -> None:
        page.table(
            ("snapshot", "taken", "label"), [(one.id, cards.moment(one.taken_at), one.label) for one in found]
        )

    call.answer(found, tell, [one.id for one in found])


def changes(
    call: Call,
    since: Moment,
    until: Annotated[
        str | None, typer.Argument(metavar="SNAPSHOT", help="Up to this one; till now if not said.")
    ] = None,
) -> None:
    """List what changed since a snapshot."""
    with call.memory() as memory:
        found = memory.changes(since, until)
    marks = (("+", found.added), ("~", found.superseded), ("-", found.forgotten), ("*", found.recovered))

    def tell(page: Page) -> None:
        for mark, ids in (*marks, ("x", found.erased)):
            for one in ids:
                page.item(mark, one)

    call.answer(found, tell, [one for _, ids in marks for one in ids])


def restore(call: Call, moment: Moment) -> None:
    """Bring back what was known at a snapshot.

    Nothing is taken away: restore the snapshot that this takes first, and it is undone.
    """
    with call.memory() as memory:
        done = memory.restore(moment)

    def tell(page: Page) -> None:
        page.line(
            f"put back {len(done.superseded)}, recovered {len(done.recovered)}, forgot {len(done.forgotten)}; "
            f"to undo: foveal restore {done.before.id}"
        )

    call.answer(done, tell, [done.before.id])
    for what, ids in (("is pinned and stays", done.pinned), ("was erased and cannot come back", done.erased)):
        for one in ids:
            call.note(f"{one} {what}")
