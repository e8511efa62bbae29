"""The commands that read: search, read, get, listings, statistics, settings and paths."""

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
    """List the regions, with counts and dates."""
    from foveal.doors.cli import output

    with call.memory() as memory:
        listed = memory.regions()

    def tell(page: Printer) -> None:
        rows = [
            (each.region, f"{each.records:,}", output.moment(each.first_at), output.moment(each.last_at))
            for each in listed
        ]
        page.table(("region", "records", "from", "to"), rows, right=["records"])

    call.answer(listed, tell, [each.region for each in listed])


def nodes(call: Invocation) -> None:
    """List the nodes that wrote, with the number of their records."""
    with call.memory() as memory:
        listed = memory.nodes()

    def tell(page: Printer) -> None:
        rows = [
            (
                node.node,
                *(f"{node.scopes.get(scope, 0):,}" for scope in _SCOPES),
                f"{node.records:,}",
                f"{node.seen:,}",
            )
            for node in listed
        ]
        page.table(("node", *_SCOPES, "in all", "seen"), rows, right=[*_SCOPES, "in all", "seen"])

    call.answer(listed, tell, [node.node for node in listed])


def actors(call: Invocation) -> None:
    """List the actors whose memory the store holds."""
    with call.opened() as memory:
        listed = memory.actors()

    def tell(page: Printer) -> None:
        page.table(("actor", "world"), [(actor.actor_id, actor.world) for actor in listed])

    call.answer(listed, tell, [actor.actor_id for actor in listed])


def addresses(
    call: Invocation,
    region: Annotated[str | None, typer.Option("--region", metavar="NAME", help="Only in this region.")] = None,
    prefix: Annotated[str, typer.Option("--prefix", metavar="DIGITS", help="Only under these digits.")] = "",
    limit: Limit = 100,
) -> None:
    """List the addresses of records, newest first."""
    with call.memory() as memory:
        listed = memory.addresses(region=region, prefix=prefix, limit=limit)
    lines = [str(address) for address in listed]

    def tell(page: Printer) -> None:
        for line in lines:
            page.line(line)

    call.answer(listed, tell, lines)


def stats(call: Invocation) -> None:
    """Show how much the memory holds."""
    from foveal.doors.cli import output

    with call.memory() as memory:
        totals, capacities = memory.stats(), memory.get_stats()
    pairs = [
        ("records", f"{totals.records:,}"),
        ("versions", f"{totals.versions:,}"),
        ("links", f"{totals.links:,}"),
        ("pinned", f"{totals.pinned:,}"),
        ("archived", f"{totals.archived:,}"),
        ("pending", f"{totals.pending:,}"),
        ("kinds", _counts(totals.kinds)),
        ("scopes", _counts(totals.scopes)),
        ("regions", f"{totals.regions:,}"),
        ("sessions", f"{totals.sessions:,}"),
        ("from", output.moment(totals.first_at)),
        ("to", output.moment(totals.last_at)),
        ("text", output.size(totals.bytes)),
        ("encoder", totals.encoder or "none yet"),
    ]

    def tell(page: Printer) -> None:
        page.facts(pairs)
        page.line()
        _draw_tiers(page, totals, capacities)

    call.answer(totals, tell)


def _draw_tiers(page: Printer, stats: Stats, capacities: Mapping[str, int | None]) -> None:
    """Print the size of each tier as bars on one scale, with its capacity and its archive."""
    most = max([1, *stats.tiers.values()])
    rows: list[tuple[str, str, str, str, str]] = []
    for number, name in enumerate(("working", "session", "episodic", "semantic"), 1):
        held = stats.held.get(name, 0)
        archived = stats.tiers.get(name, 0) - held
        bar = "█" * round(_BAR * held / most) + "░" * round(_BAR * archived / most)
        capacity = capacities[f"max_l{number}_size"]
        limit = "no bound" if capacity is None else f"{capacity:,} {'a session' if number < 3 else 'in all'}"
        rows.append((f"L{number} {name}", f"{held:,}", f"{archived:,}", limit, bar or "·"))
    page.table(("tier", "holds", "archived", "may hold", ""), rows, right=["holds", "archived"])


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in sorted(counts.items(), key=lambda pair: -pair[1]))


def show_config(
    call: Invocation,
    origin: Annotated[
        bool, typer.Option("--origin", help="Every value of every section, with its origin.")
    ] = False,
) -> None:
    """Show the settings, and where each comes from."""
    from foveal.config import PREFIX, default_path, shown_settings

    settings: list[dict[str, Any]] = []
    for name, value, place in shown_settings(leaves=origin):
        if name == "url" and call.options.url is not None:
            value, place = call.options.url, "--url"
        if name == "url" and value is None:
            value = str(default_path())
        variable = PREFIX + name.partition(".")[0].upper()
        settings.append({"setting": name, "value": value, "origin": place, "variable": variable})

    def tell(page: Printer) -> None:
        rows = [
            (each["setting"], _setting_text(each["value"]), each["origin"], each["variable"]) for each in settings
        ]
        page.table(("setting", "value", "from", "variable"), rows)

    call.answer(settings, tell, [each["setting"] for each in settings])


def _setting_text(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, cast("tuple[Any, ...]", value)))
    return "" if value is None else str(value)


