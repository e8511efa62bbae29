"""Between crystals and rows: small ones, and texts that are kept once."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import timedelta
from hashlib import blake2b
from typing import Any

import msgspec

from foveal.backends.relational.stamps import moment, moment_or_none, stamp, stamp_or_none
from foveal.errors import Corrupt, NotFound, Pinned
from foveal.model.crystal import FocusFragment, Lineage, StateCrystal, TaskState
from foveal.model.linearity import Linearity
from foveal.model.sight import Viewpoint
from foveal.model.window import Role

COLUMNS = ", ".join(
    f"c.{name}"
    for name in (
        *("number", "id", "agent", "session_id", "made_at", "touched_at", "uses", "parent", "reason", "depth"),
        *("ttl", "pinned", "budget", "merged", "turns", "dropped", "summary_tokens", "focus_tokens", "fragments"),
        *("reaped_at", "summary", "state"),
    )
)
_PINNED, _REAPED_AT = 11, 19
_MICROSECOND = timedelta(microseconds=1)

Row = Sequence[Any]


class _State(msgspec.Struct, frozen=True):
    task_state: TaskState
    working_memory: dict[str, Any]


def looking(own: Mapping[str, Any], viewpoint: Viewpoint) -> dict[str, Any]:
    """What binds the node that looks: it sees its own crystals and those of the nodes below it."""
    return {**own, "node": viewpoint.node, "above": viewpoint.node.rstrip("/") + "/"}


def refuse_reaped(row: Row) -> None:
    """Raise `NotFound` for a crystal of which only the summary is left."""
    if row[_REAPED_AT] is not None:
        raise NotFound(f"{row[1]} was reaped: only its summary is left", crystal_id=row[1])


def refuse_pinned(row: Row) -> None:
    """Raise `Pinned` for a living crystal that is cherished."""
    if row[_PINNED] and row[_REAPED_AT] is None:
        raise Pinned(f"{row[1]} is cherished: uncherish it first", crystal_id=row[1])


def crystal_values(own: Mapping[str, Any], crystal: StateCrystal) -> dict[str, Any]:
    """What `add_crystal` binds beside its texts."""
    return {
        **own,
        "id": crystal.crystal_id,
        "agent": crystal.agent,
        "session_id": crystal.session_id,
        "made_at": stamp(crystal.timestamp),
        "touched_at": stamp_or_none(crystal.touched_at),
        "uses": crystal.uses,
        "parent": crystal.parent_crystal,
        "reason": crystal.branch_reason,
        "depth": crystal.branch_depth,
        "ttl": crystal.ttl // _MICROSECOND,
        "pinned": crystal.pinned,
        "budget": crystal.budget,
        "merged": crystal.merged,
        "turns": crystal.turns,
        "dropped": crystal.dropped,
        "summary_tokens": crystal.summary_tokens,
        "focus_tokens": crystal.focus_tokens,
        "fragments": len(crystal.focus_fragments),
        "reaped_at": stamp_or_none(crystal.reaped_at),
    }


def state_text(crystal: StateCrystal) -> str | None:
    """The state that a crystal keeps as a text, unless it was reaped."""
    if crystal.reaped_at is not None:
        return None
    return msgspec.json.encode(_State(crystal.task_state, dict(crystal.working_memory))).decode()


def fragment_values(place: int, fragment: FocusFragment) -> dict[str, Any]:
    """What `add_fragment` binds beside the crystal and the text."""
    return {
        "place": place,
        "id": fragment.id,
        "position": fragment.position,
        "hint": fragment.hint,
        "linearity": int(fragment.linearity),
        "role": fragment.role.value,
        "rationale": fragment.rationale,
        "condensed": fragment.condensed,
    }


def crystal_of(row: Row, *, summary: str, state: str | None, fragments: Iterable[Row]) -> StateCrystal:
    """The crystal that a row of `COLUMNS` holds, with its texts and the rows of its fragments."""
    kept = _State(TaskState(), {}) if state is None else msgspec.json.decode(state, type=_State)
    return StateCrystal(
        crystal_id=row[1],
        agent=row[2],
        session_id=row[3],
        timestamp=moment(row[4]),
        touched_at=moment_or_none(row[5]),
        uses=row[6],
        parent_crystal=row[7],
        branch_reason=row[8],
        branch_depth=row[9],
        ttl=row[10] * _MICROSECOND,
        pinned=bool(row[_PINNED]),
        budget=row[12],
        merged=row[13],
        turns=row[14],
        dropped=row[15],
        summary_tokens=row[16],
        focus_tokens=row[17],
        reaped_at=moment_or_none(row[_REAPED_AT]),
        history_summary=summary,
        task_state=kept.task_state,
        working_memory=kept.working_memory,
        focus_fragments=tuple(map(_fragment_of, fragments)),
    )


def _fragment_of(row: Row) -> FocusFragment:
    return FocusFragment(
        id=row[0],
        position=row[1],
        hint=row[2],
        linearity=Linearity(row[3]),
        role=Role(row[4]),
        rationale=row[5],
        condensed=bool(row[6]),
        content=unpacked(row[7], row[8]),
    )


def lineage_of(row: Row, summary: str) -> Lineage:
    """What a row of `COLUMNS` says of a crystal without its content."""
    ends = None if row[_PINNED] else moment((row[4] if row[5] is None else row[5]) + row[10])
    return Lineage(
        crystal_id=row[1],
        agent=row[2],
        session_id=row[3],
        timestamp=moment(row[4]),
        parent_crystal=row[7],
        branch_reason=row[8],
        branch_depth=row[9],
        pinned=bool(row[_PINNED]),
        merged=row[13],
        turns=row[14],
        tokens=row[16] + row[17],
        fragments=row[18],
        reaped_at=moment_or_none(row[_REAPED_AT]),
        history_summary=summary,
        expires_at=ends,
    )


def way_up(first: Lineage, find: Callable[[str], Lineage | None]) -> list[Lineage]:
    """A crystal and those it comes from, nearest first; `find` gives those that are there."""
    found, met = [first], {first.crystal_id}
    while (above := found[-1].parent_crystal) is not None and above not in met:
        met.add(above)
        parent = find(above)
        if parent is None:
            break
        found.append(parent)
    return found


def text_values(own: Mapping[str, Any], text: str) -> dict[str, Any]:
    """What `put_blob` binds: the text packed, under the name that its bytes give it."""
    raw = text.encode()
    return {**own, "hash": _hash(raw), "data": zlib.compress(raw, 6)}


def unpacked(name: str, data: bytes) -> str:
    """The text that was packed under a name."""
    try:
        raw = zlib.decompress(data)
    except zlib.error as error:
        raise Corrupt(f"the text {name} of a crystal cannot be read", hash=name) from error
    if _hash(raw) != name:
        raise Corrupt(f"the text {name} of a crystal is not what was stored", hash=name)
    return raw.decode()


def _hash(raw: bytes) -> str:
    return blake2b(raw, digest_size=16).hexdigest()
