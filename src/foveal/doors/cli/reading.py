"""The commands that answer from what is remembered."""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING, Annotated

import typer

from foveal.doors.cli.call import Call
from foveal.doors.cli.options import (
    AsOf,
    Explain,
    Filters,
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

    from foveal.doors.cli.page import Page
    from foveal.model.results import Context, Recalled, Receipt


NOTHING = "nothing found that is likely to help"
OTHERWISE = "; what is shown has another reason, such as being recent"


def search(
    call: Call,
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
    from foveal.doors.cli import cards, values

    with call.memory() as memory:
        hits = memory.search(
            query,
            k=k,
            filters=values.condition(filters),
            tiers=tiers or None,
            kinds=kinds or None,
            as_of=values.moment(as_of, "--as-of"),
            valid_at=values.moment(valid_at, "--valid-at"),
            min_relevance=min_relevance,
            explain=explain,
        )

    def tell(page: Page) -> None:
        for hit in hits:
            heads = cards.heads(hit.record, hit.relevance, hit.replaced_by)
            page.card([*heads, _parts(hit.parts)], hit.text)

    call.answer(hits, tell, [hit.id for hit in hits])
    if not hits:
        call.note("nothing found" if min_relevance == 0 else NOTHING)


def _parts(parts: Mapping[str, float] | None) -> str:
    return " ".join(f"{name}={value:.2f}" for name, value in (parts or {}).items())


def read(
    call: Call,
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
    from foveal.doors.cli import values

    with call.memory() as memory:
        context = memory.read(
            query,
            token_budget=token_budget,
            mode=mode,
            policy=policy,
            filters=values.condition(filters),
            tiers=tiers or None,
            kinds=kinds or None,
            as_of=values.moment(as_of, "--as-of"),
            valid_at=values.moment(valid_at, "--valid-at"),
            min_relevance=min_relevance,
            explain=explain,
            touch=touch,
        )
    call.answer(context, lambda page: _tell(page, context, explain), [item.id for item in context.items])
    if context.receipt.nothing_relevant:
        call.note(f"{NOTHING}{OTHERWISE if context.items else ''}")
    call.note("; ".join(f"{name} {value}" for name, value in receipt(context.receipt)))


def _tell(page: Page, context: Context, explain: bool) -> None:
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
    call: Call,
    record_id: Annotated[
        str | None, typer.Argument(metavar="ID", help="Only reads that showed this record.")
    ] = None,
    limit: Limit = 20,
) -> None:
    """List what was read lately, newest first.

    With an id: why that record came back, with the parts of its relevance.
    """
    from foveal.doors.cli import cards

    with call.memory() as memory:
        found = memory.recalls(record_id, limit=limit)

    def tell(page: Page) -> None:
        for read in found:
            heads = [
                cards.moment(read.at),
                read.node,
                read.session_id or "",
                cards.counted(len(read.items), "item"),
            ]
            page.card([*heads, *(_place(one) for one in read.items if one.id == record_id)], read.query)

    call.answer(found, tell, [item.id for read in found for item in read.items])
    if not found:
        call.note("nothing was read" if record_id is None else "no read showed it")


def _place(item: Recalled) -> str:
    rank = f"rank {item.rank}, relevance {item.relevance:.2f}" if item.rank else "not ranked"
    return f"{item.zone}, depth {item.depth}, {rank} {_parts(item.parts)}".rstrip()


def get(call: Call, record_id: RecordId, as_of: AsOf = None) -> None:
    """Show everything about one record."""
    from foveal.doors.cli import cards, values

    with call.memory() as memory:
        record = memory.get(record_id, as_of=values.moment(as_of, "--as-of"))
    call.answer(record, lambda page: cards.whole(page, record), [record.id])


def ls(
    call: Call,
    since: Annotated[str | None, typer.Option("--since", metavar="DATE", help="Not before this moment.")] = None,
    until: Annotated[str | None, typer.Option("--until", metavar="DATE", help="Before this moment.")] = None,
    filters: Filters = None,
    limit: Limit = 20,
    oldest_first: Annotated[bool, typer.Option("--oldest-first", help="Begin with the oldest.")] = False,
) -> None:
    """List records by the time they speak of, newest first."""
    from foveal.doors.cli import cards, values

    with call.memory() as memory:
        found = memory.timeline(
            since=values.moment(since, "--since"),
            until=values.moment(until, "--until"),
            filters=values.condition(filters),
            limit=limit,
            newest_first=not oldest_first,
        )
    call.answer(found, lambda page: cards.records(page, found), [record.id for record in found])
    if not found:
        call.note("nothing here")


def history(call: Call, record_id: RecordId) -> None:
    """Show all versions of a record, oldest first."""
    from foveal.doors.cli import cards

    with call.memory() as memory:
        found = memory.history(record_id)

    def tell(page: Page) -> None:
        for one in found:
            known = f"known {cards.moment(one.recorded_at)} to {cards.moment(one.superseded_at) or 'now'}"
            page.card([f"v{one.version}", known, one.speaker or one.source], one.text)

    call.answer(found, tell, [one.id for one in found])
