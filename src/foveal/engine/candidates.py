"""What a read considers, and how each could be shown."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice

import msgspec

from foveal.engine.core import Core
from foveal.model.context import Hit
from foveal.model.record import Record
from foveal.model.sight import Sight
from foveal.ports.store import Order
from foveal.rules.excerpting import excerpt
from foveal.rules.fitting import Candidate
from foveal.rules.narrowing import working
from foveal.rules.rendering import heading, line
from foveal.rules.splitting import gist

EARLY = 3
# No text costs fewer tokens than this: a word for every so many characters, and who said it.
CHARACTERS_A_TOKEN, TOKENS_A_LINE = 12, 3
A_FEW = 64


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
    asked: Sequence[str],
    *,
    works: Collection[str] = (),
    deepest: int = 2,
    least: float | None = None,
) -> list[Candidate]:
    """The records as they could be shown. `least` is the share of the best score below which one is faint."""
    floor = min((hit.score for hit in hits.values()), default=0.0) - 1.0
    scores = {one: hit.score - floor for one, hit in hits.items()}
    bar = (least or 0.0) * max(scores.values(), default=0.0)
    session = sight.viewpoint.session_id
    questions = _questions(records)
    return [
        Candidate(
            id=one.id,
            score=scores.get(one.id, 0.0),
            whole=(whole := line(one, one.text)),
            shorter=_Shorter(one, asked, whole),
            heading=heading(one),
            place=(one.occurred_at, one.id),
            earlier=session is not None and one.session_id != session,
            question=questions.get(one.id),
            working=one.id in works,
            deepest=deepest,
            faint=scores.get(one.id, 0.0) < bar,
        )
        for one in records.values()
    ]


class _Shorter:
    """A record shortened to a depth, worded once."""

    __slots__ = ("_asked", "_record", "_said")

    def __init__(self, record: Record, asked: Sequence[str], whole: str) -> None:
        self._record = record
        self._asked = asked
        self._said = {2: whole}

    def __call__(self, depth: int) -> str:
        if depth not in self._said:
            text = self._record.text
            short = excerpt(text, self._asked) if depth == 1 else gist(text)
            self._said[depth] = self._said[2] if short == text else line(self._record, short)
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
