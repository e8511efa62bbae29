"""The commands that look over a memory, and over its settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from foveal.doors.cli.call import Call
from foveal.doors.cli.options import Limit

if TYPE_CHECKING:
    from collections.abc import Mapping

    from foveal.doors.cli.page import Page
    from foveal.model.results import Stats

_BAR = 40
_SCOPES = ("local", "shared", "global")


def regions(call: Call) -> None:
    """List the regions there are, with counts and dates."""
    from foveal.doors.cli import cards

    with call.memory() as memory:
        found = memory.regions()

    def tell(page: Page) -> None:
        rows = [
            (one.region, f"{one.records:,}", cards.moment(one.first_at), cards.moment(one.last_at)) for one in found
        ]
        page.table(("region", "records", "from", "to"), rows, right=["records"])

    call.answer(found, tell, [one.region for one in found])


def nodes(call: Call) -> None:
    """List the nodes that wrote, and how much."""
    with call.memory() as memory:
        found = memory.nodes()

    def tell(page: Page) -> None:
        rows = [
            (one.node, *(f"{one.scopes.get(scope, 0):,}" for scope in _SCOPES), f"{one.records:,}", f"{one.seen:,}")
            for one in found
        ]
        page.table(("node", *_SCOPES, "in all", "seen"), rows, right=[*_SCOPES, "in all", "seen"])

    call.answer(found, tell, [one.node for one in found])


def actors(call: Call) -> None:
    """List everybody whose memory the file holds."""
    with call.opened() as memory:
        found = memory.actors()

    def tell(page: Page) -> None:
        page.table(("actor", "world"), [(one.actor_id, one.world) for one in found])

    call.answer(found, tell, [one.actor_id for one in found])


def addresses(
    call: Call,
    region: Annotated[str | None, typer.Option("--region", metavar="NAME", help="Only in this region.")] = None,
    prefix: Annotated[str, typer.Option("--prefix", metavar="DIGITS", help="Only under these digits.")] = "",
    limit: Limit = 100,
) -> None:
    """List where records lie, newest first."""
    with call.memory() as memory:
        found = memory.addresses(region=region, prefix=prefix, limit=limit)
    listed = [str(one) for one in found]

    def tell(page: Page) -> None:
        for one in listed:
            page.line(one)

    call.answer(found, tell, listed)


def stats(call: Call) -> None:
    """Say how much there is."""
    from foveal.doors.cli import cards

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
        ("from", cards.moment(found.first_at)),
        ("to", cards.moment(found.last_at)),
        ("text", cards.size(found.bytes)),
        ("encoder", found.encoder or "none yet"),
    ]

    def tell(page: Page) -> None:
        page.facts(pairs)
        page.line()
        _draw_tiers(page, found, capacities)

    call.answer(found, tell)


def _draw_tiers(page: Page, found: Stats, capacities: Mapping[str, int | None]) -> None:
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
    call: Call,
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

    def tell(page: Page) -> None:
        heads = ("setting", "value", "from", "variable")
        page.table(heads, [(one["setting"], _told(one["value"]), one["origin"], one["variable"]) for one in listed])

    call.answer(listed, tell, [one["setting"] for one in listed])


def _told(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, cast("tuple[Any, ...]", value)))
    return "" if value is None else str(value)
