"""Between moves in the journal and rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from foveal.backends.relational.stamps import moment, moment_or_none, stamp
from foveal.model.journal import Change, Move, What
from foveal.model.vitals import Vitals

# The end of time, where a query wants one.
EVER = 1 << 62


def move_values(own: Mapping[str, Any], moves: Iterable[Move]) -> list[dict[str, Any]]:
    """What `add_move` binds for each record that these moves changed."""
    return [
        {
            **own,
            "move": move.id,
            "record_id": one.record_id,
            "at": stamp(move.at),
            "who": move.who,
            "what": move.what.value,
            "why": move.why,
            "before": msgspec.json.encode(one.before).decode(),
            "after": msgspec.json.encode(one.after).decode(),
            "made": msgspec.json.encode(move.made).decode(),
            "version": move.version,
        }
        for move in moves
        for one in move.changes
    ]


def moves_of(rows: Iterable[Sequence[Any]]) -> list[Move]:
    """The moves that rows of the journal hold, newest first: those of a move come last change first."""
    moves: dict[str, list[Sequence[Any]]] = {}
    for row in rows:
        moves.setdefault(row[0], []).append(row)
    return [_move_of(parts[::-1]) for parts in moves.values()]


def _move_of(rows: Sequence[Sequence[Any]]) -> Move:
    first = rows[0]
    return Move(
        id=first[0],
        at=moment(first[2]),
        who=first[3],
        what=What(first[4]),
        why=first[5],
        changes=tuple(
            Change(
                record_id=row[1],
                before=msgspec.json.decode(row[6], type=Vitals),
                after=msgspec.json.decode(row[7], type=Vitals),
            )
            for row in rows
        ),
        made=tuple(msgspec.json.decode(first[8])),
        version=first[9],
        undone_at=moment_or_none(first[10]),
    )
