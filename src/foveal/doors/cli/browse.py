"""Search, read, get, list, regions, stats, settings."""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from foveal.doors.cli.crystals import engrams_of
from foveal.doors.cli.invocation import (
    AsOf,
    Explain,
    Filters,
    Invocation,
    Kinds,
    Limit,
    MinRelevance,
    Query,
    RecordId,
    Tiers,
    ValidAt,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from foveal.doors.cli.output import Printer
    from foveal.model.results import Context, Recalled, Receipt, Stats


_BAR = 40
_SCOPES = ("local", "shared", "global")


def regions(call: Invocation) -> None:
    """List the regions there are, with counts and dates."""
    from foveal.doors.cli import output

    with call.memory() as memory:
        found = memory.regions()

    def tell(page: Printer) -> None:
        rows = [
            (one.region, f"{one.records:,}", output.moment(one.first_at), output.moment(one.last_at))
            for one in found
        ]
        page.table(("region", "records", "from", "to"), rows, right=["records"])

    call.answer(found, tell, [one.region for one in found])


def nodes(call: Invocation) -> None:
    """List the nodes that wrote, and how much."""
    with call.memory() as memory:
        found = memory.nodes()

    def tell(page: Printer) -> None:
        rows = [
            (one.node, *(f"{one.scopes.get(scope, 0):,}" for scope in _SCOPES), f"{one.records:,}", f"{one.seen:,}")
            for one in found
        ]
        page.table(("node", *_SCOPES, "in all", "seen"), rows, right=[*_SCOPES, "in all", "seen"])

    call.answer(found, tell, [one.node for one in found])


def actors(call: Invocation) -> None:
    """List everybody whose memory the file holds."""
    with call.opened() as memory:
        found = memory.actors()

    def tell(page: Printer) -> None:
        page.table(("actor", "world"), [(one.actor_id, one.world) for one in found])

    call.answer(found, tell, [one.actor_id for one in found])


def addresses(
    call: Invocation,
    region: Annotated[str | None, typer.Option("--region", metavar="NAME", help="Only in this region.")] = None,
    prefix: Annotated[str, typer.Option("--prefix", metavar="DIGITS", help="Only under these digits.")] = "",
    limit: Limit = 100,
) -> None:
    """List where records lie, newest first."""
    with call.memory() as memory:
        found = memory.addresses(region=region, prefix=prefix, limit=limit)
    listed = [str(one) for one in found]

    def tell(page: Printer) -> None:
        for one in listed:
            page.line(one)

    call.answer(found, tell, listed)


def stats(call: Invocation) -> None:
    """Say how much there is."""
    from foveal.doors.cli import output

    with call.memory() as memory:
        found, capacities = memory.stats(), memory.get_stats()
    pairs = [
        ("records", f"{found.records:,}"),
        ("versions", f"{found.versions:,}"),
        ("links", f"{found.links:,}"),
        ("pinned", f"{found.pinned:,}"),
        ("archived", f"{found.archived:,}"),
        ("pending", f"{found.pending:,}"),
        ("kinds", _counts(found.kinds)),
        ("scopes", _counts(found.scopes)),
        ("regions", f"{found.regions:,}"),
        ("sessions", f"{found.sessions:,}"),
        ("from", output.moment(found.first_at)),
        ("to", output.moment(found.last_at)),
        ("text", output.size(found.bytes)),
        ("encoder", found.encoder or "none yet"),
    ]

    def tell(page: Printer) -> None:
        page.facts(pairs)
        page.line()
        _draw_tiers(page, found, capacities)

    call.answer(found, tell)


def _draw_tiers(page: Printer, found: Stats, capacities: Mapping[str, int | None]) -> None:
    """What each tier holds, as bars on one scale, with what it may hold and what lies in its archive."""
    most = max([1, *found.tiers.values()])
    rows: list[tuple[str, str, str, str, str]] = []
    for number, name in enumerate(("working", "session", "episodic", "semantic"), 1):
        held = found.held.get(name, 0)
        archived = found.tiers.get(name, 0) - held
        bar = "█" * round(_BAR * held / most) + "░" * round(_BAR * archived / most)
        room = capacities[f"max_l{number}_size"]
        may = "no bound" if room is None else f"{room:,} {'a session' if number < 3 else 'in all'}"
        rows.append((f"L{number} {name}", f"{held:,}", f"{archived:,}", may, bar or "·"))
    page.table(("tier", "holds", "archived", "may hold", ""), rows, right=["holds", "archived"])


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in sorted(counts.items(), key=lambda one: -one[1]))


