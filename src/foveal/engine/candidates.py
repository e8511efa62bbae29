"""What a read considers, and how each could be shown."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice
from typing import Protocol

import msgspec

from foveal.engine.core import Core
from foveal.model.query import Sight
from foveal.model.record import Record
from foveal.model.results import Hit
from foveal.ports.store import Order
from foveal.rules.budget import Candidate
from foveal.rules.filters import working
from foveal.rules.rendering import heading, line

EARLY = 3
# No text costs fewer tokens than this: a word for every so many characters, and who said it.
CHARACTERS_A_TOKEN, TOKENS_A_LINE = 12, 3
A_FEW = 64
# How many characters the shortest form of a record has.
GLANCE = 120


class Excerpt(Protocol):
    """Shortens a text to what a question points at."""

    def __call__(self, text: str, *, limit: int = ...) -> str:
        """The part of the text, not longer than the limit."""
        ...


def considered(
    core: Core, sight: Sight, hits: Mapping[str, Hit], budget: int, *, newest: int | None = None
) -> tuple[dict[str, Record], frozenset[str]]:
    """The hits, the beginning, and of the newest so many, or as many as could possibly fit; and which of them the
    session works on."""
    early = max(EARLY, core.policy.early_records)
    records = {one: hit.record for one, hit in hits.items()}
    records |= {one.id: one for one in core.store.scan(sight, order=Order.OLDEST, limit=early)}
    records |= _fitting(islice(_newest(core, sight, newest or A_FEW), newest), budget)
    session = sight.viewpoint.session_id
    works: dict[str, Record] = {}
    if session is not None:
        here = msgspec.structs.replace(sight, where=working(sight.where, session))
        room = int(core.policy.working_ratio * budget)
        works = _fitting(core.store.scan(here, order=Order.NEWEST, limit=1 + room // TOKENS_A_LINE), room)
    return records | works, frozenset(works)


def newest(core: Core, sight: Sight, budget: int) -> dict[str, Record]:
    """Of the newest as many as could possibly fit."""
    return _fitting(_newest(core, sight, A_FEW), budget)


def _newest(core: Core, sight: Sight, at_once: int) -> Iterator[Record]:
    """The newest first, asked for a few at a time: a budget holds few."""
    last: Record | None = None
    while page := list(core.store.scan(sight, order=Order.NEWEST, limit=at_once, after=last)):
        yield from page
        last = page[-1] if len(page) == at_once else None
        if last is None:
            return


def _fitting(records: Iterable[Record], budget: int) -> dict[str, Record]:
    """As many of these, from the first, as could possibly fit."""
    found: dict[str, Record] = {}
    least = 0
    for record in records:
        found[record.id] = record
        least += TOKENS_A_LINE + len(record.text) // CHARACTERS_A_TOKEN
        if least > budget:
            break
    return found


def candidates(
    records: Mapping[str, Record],
    hits: Mapping[str, Hit],
    sight: Sight,
    excerpt: Excerpt,
    *,
    works: Collection[str] = (),
    deepest: int = 2,
    least: float = 0.0,
) -> list[Candidate]:
    """The records as they could be shown. What is less relevant than `least` is faint."""
    session = sight.viewpoint.session_id
    questions = _questions(records)
    outdated = {one for one, hit in hits.items() if hit.replaced_by is not None}
    return [
        Candidate(
            id=one.id,
            relevance=(relevance := hits[one.id].relevance if one.id in hits else 0.0),
            whole=(whole := line(one, one.text, older=one.id in outdated)),
            shorter=_Shorter(one, excerpt, whole, older=one.id in outdated),
            heading=heading(one),
            place=(one.occurred_at, one.id),
            earlier=session is not None and one.session_id != session,
            question=questions.get(one.id),
            working=one.id in works,
            deepest=deepest,
            faint=relevance < least,
        )
        for one in records.values()
    ]


class _Shorter:
    """A record shortened to a depth, worded once."""

    __slots__ = ("_excerpt", "_older", "_record", "_said")

    def __init__(self, record: Record, excerpt: Excerpt, whole: str, *, older: bool) -> None:
        self._older = older
        self._record = record
        self._excerpt = excerpt
        self._said = {2: whole}

    def __call__(self, depth: int) -> str:
        if depth not in self._said:
            text = self._record.text
            short = self._excerpt(text) if depth == 1 else self._excerpt(text, limit=GLANCE)
            self._said[depth] = self._said[2] if short == text else line(self._record, short, older=self._older)
        return self._said[depth]


def _questions(records: Mapping[str, Record]) -> dict[str, str]:
    """For each record, the one considered before it in its session, if that is a question."""
    found: dict[str, str] = {}
    ordered = sorted(records.values(), key=lambda one: (one.session_id or "", one.occurred_at, one.id))
    for before, record in zip(ordered, ordered[1:], strict=False):
        same = record.session_id is not None and record.session_id == before.session_id
        if same and before.text.rstrip().endswith(("?", "？")):
            found[record.id] = before.id
    return found
