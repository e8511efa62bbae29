"""What is left of a crystal when a text that it holds is erased."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import msgspec

from foveal.model.crystal import StateCrystal
from foveal.rules.splitting import sentences

ERASED = "[erased]"
# A shorter sentence may be anybody's: it is taken out only where it stands alone.
TELLING = 20


def telling(texts: Iterable[str]) -> tuple[str, ...]:
    """What to look for of erased texts, the longest first: each as a whole, and its sentences.

    >>> telling(["The vault opens with 4711 only. Yes."])
    ('The vault opens with 4711 only. Yes.', 'The vault opens with 4711 only.')
    """
    found = {text.strip() for text in texts}
    found |= {one.strip() for text in list(found) for one in sentences(text) if len(one.strip()) >= TELLING}
    return tuple(sorted(found - {""}, key=lambda one: (-len(one), one)))


def redacted(crystal: StateCrystal, told: Sequence[str]) -> StateCrystal | None:
    """The crystal without what `told` says, a mark in its place; None if it holds nothing of it.

    >>> from datetime import UTC, datetime
    >>> kept = StateCrystal(crystal_id="c", agent="/", timestamp=datetime(2026, 1, 5, tzinfo=UTC),
    ...     history_summary="They met. The vault opens with 4711 only.")
    >>> made = redacted(kept, telling(["The vault opens with 4711 only."]))
    >>> made.history_summary if made else None
    'They met. [erased]'
    """
    changed = msgspec.structs.replace(
        crystal,
        history_summary=_without(crystal.history_summary, told),
        branch_reason=crystal.branch_reason and _without(crystal.branch_reason, told),
        focus_fragments=tuple(
            msgspec.structs.replace(one, content=_without(one.content, told), hint=_without(one.hint, told))
            for one in crystal.focus_fragments
        ),
        working_memory=_inside(dict(crystal.working_memory), told),
        task_state=msgspec.convert(
            _inside(msgspec.to_builtins(crystal.task_state), told), type(crystal.task_state)
        ),
    )
    return None if changed == crystal else changed


def _without(text: str, told: Sequence[str]) -> str:
    if text.strip() in told:
        return ERASED
    for one in told:
        if len(one) >= TELLING and one in text:
            text = text.replace(one, ERASED)
    return text


def _inside(value: Any, told: Sequence[str]) -> Any:
    if isinstance(value, str):
        return _without(value, told)
    if isinstance(value, Mapping):
        return {name: _inside(one, told) for name, one in cast(Mapping[str, Any], value).items()}
    if isinstance(value, list):
        return [_inside(one, told) for one in cast(list[Any], value)]
    return value
