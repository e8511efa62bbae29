"""Whether families keep apart what differs: written pairs, and repeats among the evaluation data.

A pair is of one family if its cosine reaches the least likeness of its words. The written pairs are in `pairs.tsv`;
those of the kind "same" say the same, the others differ in what their kind names. Those in `pairs-held-out.tsv`
were written after the rules, and are only measured. A repeat is two sentences of one speaker in different turns
that are the same to another encoder, MiniLM, which families do not use.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.recall import available, scorer
from foveal.backends.models.onnx import shared_minilm
from foveal.backends.models.static import shared_static
from foveal.ports.models import Embedder
from foveal.rules.duplicates import compatible, normal
from foveal.rules.glyphs import least_likeness, phrases

PAIRS = Path(__file__).with_name("pairs.tsv")
HELD_OUT = Path(__file__).with_name("pairs-held-out.tsv")
SAME = "same"
# What the other encoder calls a repeat, and among which pairs it looks; it sees at most so many of each data set.
REPEAT, CANDIDATE, MOST = 0.95, 0.75, 2500
SETS = ("ordinary-dev", "locomo-dev", "longmemeval-dev", "prefeval-dev")
# LoCoMo describes pictures in these words: they are no remarks.
PICTURE = "shares an image"

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Told:
    """How many pairs of a kind share a family, of how many."""

    kind: str
    together: int
    pairs: int

    @property
    def share(self) -> float:
        """The share of the pairs."""
        return self.together / max(1, self.pairs)


def written(path: Path = PAIRS) -> dict[str, list[Pair]]:
    """The written pairs by kind."""
    kinds: dict[str, list[Pair]] = {}
    for line in path.read_text(encoding="utf-8").splitlines()[1:]:
        kind, one, other = line.split("\t")
        kinds.setdefault(kind, []).append((one, other))
    return kinds


def repeats(data: Path) -> list[Pair]:
    """The repeats in the evaluation data."""
    found: list[Pair] = []
    for name in (name for name in SETS if name in available(data)):
        candidates = [pair for case in scorer(data).load(name) for pair in _candidates(case["turns"])]
        drawn: list[int] = np.random.default_rng(0).permutation(len(candidates))[:MOST].tolist()
        chosen = [candidates[place] for place in sorted(drawn)]
        fine = cosines(shared_minilm(), chosen)
        found += [pair for pair, like in zip(chosen, fine, strict=True) if like >= REPEAT and compatible(*pair)]
    return found


def _candidates(turns: Sequence[dict[str, str]]) -> Iterator[Pair]:
    said: dict[tuple[str, str], tuple[str, str]] = {}
    for turn in turns:
        text, speaker = turn["text"], turn["speaker"]
        if speaker == "assistant" or PICTURE in text:
            continue
        for span in phrases(text):
            words = text[span.start : span.end]
            if span.kind == "sentence" and len(words.split()) >= 4:
                said.setdefault((speaker, normal(words)), (words, turn["id"]))
    keys, rows = list(said), list(said.values())
    vectors = shared_static().embed([words for words, _ in rows]) if rows else np.empty((0, 1), np.float32)
    for start in range(0, len(vectors), 2048):
        near = np.argwhere(vectors[start : start + 2048] @ vectors.T >= CANDIDATE)
        for one, other in (near + (start, 0)).tolist():
            if one < other and keys[one][0] == keys[other][0] and rows[one][1] != rows[other][1]:
                yield rows[one][0], rows[other][0]


def cosines(embedder: Embedder, pairs: Sequence[Pair]) -> NDArray[np.float32]:
    """The cosine of each pair."""
    texts = sorted({text for pair in pairs for text in pair})
    vectors: dict[str, NDArray[np.float32]] = {}
    for start in range(0, len(texts), 64):
        part = texts[start : start + 64]
        vectors.update(zip(part, embedder.embed(part), strict=True))
    return np.array([float(vectors[one] @ vectors[other]) for one, other in pairs], np.float32)


def told(kind: str, pairs: Sequence[Pair], embedder: Embedder | None = None) -> Told:
    """How many of these pairs share a family."""
    likeness = cosines(embedder or shared_static(), pairs)
    together = sum(float(like) >= least_likeness(*pair) for like, pair in zip(likeness, pairs, strict=True))
    return Told(kind, together, len(pairs))


def all_told(data: Path | None, path: Path = PAIRS) -> list[Told]:
    """Every kind of written pair, all that differ, and the repeats, if there is data."""
    kinds = written(path)
    rows = [told(kind, pairs) for kind, pairs in kinds.items()]
    differing = [row for row in rows if row.kind != SAME]
    rows.append(
        Told("all that differ", sum(row.together for row in differing), sum(row.pairs for row in differing))
    )
    return [*rows, told("repeats in the data", repeats(data))] if data is not None else rows


def precision(rows: Sequence[Told]) -> float:
    """Of the written pairs that share a family, the share that says the same."""
    by_kind = {row.kind: row for row in rows}
    right, wrong = by_kind[SAME].together, by_kind["all that differ"].together
    return right / max(1, right + wrong)
