"""The commands of the metabolism, the journal, snapshots, policies and the worker."""

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


DryRun = Annotated[bool, typer.Option("--dry-run", help="Only report what would happen.")]


def metabolism(call: Invocation, dry_run: DryRun = False) -> None:
    """Run the moves that are due now.

    Records move to their next tier, are consolidated, summarised or archived; none is destroyed.
    """
    with call.memory() as memory:
        done = memory.metabolise(dry_run=dry_run)
        records = memory.get_many([move.record_id for move in done.examples])
    texts = {record.id: record.text for record in records}

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
    """List the moves of records, newest first, with the reasons."""
    with call.memory() as memory:
        moves = memory.journal(record_id, limit=limit)
    ids = [move.id for move in moves]
    call.answer(moves, lambda page: _tell_moves(page, moves), ids, empty="nothing has moved yet")


def _tell_moves(page: Printer, moves: Iterable[Move]) -> None:
    from foveal.doors.cli import output

    for move in moves:
        undone = "undone" if move.undone_at else ""
        heads = [move.id, output.moment(move.at), _steps(move), f"by {move.who}", undone]
        page.card(heads, f"{move.record_id}: {move.why}")


def undo(
    call: Invocation, move: Annotated[str, typer.Argument(metavar="MOVE", help="The id of the move.")]
) -> None:
    """Undo a move of the journal."""
    with call.memory() as memory:
        undone = memory.undo(move)
    ids = [change.record_id for change in undone.changes]
    call.answer(undone, lambda page: page.line(f"{undone.why}: {', '.join(ids)}"), ids)


def forecast(call: Invocation, record_id: RecordId) -> None:
    """Show when a record will move by itself, to where, and why."""
    from foveal.doors.cli import output

    with call.memory() as memory:
        record, steps = memory.get(record_id), memory.forecast(record_id)

    def tell(page: Printer) -> None:
        if not steps:
            where = "it lies in the archive" if record.vitals.archived_at else "it stays where it is"
            page.line(f"{where}, in L{int(record.vitals.tier)} {record.vitals.tier.name.lower()}")
            return
        rows = [(output.moment(step.at), str(step.what), step.tier, step.why) for step in steps]
        page.table(("when", "what", "tier", "why"), rows)

    call.answer(steps, tell, [record_id])


def summaries(
    call: Invocation,
    kind: Annotated[str, typer.Option("--kind", metavar="NAME", help="session or region.")] = "session",
    limit: Limit = 20,
) -> None:
    """List the summaries of sessions or regions, latest first."""
    from foveal.doors.cli import output

    with call.memory() as memory:
        renditions = memory.summaries(kind=kind, limit=limit)

    def tell(page: Printer) -> None:
        for summary in renditions:
            span = f"{output.moment(summary.first_at)} to {output.moment(summary.last_at)}"
            heads = [summary.subject, span, output.counted(summary.records, "record"), summary.maker]
            page.card(heads, summary.text)

    empty = "no summaries yet: a session is summarised after an hour without writes"
    call.answer(renditions, tell, [summary.subject for summary in renditions], empty=empty)


