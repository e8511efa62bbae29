"""Caches of words hold no long ones: who writes many of them would fill the memory of the machine."""

import tracemalloc
from collections.abc import Callable

import pytest

from foveal.backends.models.static import StaticEmbedder
from foveal.backends.models.tokens import BpeCounter
from foveal.rules.text import terms

LENGTH, TIMES = 100_000, 8


@pytest.mark.parametrize(
    "reads", [terms, StaticEmbedder().pieces, BpeCounter().count], ids=["terms", "pieces", "tokens"]
)
def test_a_long_word_is_not_kept(reads: Callable[[str], object]) -> None:
    reads("a short one")
    tracemalloc.start()
    try:
        for number in range(TIMES):
            reads(chr(ord("a") + number) * LENGTH)
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept < TIMES * LENGTH / 2
