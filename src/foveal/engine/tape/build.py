"""Builds a tape beside the one in use, and keeps it up to date."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import blake2b

import numpy as np
from msgspec import Struct

from foveal.engine.runtime.runtime import Runtime
from foveal.errors import Conflict, EncoderMismatch, NotFound
from foveal.model.glyph import Tape, TapeState
from foveal.model.query import Viewpoint
from foveal.ports.tapes import Cutting, Found, Kin, Points, Uncut, Whole
from foveal.rules.addresses import Plane, corners, digits, fitted_plane, generic_plane
from foveal.rules.glyphs import JOINS, directed, gathered, key, middle, nearest, phrases, rounded
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


def cut(runtime: Runtime, texts: Sequence[Uncut]) -> tuple[list[Cut], dict[int, Said]]:
    """The phrases of texts, embedded in one call. The point of a text is the middle of its phrases."""
    spoken = [language(one.text) for one in texts]
    spans = [phrases(one.text, name) for one, name in zip(texts, spoken, strict=True)]
    words = [
        [one.text[span.start : span.end] for span in some] or [one.text[:_BEGINNING]]
        for one, some in zip(texts, spans, strict=True)
    ]
    distinct = list(dict.fromkeys(phrase for some in words for phrase in some))
    points = rounded(runtime.embedder.embed(distinct)) if distinct else np.empty((0, 0), np.int16)
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


BATCH = 256

Progress = Callable[[int, int], None]


def build(runtime: Runtime, viewpoint: Viewpoint, *, use: bool = True, progress: Progress | None = None) -> Tape:
    """Build a tape from everything an organism holds, and put it to use.

    Each step is stored at once, so that a build that was stopped goes on where it was. Until the tape is put to
    use, in one transaction, everyone sees the one before. What is written meanwhile is taken in at the end.
    """
    tape = runtime.store.begin_tape(viewpoint, runtime.encoder.id, runtime.clock.now())
    steps = _Steps(runtime.store.count_uncut(viewpoint, tape.number) + tape.records, progress)
    if tape.state is TapeState.CUTTING:
        steps.done = tape.records
        _cut_all(runtime, viewpoint, tape.number, steps)
        _gather(runtime, viewpoint, tape.number, steps)
    _place_all(runtime, viewpoint, tape.number, steps)
    runtime.store.finish_tape(viewpoint, tape.number)
    _follow(runtime, viewpoint, tape.number)
    if use:
        runtime.store.use_tape(viewpoint, tape.number)
    steps.end()
    return known(runtime, viewpoint, tape.number)


def update(runtime: Runtime, viewpoint: Viewpoint) -> Tape:
    """Take what was written since into the tape in use.

    A phrase that is like a family joins it; another waits for the next build. Records get their place on the map.
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
    """The number of the tape whose addresses are shown; `NotFound` when it is the encoder's own."""
    number = runtime.store.shown_tape(viewpoint)
    if not number:
        raise NotFound("no tape is in use here: build one first")
    return number


def known(runtime: Runtime, viewpoint: Viewpoint, number: int) -> Tape:
    """The tape of this number."""
    for tape in runtime.store.tapes(viewpoint):
        if tape.number == number:
            return tape
    raise NotFound(f"there is no tape {number} here", tape=number)


class _Steps:
    """How far a build is: a third each for cutting, gathering and placing, and a last step for putting to use."""

    def __init__(self, records: int, progress: Progress | None) -> None:
        self.records = max(1, records)
        self.total = 3 * self.records + 1
        self.done = 0
        self._progress = progress

    def tell(self, done: int) -> None:
        """Say how much is done of all but the last step."""
        self._say(min(done, self.total - 1))

    def end(self) -> None:
        """Say that all is done."""
        self._say(self.total)

    def _say(self, done: int) -> None:
        self.done = done
        if self._progress is not None:
            self._progress(done, self.total)


