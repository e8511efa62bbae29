"""Between encoders and rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from foveal.errors import EncoderMismatch
from foveal.ports.entry import Encoder

# A number that no encoder has.
NONE = -1


def active_of(rows: Sequence[Sequence[Any]]) -> tuple[int, Encoder, int] | None:
    """The encoder in use with its number and generation, from rows that begin with them."""
    for number, name, dimension, generation, *_ in rows:
        return number, Encoder(id=name, dimension=dimension), generation
    return None


def used(active: tuple[int, Encoder, int] | None, encoder: Encoder) -> tuple[int, int] | None:
    """The number and generation of the encoder in use, None before the first; else `EncoderMismatch`."""
    if active is None:
        return None
    if active[1] != encoder:
        raise EncoderMismatch(
            f"the vectors were made by {active[1].id} ({active[1].dimension} numbers), the encoder is "
            f"{encoder.id} ({encoder.dimension}): run `foveal reindex`, or open it with {active[1].id}",
            stored=active[1].id,
            given=encoder.id,
        )
    return active[0], active[2]