def invoke(
    call: Invocation,
    path: Annotated[
        str | None, typer.Argument(metavar="PATH", help="The path to call; without it, all paths are listed.")
    ] = None,
    arguments: Annotated[
        list[str] | None,
        typer.Argument(metavar="KEY=VALUE", help="JSON or text; KEY=@FILE reads it from a file."),
    ] = None,
) -> None:
    """Call a path, or list the paths."""
    from foveal.doors.client.ghosts import PATHS, Kept

    if path is None:
        _list_paths(call)
        return
    options = _parsed(arguments or [])
    if path in PATHS:
        answer = Kept(engrams_of(call), call.at.get("actor_id", "")).invoke(path, options)
    else:
        with call.memory(fresh=path == "self.memory.crystallize") as memory:
            answer = memory.invoke(path, **options)
    call.answer(answer, lambda page: page.facts((name, str(value)) for name, value in answer.items()))


def _list_paths(call: Invocation) -> None:
    from foveal.doors.client.ghosts import PATHS
    from foveal.engine.paths import listed

    paths = listed(PATHS)

    def tell(page: Printer) -> None:
        rows = [
            (path.path, " ".join([*path.needs, *(f"[{name}]" for name in path.takes)]), path.help) for path in paths
        ]
        page.table(("path", "arguments", "does"), rows)

    call.answer(paths, tell, [path.path for path in paths])


def _parsed(arguments: list[str]) -> dict[str, Any]:
    from foveal.doors.cli import invocation
    from foveal.errors import Invalid

    parsed: dict[str, Any] = {}
    for argument in arguments:
        name, sign, value = argument.partition("=")
        if not sign or not name:
            raise Invalid(f"{argument[:80]!r} is not of the form key=value")
        text = invocation.text_of(value[1:]) if value.startswith("@") else value
        parsed[name] = invocation.json_or_text(text)
    return parsed


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
    """Find the records that best answer a question.

    The search uses words and meaning. Each hit has a relevance from 0 to 1: how likely it is to help.
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

    empty = "nothing found" if min_relevance == 0 else NOTHING
    call.answer(hits, tell, [hit.id for hit in hits], empty=empty)


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
    touch: Annotated[
        bool, typer.Option("--touch/--no-touch", help="Count and log the records that the read used.")
    ] = True,
) -> None:
    """Print the context for a question, within a token budget.

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
    call.answer(context, lambda page: _tell_context(page, context, explain), [item.id for item in context.items])
    if context.receipt.nothing_relevant:
        call.note(f"{NOTHING}{OTHERWISE if context.items else ''}")
    call.note("; ".join(f"{name} {value}" for name, value in receipt(context.receipt)))


def _tell_context(page: Printer, context: Context, explain: bool) -> None:
    if explain:
        for item in context.items:
            heads = [item.id, str(item.address), f"{item.tokens} tokens", f"{item.relevance:.2f}"]
            page.card([*heads, _parts(item.parts)], item.text)
    elif sys.stdout.isatty():
        page.line(context.text)
    else:
        typer.echo(context.text)


def receipt(receipt: Receipt) -> list[tuple[str, str]]:
    """The receipt of a read, as names and values."""
    pairs = [
        ("tokens", f"{receipt.tokens} of {receipt.token_budget} ({receipt.counter})"),
        ("considered", str(receipt.considered)),
        ("chosen", str(receipt.chosen)),
        ("cut", cut_by_reason(receipt)),
        ("encoder", receipt.encoder or "none"),
    ]
    return [*pairs, ("without", ", ".join(receipt.degraded))] if receipt.degraded else pairs


def cut_by_reason(receipt: Receipt) -> str:
    """The number of records left out, for each reason."""
    reasons = Counter(cut.reason for cut in receipt.cut)
    return ", ".join(f"{count} for {reason}" for reason, count in reasons.most_common()) or "none"


def recalls(
    call: Invocation,
    record_id: Annotated[
        str | None, typer.Argument(metavar="ID", help="Only reads that showed this record.")
    ] = None,
    limit: Limit = 20,
) -> None:
    """List recent reads, newest first.

    With an id, show why that record was returned, with the parts of its relevance.
    """
    from foveal.doors.cli import output

    with call.memory() as memory:
        reads = memory.recalls(record_id, limit=limit)

    def tell(page: Printer) -> None:
        for read in reads:
            heads = [
                output.moment(read.at),
                read.node,
                read.session_id or "",
                output.counted(len(read.items), "item"),
            ]
            page.card([*heads, *(_place(item) for item in read.items if item.id == record_id)], read.query)

    empty = "nothing was read" if record_id is None else "no read showed it"
    call.answer(reads, tell, [item.id for read in reads for item in read.items], empty=empty)


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
    oldest_first: Annotated[bool, typer.Option("--oldest-first", help="List the oldest first.")] = False,
) -> None:
    """List records by the time they refer to, newest first."""
    from foveal.doors.cli import invocation, output

    with call.memory() as memory:
        records = memory.timeline(
            since=invocation.moment(since, "--since"),
            until=invocation.moment(until, "--until"),
            filters=invocation.condition(filters),
            limit=limit,
            newest_first=not oldest_first,
        )
    ids = [record.id for record in records]
    call.answer(records, lambda page: output.format_records(page, records), ids, empty="nothing here")


def history(call: Invocation, record_id: RecordId) -> None:
    """Show all versions of a record, oldest first."""
    from foveal.doors.cli import output

    with call.memory() as memory:
        versions = memory.history(record_id)

    def tell(page: Printer) -> None:
        for version in versions:
            known = f"known {output.moment(version.recorded_at)} to {output.moment(version.superseded_at) or 'now'}"
            page.card([f"v{version.version}", known, version.speaker or version.source], version.text)

    call.answer(versions, tell, [version.id for version in versions])
