"""What compression may do to a record."""

from __future__ import annotations

from enum import IntEnum


class Linearity(IntEnum):
    """DROPPABLE may go, REQUIRED may be shortened, PRESERVED stays word for word."""

    DROPPABLE = 1
    REQUIRED = 2
    PRESERVED = 3
