"""The commands that show how memories age, and take it back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from foveal.doors.cli.call import Call
from foveal.doors.cli.options import Limit, RecordId

if TYPE_CHECKING:
    from collections.abc import Iterable

    from foveal.doors.cli.page import Page
    from foveal.model.results import Move

DryRun = Annotated[bool, typer.Option("--dry-run", help="Only say what would happen.")]


def metabolism(call: Call, dry_run: DryRun = False) -> None:
    """Let what is due move on by itself.

    Records move to their next tier, are consolidated, summed up or archived; none is destroyed.
    """
    with call.memory() as memory:
        done = memory.metabolise(dry_run=dry_run)
        texts = {one.id: one.text for one in memory.get_many([move.record_id for move in done.examples])}

    def tell(page: Page) -> None:
        would = "would be " if dry_run else ""
        if not done.moves and not done.summaries:
            page.line("nothing is due")
            return
        for what, count in done.counts.items():
            page.line(f"{count:,} {would}{what}")
        if done.summaries:
            page.line(f"{done.summaries:,} summed up")
        page.line()
        for move in done.examples:
            page.card([move.id, _steps(move), move.why], texts.get(move.record_id, ""))

    call.answer(done, tell, [move.id for move in done.examples])


def _steps(move: Move) -> str:
    change = move.changes[0]
    before, after = change.before.tier, change.after.tier
    path = f"L{int(before)} → L{int(after)}" if before is not after else f"L{int(before)}"
    more = f" and {len(move.changes) - 1} more" if len(move.changes) > 1 else ""
    return f"{move.what} {path}{more}"


def journal(
    call: Call,
    record_id: Annotated[str | None, typer.Argument(metavar="[ID]", help="Only moves of this record.")] = None,
    limit: Limit = 20,
) -> None:
    """List what was done to records, newest first, with the reasons."""
    with call.memory() as memory:
        found = memory.journal(record_id, limit=limit)
    call.answer(found, lambda page: _tell(page, found), [move.id for move in found])
    if not found:
        call.note("nothing has moved yet")


def _tell(page: Page, moves: Iterable[Move]) -> None:
    from foveal.doors.cli import cards

    for move in moves:
        undone = "undone" if move.undone_at else ""
        heads = [move.id, cards.moment(move.at), _steps(move), f"by {move.who}", undone]
        page.card(heads, f"{move.record_id}: {move.why}")


def undo(call: Call, move: Annotated[str, typer.Argument(metavar="MOVE", help="The id of the move.")]) -> None:
    """Take a move of the journal back."""
    with call.memory() as memory:
        taken = memory.undo(move)
    ids = [change.record_id for change in taken.changes]
    call.answer(taken, lambda page: page.line(f"{taken.why}: {', '.join(ids)}"), ids)


def forecast(call: Call, record_id: RecordId) -> None:
    """Say when a record will move by itself, to where, and why."""
    from foveal.doors.cli import cards

    with call.memory() as memory:
        record, found = memory.get(record_id), memory.forecast(record_id)

    def tell(page: Page) -> None:
        if not found:
            held = "it lies in the archive" if record.vitals.archived_at else "it stays where it is"
            page.line(f"{held}, in L{int(record.vitals.tier)} {record.vitals.tier.name.lower()}")
        rows = [(cards.moment(one.at), str(one.what), one.tier, one.why) for one in found]
        if rows:
            page.table(("when", "what", "tier", "why"), rows)

    call.answer(found, tell, [record_id])


def summaries(
    call: Call,
    kind: Annotated[str, typer.Option("--kind", metavar="NAME", help="session or region.")] = "session",
    limit: Limit = 20,
) -> None:
    """List what was made of whole sessions or regions, latest first."""
    from foveal.doors.cli import cards

    with call.memory() as memory:
        found = memory.summaries(kind=kind, limit=limit)

    def tell(page: Page) -> None:
        for one in found:
            span = f"{cards.moment(one.first_at)} to {cards.moment(one.last_at)}"
            page.card([one.subject, span, cards.counted(one.records, "record"), one.maker], one.text)

    call.answer(found, tell, [one.subject for one in found])
    if not found:
        call.note("nothing is summed up yet: a session is when it has been quiet for an hour")


def worker(
    call: Call,
    once: Annotated[bool, typer.Option("--once", help="Do what is due now, and end.")] = False,
) -> None:
    """Keep a memory in order until it is stopped.

    It moves and consolidates records, reaps crystals, cleans up and checks.
    Of many workers on one memory, one works at a time.
    """
    import signal

    from foveal.doors.worker import Worker

    with call.opened() as memory:
        scheduler = memory.scheduler()
        if once:
            done = scheduler.tick()
            scheduler.stop()
            call.answer(done, lambda page: page.facts([(name, f"{count:,}") for name, count in done.items()]))
            if not done:
                call.note("nothing is due")
            return
        running = Worker(scheduler, told=lambda name, count: call.note(f"{name}: {count:,}"))

        def stop(_sign: int, _frame: object) -> None:
            running.stop()

        for sign in (signal.SIGTERM, signal.SIGINT):
            signal.signal(sign, stop)
        call.note("working; stop it with Ctrl-C")
        running.run()
    call.note("stopped")
