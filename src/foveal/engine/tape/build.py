"""Builds a tape next to the one in use, and keeps it up to date."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import blake2b

import numpy as np
from msgspec import Struct

from foveal.engine.runtime.runtime import Runtime
from foveal.errors import Conflict, EncoderMismatch, NotFound
from foveal.model.glyph import Tape, TapeState
from foveal.model.query import Viewpoint
from foveal.ports.tapes import Cutting, Found, Points, StoredFamily, Uncut, Whole
from foveal.rules.addresses import Plane, corners, digits, fitted_plane, generic_plane
from foveal.rules.glyphs import JOINS, directed, gathered, key, middle, nearest, phrases, rounded
from foveal.rules.text import language

# A text without phrases is placed by its beginning.
_BEGINNING = 600


class Cut(Struct, frozen=True, kw_only=True):
    """A record version, the positions of its phrases, and its point on the map."""

    seq: int
    spans: list[tuple[int, int, int]]
    point: Whole


class CutPhrase(Struct, frozen=True, kw_only=True):
    """A phrase of a batch of texts."""

    language: str
    point: Whole


def cut(runtime: Runtime, texts: Sequence[Uncut]) -> tuple[list[Cut], dict[int, CutPhrase]]:
    """The phrases of texts, embedded in one call. The point of a text is the middle of its phrases."""
    languages = [language(uncut.text) for uncut in texts]
    spans = [phrases(uncut.text, name) for uncut, name in zip(texts, languages, strict=True)]
    words = [
        [uncut.text[span.start : span.end] for span in own_spans] or [uncut.text[:_BEGINNING]]
        for uncut, own_spans in zip(texts, spans, strict=True)
    ]
    distinct = list(dict.fromkeys(phrase for own_words in words for phrase in own_words))
    points = rounded(runtime.embedder.embed(distinct)) if distinct else np.empty((0, 0), np.int16)
    number = {phrase: place for place, phrase in enumerate(distinct)}
    keys = [key(phrase) for phrase in distinct]
    by_key: dict[int, CutPhrase] = {}
    cuts: list[Cut] = []
    for uncut, own_spans, own_words, name in zip(texts, spans, words, languages, strict=True):
        places = [number[phrase] for phrase in own_words]
        positions: list[tuple[int, int, int]] = []
        for span, place in zip(own_spans, places, strict=False):
            by_key.setdefault(keys[place], CutPhrase(language=name, point=points[place]))
            positions.append((span.start, span.end - span.start, keys[place]))
        cuts.append(Cut(seq=uncut.seq, spans=positions, point=middle(points[places])))
    return cuts, by_key


def place(point: Whole, plane: Plane) -> tuple[str, float, float]:
    """The digits of a point on a plane, and its coordinates in the triangle."""
    weights = corners(directed(point), plane)
    return digits(weights), round(weights[1], 6), round(weights[2], 6)


BATCH = 256

Progress = Callable[[int, int], None]


def build(runtime: Runtime, viewpoint: Viewpoint, *, use: bool = True, progress: Progress | None = None) -> Tape:
    """Build a tape from everything an organism holds, and put it to use.

    Each step is stored at once, so an interrupted build resumes where it stopped. Until the tape is put to use, in
    one transaction, everyone sees the previous one. Records written in the meantime are added at the end.
    """
    tape = runtime.store.tapes.begin(viewpoint, runtime.encoder.id, runtime.clock.now())
    steps = _Steps(runtime.store.tapes.count_uncut(viewpoint, tape.number) + tape.records, progress)
    if tape.state is TapeState.CUTTING:
        steps.done = tape.records
        _cut_all(runtime, viewpoint, tape.number, steps)
        _gather(runtime, viewpoint, tape.number, steps)
    _place_all(runtime, viewpoint, tape.number, steps)
    runtime.store.tapes.finish(viewpoint, tape.number)
    _follow(runtime, viewpoint, tape.number)
    if use:
        runtime.writes.use_tape(viewpoint, tape.number)
    steps.end()
    return known(runtime, viewpoint, tape.number)


def update(runtime: Runtime, viewpoint: Viewpoint) -> Tape:
    """Add newly written records to the tape in use.

    A phrase that is similar to a family joins it; others wait for the next build. Records are placed on the map.
    """
    tape = known(runtime, viewpoint, in_use(runtime, viewpoint))
    if tape.encoder != runtime.encoder.id:
        raise EncoderMismatch(
            f"tape {tape.number} was built by {tape.encoder}, the encoder is {runtime.encoder.id}:"
            " build a new tape",
            stored=tape.encoder,
            given=runtime.encoder.id,
        )
    _follow(runtime, viewpoint, tape.number)
    return known(runtime, viewpoint, tape.number)


def in_use(runtime: Runtime, viewpoint: Viewpoint) -> int:
    """The number of the tape whose addresses are shown; `NotFound` if that is the tape of the encoder."""
    number = runtime.store.tapes.shown(viewpoint)
    if not number:
        raise NotFound("no tape is in use here: build one first")
    return number


def known(runtime: Runtime, viewpoint: Viewpoint, number: int) -> Tape:
    """The tape with this number."""
    for tape in runtime.store.tapes.all(viewpoint):
        if tape.number == number:
            return tape
    raise NotFound(f"there is no tape {number} here", tape=number)


class _Steps:
    """The progress of a build: a third each for cutting, gathering and placing, and a last step for the switch."""

    def __init__(self, records: int, progress: Progress | None) -> None:
        self.records = max(1, records)
        self.total = 3 * self.records + 1
        self.done = 0
        self._progress = progress

    def tell(self, done: int) -> None:
        """Report progress up to, but not including, the last step."""
        self._report(min(done, self.total - 1))

    def end(self) -> None:
        """Report that everything is done."""
        self._report(self.total)

    def _report(self, done: int) -> None:
        self.done = done
        if self._progress is not None:
            self._progress(done, self.total)


def _cut_all(runtime: Runtime, viewpoint: Viewpoint, tape: int, steps: _Steps) -> None:
    while texts := runtime.store.tapes.uncut(viewpoint, tape, BATCH):
        cuts, by_key = cut(runtime, texts)
        runtime.store.tapes.put_phrases(
            viewpoint,
            tape,
            [Cutting(seq=each.seq, spans=each.spans, point=each.point) for each in cuts],
            [Found(key=key, language=phrase.language, point=phrase.point) for key, phrase in by_key.items()],
        )
        steps.tell(min(steps.done + len(texts), steps.records))


def _gather(runtime: Runtime, viewpoint: Viewpoint, tape: int, steps: _Steps) -> None:
    found = runtime.store.tapes.points(viewpoint, tape)
    tell: Callable[[float], None] = lambda share: steps.tell(steps.records + int(share * steps.records))
    families, plane = _families(runtime, found, tell)
    try:
        runtime.store.tapes.put_families(viewpoint, tape, families, plane, _digest(families, plane))
    except Conflict:
        # Another process builds the same tape and was faster; both computed the same families.
        return


def _families(runtime: Runtime, found: Points, tell: Callable[[float], None]) -> tuple[list[StoredFamily], Plane]:
    if not len(found.keys):
        return [], generic_plane(runtime.encoder.dimension)
    centres, owners, likeness = gathered(found.points, tell)
    plane = fitted_plane(directed(centres))
    uses = np.bincount(owners, weights=found.uses, minlength=len(centres)).astype(np.int64)
    # Keys are sorted, so the first index of a family is that of its lowest key.
    held, first = np.unique(owners, return_index=True)
    order = np.lexsort((first, -uses[held]))
    nearest_first = np.lexsort((found.keys, -likeness, owners))
    ends = np.searchsorted(owners[nearest_first], held, side="right")
    starts = np.searchsorted(owners[nearest_first], held, side="left")
    families: list[StoredFamily] = []
    for number, place_ in enumerate(order.tolist()):
        centre = centres[held[place_]]
        digits, x, y = place(centre, plane)
        members = nearest_first[starts[place_] : ends[place_]]
        families.append(
            StoredFamily(
                number=number,
                centre=centre,
                digits=digits,
                x=x,
                y=y,
                members=[
                    (key, round(like, 4))
                    for key, like in zip(found.keys[members].tolist(), likeness[members].tolist(), strict=True)
                ],
            )
        )
    return families, plane


def _digest(families: Sequence[StoredFamily], plane: Plane) -> str:
    seal = blake2b(plane.axes.tobytes(), digest_size=16)
    seal.update(repr((plane.centre, plane.spread)).encode())
    for family in families:
        seal.update(family.centre.tobytes())
        seal.update(repr((family.number, family.digits, family.x, family.y, list(family.members))).encode())
    return seal.hexdigest()


def _place_all(runtime: Runtime, viewpoint: Viewpoint, tape: int, steps: _Steps) -> None:
    plane = runtime.store.tapes.chart(viewpoint, tape).plane
    steps.tell(2 * steps.records)
    while waiting := runtime.store.tapes.unplaced(viewpoint, tape, BATCH):
        runtime.store.tapes.put_places(viewpoint, tape, [(seq, place(point, plane)[0]) for seq, point in waiting])
        steps.tell(steps.done + len(waiting))


def _follow(runtime: Runtime, viewpoint: Viewpoint, tape: int) -> None:
    texts = runtime.store.tapes.uncut(viewpoint, tape, BATCH)
    chart = runtime.store.tapes.chart(viewpoint, tape) if texts else None
    while chart is not None and texts:
        cuts, by_key = cut(runtime, texts)
        points = np.stack([phrase.point for phrase in by_key.values()]) if by_key else None
        owners, likeness = nearest(points, chart.centres) if points is not None and len(chart.numbers) else ((), ())
        joins = {
            key: (int(chart.numbers[owner]), float(like))
            for key, owner, like in zip(by_key, owners, likeness, strict=False)
            if like >= JOINS
        }
        runtime.store.tapes.put_phrases(
            viewpoint,
            tape,
            [
                Cutting(seq=each.seq, spans=each.spans, point=each.point, digits=place(each.point, chart.plane)[0])
                for each in cuts
            ],
            [
                Found(
                    key=key,
                    language=phrase.language,
                    point=phrase.point,
                    family=joins[key][0] if key in joins else None,
                    likeness=round(joins[key][1], 4) if key in joins else 0.0,
                )
                for key, phrase in by_key.items()
            ],
        )
        texts = runtime.store.tapes.uncut(viewpoint, tape, BATCH)
