"""The commands that read: search, read, get, listings, statistics, settings and paths."""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from foveal.doors.cli import parsing
from foveal.doors.cli.invocation import (
    AsOf,
    Filters,
    Invocation,
    Limit,
    Query,
    RecordId,
    SearchOptions,
    TokenBudget,
    argument,
    flag,
    option,
)
from foveal.doors.cli.output import (
    ARCHIVED,
    Answer,
    Printer,
    cards,
    counted,
    format_heads,
    format_record,
    moment,
    record_cards,
    size,
    table,
)
from foveal.errors import Invalid

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from foveal.model.results import Context, Recalled, Receipt, Recollection, Stats


_BAR = 40
_SCOPES = ("local", "shared", "global")


def regions(call: Invocation) -> Answer:
    """List the regions, with counts and dates."""
    with call.memory() as memory:
        return table(
            memory.browse.regions(),
            ("region", ">records", "from", "to"),
            lambda each: (each.region, each.records, each.first_at, each.last_at),
        )


def nodes(call: Invocation) -> Answer:
    """List the nodes that wrote, with the number of their records."""
    with call.memory() as memory:
        return table(
            memory.nodes.list(),
            ("node", *(f">{scope}" for scope in _SCOPES), ">in all", ">seen"),
            lambda node: (node.node, *(node.scopes.get(scope, 0) for scope in _SCOPES), node.records, node.seen),
        )


def actors(call: Invocation) -> Answer:
    """List the actors whose memory the store holds."""
    with call.opened() as memory:
        return table(memory.admin.actors(), ("actor", "world"), lambda actor: (actor.actor_id, actor.world))


def addresses(
    call: Invocation,
    region: Annotated[str | None, option("--region", "NAME", "Only in this region.")] = None,
    prefix: Annotated[str, option("--prefix", "DIGITS", "Only under these digits.")] = "",
    limit: Limit = 100,
) -> Answer:
    """List the addresses of records, newest first."""
    with call.memory() as memory:
        listed = memory.browse.addresses(region=region, prefix=prefix, limit=limit)
    lines = [str(address) for address in listed]
    return Answer(listed, lines, lines)


def stats(call: Invocation) -> Answer:
    """Show how much the memory holds."""
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
        ("from", moment(totals.first_at)),
        ("to", moment(totals.last_at)),
        ("text", size(totals.bytes)),
        ("encoder", totals.encoder or "none yet"),
        ("second look", _second_look(totals)),
        *_quota(totals),
    ]

    def tell(page: Printer) -> None:
        page.facts(pairs)
        page.line()
        _draw_tiers(page, totals, capacities)
        if totals.archived:
            page.line(f"archived: {ARCHIVED}", "dim")

    return Answer(totals, tell)


def _quota(totals: Stats) -> list[tuple[str, str]]:
    quota, used = totals.quota, totals.used
    if quota is None:
        return []
    parts: list[str] = []
    if quota.records is not None:
        parts.append((f"{used.records:,} of " if used else "") + f"{quota.records:,} records")
    if quota.bytes is not None:
        parts.append((f"{size(used.bytes)} of " if used else "") + size(quota.bytes))
    return [("quota", ", ".join(parts))]


def _second_look(totals: Stats) -> str:
    if totals.second_look is None:
        return "off"
    waiting = totals.second_look_waiting
    return totals.second_look + (f"; {waiting:,} of {totals.records:,} records wait" if waiting else "")


def _draw_tiers(page: Printer, stats: Stats, capacities: Mapping[str, int | None]) -> None:
    """Print the size of each tier as bars on one scale, with its capacity and its archive."""
    most = max([1, *stats.tiers.values()])
    rows: list[Sequence[object]] = []
    for number, name in enumerate(("working", "session", "episodic", "semantic"), 1):
        held = stats.held.get(name, 0)
        archived = stats.tiers.get(name, 0) - held
        bar = "█" * round(_BAR * held / most) + "░" * round(_BAR * archived / most)
        capacity = capacities[f"max_l{number}_size"]
        limit = "no bound" if capacity is None else f"{capacity:,} {'a session' if number < 3 else 'in all'}"
        rows.append((f"L{number} {name}", held, archived, limit, bar or "·"))
    page.table(("tier", ">holds", ">archived", "may hold", ""), rows)


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in sorted(counts.items(), key=lambda pair: -pair[1]))


def show_config(
    call: Invocation,
    origin: Annotated[bool, flag("--origin", "Every value of every section, with its origin.")] = False,
) -> Answer:
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
    return table(
        settings,
        ("setting", "value", "from", "variable"),
        lambda each: (each["setting"], _setting_text(each["value"]), each["origin"], each["variable"]),
    )


def _setting_text(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, cast("tuple[Any, ...]", value)))
    return "" if value is None else str(value)


def invoke(
    call: Invocation,
    path: Annotated[str | None, argument("PATH", "The path to call; without it, all paths are listed.")] = None,
    arguments: Annotated[
        list[str] | None, argument("KEY=VALUE", "JSON or text; KEY=@FILE reads it from a file.")
    ] = None,
) -> Answer:
    """Call a path, or list the paths."""
    from foveal.engine.paths import listed

    if path is None:
        return table(
            listed(),
            ("path", "arguments", "does"),
            lambda each: (each.path, " ".join([*each.needs, *(f"[{name}]" for name in each.takes)]), each.help),
        )
    options = _parsed(arguments or [])
    with call.memory(fresh=path in ("self.memory.crystallize", "self.memory.engram")) as memory:
        answer = memory.invoke(path, **options)
    return Answer(answer, lambda page: page.facts((name, str(value)) for name, value in answer.items()))


