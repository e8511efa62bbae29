"""Encodes text as glyphs and decodes it, and shows records as glyphs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import msgspec
import numpy as np

from foveal.engine.runtime.runtime import Runtime
from foveal.errors import NotFound
from foveal.model.glyph import Decoded, Encoded, Mention
from foveal.model.query import Access, Viewpoint
from foveal.model.record import Record
from foveal.rules.budget import Candidate
from foveal.rules.glyphs import (
    LENGTH,
    Sign,
    Whole,
    covered,
    density,
    key,
    least_likeness,
    nearby,
    parts,
    phrases,
    rounded,
    stream,
)
from foveal.rules.rendering import line
from foveal.rules.summaries import outermost

# How many of the nearest families a phrase is compared with, by their labels.
CONSIDERED = 8


def mentioned(runtime: Runtime, access: Access, tape: int, text: str, *, alike: bool = True) -> list[Mention]:
    """The phrases of a text that belong to a family word for word, and with `alike` also those that are similar."""
    spans = phrases(text)
    keys = [key(text[span.start : span.end]) for span in spans]
    same = runtime.store.tapes.phrases_by_key(access, tape, keys)
    mentions: list[Mention] = []
    unknown: list[tuple[int, int]] = []
    for span, phrase_key in zip(spans, keys, strict=True):
        words = text[span.start : span.end]
        phrase = same.get(phrase_key)
        if phrase is None or phrase.family is None or phrase.text != words:
            unknown.append((span.start, span.end))
            continue
        mentions.append(
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
        mentions += _alike(runtime, access, tape, text, unknown)
    return sorted(labelled(runtime, access, tape, mentions), key=lambda mention: (mention.start, -mention.end))


def labelled(runtime: Runtime, access: Access, tape: int, mentions: list[Mention]) -> list[Mention]:
    """Mentions with the labels of their families, without those whose family is not visible."""
    numbers = sorted({mention.family for mention in mentions if mention.family is not None})
    families = (
        runtime.store.tapes.families(access, tape, numbers=numbers, limit=max(1, len(numbers))) if numbers else []
    )
    labels = {family.number: family.label for family in families}
    return [
        Mention(
            start=mention.start,
            end=mention.end,
            text=mention.text,
            glyph=mention.glyph,
            label=labels[mention.family],
            family=mention.family,
            member=mention.member,
            likeness=mention.likeness,
            exact=mention.exact,
        )
        for mention in mentions
        if mention.family in labels
    ]


def _alike(runtime: Runtime, access: Access, tape: int, text: str, unknown: list[tuple[int, int]]) -> list[Mention]:
    """The phrases that mean the same as the label of a family.

    Only visible words count: comparing with the centre of a family would show how near a guess is to hidden words.
    """
    chart = runtime.store.tapes.chart(access.viewpoint, tape)
    points = rounded(runtime.embedder.embed([text[start:end] for start, end in unknown]))
    near = chart.numbers[nearby(points, chart.centres, CONSIDERED)]
    numbers: list[int] = np.unique(near).tolist()
    families = runtime.store.tapes.families(access, tape, numbers=numbers, limit=max(1, len(numbers)))
    if not families:
        return []
    labels = rounded(runtime.embedder.embed([family.label for family in families]))
    mentions: list[Mention] = []
    for (start, end), (likeness, closest) in zip(unknown, _closest(points, labels), strict=True):
        # The nearest family may say something else, and the next the same.
        for place, like in zip(closest, likeness, strict=True):
            family = families[place]
            if like >= least_likeness(text[start:end], family.label):
                mentions.append(
                    Mention(
                        start=start,
                        end=end,
                        text=text[start:end],
                        glyph=family.glyph,
                        family=family.number,
                        likeness=round(like, 4),
                    )
                )
                break
    return mentions


def _closest(points: Whole, labels: Whole) -> Iterator[tuple[list[float], list[int]]]:
    """For each point its cosines to the nearest labels, and their indexes, nearest first."""
    cosines = np.clip(points.astype(np.float32) @ labels.T.astype(np.float32) / np.float32(LENGTH**2), -1, 1)
    for row in cosines:
        order = np.argsort(-row, kind="stable")[:CONSIDERED]
        yield row[order].tolist(), order.tolist()


def densities(runtime: Runtime, access: Access, tape: int, ids: Sequence[str]) -> dict[str, float]:
    """The share of each record that glyphs can stand for, by id."""
    texts = {record.id: record.text for record in runtime.store.records.get(access, ids)}
    for record_id in ids:
        if record_id not in texts:
            raise NotFound(f"there is no record {record_id!r} here", record_id=record_id)
    said = [texts[record_id] for record_id in dict.fromkeys(ids)]
    known = _known(runtime, access, tape, said)
    return {
        record_id: density(covered(text, signs))
        for record_id, text, signs in zip(dict.fromkeys(ids), said, known, strict=True)
    }


def _known(runtime: Runtime, access: Access, tape: int, texts: Sequence[str]) -> list[list[tuple[int, int, Sign]]]:
    """The phrases of each text that the tape has word for word, as signs."""
    spans = [[(span, key(text[span.start : span.end])) for span in phrases(text)] for text in texts]
    keys = dict.fromkeys(phrase_key for own in spans for _, phrase_key in own)
    same = runtime.store.tapes.phrases_by_key(access, tape, list(keys))
    return [
        [
            (span.start, span.end, Sign(phrase.family, phrase.member))
            for span, phrase_key in own
            if (phrase := same.get(phrase_key)) is not None and phrase.family is not None
        ]
        for own in spans
    ]


Signed = tuple[tuple[str, ...], float]


def _as_glyphs(pieces: Sequence[str | Sign]) -> Signed:
    return tuple(dict.fromkeys(piece.glyph for piece in pieces if isinstance(piece, Sign))), density(pieces)


def signs_of(runtime: Runtime, records: Sequence[Record]) -> list[Signed]:
    """The glyphs of what was just written, and its density, as the tape of each writer knows it."""
    writers: dict[Viewpoint, list[int]] = {}
    for place, record in enumerate(records):
        writer = Viewpoint(world=record.world, actor_id=record.actor_id, node=record.node)
        writers.setdefault(writer, []).append(place)
    signs: list[Signed] = [((), 0.0)] * len(records)
    for writer, places in writers.items():
        tape = runtime.store.tapes.legible(writer, runtime.embedder.id)
        texts = [records[place].text for place in places]
        known = _known(runtime, runtime.access(writer), tape, texts) if tape else []
        for place, text, own in zip(places, texts, known, strict=False):
            signs[place] = _as_glyphs(covered(text, own))
    return signs


def shown_signs(runtime: Runtime, access: Access, tape: int, records: Sequence[Record]) -> dict[str, Signed]:
    """The glyphs and the density of records on a tape, by id."""
    everything = msgspec.structs.replace(access, where=None)
    by_record = runtime.store.tapes.mentions(everything, tape, [record.id for record in records])
    return {
        record.id: _as_glyphs(
            covered(
                record.text,
                [
                    (mention.start, mention.end, Sign(mention.family, mention.member))
                    for mention in by_record[record.id]
                    if mention.family is not None
                ],
            )
        )
        for record in records
        if record.id in by_record
    }


def encode(runtime: Runtime, access: Access, tape: int, text: str, *, lossy: bool = False) -> Encoded:
    """A text as a stream. Phrases on the tape become signs that restore them; the rest stays literal.

    With `lossy`, phrases that are only similar to a family become its glyph, marked as such.
    """
    mentions = mentioned(runtime, access, tape, text, alike=lossy)
    signs = [
        (mention.start, mention.end, Sign(mention.family, mention.member))
        for mention in mentions
        if mention.family is not None
    ]
    pieces = covered(text, signs)
    return Encoded(
        stream=stream(pieces),
        tape=tape,
        density=density(pieces),
        exact=all(isinstance(piece, str) or piece.member is not None for piece in pieces),
    )


def decode(runtime: Runtime, access: Access, tape: int, written: str) -> Decoded:
    """The text of a stream; `NotFound` if it contains a phrase that is gone or not visible."""
    pieces = parts(written)
    signs = [piece for piece in pieces if isinstance(piece, Sign)]
    members = [(sign.family, sign.member) for sign in signs if sign.member is not None]
    phrase_texts = runtime.store.tapes.phrases_by_member(access, tape, members)
    wide = sorted({sign.family for sign in signs if sign.member is None})
    families = runtime.store.tapes.families(access, tape, numbers=wide, limit=max(1, len(wide))) if wide else []
    labels = {family.number: family.label for family in families}
    text: list[str] = []
    for piece in pieces:
        if isinstance(piece, str):
            text.append(piece)
            continue
        if piece.member is None:
            words = labels.get(piece.family)
        else:
            words = phrase_texts.get((piece.family, piece.member))
        if words is None:
            raise NotFound(f"tape {tape} has no words here for {piece.glyph}", glyph=piece.glyph, tape=tape)
        text.append(words)
    return Decoded(text="".join(text), exact=not wide)


# Marks a label that is similar to the original words, but not the same.
ALIKE = "\u2248"


def glyphed(
    runtime: Runtime, access: Access, tape: int, records: Mapping[str, Record], candidates: Sequence[Candidate]
) -> list[Candidate]:
    """Candidates shown as glyphs with the labels of their families, or, shorter, as glyphs alone.

    A record for which the tape has no glyph is shown unchanged.
    """
    everything = msgspec.structs.replace(access, where=None)
    stored = runtime.store.tapes.mentions(everything, tape, list(records))
    by_record = {record_id: outermost(mentions) for record_id, mentions in stored.items()}
    visible = labelled(runtime, everything, tape, [each for mentions in by_record.values() for each in mentions])
    labels = {mention.family: mention.label or "" for mention in visible}
    return [
        _signed(
            candidate,
            records[candidate.id],
            [mention for mention in by_record[candidate.id] if mention.family in labels],
            labels,
        )
        if candidate.id in by_record
        else candidate
        for candidate in candidates
    ]


def _signed(
    candidate: Candidate, record: Record, mentions: Sequence[Mention], labels: Mapping[int | None, str]
) -> Candidate:
    if not mentions:
        return candidate
    distinct = {mention.glyph: _shown(mention, labels[mention.family]) for mention in mentions}
    with_labels = line(record, "; ".join(f"{glyph} {label}" for glyph, label in distinct.items()))
    signs = line(record, " ".join(glyph for glyph in distinct if glyph))
    shorter = partial(_at_depth, with_labels, signs)
    return msgspec.structs.replace(candidate, whole=with_labels, shorter=shorter, deepest=1)


def _shown(mention: Mention, label: str) -> str:
    """The label of a family, marked if it differs from the original words; those, if it says something else.

    Tapes built by earlier releases have families whose phrases share no more than a topic.
    """
    if mention.text.casefold() == label.casefold():
        return label
    return f"{ALIKE}{label}" if mention.likeness >= least_likeness(mention.text, label) else mention.text


def _at_depth(with_labels: str, signs: str, depth: int) -> str:
    return with_labels if depth == 1 else signs
