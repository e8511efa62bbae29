"""A frame of a few records out of very many, of which only the totals are known."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

import msgspec
import numpy as np

from foveal.backends.mirror.image import Image, Reading
from foveal.model.search import Floats, Frame, Probe, Rows
from foveal.rules.recall.index import rarities, worth


class Totals(NamedTuple):
    """What is known of all records: how many they are and how long, and how many hold what was asked for.

    `looked` says which terms were looked for.
    """

    records: int
    mean_length: float
    looked: Rows
    term_holders: Floats
    piece_holders: Floats
    cosine_mean: float
    cosine_spread: float


def glimpse(image: Image, probe: Probe, totals: Totals, *, rows: Rows, near: Rows, cosine: Floats) -> Frame:
    """The frame of some rows of an image that holds them and their neighbours, and nothing else.

    `cosine` is that of every row of the image. It is the frame that an image of all records would give.
    """
    factors = probe.factors[totals.looked]
    found = image.postings.holders(probe.terms[totals.looked])
    holders = [(one.astype(np.int64), times.astype(np.float32)) for one, times in found]
    words = np.zeros(len(image), np.float32)
    weights = rarities(totals.term_holders, totals.records) * factors
    for weight, (one, times) in zip(weights, holders, strict=True):
        words[one] += weight * worth(times, image.lengths[one], totals.mean_length)
    reading = Reading(words, cosine, looked=totals.looked, factors=factors, holders=holders)
    some = dataclasses.replace(image, mean_length=totals.mean_length)
    frame = some.frame(reading, probe, rows, near)
    return msgspec.structs.replace(
        frame,
        records=totals.records,
        term_holders=totals.term_holders,
        piece_holders=totals.piece_holders,
        cosine_mean=totals.cosine_mean,
        cosine_spread=totals.cosine_spread,
        setting=None,
    )
