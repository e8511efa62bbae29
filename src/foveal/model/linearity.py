"""What compression may do to a record."""

from __future__ import annotations

from enum import IntEnum
from typing import Self

from foveal.errors import Invalid


class Linearity(IntEnum):
    """DROPPABLE may go, REQUIRED may be shortened, PRESERVED stays word for word."""

    DROPPABLE = 1
    REQUIRED = 2
    PRESERVED = 3

    @classmethod
    def named(cls, name: str | Linearity) -> Self:
        """The class of this name, in any case; an unknown name is an error that lists them.

        >>> Linearity.named("required")
        <Linearity.REQUIRED: 2>
        """
        word = name.name if isinstance(name, Linearity) else str(name).upper()
        if word not in cls.__members__:
            raise Invalid(f"{name!r} is not a linearity; use droppable, required or preserved")
        return cls[word]
