"""Context windows: build them from messages, extend and compress them, and store the turns that leave them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from foveal.engine.records.write import write_many
from foveal.engine.runtime.runtime import Runtime
from foveal.errors import Invalid
from foveal.model.crystal import Compressed, ContextWindow, Form, Turn, digest_of
from foveal.model.query import At, Viewpoint
from foveal.model.record import Linearity
from foveal.rules.messages import from_anthropic, from_openai, to_anthropic, to_openai
from foveal.rules.windows import BASE, Means, Where, appended, compressed, focused, span

KIND = "observation"


def keep(runtime: Runtime, viewpoint: Viewpoint, window: ContextWindow, turns: Sequence[Turn]) -> dict[str, str]:
    """Write turns of a window as records, each once. Returns the record id of each turn that could be stored."""
    wanted = {turn.id: _record_id(viewpoint, window, turn) for turn in turns if turn.spoken}
    existing = {record.id for record in runtime.store.records.get(runtime.access(viewpoint), list(wanted.values()))}
    missing = [turn for turn in turns if turn.spoken and wanted[turn.id] not in existing]
    bound = At(world=viewpoint.world, actor_id=viewpoint.actor_id, node=viewpoint.node)
    written = write_many(
        runtime,
        bound,
        [_item(window, turn, wanted[turn.id]) for turn in missing],
        {"session_id": viewpoint.session_id},
        derived=True,
    )
    rejected = {rejection.index for rejection in written.rejected}
    stored = [turn for index, turn in enumerate(missing) if index not in rejected]
    new = {turn.id: record_id for turn, record_id in zip(stored, written.ids, strict=True)}
    return {turn_id: record_id for turn_id, record_id in wanted.items() if record_id in existing} | new


def _item(window: ContextWindow, turn: Turn, record_id: str) -> Mapping[str, Any]:
    tool = turn.metadata.get("tool")
    return {
        "text": turn.spoken,
        "id": record_id,
        "kind": KIND if turn.linearity is Linearity.DROPPABLE else "note",
        "linearity": turn.linearity,
        "source": turn.role.value,
        "occurred_at": turn.timestamp,
        "metadata": {"window": window.id, "turn": turn.number, **({"tool": tool} if tool else {})},
    }


def _record_id(viewpoint: Viewpoint, window: ContextWindow, turn: Turn) -> str:
    return f"obs_{digest_of(viewpoint.node, window.id, turn.id)}"


def whereabouts(window: ContextWindow, name: Callable[[Turn], str | None]) -> Where:
    """A function that says how to get turns back: one by the id of its record, several by their numbers."""

    def where(turns: Sequence[Turn]) -> str | None:
        records = [name(turn) for turn in turns if turn.form is Form.WHOLE]
        if None in records:
            return None
        if len(turns) == 1 and records:
            return f"foveal get {records[0]}"
        first, last = span(turns)
        return (
            f"foveal ls --filter metadata.window={window.id} "
            f"--filter 'metadata.turn>={first}' --filter 'metadata.turn<={last}'"
        )

    return where


def unkept(turns: Sequence[Turn]) -> str:
    """What a marker says about turns that were not stored."""
    return "not kept"


def provisional(viewpoint: Viewpoint, window: ContextWindow) -> Where:
    """Where turns will be found if all of them can be stored."""
    return whereabouts(window, lambda turn: _record_id(viewpoint, window, turn))


FORMATS = ("openai", "anthropic")

Messages = Sequence[Mapping[str, Any]]


def extended(
    runtime: Runtime,
    window: ContextWindow,
    messages: Messages,
    *,
    form: str = "openai",
    system: str | None = None,
    hints: Sequence[str] = (),
) -> ContextWindow:
    """The window with these messages appended."""
    checked_form(form)
    turns = from_openai(messages) if form == "openai" else from_anthropic(messages, system)
    if form == "openai" and system:
        turns = [*from_openai([{"role": "system", "content": system}]), *turns]
    return appended(window, turns, runtime.counter.count, hints)


def messages_of(window: ContextWindow, form: str) -> list[dict[str, Any]]:
    """The window as a list of messages; for Anthropic, the first one holds the system prompt and has that role."""
    if checked_form(form) == "openai":
        return to_openai(window.turns)
    system, messages = to_anthropic(window.turns)
    return [{"role": "system", "content": system}, *messages] if system else messages


def checked_form(form: str) -> str:
    """`form`, if it is a known message format."""
    if form not in FORMATS:
        raise Invalid(f"format {form!r} is not one of {', '.join(FORMATS)}")
    return form


def compress(
    runtime: Runtime,
    viewpoint: Viewpoint,
    window: ContextWindow,
    *,
    above: float = BASE,
    target: float = 0.5,
    hints: Sequence[str] = (),
    kept: bool = True,
) -> Compressed:
    """A smaller window. Turns are stored before they leave it; those that cannot be stored stay."""
    window = msgspec.structs.replace(window, turns=tuple(focused(turn, hints) for turn in window.turns))

    def compressed_with(means: Means) -> Compressed:
        return compressed(window, means, above=above, target=target)

    count, summarise = runtime.counter.count, runtime.summarise
    if not kept:
        return compressed_with(Means(count, summarise, unkept))
    plan = compressed_with(Means(count, summarise, provisional(viewpoint, window)))
    leaving = {*plan.masked, *plan.folded, *plan.condensed}
    if not leaving:
        return plan
    records = keep(runtime, viewpoint, window, [turn for turn in window.turns if turn.id in leaving])
    done = compressed_with(Means(count, summarise, whereabouts(window, lambda turn: records.get(turn.id))))
    return msgspec.structs.replace(done, kept=tuple(records.values()))
