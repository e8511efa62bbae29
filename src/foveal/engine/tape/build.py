"""Builds a tape next to the one in use, and keeps it up to date."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from foveal.engine.runtime.runtime import Runtime
from foveal.errors import Conflict, EncoderMismatch, NotFound
from foveal.model.glyph import Tape, TapeState
from foveal.model.query import Viewpoint
from foveal.ports.tapes import Chart, Cutting, Found, Points, StoredFamily, Uncut, Whole
from foveal.rules.addresses import Plane, corners, digits, fitted_plane, generic_plane
from foveal.rules.glyphs import (
    LIKE,
    close_pairs,
    directed,
    gathered,
    key,
    kindred,
    least_likeness,
    middle,
    nearest,
    phrases,
    rounded,
)
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
    text: str


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
            by_key.setdefault(keys[place], CutPhrase(language=name, point=points[place], text=distinct[place]))
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
    runtime.writes.built_tape(viewpoint, tape.number)
    _follow(runtime, viewpoint, tape.number)
    if use:
        runtime.writes.use_tape(viewpoint, tape.number)
    steps.end()
    return known(runtime, viewpoint, tape.number)


def update(runtime: Runtime, viewpoint: Viewpoint) -> Tape:
    """Add newly written records to the tape in use.

    A phrase that means the same as a family joins it; others wait for the next build. All records are placed.
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
    """The number of the tape whose families are read; `NotFound` if none was built yet.

    It is the one whose addresses are shown, or else the newest of the encoder.
    """
    number = runtime.store.tapes.legible(viewpoint, runtime.embedder.id)
    if not number:
        raise NotFound("there is no tape here yet: build one first")
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
    if len(found.keys):
        centres, owners, _ = gathered(found.points, tell)
        plane = fitted_plane(directed(centres))
        families = _families(found, _alike(runtime, viewpoint, tape, found, owners), plane)
    else:
        families, plane = [], generic_plane(runtime.encoder.dimension)
    try:
        runtime.store.tapes.put_families(viewpoint, tape, families, plane, _digest(families, plane))
    except Conflict:
        # Another process builds the same tape and was faster; both computed the same families.
        return


def _alike(
    runtime: Runtime, viewpoint: Viewpoint, tape: int, found: Points, owners: NDArray[np.int64]
) -> list[tuple[int, int]]:
    """The pairs of phrases that mean the same, as far as vectors and words tell."""
    pairs = list(close_pairs(found.points, owners))
    keys: list[int] = found.keys[sorted({place for one, other, _ in pairs for place in (one, other)})].tolist()
    words = {worded.key: worded.text for worded in runtime.store.tapes.words(viewpoint, tape, keys=keys)}
    said = [words.get(int(key)) for key in found.keys]
    alike: list[tuple[int, int]] = []
    for one, other, cosine in pairs:
        # A phrase may have been erased since it was cut.
        ours, theirs = said[one], said[other]
        if ours is not None and theirs is not None and cosine >= least_likeness(ours, theirs):
            alike.append((one, other))
    return alike


def _families(found: Points, alike: Sequence[tuple[int, int]], plane: Plane) -> list[StoredFamily]:
    """Families of phrases that are all alike; what is like nothing else is a family of its own."""
    groups = kindred(alike, found.uses)
    grouped = {place for group in groups for place in group}
    groups += [[place] for place in range(len(found.keys)) if place not in grouped]
    # Keys are sorted, so the lowest index in a family is that of its lowest key.
    groups.sort(key=lambda group: (-int(found.uses[group].sum()), min(group)))
    families: list[StoredFamily] = []
    for number, group in enumerate(groups):
        points = found.points[group]
        centre = middle(points) if len(group) > 1 else points[0]
        _, likeness = nearest(points, centre[None])
        digits, x, y = place(centre, plane)
        members = sorted(
            zip(found.keys[group].tolist(), likeness.tolist(), strict=True), key=lambda m: (-m[1], m[0])
        )
        families.append(
            StoredFamily(
                number=number,
                centre=centre,
                digits=digits,
                x=x,
                y=y,
                members=[(key, round(like, 4)) for key, like in members],
            )
        )
    return families


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
        joins = _joins(runtime, viewpoint, tape, chart, by_key) if by_key and len(chart.numbers) else {}
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


def _joins(
    runtime: Runtime, viewpoint: Viewpoint, tape: int, chart: Chart, by_key: Mapping[int, CutPhrase]
) -> dict[int, tuple[int, float]]:
    """The phrases that join a family, by key: the number of the family, and how near they are to its centre.

    A phrase must be like every member, so that any of them may stand for it.
    """
    owners, likeness = nearest(np.stack([phrase.point for phrase in by_key.values()]), chart.centres)
    near = {
        key: (int(chart.numbers[owner]), float(like))
        for key, owner, like in zip(by_key, owners, likeness, strict=True)
        if like >= LIKE
    }
    members: dict[int, list[str]] = {}
    for worded in runtime.store.tapes.words(
        viewpoint, tape, families=sorted({family for family, _ in near.values()})
    ):
        if worded.family is not None:
            members.setdefault(worded.family, []).append(worded.text)
    joins: dict[int, tuple[int, float]] = {}
    for phrase_key, (family, like) in near.items():
        words = by_key[phrase_key].text
        if family in members and all(like >= least_likeness(words, known) for known in members[family]):
            members[family].append(words)
            joins[phrase_key] = (family, like)
    return joins
