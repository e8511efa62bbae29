"""Texts cut into phrases, each with its point."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from foveal.engine.core import Core
from foveal.ports.tapes import Uncut, Whole
from foveal.rules.addresses import Plane, corners, digits
from foveal.rules.glyphs import directed, key, middle, phrases, rounded
from foveal.rules.text import language

# A text without phrases is placed by its beginning.
_BEGINNING = 600


class Cut(Struct, frozen=True, kw_only=True):
    """A version, where its phrases stand, and its point on the map."""

    seq: int
    spans: list[tuple[int, int, int]]
    point: Whole


class Said(Struct, frozen=True, kw_only=True):
    """A phrase of the batch."""

    language: str
    point: Whole


def cut(core: Core, texts: Sequence[Uncut]) -> tuple[list[Cut], dict[int, Said]]:
    """The phrases of texts, embedded in one call. The point of a text is the middle of its phrases."""
    spoken = [language(one.text) for one in texts]
    spans = [phrases(one.text, name) for one, name in zip(texts, spoken, strict=True)]
    words = [
        [one.text[span.start : span.end] for span in some] or [one.text[:_BEGINNING]]
        for one, some in zip(texts, spans, strict=True)
    ]
    distinct = list(dict.fromkeys(phrase for some in words for phrase in some))
    points = rounded(core.embedder.embed(distinct)) if distinct else np.empty((0, 0), np.int16)
    number = {phrase: place for place, phrase in enumerate(distinct)}
    keys = [key(phrase) for phrase in distinct]
    said: dict[int, Said] = {}
    made: list[Cut] = []
    for one, some, own, name in zip(texts, spans, words, spoken, strict=True):
        places = [number[phrase] for phrase in own]
        found: list[tuple[int, int, int]] = []
        for span, place in zip(some, places, strict=False):
            said.setdefault(keys[place], Said(language=name, point=points[place]))
            found.append((span.start, span.end - span.start, keys[place]))
        made.append(Cut(seq=one.seq, spans=found, point=middle(points[places])))
    return made, said


def place(point: Whole, plane: Plane) -> tuple[str, float, float]:
    """The digits of a point on a plane, and where it lies in the triangle."""
    weights = corners(directed(point), plane)
    return digits(weights), round(weights[1], 6), round(weights[2], 6)
