"""What a memory answers: by a question, by id, by time, by place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

import msgspec

from foveal.engine import read
from foveal.engine.facade.bound import Bound, Filters, Moment
from foveal.engine.nodes import nodes
from foveal.engine.reranking import reranked
from foveal.errors import Invalid, NotFound
from foveal.model.ids import Address
from foveal.model.query import At, Sight
from foveal.model.record import Record
from foveal.model.results import Context, Hit, Mark, Node, Outline, Page, Recollection, Region, Stats
from foveal.ports.store import Order
from foveal.rules.drafts import viewpoint_of
from foveal.rules.filters import TierName, beyond, cursor_of, narrowed
from foveal.rules.recall.ranking import LEAST
from foveal.rules.validation import checked_count, checked_fraction, checked_moment, checked_text

MODES = ("text", "mixed", "glyph")


class Reading(Bound):
    """What a memory answers: by a question, by id, by time, by place."""

    def search(
        self,
        query: str,
        *,
        k: int = 10,
        filters: Filters | None = None,
        tiers: Sequence[TierName] | None = None,
        kinds: Sequence[str] | None = None,
        as_of: Moment | None = None,
        valid_at: Moment | None = None,
        min_relevance: float | None = None,
        explain: bool = False,
        **at: Unpack[At],
    ) -> list[Hit]:
        """The records that answer a question best, at most `k`; none if nothing is likely to help.

        A hit's `relevance`, from 0 to 1, is how likely it helps. What is less relevant than `min_relevance` is left
        out: by default what almost surely does not help, with 0 nothing. `tiers` and `kinds` narrow as in `read`.
        """
        sight = self._recalling(self._sight(at, filters, as_of, valid_at), tiers, kinds)
        question = checked_text(query, "query")
        hits, _, _ = reranked(self._core, sight, question, checked_count(k, "k"), explain=explain)
        least = _least(min_relevance)
        return [hit for hit in hits if hit.relevance >= least]

    def read(
        self,
        query: str,
        *,
        token_budget: int = 2048,
        mode: str = "mixed",
        policy: str = "foveated",
        filters: Filters | None = None,
        tiers: Sequence[TierName] | None = None,
        kinds: Sequence[str] | None = None,
        as_of: Moment | None = None,
        valid_at: Moment | None = None,
        min_relevance: float | None = None,
        explain: bool = False,
        touch: bool = True,
        **at: Unpack[At],
    ) -> Context:
        """What to put before the model for a question: never over the budget, with a receipt.

        `mode` "text" shows records whole or not at all, "mixed" also shallower where the budget is short, "glyph"
        as the glyphs of their phrases with the labels of their families, for which a tape must be in use. `policy`
        says which come first: "foveated", "relevant", "recent" or "mixed". `tiers` and `kinds` ask only those; from
        within a session, the tiers below `semantic` mean that session's. What is less relevant than `min_relevance`
        is not shown for its relevance: by default what almost surely does not help, with 0 nothing. If nothing is
        left, the receipt says `nothing_relevant`. `touch=False` only looks: no use is counted, nothing is logged,
        told or taken for recalled.
        """
        if mode not in MODES:
            raise Invalid(f"mode {mode!r} is not one of {', '.join(MODES)}")
        sight = self._recalling(self._sight(at, filters, as_of, valid_at), tiers, kinds)
        return read.read(
            self._core,
            sight,
            checked_text(query, "query"),
            checked_count(token_budget, "token_budget"),
            policy=policy,
            whole=mode == "text",
            glyphs=mode == "glyph",
            explain=explain,
            min_relevance=_least(min_relevance),
            touch=touch,
        )

    def _recalling(self, sight: Sight, tiers: Sequence[TierName] | None, kinds: Sequence[str] | None) -> Sight:
        session = sight.viewpoint.session_id
        where = narrowed(sight.where, tiers=tiers, kinds=kinds, session_id=session)
        return msgspec.structs.replace(sight, where=where, recalling=True)

    def recalls(self, record_id: str | None = None, *, limit: int = 20, **at: Unpack[At]) -> list[Recollection]:
        """What reads asked and brought back, newest first; with a `record_id`, only those that showed that record.

        You see the reads of your own node and of those below it, and in them the records you may see.
        """
        self._core.touches.flush()
        return self._core.store.recollections(self._sight(at), record_id, checked_count(limit, "limit"))

    def get(self, record_id: str, *, as_of: Moment | None = None, **at: Unpack[At]) -> Record:
        """The newest version of a record, or the one known at `as_of`; `NotFound` if you may not see it."""
        found = self._core.store.get(self._sight(at, as_of=as_of), [record_id])
        if not found:
            raise NotFound(f"there is no record {record_id!r} here", record_id=record_id)
        return found[0]

    def get_many(self, record_ids: Sequence[str], **at: Unpack[At]) -> list[Record]:
        """The visible ones of these records, in the order asked."""
        return self._core.store.get(self._sight(at), record_ids)

    def history(self, record_id: str, **at: Unpack[At]) -> list[Record]:
        """The versions of a record, oldest first; not those from before it reached you."""
        return self._core.store.history(self._sight(at), record_id)

    def timeline(
        self,
        *,
        since: Moment | None = None,
        until: Moment | None = None,
        filters: Filters | None = None,
        limit: int = 100,
        newest_first: bool = True,
        **at: Unpack[At],
    ) -> list[Record]:
        """Records by the time they speak of, from `since` up to but not including `until`."""
        order = Order.NEWEST if newest_first else Order.OLDEST
        sight = self._sight(at, _between(since, until, filters))
        return list(self._core.store.scan(sight, order=order, limit=checked_count(limit, "limit")))

    def page(
        self,
        *,
        cursor: str | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
        filters: Filters | None = None,
        limit: int = 100,
        newest_first: bool = True,
        **at: Unpack[At],
    ) -> Page:
        """The timeline a page at a time: what was written or forgotten meanwhile shifts nothing."""
        wanted = _between(since, until, filters)
        if cursor is not None:
            wanted["and"].append(beyond(checked_text(cursor, "cursor"), newest_first=newest_first))
        size = checked_count(limit, "limit")
        order = Order.NEWEST if newest_first else Order.OLDEST
        found = list(self._core.store.scan(self._sight(at, wanted), order=order, limit=size + 1))
        more = len(found) > size
        last = found[:size][-1] if more else None
        return Page(records=tuple(found[:size]), cursor=cursor_of(last.occurred_at, last.id) if last else None)

    def outline(
        self,
        *,
        every: int = 100,
        since: Moment | None = None,
        until: Moment | None = None,
        filters: Filters | None = None,
        newest_first: bool = True,
        **at: Unpack[At],
    ) -> Outline:
        """How long the list of `page` is, and a mark after each `every`th record.

        With the cursor of a mark, `page` goes on from there: the middle or the end of a long list at once.
        """
        order = Order.NEWEST if newest_first else Order.OLDEST
        sight = self._sight(at, _between(since, until, filters))
        records, marks = self._core.store.marks(sight, order=order, every=checked_count(every, "every"))
        return Outline(
            records=records,
            marks=tuple(
                Mark(place=place, at=moment, cursor=cursor_of(moment, one)) for place, moment, one in marks
            ),
        )

    def nodes(self, **at: Unpack[At]) -> list[Node]:
        """The nodes whose records reach you, and those below you, with how much each wrote.

        Of a node below you it is told how much it keeps to itself, never what.
        """
        return nodes(self._core, self._sight(at))

    def regions(self, **at: Unpack[At]) -> list[Region]:
        """The regions there are, with counts and dates."""
        return self._core.store.regions(self._sight(at))

    def addresses(
        self, *, region: str | None = None, prefix: str = "", limit: int = 100, **at: Unpack[At]
    ) -> list[Address]:
        """Where records lie, newest first: in one region, or under one prefix of the digits.

        While a tape is in use, a prefix means a cell of that tape; `tape.update` places what was written since.
        """
        wanted: dict[str, Any] = {}
        if prefix:
            # The same digits are another place on another tape.
            shown = self._core.store.shown_tape(viewpoint_of(self._bound, at))
            wanted = {"digits": {"prefix": prefix}, "tape": shown}
        if region is not None:
            wanted["region"] = region
        sight = self._sight(at, wanted)
        found = self._core.store.scan(sight, order=Order.NEWEST, limit=checked_count(limit, "limit"))
        return [record.address for record in found]

    def stats(self, *, filters: Filters | None = None, **at: Unpack[At]) -> Stats:
        """How much there is, or how much of it passes a filter."""
        return self._core.store.stats(self._sight(at, filters))


def _least(min_relevance: float | None) -> float:
    return LEAST if min_relevance is None else checked_fraction(min_relevance, "min_relevance")


def _between(since: Moment | None, until: Moment | None, filters: Filters | None) -> dict[str, Any]:
    span = {"gte": checked_moment(since, "since"), "lt": checked_moment(until, "until")}
    said = {op: moment for op, moment in span.items() if moment is not None}
    return {"and": [filters or {}, {"occurred_at": said} if said else {}]}
