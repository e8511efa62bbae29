"""Records shown in a context as the glyphs of their phrases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import msgspec

from foveal.engine.core import Core
from foveal.engine.tape.building import in_use
from foveal.engine.tape.streaming import labelled
from foveal.model.glyph import Mention
from foveal.model.query import Sight
from foveal.model.record import Record
from foveal.rules.budget import Candidate
from foveal.rules.rendering import line
from foveal.rules.summaries import outermost

# Stands before a label that is like what was said, and not the same words.
ALIKE = "\u2248"


def glyphed(
    core: Core, sight: Sight, records: Mapping[str, Record], candidates: Sequence[Candidate]
) -> list[Candidate]:
    """Candidates as glyphs with the labels of their families, shorter as glyphs alone.

    What the tape in use has no glyph for is shown as it is.
    """
    everything = msgspec.structs.replace(sight, where=None)
    tape = in_use(core, sight.viewpoint)
    found = core.store.mentions(everything, tape, list(records))
    known = {one: outermost(mentions) for one, mentions in found.items()}
    spoken = labelled(core, everything, tape, [mention for some in known.values() for mention in some])
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
