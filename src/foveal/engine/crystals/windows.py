"""Windows: made of messages, added to, compressed, and given back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from foveal.engine.core import Core
from foveal.engine.crystals.keeping import keep, provisional, unkept, whereabouts
from foveal.errors import Invalid
from foveal.model.crystal import Compressed, ContextWindow
from foveal.model.query import Viewpoint
from foveal.rules.messages import from_anthropic, from_openai, to_anthropic, to_openai
from foveal.rules.windows import BASE, Means, appended, compressed, focused

FORMATS = ("openai", "anthropic")

Messages = Sequence[Mapping[str, Any]]


def extended(
    core: Core,
    window: ContextWindow,
    messages: Messages,
    *,
    form: str = "openai",
    system: str | None = None,
    hints: Sequence[str] = (),
) -> ContextWindow:
    """The window with these messages at its end."""
    checked_form(form)
    said = from_openai(messages) if form == "openai" else from_anthropic(messages, system)
    if form == "openai" and system:
        said = [*from_openai([{"role": "system", "content": system}]), *said]
    return appended(window, said, core.counter.count, hints)


def messages_of(window: ContextWindow, form: str) -> list[dict[str, Any]]:
    """The window as a list of messages; for Anthropic, the system prompt is the first of them, with that role."""
    if checked_form(form) == "openai":
        return to_openai(window.turns)
    system, messages = to_anthropic(window.turns)
    return [{"role": "system", "content": system}, *messages] if system else messages


def checked_form(form: str) -> str:
    """`form`, if it is one we speak."""
    if form not in FORMATS:
        raise Invalid(f"format {form!r} is not one of {', '.join(FORMATS)}")
    return form


def compress(
    core: Core,
    viewpoint: Viewpoint,
    window: ContextWindow,
    *,
    above: float = BASE,
    target: float = 0.5,
    hints: Sequence[str] = (),
    kept: bool = True,
) -> Compressed:
    """A smaller window. What leaves it is written first, and what cannot be written does not leave."""
    window = msgspec.structs.replace(window, turns=tuple(focused(turn, hints) for turn in window.turns))

    def made(means: Means) -> Compressed:
        return compressed(window, means, above=above, target=target)

    count, summarise = core.counter.count, core.summarise
    if not kept:
        return made(Means(count, summarise, unkept))
    plan = made(Means(count, summarise, provisional(viewpoint, window)))
    leaving = {*plan.masked, *plan.folded, *plan.condensed}
    if not leaving:
        return plan
    records = keep(core, viewpoint, window, [turn for turn in window.turns if turn.id in leaving])
    done = made(Means(count, summarise, whereabouts(window, lambda turn: records.get(turn.id))))
    return msgspec.structs.replace(done, kept=tuple(records.values()))