def _parsed(arguments: list[str]) -> dict[str, Any]:
    parsed: dict[str, Any] = {}
    for pair in arguments:
        name, sign, value = pair.partition("=")
        if not sign or not name:
            raise Invalid(f"{pair[:80]!r} is not of the form key=value")
        text = parsing.text_of(value[1:]) if value.startswith("@") else value
        parsed[name] = parsing.json_or_text(text)
    return parsed


NOTHING = "nothing found that is likely to help"
OTHERWISE = "; what is shown has another reason, such as being recent"


def search(
    call: Invocation,
    query: Query,
    k: Limit = 10,
    *,
    narrowed: SearchOptions,
) -> Answer:
    """Find the records that best answer a question.

    The search uses words and meaning. Each hit has a relevance from 0 to 1: how likely it is to help.
    """
    wanted = narrowed.arguments(call)
    with call.memory() as memory:
        return cards(
            memory.search(query, k=k, **wanted),
            lambda hit: (*format_heads(hit.record, hit.relevance, hit.replaced_by), _parts(hit.parts), hit.text),
            empty="nothing found" if narrowed.min_relevance == 0 else NOTHING,
        )


def _parts(parts: Mapping[str, float] | None) -> str:
    return " ".join(f"{name}={value:.2f}" for name, value in (parts or {}).items())


def read(
    call: Invocation,
    query: Query,
    token_budget: TokenBudget = 2048,
    mode: Annotated[str, option("--mode", "NAME", "text: whole or not at all; mixed; glyph: as glyphs.")] = "mixed",
    policy: Annotated[str, option("--policy", "NAME", "foveated, relevant, recent or mixed.")] = "foveated",
    *,
    narrowed: SearchOptions,
    touch: Annotated[bool, flag("--touch/--no-touch", "Count and log the records that the read used.")] = True,
) -> Answer:
    """Print the context for a question, within a token budget.

    Alias: context.

    The context goes to standard output, and its receipt to standard error.
    """
    wanted = narrowed.arguments(call)
    with call.memory() as memory:
        context = memory.read(query, token_budget=token_budget, mode=mode, policy=policy, touch=touch, **wanted)
    notes = ["; ".join(f"{name} {value}" for name, value in receipt(context.receipt))]
    if context.receipt.nothing_relevant:
        notes.insert(0, f"{NOTHING}{OTHERWISE if context.items else ''}")
    ids = [item.id for item in context.items]
    return Answer(context, lambda page: _tell_context(page, context, narrowed.explain), ids, notes=notes)


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
    record_id: Annotated[str | None, argument("ID", "Only reads that showed this record.")] = None,
    limit: Limit = 20,
) -> Answer:
    """List recent reads, newest first.

    With an id, show why that record was returned, with the parts of its relevance.
    """

    def card(read: Recollection) -> Sequence[object]:
        places = [_place(item) for item in read.items if item.id == record_id]
        return (read.at, read.node, read.session_id, counted(len(read.items), "item"), *places, read.query)

    with call.memory() as memory:
        reads = memory.browse.recalls(record_id, limit=limit)
    return cards(
        reads,
        card,
        ids=[item.id for read in reads for item in read.items],
        empty="nothing was read" if record_id is None else "no read showed it",
    )


def _place(item: Recalled) -> str:
    rank = f"rank {item.rank}, relevance {item.relevance:.2f}" if item.rank else "not ranked"
    return f"{item.zone}, depth {item.depth}, {rank} {_parts(item.parts)}".rstrip()


def get(call: Invocation, record_id: RecordId, as_of: AsOf = None) -> Answer:
    """Show everything about one record."""
    with call.memory() as memory:
        record = memory.get(record_id, as_of=parsing.moment(as_of, "--as-of"))
    return Answer(record, lambda page: format_record(page, record), [record.id])


def ls(
    call: Invocation,
    since: Annotated[str | None, option("--since", "DATE", "Not before this moment.")] = None,
    until: Annotated[str | None, option("--until", "DATE", "Before this moment.")] = None,
    filters: Filters = None,
    limit: Limit = 20,
    oldest_first: Annotated[bool, flag("--oldest-first", "List the oldest first.")] = False,
) -> Answer:
    """List records by the time they refer to, newest first."""
    first, last = parsing.moment(since, "--since"), parsing.moment(until, "--until")
    where = parsing.condition(filters)
    call.understood(where, **{"from": first, "before": last})
    with call.memory() as memory:
        records = memory.timeline(
            since=first, until=last, filters=where, limit=limit, newest_first=not oldest_first
        )
    return record_cards(records, empty="nothing here")


def history(call: Invocation, record_id: RecordId) -> Answer:
    """Show all versions of a record, oldest first."""
    with call.memory() as memory:
        versions = memory.history(record_id)
    return cards(
        versions,
        lambda each: (
            f"v{each.version}",
            f"known {moment(each.recorded_at)} to {moment(each.superseded_at) or 'now'}",
            each.speaker or each.source,
            each.text,
        ),
        ids=[version.id for version in versions],
    )
