"""The pass that sums up sessions and regions, for the edge of what a read shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta

import msgspec
import numpy as np

from foveal.engine.core import Core
from foveal.engine.metabolism.slicing import owner
from foveal.errors import ModelUnavailable
from foveal.model.query import Compare, Op, Viewpoint
from foveal.model.record import KEPT, Record, Rendition, Subject
from foveal.ports.models import Extractive, Summarizer
from foveal.ports.store import Order
from foveal.rules.summaries import faithful, kept

# How long a session must be quiet, and a region must wait, before it is summed up again.
QUIET = timedelta(hours=1)
# How much of one session or region is read, and how long what is said of it may be.
READ, CHARACTERS = 300, 320
# What is as short as this needs no summary.
LEAST_RECORDS, LEAST_CHARACTERS = 3, 480
AT_ONCE = 50


def summarise(core: Core, viewpoint: Viewpoint | None = None) -> Iterator[Rendition]:
    """New renditions of what has grown and come to rest."""
    for kind in KEPT:
        while found := core.store.unsummarised(kind, viewpoint, core.clock.now() - QUIET, AT_ONCE):
            for place, subject in found:
                made = list(_rendered(core, place, kind, subject))
                core.store.summarise(place, kind, subject, made)
                yield from made


def _rendered(core: Core, place: Viewpoint, kind: Subject, subject: str) -> Iterator[Rendition]:
    """One rendition for each node and scope, so that it is seen by whom its sources are seen."""
    where = Compare("session_id" if kind is Subject.SESSION else "region", Op.EQ, subject)
    sight = msgspec.structs.replace(owner(core, place), where=where, recalling=True)
    groups: dict[tuple[str, str], list[Record]] = {}
    for record in core.store.scan(sight, order=Order.NEWEST, limit=READ):
        groups.setdefault((record.node, record.scope), []).append(record)
    for records in groups.values():
        ordered = sorted(records, key=lambda one: (one.occurred_at, one.id))
        if len(ordered) < LEAST_RECORDS or sum(len(one.text) for one in ordered) < LEAST_CHARACTERS:
            continue
        found = _summary(core, [_said(one) for one in ordered])
        if found is not None:
            yield Rendition(
                kind=kind,
                subject=subject,
                node=ordered[0].node,
                scope=ordered[0].scope,
                text=found[0],
                records=len(ordered),
                sources=tuple(sorted((one.id, one.version) for one in ordered)),
                first_at=ordered[0].occurred_at,
                last_at=ordered[-1].occurred_at,
                maker=found[1],
                made_at=core.clock.now(),
            )


def _said(record: Record) -> str:
    return f"{record.speaker}: {record.text}" if record.speaker else record.text


def _summary(core: Core, texts: Sequence[str]) -> tuple[str, str] | None:
    """A text that stands for these, and who made it. What a model made is taken only if it is faithful."""
    if core.summarizer.id != Extractive.id:
        try:
            made = _made(core, core.summarizer, texts)
        except ModelUnavailable as error:
            core.degraded("summarizer", error)
            made = None
        if made is not None:
            return made
    return _made(core, Extractive(), texts)


def _made(core: Core, summarizer: Summarizer, texts: Sequence[str]) -> tuple[str, str] | None:
    text = summarizer.summarise(texts, CHARACTERS)
    if not text:
        return None
    try:
        vectors = core.embedder.embed([text, " ".join(texts)[:8_000]])
    except ModelUnavailable:
        return (text, summarizer.id) if summarizer.id == Extractive.id else None
    return (text, summarizer.id) if faithful(float(np.dot(vectors[0], vectors[1])), kept(texts, text)) else None
