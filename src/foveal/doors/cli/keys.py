"""The commands about the keys of a server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from foveal.doors.cli.call import Call

if TYPE_CHECKING:
    from datetime import datetime

    from foveal.doors.cli.page import Page
    from foveal.model.server import Key


def add(
    call: Call,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Who will hold it, or what it is for.")],
    worlds: Annotated[
        list[str] | None, typer.Option("--world", metavar="NAME", help="Only in this world. Repeatable.")
    ] = None,
    actors: Annotated[
        list[str] | None,
        typer.Option("--actor-id", "-a", metavar="NAME", help="Only the memory of this actor. Repeatable."),
    ] = None,
    rights: Annotated[
        list[str] | None,
        typer.Option("--right", metavar="NAME", help="read, write or admin; read if not said. Repeatable."),
    ] = None,
    verbs: Annotated[
        list[str] | None, typer.Option("--verb", metavar="NAME", help="Only this verb. Repeatable.")
    ] = None,
    expires: Annotated[
        str | None, typer.Option("--expires", metavar="WHEN", help="A date, or a span like 12h or 90d.")
    ] = None,
    rate: Annotated[
        float | None, typer.Option("--rate", metavar="N", help="Calls a second; else as the server says.")
    ] = None,
    burst: Annotated[
        int | None, typer.Option("--burst", metavar="N", help="Calls at once; else what two seconds bring.")
    ] = None,
) -> None:
    """Make a key for a server, and show its token this once."""
    from foveal.doors.service.keys import Keys

    said = call.options
    with call.opened(fresh=True) as memory:
        made = Keys(memory.keys).add(
            name,
            worlds=worlds or ([said.world] if said.world else None),
            actors=actors or ([said.actor_id] if said.actor_id else None),
            rights=rights or ["read"],
            verbs=verbs or None,
            expires_at=_end(expires),
            rate=rate,
            burst=burst,
        )

    def tell(page: Page) -> None:
        page.line(made.token)

    call.answer(made, tell, [made.token])
    call.note(f"{made.key.name} may {_told(made.key)}. Keep the token: it is not shown again.")


def ls(call: Call) -> None:
    """List the keys, the oldest first, with what they open."""
    from foveal.doors.cli import cards
    from foveal.doors.service.keys import Keys
    from foveal.ports.system import SystemClock

    with call.opened() as memory:
        found = Keys(memory.keys).list()
    now = SystemClock().now()

    def tell(page: Page) -> None:
        page.table(
            ("key", "name", "state", "may", "made", "used"),
            [
                (
                    one.id,
                    one.name,
                    _state(one, now),
                    _told(one),
                    cards.moment(one.created_at),
                    cards.moment(one.last_used_at) if one.last_used_at else "never",
                )
                for one in found
            ],
        )

    call.answer(found, tell, [one.id for one in found])


def revoke(
    call: Call, key_id: Annotated[str, typer.Argument(metavar="ID", help="The id of a key, or its token.")]
) -> None:
    """Let a key open nothing from now on; servers heed it within 5 seconds."""
    from foveal.doors.service.keys import Keys

    with call.opened() as memory:
        gone = Keys(memory.keys).revoke(key_id)
    call.answer(gone, lambda page: page.line(f"revoked {gone.id}  {gone.name}"), [gone.id])


def _end(text: str | None) -> datetime | None:
    """A moment, or a span from now on."""
    from foveal.doors.cli import values
    from foveal.errors import Invalid
    from foveal.ports.system import SystemClock

    if text is None:
        return None
    try:
        span = values.span(text, "--expires")
        return None if span is None else SystemClock().now() + span
    except (Invalid, OverflowError):
        return values.moment(text, "--expires")


def _told(key: Key) -> str:
    """What a key opens, in words."""
    what = " or ".join(key.verbs or key.rights)
    whose = "on any memory" if key.actors is None else f"on the memory of {' or '.join(key.actors)}"
    where = "in any world" if key.worlds is None else f"in the world {' or '.join(key.worlds)}"
    rate = "" if key.rate is None else f", {key.rate:g} times a second"
    return f"{what} {whose} {where}{rate}"


def _state(key: Key, now: datetime) -> str:
    from foveal.doors.cli import cards

    if key.revoked_at is not None:
        return "revoked"
    if key.expires_at is None:
        return "good"
    return "expired" if key.expires_at <= now else f"until {cards.moment(key.expires_at)}"
