"""Between tapes and rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from foveal.backends.relational.stamps import moment
from foveal.errors import Conflict, NotFound
from foveal.model.glyph import Tape, TapeState
from foveal.ports.tapes import Chart
from foveal.rules.placement import Plane


def tape_of(row: Sequence[Any]) -> Tape:
    """The tape that a row of `tapes_of` holds."""
    number, encoder, state, active, created_at, digest, records, phrases, families, waiting = row
    return Tape(
        number=number,
        encoder=encoder,
        state=TapeState(state),
        active=bool(active),
        created_at=moment(created_at),
        records=records,
        phrases=phrases,
        families=families,
        waiting=waiting if state == TapeState.READY else 0,
        digest=digest,
    )


def tape_among(rows: Iterable[Sequence[Any]], number: int) -> Tape:
    """The tape with a number."""
    return next(tape_of(row) for row in rows if row[0] == number)


def tape_values(own: Mapping[str, Any], tape: int, rows: Iterable[Sequence[Any]]) -> dict[str, Any]:
    """What queries about a tape bind, from what `tape_row` found."""
    for _, state, active, followed, plane in rows:
        of_tape = {"tape": tape, "state": state, "active": active, "followed": followed, "plane": plane}
        return {**own, **of_tape, "above": 0}
    raise NotFound(f"there is no tape {tape} here", tape=tape)


def refuse_charted(values: Mapping[str, Any]) -> None:
    """Raise `Conflict` for a tape that has its families."""
    if values["state"] != TapeState.CUTTING:
        raise Conflict(f"tape {values['tape']} has its families already", tape=values["tape"])


def refuse_unfinished(values: Mapping[str, Any]) -> None:
    """Raise `Conflict` for a tape that is not ready."""
    if values["state"] != TapeState.READY:
        raise Conflict(f"tape {values['tape']} is not finished: build it first", tape=values["tape"])


def refuse_shown(values: Mapping[str, Any]) -> None:
    """Raise `Conflict` for the tape whose addresses are shown."""
    if values["active"]:
        raise Conflict(f"tape {values['tape']} is in use: put another to use first", tape=values["tape"])


def plane_bytes(plane: Plane) -> bytes:
    """A map as it is kept."""
    return np.array([*plane.centre, *plane.spread], np.float64).tobytes() + plane.axes.astype(np.float32).tobytes()


def chart_of(rows: Sequence[Sequence[Any]], plane: bytes | None) -> Chart:
    """The middles of families, on the map that was kept."""
    if plane is None:
        raise NotFound("this tape has no map yet: build it first")
    x, y, broad, high = np.frombuffer(plane[:32], np.float64).tolist()
    axes = np.frombuffer(plane[32:], np.float32).reshape(-1, 2)
    centres = np.frombuffer(b"".join(row[1] for row in rows), np.int16)
    numbers = np.array([row[0] for row in rows], np.int64)
    return Chart(numbers, centres.reshape(-1, axes.shape[0]), Plane(axes, (x, y), (broad, high)))
