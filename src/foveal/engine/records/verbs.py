"""The verbs that every memory has for its records: read, write, change, and look through them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Unpack, cast

import msgspec

from foveal.engine.records import changes, read, relations, write
from foveal.engine.records.changes import undo_consolidation
from foveal.engine.records.extraction import with_model_use
from foveal.engine.records.recall import SUMMARY, found_summaries, reranked, with_second_look
from foveal.engine.records.remember import follow_text
from foveal.engine.runtime.facade import Facade, Filters, Moment, checks_arguments, checks_call, spells_out
from foveal.errors import Invalid
from foveal.model.ids import Address
from foveal.model.query import Access, At, ChatMessage, Details
from foveal.model.record import Record
from foveal.model.results import (
    Context,
    Forgotten,
    Hit,
    Mark,
    Outline,
    Page,
    Recollection,
    Region,
    Stats,
    Written,
)
from foveal.ports.store import Order
from foveal.rules.drafts import viewpoint_of, writer_of
from foveal.rules.filters import TierName, beyond, cursor_of, narrowed
from foveal.rules.messages import spoken
from foveal.rules.recall.ranking import LEAST, LEAST_READ
from foveal.rules.validation import checked_count, checked_fraction, checked_moment, checked_text

MODES = ("text", "mixed", "glyph")


@checks_arguments
class ReadVerbs(Facade):
    """Verbs that read: by question, by id, by time."""

    def search(
        self,
        query: str | ChatMessage,
        *,
        k: int = 10,
        filters: Filters | None = None,
        tiers: Sequence[TierName] | None = None,
        kinds: Sequence[str] | None = None,
        as_of: Moment | None = None,
        valid_at: Moment | None = None,
        min_relevance: float | None = None,
        explain: bool = False,
        touch: bool = True,
        **at: Unpack[At],
    ) -> list[Hit]:
        """The records that answer a question best, at most `k`; none if nothing is likely to help.

        The `relevance` of a hit, from 0 to 1, is the probability that it helps. Hits below `min_relevance` are left
        out; the default drops those that almost certainly do not help, and 0 drops none. `tiers` and `kinds` narrow
        the search as in `read`; the kind "summary" also finds the summaries of sessions, whose `metadata` names
        their sources. A search counts as a use of its hits, unless `touch` is false.
        """
        allowed = self._access(at, filters, as_of, valid_at)
        question, most = checked_text(spoken(query, {})[0], "query"), checked_count(k, "k")
        access = self._recalling(allowed, tiers, kinds)
        hits = reranked(self._runtime, access, question, most, explain=explain).hits
        least = _least(min_relevance, LEAST)
        found = [hit for hit in hits if hit.relevance >= least]
        if touch:
            self._runtime.touches.accessed(access, [hit.id for hit in found])
        if SUMMARY in (kinds or ()):
            summaries = found_summaries(self._runtime, self._recalling(allowed, tiers, None), question, most)
            found += [hit for hit in summaries if hit.relevance >= least]
            found = sorted(found, key=lambda hit: -hit.relevance)[:most]
        return found

    def read(
        self,
        query: str | ChatMessage,
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
        """The context to give a model for a question: never over the budget, with a receipt.

        `mode` "text" shows records whole or not at all; "mixed" shortens them where the budget is tight; "glyph"
        shows the glyphs of their phrases with the labels of their families. Without a tape it shows what "mixed"
        does, and `receipt.degraded` names the tape. `policy` decides which records come first: "foveated",
        "relevant", "recent" or "mixed". `tiers` and `kinds` restrict the read; within a session, the tiers below
        `semantic` mean those of that session. Records below `min_relevance` are not shown for their relevance; the
        default excludes those that almost certainly do not help, and 0 excludes none. If none is left, the receipt
        says `nothing_relevant`. With `touch=False` the read has no side effects: no use is counted, nothing is
        logged, no notice is sent, and the records do not count as recalled.
        """
        if mode not in MODES:
            raise Invalid(f"mode {mode!r} is not one of {', '.join(MODES)}")
        access = self._recalling(self._access(at, filters, as_of, valid_at), tiers, kinds)
        return read.read(
            self._runtime,
            access,
            checked_text(spoken(query, {})[0], "query"),
            checked_count(token_budget, "token_budget"),
            policy=policy,
            whole=mode == "text",
            glyphs=mode == "glyph",
            explain=explain,
            min_relevance=_least(min_relevance, LEAST_READ),
            touch=touch,
        )

    def _recalling(self, access: Access, tiers: Sequence[TierName] | None, kinds: Sequence[str] | None) -> Access:
        session = access.viewpoint.session_id
        where = narrowed(access.where, tiers=tiers, kinds=kinds, session_id=session)
        return msgspec.structs.replace(access, where=where, for_recall=True)

    def get(self, record_id: str, *, as_of: Moment | None = None, touch: bool = True, **at: Unpack[At]) -> Record:
        """The newest version of a record, or the one known at `as_of`; `NotFound` if you may not see it.

        It counts as a use of the record, unless `touch` is false.
        """
        access = self._access(at, as_of=as_of)
        return self._fetched(access, [relations.require_record(self._runtime, access, record_id)], touch)[0]

    def get_many(self, record_ids: Sequence[str], *, touch: bool = True, **at: Unpack[At]) -> list[Record]:
        """Those of the records that are visible to you, in the order asked for.

        It counts as a use of each, unless `touch` is false.
        """
        access = self._access(at)
        return self._fetched(access, self._runtime.store.records.get(access, record_ids), touch)

    def _fetched(self, access: Access, records: list[Record], touch: bool) -> list[Record]:
        """The records with all their uses, those before this one."""
        counted = [self._runtime.touches.counted(record) for record in records]
        if touch:
            self._runtime.touches.accessed(access, [record.id for record in records])
        return counted

    def history(self, record_id: str, **at: Unpack[At]) -> list[Record]:
        """The versions of a record, oldest first, without those from before it was visible to you."""
        return self._runtime.store.records.history(self._access(at), record_id)

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
        """Records in the order of the time they speak of, from `since` up to but not including `until`."""
        order = Order.NEWEST if newest_first else Order.OLDEST
        access = self._access(at, _between(since, until, filters))
        return list(self._runtime.store.records.scan(access, order=order, limit=checked_count(limit, "limit")))

    def stats(self, *, filters: Filters | None = None, **at: Unpack[At]) -> Stats:
        """Counts of what the memory holds, or of the part that passes a filter."""
        access = self._access(at, filters)
        stats = with_second_look(self._runtime, access, self._runtime.store.counts.stats(access))
        return with_model_use(self._runtime, access, stats)


@checks_arguments
class Browse(Facade):
    """Look through a memory without a question: page by page, by place, and what was recalled before."""

    def __init__(self, owner: Facade) -> None:
        super().__init__(owner._first_runtime, owner._bound)
        self._owner = owner

    def _access(
        self,
        at: At,
        filters: Filters | None = None,
        as_of: Moment | None = None,
        valid_at: Moment | None = None,
    ) -> Access:
        # The moment of a past memory, and the limits of a fork, hold here too.
        return self._owner._access(at, filters, as_of, valid_at)

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
        """The timeline one page at a time; records written or forgotten in between do not shift the pages."""
        where = _between(since, until, filters)
        if cursor is not None:
            where["and"].append(beyond(checked_text(cursor, "cursor"), newest_first=newest_first))
        size = checked_count(limit, "limit")
        order = Order.NEWEST if newest_first else Order.OLDEST
        records = list(self._runtime.store.records.scan(self._access(at, where), order=order, limit=size + 1))
        last = records[size - 1] if len(records) > size else None
        return Page(records=tuple(records[:size]), cursor=cursor_of(last.occurred_at, last.id) if last else None)

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
        """The length of the list that `page` walks through, and a mark after every `every`th record.

        Passing the cursor of a mark to `page` jumps straight to the middle or the end of a long list.
        """
        order = Order.NEWEST if newest_first else Order.OLDEST
        access = self._access(at, _between(since, until, filters))
        records, marks = self._runtime.store.counts.marks(access, order=order, every=checked_count(every, "every"))
        return Outline(
            records=records,
            marks=tuple(
                Mark(place=place, at=moment, cursor=cursor_of(moment, record_id))
                for place, moment, record_id in marks
            ),
        )

    def regions(self, **at: Unpack[At]) -> list[Region]:
        """All regions, with counts and dates."""
        return self._runtime.store.counts.regions(self._access(at))

    def addresses(
        self, *, region: str | None = None, prefix: str = "", limit: int = 100, **at: Unpack[At]
    ) -> list[Address]:
        """The addresses of records, newest first: of one region, or under one prefix of the digits.

        While a tape is in use, a prefix means a cell of that tape; `tape.update` places the records written since
        the tape was built.
        """
        where: dict[str, Any] = {}
        if prefix:
            # The same digits name different places on different tapes.
            tape = self._runtime.store.tapes.shown(viewpoint_of(self._bound, at))
            where = {"digits": {"prefix": prefix}, "tape": tape}
        if region is not None:
            where["region"] = region
        access = self._access(at, where)
        records = self._runtime.store.records.scan(access, order=Order.NEWEST, limit=checked_count(limit, "limit"))
        return [record.address for record in records]

    def recalls(self, record_id: str | None = None, *, limit: int = 20, **at: Unpack[At]) -> list[Recollection]:
        """The log of reads with what each returned, newest first; with `record_id`, only reads that showed it.

        You see the reads of your own node and of the nodes below it, and in them only records visible to you.
        """
        self._runtime.touches.flush()
        return self._runtime.store.recall_log.reads(self._access(at), record_id, checked_count(limit, "limit"))


def _least(min_relevance: float | None, default: float) -> float:
    return default if min_relevance is None else checked_fraction(min_relevance, "min_relevance")


def _between(since: Moment | None, until: Moment | None, filters: Filters | None) -> dict[str, Any]:
    span = {"gte": checked_moment(since, "since"), "lt": checked_moment(until, "until")}
    bounds = {op: moment for op, moment in span.items() if moment is not None}
    return {"and": [filters or {}, {"occurred_at": bounds} if bounds else {}]}


class WriteVerbs(Facade):
    """Verbs that write: write, supersede, forget."""

    @spells_out
    def write(self, text: str | ChatMessage, **details: Unpack[Details]) -> Written:
        """Store a text or a chat message. Once this returns, the next read finds it and a crash cannot lose it."""
        words, own = spoken(text, details)
        return write.write(self._runtime, self._bound, words, cast(Details, own))

    @spells_out
    def write_many(self, items: Iterable[str | Mapping[str, Any]], **details: Unpack[Details]) -> Written:
        """Store many texts: strings, chat messages, or mappings with a text and details of their own.

        Each batch is one transaction. Items that cannot be stored are listed in `rejected` with their position.
        """
        return write.write_many(self._runtime, self._bound, items, details)

    @checks_call
    def supersede(
        self,
        record_id: str,
        text: str | ChatMessage,
        *,
        expected_version: int | None = None,
        **details: Unpack[Details],
    ) -> Record:
        """Add a version with a new text; the old one stays in `history`. Details not given stay as they were.

        Facts that were drawn from the record follow its new text.
        """
        text, details = cast(tuple[str, Details], spoken(text, details))
        viewpoint = writer_of(self._bound, details)
        access = self._runtime.access(viewpoint)
        undo_consolidation(self._runtime, access, self._runtime.store.records.get(access, [record_id]))
        version = write.supersede(self._runtime, viewpoint, record_id, text, details, expected_version)
        follow_text(self._runtime, viewpoint, version)
        return version

    @checks_call
    def forget(
        self,
        target: str | Sequence[str] | Filters,
        *,
        hard: bool = False,
        cascade: bool = False,
        **at: Unpack[At],
    ) -> Forgotten:
        """Hide records: one id, several, or all that match a filter.

        With `hard`, they are erased for good; `cascade` includes all their descendants. A single pinned id raises
        `Pinned`; among several, and among descendants, pinned records are skipped and reported.
        """
        return changes.forget(self._runtime, viewpoint_of(self._bound, at), target, hard=hard, cascade=cascade)


@checks_arguments
class ChangeVerbs(Facade):
    """Verbs that change how a record is treated, not what it says."""

    def pin(self, record_id: str, **at: Unpack[At]) -> Record:
        """Protect a record from being forgotten and from decay."""
        return changes.pin(self._runtime, self._access(at), record_id, pinned=True)

    def unpin(self, record_id: str, **at: Unpack[At]) -> Record:
        """Remove the pin, so that the record ages like any other again."""
        return changes.pin(self._runtime, self._access(at), record_id, pinned=False)

    def mute(self, record_id: str, **at: Unpack[At]) -> Record:
        """Hide a record from recall: `search` and `read` skip it, `get` and `timeline` still return it."""
        return changes.mute(self._runtime, self._access(at), record_id, muted=True)

    def unmute(self, record_id: str, **at: Unpack[At]) -> Record:
        """Make a muted record available to recall again."""
        return changes.mute(self._runtime, self._access(at), record_id, muted=False)