def show_config(
    call: Invocation,
    origin: Annotated[
        bool, typer.Option("--origin", help="Each value of each section, with where it came from.")
    ] = False,
) -> None:
    """Show the settings, and where each came from."""
    from foveal.config import PREFIX, default_path, shown_settings

    listed: list[dict[str, Any]] = []
    for name, value, place in shown_settings(leaves=origin):
        if name == "url" and call.options.url is not None:
            value, place = call.options.url, "--url"
        if name == "url" and value is None:
            value = str(default_path())
        variable = PREFIX + name.partition(".")[0].upper()
        listed.append({"setting": name, "value": value, "origin": place, "variable": variable})

    def tell(page: Printer) -> None:
        heads = ("setting", "value", "from", "variable")
        page.table(heads, [(one["setting"], _told(one["value"]), one["origin"], one["variable"]) for one in listed])

    call.answer(listed, tell, [one["setting"] for one in listed])


def _told(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, cast("tuple[Any, ...]", value)))
    return "" if value is None else str(value)


def invoke(
    call: Invocation,
    path: Annotated[
        str | None, typer.Argument(metavar="PATH", help="What to do; without it, list what there is.")
    ] = None,
    arguments: Annotated[
        list[str] | None,
        typer.Argument(metavar="KEY=VALUE", help="JSON or text; KEY=@FILE reads it from a file."),
    ] = None,
) -> None:
    """Do what a path names, or list the paths there are."""
    from foveal.doors.client.ghosts import PATHS, Kept
    from foveal.engine.paths import listed

    if path is None:
        found = listed(PATHS)

        def tell(page: Printer) -> None:
            rows = [
                (one.path, " ".join([*one.needs, *(f"[{name}]" for name in one.takes)]), one.help) for one in found
            ]
            page.table(("path", "arguments", "does"), rows)

        call.answer(found, tell, [one.path for one in found])
        return
    said = _said(arguments or [])
    if path in PATHS:
        answer = Kept(engrams_of(call), call.at.get("actor_id", "")).invoke(path, said)
    else:
        with call.memory(fresh=path == "self.memory.crystallize") as memory:
            answer = memory.invoke(path, **said)

    def shown(page: Printer) -> None:
        page.facts((name, str(value)) for name, value in answer.items())

    call.answer(answer, shown)


def _said(arguments: list[str]) -> dict[str, Any]:
    from foveal.doors.cli import invocation
    from foveal.errors import Invalid

    said: dict[str, Any] = {}
    for one in arguments:
        name, sign, value = one.partition("=")
        if not sign or not name:
            raise Invalid(f"{one[:80]!r} is not of the form key=value")
        text = invocation.text_of(value[1:]) if value.startswith("@") else value
        said[name] = invocation.json_or_text(text)
    return said


NOTHING = "nothing found that is likely to help"
OTHERWISE = "; what is shown has another reason, such as being recent"


def search(
    call: Invocation,
    query: Query,
    k: Annotated[int, typer.Option("-k", "--limit", "-n", metavar="N", help="At most this many.")] = 10,
    filters: Filters = None,
    tiers: Tiers = None,
    kinds: Kinds = None,
    as_of: AsOf = None,
    valid_at: ValidAt = None,
    min_relevance: MinRelevance = None,
    explain: Explain = False,
) -> None:
    """Find the records that answer a question best.

    They are found by words and by meaning. Each has a relevance from 0 to 1: how likely it is to help.
    """
    from foveal.doors.cli import invocation, output

    with call.memory() as memory:
        hits = memory.search(
            query,
            k=k,
            filters=invocation.condition(filters),
            tiers=tiers or None,
            kinds=kinds or None,
            as_of=invocation.moment(as_of, "--as-of"),
            valid_at=invocation.moment(valid_at, "--valid-at"),
            min_relevance=min_relevance,
            explain=explain,
        )

    def tell(page: Printer) -> None:
        for hit in hits:
            heads = output.format_heads(hit.record, hit.relevance, hit.replaced_by)
            page.card([*heads, _parts(hit.parts)], hit.text)

    call.answer(hits, tell, [hit.id for hit in hits])
    if not hits:
        call.note("nothing found" if min_relevance == 0 else NOTHING)


def _parts(parts: Mapping[str, float] | None) -> str:
    return " ".join(f"{name}={value:.2f}" for name, value in (parts or {}).items())