def worker(
    call: Invocation,
    once: Annotated[bool, typer.Option("--once", help="Do what is due now, and exit.")] = False,
) -> None:
    """Run the background jobs of a memory until it is stopped.

    It moves and consolidates records, reaps crystals, cleans up and runs checks.
    Of several workers on one memory, only one works at a time.
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
    call: Invocation, label: Annotated[str, typer.Argument(metavar="LABEL", help="A name for the present state.")]
) -> None:
    """Name the present state, to compare with it or restore it later."""
    with call.memory() as memory:
        taken = memory.snapshot(label)
    call.answer(taken, lambda page: page.line(f"took {taken.id}  {taken.label}"), [taken.id])


def snapshots(call: Invocation) -> None:
    """List the snapshots, oldest first."""
    from foveal.doors.cli import output

    with call.memory() as memory:
        listed = memory.snapshots()

    def tell(page: Printer) -> None:
        page.table(
            ("snapshot", "taken", "label"), [(each.id, output.moment(each.taken_at), each.label) for each in listed]
        )

    call.answer(listed, tell, [each.id for each in listed])


def changes(
    call: Invocation,
    since: Moment,
    until: Annotated[
        str | None, typer.Argument(metavar="SNAPSHOT", help="Up to this snapshot; by default until now.")
    ] = None,
) -> None:
    """List what changed since a snapshot."""
    with call.memory() as memory:
        difference = memory.changes(since, until)
    marks = (
        ("+", difference.added),
        ("~", difference.superseded),
        ("-", difference.forgotten),
        ("*", difference.recovered),
    )

    def tell(page: Printer) -> None:
        for mark, ids in (*marks, ("x", difference.erased)):
            for record_id in ids:
                page.item(mark, record_id)

    call.answer(difference, tell, [record_id for _, ids in marks for record_id in ids])


def restore(call: Invocation, moment: Moment) -> None:
    """Restore the memory as it was at a snapshot.

    Nothing is lost: it takes a snapshot first, and restoring that one undoes it.
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
        for record_id in ids:
            call.note(f"{record_id} {what}")


def ls(
    call: Invocation,
    changed: Annotated[bool, typer.Option("--changed", help="Only values that the store overrides.")] = False,
) -> None:
    """List the policy values for reading and ageing, and their origin."""
    with call.opened() as memory:
        policies = memory.policies()
    _show(call, [policy for policy in policies if policy.changed_at or not changed])


def set_(
    call: Invocation,
    values: Annotated[
        list[str],
        typer.Argument(metavar="NAME=VALUE...", help="A value, such as policy.recent_records=4; none means null."),
    ],
) -> None:
    """Override settings in the store, for every process that opens it."""
    overrides = dict(_parsed(text) for text in values)
    with call.opened() as memory:
        policies = memory.set_policies(overrides)
    _show(call, [policy for policy in policies if policy.changed_at])


def reset(
    call: Invocation,
    names: Annotated[list[str] | None, typer.Argument(metavar="NAME...", help="The values to reset.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="All values that the store overrides.")] = False,
) -> None:
    """Return values to the settings; reset shares of one whole together."""
    from foveal.errors import Invalid

    if bool(names) is everything:
        raise Invalid("name the values to reset, or pass --all")
    with call.opened() as memory:
        overridden = [policy.name for policy in memory.policies() if policy.changed_at]
        wanted = overridden if everything else names or []
        policies = memory.set_policies(reset=wanted) if wanted else memory.policies()
    _show(call, [policy for policy in policies if policy.name in {*wanted, *overridden}])


def _parsed(text: str) -> tuple[str, Any]:
    from msgspec import DecodeError, json

    from foveal.errors import Invalid

    name, equals, value = text.partition("=")
    if not equals:
        raise Invalid(f"{text!r} names no value: write {name}=VALUE")
    try:
        return name, json.decode({"none": "null"}.get(value, value))
    except DecodeError:
        raise Invalid(f"{value!r} is not a value of {name}: write a number, true, false or none") from None


def _show(call: Invocation, policies: Sequence[PolicyValue]) -> None:
    from foveal.doors.cli import output

    def tell(page: Printer) -> None:
        rows = [
            (
                policy.name,
                _policy_text(policy.value),
                policy.origin.value,
                _policy_text(policy.otherwise) if policy.changed_at else "",
                output.moment(policy.changed_at) if policy.changed_at else "",
            )
            for policy in policies
        ]
        page.table(("name", "value", "from", "otherwise", "changed"), rows, right=["value", "otherwise"])

    call.answer(policies, tell, [policy.name for policy in policies])


def _policy_text(value: Any) -> str:
    if value is None:
        return "none"
    return str(value).lower() if isinstance(value, bool) else f"{value:g}"
