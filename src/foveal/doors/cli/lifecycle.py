"""The commands of the metabolism, the journal, snapshots, policies and the worker."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any

from foveal.doors.cli.invocation import Invocation, Limit, RecordId, argument, flag, option
from foveal.doors.cli.output import Answer, Printer, cards, counted, moment, table
from foveal.errors import Invalid

if TYPE_CHECKING:
    from foveal.model.policy import PolicyValue
    from foveal.model.results import Move


def metabolism(
    call: Invocation, dry_run: Annotated[bool, flag("--dry-run", "Only report what would happen.")] = False
) -> Answer:
    """Run the moves that are due now.

    Records move to their next tier, are consolidated, summarised or archived; none is destroyed.
    """
    with call.memory() as memory:
        done = memory.lifecycle.run(dry_run=dry_run)
        records = memory.get_many([move.record_id for move in done.examples], touch=False)
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

    return Answer(done, tell, [move.id for move in done.examples])


def widen(
    call: Invocation, dry_run: Annotated[bool, flag("--dry-run", "Only report what would happen.")] = False
) -> Answer:
    """Let all agents see what the root wrote as local.

    Memories from before the root's records were global need it once. The journal lists it, and undo reverts it.
    """
    with call.memory() as memory:
        done = memory.lifecycle.widen(dry_run=dry_run)
        changed = [change.record_id for move in done.examples for change in move.changes]
        records = memory.get_many(changed[:20], touch=False)
    would = "would be " if dry_run else ""

    def tell(page: Printer) -> None:
        page.line(f"{counted(done.moves, 'record')} {would}made global" if done.moves else "nothing to widen")
        for move in done.examples:
            page.line(f"move {move.id}: {counted(len(move.changes), 'record')}")
        for record in records:
            page.card([record.id], record.text)

    return Answer(done, tell, [move.id for move in done.examples])


def _steps(move: Move) -> str:
    change = move.changes[0]
    before, after = change.before.tier, change.after.tier
    path = f"L{int(before)} → L{int(after)}" if before is not after else f"L{int(before)}"
    more = f" and {len(move.changes) - 1} more" if len(move.changes) > 1 else ""
    return f"{move.what} {path}{more}"


def journal(
    call: Invocation,
    record_id: Annotated[str | None, argument("[ID]", "Only moves of this record.")] = None,
    limit: Limit = 20,
) -> Answer:
    """List the moves of records, newest first, with the reasons."""
    with call.memory() as memory:
        return cards(
            memory.lifecycle.journal(record_id, limit=limit),
            lambda move: (
                *(move.id, move.at, _steps(move), f"by {move.who}", "undone" if move.undone_at else ""),
                f"{move.record_id}: {move.why}",
            ),
            empty="nothing has moved yet",
        )


def undo(call: Invocation, move: Annotated[str, argument("MOVE", "The id of the move.")]) -> Answer:
    """Undo a move of the journal."""
    with call.memory() as memory:
        undone = memory.lifecycle.undo(move)
    ids = [change.record_id for change in undone.changes]
    return Answer(undone, f"{undone.why}: {', '.join(ids)}", ids)


def forecast(call: Invocation, record_id: RecordId) -> Answer:
    """Show when a record will move by itself, to where, and why."""
    with call.memory() as memory:
        vitals, steps = memory.get(record_id, touch=False).vitals, memory.lifecycle.forecast(record_id)
    if not steps:
        where = "it lies in the archive" if vitals.archived_at else "it stays where it is"
        return Answer(steps, f"{where}, in L{int(vitals.tier)} {vitals.tier.name.lower()}", [record_id])
    return table(
        steps,
        ("when", "what", "tier", "why"),
        lambda step: (step.at, str(step.what), step.tier, step.why),
        ids=[record_id],
    )


def summaries(
    call: Invocation,
    kind: Annotated[str, option("--kind", "NAME", "session or region.")] = "session",
    limit: Limit = 20,
) -> Answer:
    """List the summaries of sessions or regions, latest first."""
    with call.memory() as memory:
        return cards(
            memory.lifecycle.summaries(kind=kind, limit=limit),
            lambda each: (
                *(each.subject, f"{moment(each.first_at)} to {moment(each.last_at)}"),
                *(counted(each.records, "record"), each.maker, each.text),
            ),
            empty="no summaries yet: a session is summarised after an hour without writes",
        )


def worker(
    call: Invocation, once: Annotated[bool, flag("--once", "Do what is due now, and exit.")] = False
) -> Answer | None:
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
            pairs = [(name, f"{count:,}") for name, count in done.items()]
            return Answer(done, lambda page: page.facts(pairs), empty="nothing is due")
        running = Worker(scheduler, told=lambda name, count: call.note(f"{name}: {count:,}"))

        def stop(_sign: int, _frame: object) -> None:
            running.stop()

        for sign in (signal.SIGTERM, signal.SIGINT):
            signal.signal(sign, stop)
        call.note("working; stop it with Ctrl-C")
        running.run()
    call.note("stopped")
    return None


Moment = Annotated[str, argument("SNAPSHOT", "The id or the label of a snapshot.")]


def snapshot(call: Invocation, label: Annotated[str, argument("LABEL", "A name for the present state.")]) -> Answer:
    """Name the present state, to compare with it or restore it later."""
    with call.memory() as memory:
        taken = memory.snapshots.take(label)
    return Answer(taken, f"took {taken.id}  {taken.label}", [taken.id])


def snapshots(call: Invocation) -> Answer:
    """List the snapshots, oldest first."""
    with call.memory() as memory:
        return table(
            memory.snapshots.list(),
            ("snapshot", "taken", "label"),
            lambda each: (each.id, each.taken_at, each.label),
        )


def changes(
    call: Invocation,
    since: Moment,
    until: Annotated[str | None, argument("SNAPSHOT", "Up to this snapshot; by default until now.")] = None,
) -> Answer:
    """List what changed since a snapshot."""
    with call.memory() as memory:
        difference = memory.snapshots.changes(since, until)
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

    return Answer(difference, tell, [record_id for _, ids in marks for record_id in ids])


def restore(call: Invocation, moment: Moment) -> Answer:
    """Restore the memory as it was at a snapshot.

    Nothing is lost: it takes a snapshot first, and restoring that one undoes it.
    """
    with call.memory() as memory:
        done = memory.snapshots.restore(moment)
    text = (
        f"put back {len(done.superseded)}, recovered {len(done.recovered)}, forgot {len(done.forgotten)}; "
        f"to undo: foveal restore {done.before.id}"
    )
    notes = [f"{record_id} is pinned and stays" for record_id in done.pinned]
    notes += [f"{record_id} was erased and cannot come back" for record_id in done.erased]
    return Answer(done, text, [done.before.id], notes=notes)


def ls(
    call: Invocation, changed: Annotated[bool, flag("--changed", "Only values that the store overrides.")] = False
) -> Answer:
    """List the policy values for reading and ageing, and their origin."""
    with call.opened() as memory:
        return _policies(policy for policy in memory.admin.policies() if policy.changed_at or not changed)


def set_(
    call: Invocation,
    values: Annotated[
        list[str], argument("NAME=VALUE...", "A value, such as policy.recent_records=4; none means null.")
    ],
) -> Answer:
    """Override settings in the store, for every process that opens it."""
    overrides = dict(_parsed(text) for text in values)
    with call.opened() as memory:
        return _policies(policy for policy in memory.admin.set_policies(overrides) if policy.changed_at)


def reset(
    call: Invocation,
    names: Annotated[list[str] | None, argument("NAME...", "The values to reset.")] = None,
    everything: Annotated[bool, flag("--all", "All values that the store overrides.")] = False,
) -> Answer:
    """Return values to the settings; reset shares of one whole together."""
    if bool(names) is everything:
        raise Invalid("name the values to reset, or pass --all")
    with call.opened() as memory:
        overridden = [policy.name for policy in memory.admin.policies() if policy.changed_at]
        wanted = overridden if everything else names or []
        policies = memory.admin.set_policies(reset=wanted) if wanted else memory.admin.policies()
    return _policies(policy for policy in policies if policy.name in {*wanted, *overridden})


def _parsed(text: str) -> tuple[str, Any]:
    from msgspec import DecodeError, json

    name, equals, value = text.partition("=")
    if not equals:
        raise Invalid(f"{text!r} names no value: write {name}=VALUE")
    try:
        return name, json.decode({"none": "null"}.get(value, value))
    except DecodeError:
        raise Invalid(f"{value!r} is not a value of {name}: write a number, true, false or none") from None


def _policies(policies: Iterable[PolicyValue]) -> Answer:
    def row(policy: PolicyValue) -> tuple[object, ...]:
        otherwise = _policy_text(policy.otherwise) if policy.changed_at else ""
        return (policy.name, _policy_text(policy.value), policy.origin.value, otherwise, policy.changed_at)

    return table(list(policies), ("name", ">value", "from", ">otherwise", "changed"), row)


def _policy_text(value: Any) -> str:
    if value is None:
        return "none"
    return str(value).lower() if isinstance(value, bool) else f"{value:g}"