def read(
    call: Invocation,
    query: Query,
    token_budget: Annotated[
        int, typer.Option("--token-budget", "-b", metavar="N", help="How many tokens the context may take.")
    ] = 2048,
    mode: Annotated[
        str, typer.Option("--mode", metavar="NAME", help="text: whole or not at all; mixed; glyph: as glyphs.")
    ] = "mixed",
    policy: Annotated[
        str, typer.Option("--policy", metavar="NAME", help="foveated, relevant, recent or mixed.")
    ] = "foveated",
    filters: Filters = None,
    tiers: Tiers = None,
    kinds: Kinds = None,
    as_of: AsOf = None,
    valid_at: ValidAt = None,
    min_relevance: MinRelevance = None,
    explain: Explain = False,
    touch: Annotated[bool, typer.Option("--touch/--no-touch", help="Count and log what the read used.")] = True,
) -> None:
    """Give the context for a question, inside a token budget.

    Alias: context.

    The context goes to standard output, and its receipt to standard error.
    """
    from foveal.doors.cli import invocation

    with call.memory() as memory:
        context = memory.read(
            query,
            token_budget=token_budget,
            mode=mode,
            policy=policy,
            filters=invocation.condition(filters),
            tiers=tiers or None,
            kinds=kinds or None,
            as_of=invocation.moment(as_of, "--as-of"),
            valid_at=invocation.moment(valid_at, "--valid-at"),
            min_relevance=min_relevance,
            explain=explain,
            touch=touch,
        )
    call.answer(context, lambda page: _tell(page, context, explain), [item.id for item in context.items])
    if context.receipt.nothing_relevant:
        call.note(f"{NOTHING}{OTHERWISE if context.items else ''}")
    call.note("; ".join(f"{name} {value}" for name, value in receipt(context.receipt)))


def _tell(page: Printer, context: Context, explain: bool) -> None:
    if explain:
        for item in context.items:
            heads = [item.id, str(item.address), f"{item.tokens} tokens", f"{item.relevance:.2f}"]
            page.card([*heads, _parts(item.parts)], item.text)
    elif sys.stdout.isatty():
        page.line(context.text)
    else:
        typer.echo(context.text)


def receipt(given: Receipt) -> list[tuple[str, str]]:
    """What a read did, as names and values."""
    pairs = [
        ("tokens", f"{given.tokens} of {given.token_budget} ({given.counter})"),
        ("considered", str(given.considered)),
        ("chosen", str(given.chosen)),
        ("cut", cut_by_reason(given)),
        ("encoder", given.encoder or "none"),
    ]
    return [*pairs, ("without", ", ".join(given.degraded))] if given.degraded else pairs


def cut_by_reason(given: Receipt) -> str:
    """How many were left out, for which reason."""
    reasons = Counter(one.reason for one in given.cut)
    return ", ".join(f"{count} for {reason}" for reason, count in reasons.most_common()) or "none"


def recalls(
    call: Invocation,
    record_id: Annotated[
        str | None, typer.Argument(metavar="ID", help="Only reads that showed this record.")
    ] = None,
    limit: Limit = 20,
) -> None:
    """List what was read lately, newest first.

    With an id: why that record came back, with the parts of its relevance.
    """
    from foveal.doors.cli import output

    with call.memory() as memory:
        found = memory.recalls(record_id, limit=limit)

    def tell(page: Printer) -> None:
        for read in found:
            heads = [
                output.moment(read.at),
                read.node,
                read.session_id or "",
                output.counted(len(read.items), "item"),
            ]
            page.card([*heads, *(_place(one) for one in read.items if one.id == record_id)], read.query)

    call.answer(found, tell, [item.id for read in found for item in read.items])
    if not found:
        call.note("nothing was read" if record_id is None else "no read showed it")


def _place(item: Recalled) -> str:
    rank = f"rank {item.rank}, relevance {item.relevance:.2f}" if item.rank else "not ranked"
    return f"{item.zone}, depth {item.depth}, {rank} {_parts(item.parts)}".rstrip()


def get(call: Invocation, record_id: RecordId, as_of: AsOf = None) -> None:
    """Show everything about one record."""
    from foveal.doors.cli import invocation, output

    with call.memory() as memory:
        record = memory.get(record_id, as_of=invocation.moment(as_of, "--as-of"))
    call.answer(record, lambda page: output.format_record(page, record), [record.id])


def ls(
    call: Invocation,
    since: Annotated[str | None, typer.Option("--since", metavar="DATE", help="Not before this moment.")] = None,
    until: Annotated[str | None, typer.Option("--until", metavar="DATE", help="Before this moment.")] = None,
    filters: Filters = None,
    limit: Limit = 20,
    oldest_first: Annotated[bool, typer.Option("--oldest-first", help="Begin with the oldest.")] = False,
) -> None:
    """List records by the time they speak of, newest first."""
    from foveal.doors.cli import invocation, output

    with call.memory() as memory:
        found = memory.timeline(
            since=invocation.moment(since, "--since"),
            until=invocation.moment(until, "--until"),
            filters=invocation.condition(filters),
            limit=limit,
            newest_first=not oldest_first,
        )
    call.answer(found, lambda page: output.format_records(page, found), [record.id for record in found])
    if not found:
        call.note("nothing here")


def history(call: Invocation, record_id: RecordId) -> None:
    """Show all versions of a record, oldest first."""
    from foveal.doors.cli import output

    with call.memory() as memory:
        found = memory.history(record_id)

    def tell(page: Printer) -> None:
        for one in found:
            known = f"known {output.moment(one.recorded_at)} to {output.moment(one.superseded_at) or 'now'}"
            page.card([f"v{one.version}", known, one.speaker or one.source], one.text)

    call.answer(found, tell, [one.id for one in found])
