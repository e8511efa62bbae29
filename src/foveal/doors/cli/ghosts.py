"""The commands about what is kept where the client is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from foveal.doors.cli.call import Call

if TYPE_CHECKING:
    from foveal.doors.cli.page import Page
    from foveal.doors.client.engrams import Engrams

Name = Annotated[str, typer.Argument(metavar="NAME", help="What it is called.")]


def engram(
    call: Call,
    name: Name,
    state: Annotated[str, typer.Argument(metavar="STATE", help="JSON or text; @FILE or - reads it.")],
) -> None:
    """Keep a state where you are, under a name."""
    from foveal.doors.cli import values

    said = values.text_of(state.removeprefix("@")) if state.startswith("@") or state == "-" else state
    kept = engrams_of(call).engram(name, values.json_or_text(said), actor=call.at.get("actor_id", ""))
    call.answer(kept, lambda page: page.line(f"kept  {kept.name}  in {kept.path}"), [kept.name])


def manifest(call: Call, name: Name) -> None:
    """Show a state that an engram kept, with its age.

    One that is too old is refused.
    """
    from foveal.rules.staleness import told_age
    from foveal.wire.codec import document

    found = engrams_of(call).manifest(name, actor=call.at.get("actor_id", ""))
    call.answer(found, lambda page: page.line(document(found.state, indent=True)), [found.name])
    call.note(f"{found.level}, {told_age(found.age)} old")


def status(call: Call) -> None:
    """Show what is kept of servers, for when they are away."""
    from foveal.config import load_settings
    from foveal.doors.client.ghost import GhostCache

    found = GhostCache(key=load_settings().ghost_key).status()

    def tell(page: Page) -> None:
        page.facts(
            [
                ("folder", found.folder),
                ("ghosts", ", ".join(f"{room} {count:,}" for room, count in found.ghosts.items())),
                ("bytes", f"{found.bytes:,}"),
                ("oldest", str(found.oldest or "none")),
                ("last answer", found.last_sync or "never"),
                ("stability", ", ".join(f"{score:.2f}" for score in found.stability.values()) or "not known"),
                ("encrypted", "yes" if found.encrypted else "no"),
            ]
        )

    call.answer(found, tell)


def clear(call: Call) -> None:
    """Let go of everything that is kept of servers."""
    from foveal.doors.client.ghost import GhostCache

    gone = GhostCache().clear()
    call.answer({"cleared": gone}, lambda page: page.line(f"cleared  {gone:,}"))


def engrams_of(call: Call) -> Engrams:
    """What is kept where the call is made."""
    from foveal.config import load_settings
    from foveal.doors.client.connecting import line_to
    from foveal.doors.client.engrams import Engrams
    from foveal.doors.client.ghost import GhostCache

    url = call.server
    if url is not None:
        return line_to(url).engrams
    return Engrams(GhostCache(key=load_settings().ghost_key), "here")
