"""The command that invokes a path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from foveal.doors.cli.call import Call
from foveal.doors.cli.ghosts import engrams_of

if TYPE_CHECKING:
    from foveal.doors.cli.page import Page


def invoke(
    call: Call,
    path: Annotated[
        str | None, typer.Argument(metavar="PATH", help="What to do; without it, list what there is.")
    ] = None,
    arguments: Annotated[
        list[str] | None,
        typer.Argument(metavar="KEY=VALUE", help="JSON or text; KEY=@FILE reads it from a file."),
    ] = None,
) -> None:
    """Do what a path names, or list the paths there are."""
    from foveal.doors.client.engrams import PATHS, Kept
    from foveal.engine.paths import listed

    if path is None:
        found = listed(PATHS)

        def tell(page: Page) -> None:
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

    def shown(page: Page) -> None:
        page.facts((name, str(value)) for name, value in answer.items())

    call.answer(answer, shown)


def _said(arguments: list[str]) -> dict[str, Any]:
    from foveal.doors.cli import values
    from foveal.errors import Invalid

    said: dict[str, Any] = {}
    for one in arguments:
        name, sign, value = one.partition("=")
        if not sign or not name:
            raise Invalid(f"{one[:80]!r} is not of the form key=value")
        text = values.text_of(value[1:]) if value.startswith("@") else value
        said[name] = values.json_or_text(text)
    return said
