"""Metabolism, journal, undo, forecast, snapshots, policies, worker."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from foveal.doors.cli.invocation import Invocation, Limit, RecordId

if TYPE_CHECKING:
    from collections.abc import Iterable

    from foveal.doors.cli.output import Printer
    from foveal.model.policy import PolicyValue
    from foveal.model.results import Move


DryRun = Annotated[bool, typer.Option("--dry-run", help="Only say what would happen.")]


def metabolism(call: Invocation, dry_run: DryRun = False) -> None:
    """Let what is due move on by itself.

    Records move to their next tier, are consolidated, summed up or archived; none is destroyed.
    """
    with call.memory() as memory:
        done = memory.metabolise(dry_run=dry_run)
        texts = {one.id: one.text for one in memory.get_many([move.record_id for move in done.examples])}

    def tell(page: Printer) -> None:
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
    call: Invocation,
    record_id: Annotated[str | None, typer.Argument(metavar="[ID]", help="Only moves of this record.")] = None,
    limit: Limit = 20,
) -> None:
    """List what was done to records, newest first, with the reasons."""
    with call.memory() as memory:
        found = memory.journal(record_id, limit=limit)
    call.answer(found, lambda page: _tell(page, found), [move.id for move in found])
    if not found:
        call.note("nothing has moved yet")


def _tell(page: Printer, moves: Iterable[Move]) -> None:
    from foveal.doors.cli import output

    for move in moves:
        undone = "undone" if move.undone_at else ""
        heads = [move.id, output.moment(move.at), _steps(move), f"by {move.who}", undone]
        page.card(heads, f"{move.record_id}: {move.why}")


def undo(
    call: Invocation, move: Annotated[str, typer.Argument(metavar="MOVE", help="The id of the move.")]
) -> None:
    """Take a move of the journal back."""
    with call.memory() as memory:
        taken = memory.undo(move)
    ids = [change.record_id for change in taken.changes]
    call.answer(taken, lambda page: page.line(f"{taken.why}: {', '.join(ids)}"), ids)


def forecast(call: Invocation, record_id: RecordId) -> None:
    """Say when a record will move by itself, to where, and why."""
    from foveal.doors.cli import output

    with call.memory() as memory:
        record, found = memory.get(record_id), memory.forecast(record_id)

    def tell(page: Printer) -> None:
        if not found:
            held = "it lies in the archive" if record.vitals.archived_at else "it stays where it is"
            page.line(f"{held}, in L{int(record.vitals.tier)} {record.vitals.tier.name.lower()}")
        rows = [(output.moment(one.at), str(one.what), one.tier, one.why) for one in found]
        if rows:
            page.table(("when", "what", "tier", "why"), rows)

    call.answer(found, tell, [record_id])


def summaries(
    call: Invocation,
    kind: Annotated[str, typer.Option("--kind", metavar="NAME", help="session or region.")] = "session",
    limit: Limit = 20,
) -> None:
    """List what was made of whole sessions or regions, latest first."""
    from foveal.doors.cli import output

    with call.memory() as memory:
        found = memory.summaries(kind=kind, limit=limit)

    def tell(page: Printer) -> None:
        for one in found:
            span = f"{output.moment(one.first_at)} to {output.moment(one.last_at)}"
            page.card([one.subject, span, output.counted(one.records, "record"), one.maker], one.text)

    call.answer(found, tell, [one.subject for one in found])
    if not found:
        call.note("nothing is summed up yet: a session is when it has been quiet for an hour")


def worker(
    call: Invocation,
    once: Annotated[bool, typer.Option("--once", help="Do what is due now, and end.")] = False,
) -> None:
    """Keep a memory in order until it is stopped.

    It moves and consolidates records, reaps crystals, cleans up and checks.
    Of many workers on one memory, one works at a time.
    """
    import signal

    from foveal.engine.lifecycle.scheduler import Worker

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


Moment = Annotated[str, typer.Argument(metavar="SNAPSHOT", help="The id or the label of a snapshot.")]


def snapshot(
    call: Invocation, label: Annotated[str, typer.Argument(metavar="LABEL", help="What to call the present.")]
) -> None:
    """Name the present, so that it can be compared and gone back to."""
    with call.memory() as memory:
        taken = memory.snapshot(label)
    call.answer(taken, lambda page: page.line(f"took {taken.id}  {taken.label}"), [taken.id])


def snapshots(call: Invocation) -> None:
    """List the snapshots, oldest first."""
    from foveal.doors.cli import output

    with call.memory() as memory:
        found = memory.snapshots()

    def tell(page: Printer) -> None:
        page.table(
            ("snapshot", "taken", "label"), [(one.id, output.moment(one.taken_at), one.label) for one in found]
        )

    call.answer(found, tell, [one.id for one in found])


def changes(
    call: Invocation,
    since: Moment,
    until: Annotated[
        str | None, typer.Argument(metavar="SNAPSHOT", help="Up to this one; till now if not said.")
    ] = None,
) -> None:
    """List what changed since a snapshot."""
    with call.memory() as memory:
        found = memory.changes(since, until)
    marks = (("+", found.added), ("~", found.superseded), ("-", found.forgotten), ("*", found.recovered))

    def tell(page: Printer) -> None:
        for mark, ids in (*marks, ("x", found.erased)):
            for one in ids:
                page.item(mark, one)

    call.answer(found, tell, [one for _, ids in marks for one in ids])


def restore(call: Invocation, moment: Moment) -> None:
    """Bring back what was known at a snapshot.

    Nothing is taken away: restore the snapshot that this takes first, and it is undone.
    """
    with call.memory() as memory:
        done = memory.restore(moment)

    def tell(page: Printer) -> None:
        page.line(
            f"put back {len(done.superseded)}, recovered {len(done.recovered)}, forgot {len(done.forgotten)}; "
            f"to undo: foveal restore {done.before.id}"
        )

    call.answer(done, tell, [done.before.id])
    for what, ids in (("is pinned and stays", done.pinned), ("was erased and cannot come back", done.erased)):
        for one in ids:
            call.note(f"{one} {what}")


def ls(
    call: Invocation,
    changed: Annotated[bool, typer.Option("--changed", help="Only those that the store keeps.")] = False,
) -> None:
    """List the values by which memory is read and ages, and where each comes from."""
    with call.opened() as memory:
        found = memory.policies()
    _show(call, [one for one in found if one.changed_at or not changed])


def set_(
    call: Invocation,
    values: Annotated[
        list[str],
        typer.Argument(metavar="NAME=VALUE...", help="A value, as policy.recent_records=4; none is null."),
    ],
) -> None:
    """Have the store keep values in place of the settings, for every process that opens it."""
    said = dict(_parted(one) for one in values)
    with call.opened() as memory:
        found = memory.set_policies(said)
    _show(call, [one for one in found if one.changed_at])


def reset(
    call: Invocation,
    names: Annotated[list[str] | None, typer.Argument(metavar="NAME...", help="Which values.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="All that the store keeps.")] = False,
) -> None:
    """Let values be as the settings say again; shares that make a whole together."""
    from foveal.errors import Invalid

    if bool(names) is everything:
        raise Invalid("name the values to reset, or say --all")
    with call.opened() as memory:
        kept = [one.name for one in memory.policies() if one.changed_at]
        wanted = kept if everything else names or []
        found = memory.set_policies(reset=wanted) if wanted else memory.policies()
    _show(call, [one for one in found if one.name in {*wanted, *kept}])


def _parted(text: str) -> tuple[str, Any]:
    from msgspec import DecodeError, json

    from foveal.errors import Invalid

    name, equals, value = text.partition("=")
    if not equals:
        raise Invalid(f"{text!r} names no value: write {name}=VALUE")
    try:
        return name, json.decode({"none": "null"}.get(value, value))
    except DecodeError:
        raise Invalid(f"{value!r} is not a value of {name}: write a number, true, false or none") from None


def _show(call: Invocation, found: Sequence[PolicyValue]) -> None:
    from foveal.doors.cli import output

    def tell(page: Printer) -> None:
        rows = [
            (
                one.name,
                _told(one.value),
                one.origin.value,
                _told(one.otherwise) if one.changed_at else "",
                output.moment(one.changed_at) if one.changed_at else "",
            )
            for one in found
        ]
        page.table(("name", "value", "from", "otherwise", "changed"), rows, right=["value", "otherwise"])

    call.answer(found, tell, [one.name for one in found])


def _told(value: Any) -> str:
    if value is None:
        return "none"
    return str(value).lower() if isinstance(value, bool) else f"{value:g}"
