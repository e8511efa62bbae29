"""What two memories found for one question, as if one had found it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from foveal.model.search import Floats, Frame, Rows, Runs, Setting
from foveal.rules.recall.index import rarities, worth

Number = TypeVar("Number", bound=np.generic)


def joined(first: Frame, second: Frame) -> Frame:
    """The candidates of both frames, weighed by what both memories hold.

    Nobody stands beside a record of the other memory. How telling a term is, and how long records are, is counted
    over both.
    """
    if not second.ids or not first.ids:
        return first if first.ids else second
    parts = _Parts(first, second)
    looked = np.union1d(first.looked, second.looked)
    factors, holders = np.zeros(len(looked), np.float32), np.zeros(len(looked), np.float32)
    times = np.zeros((len(looked), parts.size + 1), np.float32)
    for frame, places in parts.both:
        rows = np.searchsorted(looked, frame.looked)
        factors[rows] = frame.factors
        holders[rows] += frame.term_holders
        times[np.ix_(rows, places)] = frame.times
    records = first.records + second.records
    share = first.records / records
    lengths = parts.column([first.lengths, second.lengths])
    mean_length = share * first.mean_length + (1 - share) * second.mean_length
    words = (rarities(holders, records) * factors) @ worth(times, lengths, mean_length)
    mean = share * first.cosine_mean + (1 - share) * second.cosine_mean
    square = sum(
        part * (one.cosine_spread**2 + one.cosine_mean**2) for part, one in ((share, first), (1 - share, second))
    )
    speakers = tuple(dict.fromkeys([*first.speakers, *second.speakers]))
    return Frame(
        ids=[*first.ids, *second.ids],
        near=np.concatenate([places.take(frame.near) for frame, places in parts.both]),
        looked=looked,
        factors=factors,
        term_holders=holders,
        piece_holders=first.piece_holders + second.piece_holders,
        records=records,
        mean_length=mean_length,
        times=times,
        lengths=lengths,
        words=words.astype(np.float32),
        traits=parts.column([first.traits, second.traits]),
        cosine=parts.column([first.cosine, second.cosine]),
        cosine_mean=mean,
        cosine_spread=max(0.0, square - mean * mean) ** 0.5,
        speaker=parts.column([_named(frame, speakers) for frame in (first, second)]),
        speakers=speakers,
        spans=_runs([first.spans, second.spans], np.arange(len(first.ids) + len(second.ids))),
        pieces=_runs([first.pieces, second.pieces], parts.order),
    )


def together(first: Setting, second: Setting) -> Setting:
    """Who speaks in two memories, and in which years.

    >>> together(Setting(speakers=("Ada",), years=(2024, 2025)), Setting(speakers=("Bo",), years=(2026, 2026)))
    Setting(speakers=('Ada', 'Bo'), years=(2024, 2026))
    """
    years = [one for setting in (first, second) for one in setting.years or ()]
    return Setting(
        speakers=tuple(dict.fromkeys([*first.speakers, *second.speakers])),
        years=(min(years), max(years)) if years else None,
    )


class _Parts:
    """Where the rows of two frames are in the joined one: candidates, neighbours, and "no record" as the last."""

    def __init__(self, first: Frame, second: Frame) -> None:
        own, other = len(first.ids), len(second.ids)
        around, beside = len(first.lengths) - 1, len(second.lengths) - 1
        self.size = around + beside
        here, there = np.arange(around + 1), np.arange(beside + 1)
        here = np.where(here < own, here, here + other)
        here[-1] = self.size
        there = np.where(there < other, there + own, there + around)
        self.both = ((first, here), (second, there))
        # Which row of the two, one after the other, each row of the joined one is.
        self.order = np.empty(self.size + 1, np.int64)
        self.order[here] = np.arange(around + 1)
        self.order[there] = around + 1 + np.arange(beside + 1)

    def column(self, columns: Sequence[NDArray[Number]]) -> NDArray[Number]:
        """A column of both."""
        return np.concatenate(columns).take(self.order)


def _named(frame: Frame, speakers: Sequence[str]) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    numbers = np.array([*(speakers.index(one) for one in frame.speakers), len(speakers)], np.int32)
    return numbers.take(frame.speaker)


def _runs(both: Sequence[Runs], order: Rows) -> Runs:
    """The numbers of the rows of both, and of no other row of their memories."""
    counts: list[Rows] = []
    flats: list[Floats] = []
    for runs in both:
        starts, some = runs.at(np.arange(len(runs.rows)))
        counts.append(some)
        flats.append(runs.flat[np.repeat(starts - np.cumsum(some) + some, some) + np.arange(some.sum())])
    return Runs(flat=np.concatenate(flats), ends=np.cumsum(np.concatenate(counts)), rows=order)