def _cut_all(runtime: Runtime, viewpoint: Viewpoint, tape: int, steps: _Steps) -> None:
    while texts := runtime.store.uncut(viewpoint, tape, BATCH):
        made, said = cut(runtime, texts)
        runtime.store.put_phrases(
            viewpoint,
            tape,
            [Cutting(seq=one.seq, spans=one.spans, point=one.point) for one in made],
            [Found(key=key, language=one.language, point=one.point) for key, one in said.items()],
        )
        steps.tell(min(steps.done + len(texts), steps.records))


def _gather(runtime: Runtime, viewpoint: Viewpoint, tape: int, steps: _Steps) -> None:
    found = runtime.store.points(viewpoint, tape)
    tell: Callable[[float], None] = lambda share: steps.tell(steps.records + int(share * steps.records))
    families, plane = _families(runtime, found, tell)
    try:
        runtime.store.put_families(viewpoint, tape, families, plane, _digest(families, plane))
    except Conflict:
        # Another process builds the same tape, and was faster: both have found the same.
        return


def _families(runtime: Runtime, found: Points, tell: Callable[[float], None]) -> tuple[list[Kin], Plane]:
    if not len(found.keys):
        return [], generic_plane(runtime.encoder.dimension)
    centres, owners, likeness = gathered(found.points, tell)
    plane = fitted_plane(directed(centres))
    uses = np.bincount(owners, weights=found.uses, minlength=len(centres)).astype(np.int64)
    # Keys come in their order, so the first place of a family is that of its lowest key.
    held, first = np.unique(owners, return_index=True)
    order = np.lexsort((first, -uses[held]))
    nearest_first = np.lexsort((found.keys, -likeness, owners))
    ends = np.searchsorted(owners[nearest_first], held, side="right")
    starts = np.searchsorted(owners[nearest_first], held, side="left")
    families: list[Kin] = []
    for number, place_ in enumerate(order.tolist()):
        centre = centres[held[place_]]
        digits, x, y = place(centre, plane)
        members = nearest_first[starts[place_] : ends[place_]]
        families.append(
            Kin(
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


def _digest(families: Sequence[Kin], plane: Plane) -> str:
    seal = blake2b(plane.axes.tobytes(), digest_size=16)
    seal.update(repr((plane.centre, plane.spread)).encode())
    for one in families:
        seal.update(one.centre.tobytes())
        seal.update(repr((one.number, one.digits, one.x, one.y, list(one.members))).encode())
    return seal.hexdigest()


def _place_all(runtime: Runtime, viewpoint: Viewpoint, tape: int, steps: _Steps) -> None:
    plane = runtime.store.chart(viewpoint, tape).plane
    steps.tell(2 * steps.records)
    while waiting := runtime.store.unplaced(viewpoint, tape, BATCH):
        runtime.store.put_places(viewpoint, tape, [(seq, place(point, plane)[0]) for seq, point in waiting])
        steps.tell(steps.done + len(waiting))


def _follow(runtime: Runtime, viewpoint: Viewpoint, tape: int) -> None:
    texts = runtime.store.uncut(viewpoint, tape, BATCH)
    chart = runtime.store.chart(viewpoint, tape) if texts else None
    while chart is not None and texts:
        made, said = cut(runtime, texts)
        points = np.stack([one.point for one in said.values()]) if said else None
        owners, likeness = nearest(points, chart.centres) if points is not None and len(chart.numbers) else ((), ())
        joins = {
            key: (int(chart.numbers[owner]), float(like))
            for key, owner, like in zip(said, owners, likeness, strict=False)
            if like >= JOINS
        }
        runtime.store.put_phrases(
            viewpoint,
            tape,
            [
                Cutting(seq=one.seq, spans=one.spans, point=one.point, digits=place(one.point, chart.plane)[0])
                for one in made
            ],
            [
                Found(
                    key=key,
                    language=one.language,
                    point=one.point,
                    family=joins[key][0] if key in joins else None,
                    likeness=round(joins[key][1], 4) if key in joins else 0.0,
                )
                for key, one in said.items()
            ],
        )
        texts = runtime.store.uncut(viewpoint, tape, BATCH)
