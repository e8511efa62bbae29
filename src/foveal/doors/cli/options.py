"""The options that several commands share, besides those of every command."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, cast

import typer

if TYPE_CHECKING:
    from foveal.model.query import Details

RecordId = Annotated[str, typer.Argument(metavar="ID", help="The id of a record.")]
Query = Annotated[str, typer.Argument(metavar="QUESTION", help="What you want to know.")]
Filters = Annotated[
    list[str] | None,
    typer.Option(
        "--filter",
        "-f",
        metavar="FIELD=VALUE",
        help="Only records of which this holds; also !=, <, <=, >, >=, "
        "~= (contains), ^= (begins with). Repeatable.",
    ),
]
Tiers = Annotated[
    list[str] | None,
    typer.Option("--tier", metavar="NAME", help="Only this tier: working, session, ... Repeatable."),
]
Kinds = Annotated[
    list[str] | None, typer.Option("--kind", metavar="NAME", help="Only records of this kind. Repeatable.")
]
AsOf = Annotated[
    str | None, typer.Option("--as-of", metavar="DATE", help="Answer with what was known at that moment.")
]
ValidAt = Annotated[
    str | None, typer.Option("--valid-at", metavar="DATE", help="Answer with what was true at that moment.")
]
Limit = Annotated[int, typer.Option("--limit", "-n", metavar="N", help="At most this many.")]
MinRelevance = Annotated[
    float | None,
    typer.Option(
        "--min-relevance",
        metavar="0..1",
        help="Leave out what is less relevant; else what almost surely does not help. 0 shows everything.",
    ),
]
Explain = Annotated[bool, typer.Option("--explain", help="Show what each relevance is made of.")]


@dataclass(frozen=True)
class About:
    """What may be said about a text, when it is written and when it is superseded."""

    region: Annotated[str | None, typer.Option("--region", metavar="NAME", help="The topic it is filed under.")] = (
        None
    )
    kind: Annotated[
        str | None, typer.Option("--kind", metavar="NAME", help="What it is: note, fact, decision, ...")
    ] = None
    scope: Annotated[
        str | None,
        typer.Option("--scope", metavar="NAME", help="Which agents see it: local, shared or global."),
    ] = None
    source: Annotated[
        str | None, typer.Option("--source", metavar="NAME", help="Where it came from: user, assistant, ...")
    ] = None
    speaker: Annotated[str | None, typer.Option("--speaker", metavar="NAME", help="Who said it, by name.")] = None
    importance: Annotated[
        float | None, typer.Option("--importance", metavar="0..1", help="How much it matters.")
    ] = None
    tags: Annotated[
        list[str] | None, typer.Option("--tag", "-t", metavar="TAG", help="A label to filter by. Repeatable.")
    ] = None
    metadata: Annotated[
        list[str] | None,
        typer.Option("--metadata", "-m", metavar="KEY=VALUE", help="Anything else; or a JSON object. Repeatable."),
    ] = None
    parent_id: Annotated[
        str | None, typer.Option("--parent-id", metavar="ID", help="The record it belongs under.")
    ] = None
    occurred_at: Annotated[
        str | None,
        typer.Option("--occurred-at", metavar="DATE", help="When it was said or happened; else now."),
    ] = None
    valid_from: Annotated[
        str | None, typer.Option("--valid-from", metavar="DATE", help="When it began to be true.")
    ] = None
    valid_to: Annotated[
        str | None, typer.Option("--valid-to", metavar="DATE", help="When it ceased to be true.")
    ] = None
    ttl: Annotated[
        str | None,
        typer.Option("--ttl", metavar="SPAN", help="How long it may be seen: 90, 15m, 12h, 7d, 2w."),
    ] = None
    expires_at: Annotated[
        str | None,
        typer.Option("--expires-at", metavar="DATE", help="Until when it may be seen; instead of --ttl."),
    ] = None
    pin: Annotated[bool, typer.Option("--pin", help="Keep it from being forgotten and from decay.")] = False
    tier: Annotated[
        str | None, typer.Option("--tier", metavar="NAME", help="working, session, episodic or semantic.")
    ] = None
    linearity: Annotated[
        str | None, typer.Option("--linearity", metavar="NAME", help="droppable, required or preserved.")
    ] = None

    def details(self) -> Details:
        """Those that were said, as a write takes them."""
        from foveal.doors.cli import values

        said = {
            **{name: value for name, value in vars(self).items() if value not in (None, False, [])},
            "metadata": values.metadata(self.metadata),
            "occurred_at": values.moment(self.occurred_at, "--occurred-at"),
            "valid_from": values.moment(self.valid_from, "--valid-from"),
            "valid_to": values.moment(self.valid_to, "--valid-to"),
            "ttl": values.span(self.ttl, "--ttl"),
            "expires_at": values.moment(self.expires_at, "--expires-at"),
        }
        return cast("Details", {name: value for name, value in said.items() if value is not None})
