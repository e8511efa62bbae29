"""Text written in glyphs and read back; records shown as glyphs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import msgspec
import numpy as np

from foveal.engine.runtime.runtime import Runtime
from foveal.engine.tape.build import in_use
from foveal.errors import NotFound
from foveal.model.glyph import Decoded, Encoded, Mention
from foveal.model.query import Access
from foveal.model.record import Record
from foveal.rules.budget import Candidate
from foveal.rules.glyphs import JOINS, Sign, covered, density, key, nearby, nearest, parts, phrases, rounded, stream
from foveal.rules.rendering import line
from foveal.rules.summaries import outermost

# How many families a phrase is compared with, by their labels.
CONSIDERED = 8


def mentioned(runtime: Runtime, access: Access, tape: int, text: str, *, alike: bool = True) -> list[Mention]:
    """The phrases of a text that have a family: word for word, and with `alike` those only like it."""
    spans = phrases(text)
    keys = [key(text[one.start : one.end]) for one in spans]
    same = runtime.store.phrases_by_key(access, tape, keys)
    found: list[Mention] = []
    unknown: list[tuple[int, int]] = []
    for span, one in zip(spans, keys, strict=True):
        words = text[span.start : span.end]
        phrase = same.get(one)
        if phrase is None or phrase.family is None or phrase.text != words:
            unknown.append((span.start, span.end))
            continue
        found.append(
            Mention(
                start=span.start,
                end=span.end,
                text=words,
                glyph=phrase.glyph,
                family=phrase.family,
                member=phrase.member,
                likeness=phrase.likeness,
                exact=True,
            )
        )
    if alike and unknown:
        found += _alike(runtime, access, tape, text, unknown)
    return sorted(labelled(runtime, access, tape, found), key=lambda one: (one.start, -one.end))


def labelled(runtime: Runtime, access: Access, tape: int, mentions: list[Mention]) -> list[Mention]:
    """Mentions with the labels of their families; what has no family that may be seen is left out."""
    numbers = sorted({one.family for one in mentions if one.family is not None})
    families = runtime.store.families(access, tape, numbers=numbers, limit=max(1, len(numbers))) if numbers else []
    labels = {one.number: one.label for one in families}
    return [
        Mention(
            start=one.start,
            end=one.end,
            text=one.text,
            glyph=one.glyph,
            label=labels[one.family],
            family=one.family,
            member=one.member,
            likeness=one.likeness,
            exact=one.exact,
        )
        for one in mentions
        if one.family in labels
    ]


def _alike(runtime: Runtime, access: Access, tape: int, text: str, unknown: list[tuple[int, int]]) -> list[Mention]:
    """Phrases that are like the label of a family.

    Only words that may be seen decide: the middle of a family would tell how near hidden words are to a guess.
    """
    chart = runtime.store.chart(access.viewpoint, tape)
    points = rounded(runtime.embedder.embed([text[start:end] for start, end in unknown]))
    near = chart.numbers[nearby(points, chart.centres, CONSIDERED)]
    numbers: list[int] = np.unique(near).tolist()
    families = runtime.store.families(access, tape, numbers=numbers, limit=max(1, len(numbers)))
    if not families:
        return []
    places, likeness = nearest(points, rounded(runtime.embedder.embed([one.label for one in families])))
    return [
        Mention(
            start=start,
            end=end,
            text=text[start:end],
            glyph=families[int(place)].glyph,
            family=families[int(place)].number,
            likeness=round(float(like), 4),
        )
        for (start, end), place, like in zip(unknown, places, likeness, strict=True)
        if like >= JOINS
    ]


def densities(runtime: Runtime, access: Access, tape: int, ids: Sequence[str]) -> dict[str, float]:
    """The share of signs in the streams of records, by id."""
    found = {one.id: one.text for one in runtime.store.get(access, ids)}
    for one in ids:
        if one not in found:
            raise NotFound(f"there is no record {one!r} here", record_id=one)
    spans = {one: phrases(text) for one, text in found.items()}
    keys = {(one, span): key(found[one][span.start : span.end]) for one, some in spans.items() for span in some}
    same = runtime.store.phrases_by_key(access, tape, list(dict.fromkeys(keys.values())))
    told: dict[str, float] = {}
    for one in dict.fromkeys(ids):
        known = [(span, same[keys[one, span]]) for span in spans[one] if keys[one, span] in same]
        signs = [
            (span.start, span.end, Sign(its.family, its.member)) for span, its in known if its.family is not None
        ]
        told[one] = density(covered(found[one], signs))
    return told


def encode(runtime: Runtime, access: Access, tape: int, text: str, *, lossy: bool = False) -> Encoded:
    """A text as a stream. Words that the tape has become a sign that restores them; the rest stays as it is.

    With `lossy`, words that are only like a family become its glyph, marked as such.
    """
    found = mentioned(runtime, access, tape, text, alike=lossy)
    signs = [(one.start, one.end, Sign(one.family, one.member)) for one in found if one.family is not None]
    made = covered(text, signs)
    return Encoded(
        stream=stream(made),
        tape=tape,
        density=density(made),
        exact=all(isinstance(one, str) or one.member is not None for one in made),
    )


def decode(runtime: Runtime, access: Access, tape: int, written: str) -> Decoded:
    """The text of a stream. A phrase that may not be seen, or is gone, is `NotFound`: nothing is made up for it."""
    made = parts(written)
    signs = [one for one in made if isinstance(one, Sign)]
    members = [(one.family, one.member) for one in signs if one.member is not None]
    words = runtime.store.phrases_by_member(access, tape, members)
    wide = sorted({one.family for one in signs if one.member is None})
    families = runtime.store.families(access, tape, numbers=wide, limit=max(1, len(wide))) if wide else []
    labels = {one.number: one.label for one in families}
    text: list[str] = []
    for one in made:
        if isinstance(one, str):
            text.append(one)
            continue
        said = labels.get(one.family) if one.member is None else words.get((one.family, one.member))
        if said is None:
            raise NotFound(f"tape {tape} has no words here for {one.glyph}", glyph=one.glyph, tape=tape)
        text.append(said)
    return Decoded(text="".join(text), exact=not wide)


# Stands before a label that is like what was said, and not the same words.
ALIKE = "\u2248"


def glyphed(
    runtime: Runtime, access: Access, records: Mapping[str, Record], candidates: Sequence[Candidate]
) -> list[Candidate]:
    """Candidates as glyphs with the labels of their families, shorter as glyphs alone.

    What the tape in use has no glyph for is shown as it is.
    """
    everything = msgspec.structs.replace(access, where=None)
    tape = in_use(runtime, access.viewpoint)
    found = runtime.store.mentions(everything, tape, list(records))
    known = {one: outermost(mentions) for one, mentions in found.items()}
    spoken = labelled(runtime, everything, tape, [mention for some in known.values() for mention in some])
    labels = {one.family: one.label or "" for one in spoken}
    return [
        _signed(one, records[one.id], [mention for mention in known[one.id] if mention.family in labels], labels)
        if one.id in known
        else one
        for one in candidates
    ]


def _signed(
    candidate: Candidate, record: Record, mentions: Sequence[Mention], labels: Mapping[int | None, str]
) -> Candidate:
    if not mentions:
        return candidate
    distinct = {one.glyph: _told(one.text, labels[one.family]) for one in mentions}
    told = line(record, "; ".join(f"{glyph} {label}" for glyph, label in distinct.items()))
    signs = line(record, " ".join(glyph for glyph in distinct if glyph))
    return msgspec.structs.replace(candidate, whole=told, shorter=partial(_at_depth, told, signs), deepest=1)


def _told(said: str, label: str) -> str:
    """The label of a family, marked when other words were said."""
    return label if said.casefold() == label.casefold() else f"{ALIKE}{label}"


def _at_depth(told: str, signs: str, depth: int) -> str:
    return told if depth == 1 else signs
