"""A record on its way into a store."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from foveal.model.record import Record, Vitals
from foveal.model.search import Trace


class Entry(Struct, frozen=True, kw_only=True):
    """A record on its way into the store, with what it is found by.

    `vectors` has one row for each chunk of the text, or is None when the encoder was away. `repeats` is the id of
    the record that said the same words first: if it is there, an edge to it is drawn. With `dated`, its moments are
    those of another memory and stay, also if a snapshot was taken since. `was` is the life of the version that it
    supersedes, as its writer knew it: what changed about it meanwhile stays changed.
    """

    record: Record
    trace: Trace
    vectors: NDArray[np.float32] | None
    repeats: str | None = None
    dated: bool = False
    was: Vitals | None = None


class Encoder(Struct, frozen=True, kw_only=True):
    """The encoder that made the vectors of a store."""

    id: str
    dimension: int
