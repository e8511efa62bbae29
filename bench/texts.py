"""Texts and questions that are made up but distributed as real ones, the same in every run."""

from __future__ import annotations

from importlib import resources

import numpy as np

from foveal.rules.text import STOP_WORDS

WORDS = 30_000
WORDS_A_TEXT = 20
_ENDINGS = ("s", "ed", "ing", "er", "ly")
_LETTERS = tuple("bcdfghjklmnpqrstvwxz")


def vocabulary() -> list[str]:
    """The words, commonest first: the encoder's table has them in that order; then inflections of them.

    So a text costs the encoder what English costs it.
    """
    file = resources.files("foveal.backends.models").joinpath("static.npz")
    with file.open("rb") as opened, np.load(opened) as data:
        pieces: list[str] = data["vocabulary"].tobytes().decode().split("\n")
    whole = [one for one in pieces if one.isascii() and one.isalpha() and (len(one) > 2 or one in STOP_WORDS)]
    inflected = [one + _ENDINGS[n % len(_ENDINGS)] for n, one in enumerate(whole[2000:])]
    return list(dict.fromkeys([*whole, *inflected]))[:WORDS]


class Texts:
    """A stream of texts from a fixed seed, no two alike, and questions that ask for them."""

    def __init__(self, seed: int = 0) -> None:
        self._random = np.random.default_rng(seed)
        self._words = np.array(vocabulary(), dtype=object)
        weights = 1 / np.arange(1, len(self._words) + 1)
        self._share = weights / weights.sum()
        self._made = 0

    def take(self, count: int) -> list[str]:
        """The next `count` texts: about twenty words by Zipf's law, and one that hardly any other has."""
        random = self._random
        lengths = random.integers(WORDS_A_TEXT - 8, WORDS_A_TEXT + 8, count)
        drawn = self._words[random.choice(len(self._words), int(lengths.sum()), p=self._share)]
        parts = np.split(drawn, np.cumsum(lengths)[:-1])
        texts = [" ".join([*part.tolist(), self._rare()]) for part in parts]
        return [f"{text[0].upper()}{text[1:]}." for text in texts]

    def question(self, text: str) -> str:
        """A question about a text: some of its telling words, at times its rare one, and one of others."""
        random = self._random
        *telling, rare = [word for word in text.rstrip(".").lower().split() if word not in STOP_WORDS]
        about = random.permutation(telling)[:3].tolist() + [rare][: random.integers(2) or not telling]
        other = str(random.choice(self._words[200:3000]))
        return f"What did {' and the '.join(about)} have to do with {other}?"

    def _rare(self) -> str:
        """A made-up name with a number, which makes the text unlike any other."""
        self._made += 1
        letters = "".join(self._random.choice(_LETTERS, 4).tolist())
        return f"{letters}{self._made}"
