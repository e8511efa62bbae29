"""The facade: every verb of a memory, each a thin call into the engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, Unpack

import msgspec

from foveal.engine import paths
from foveal.engine.crystals import forks, snapshots
from foveal.engine.crystals.crystals import Crystals
from foveal.engine.entries import EntryVerbs
from foveal.engine.ledger.assemble import assemble
from foveal.engine.ledger.engrams import EngramVerbs
from foveal.engine.ledger.ledger import Ledger
from foveal.engine.ledger.longterm import LongTerm
from foveal.engine.ledger.operational import Operational
from foveal.engine.lifecycle import run
from foveal.engine.lifecycle.run import metabolise
from foveal.engine.paths import Path
from foveal.engine.records import changes, read, relations, write
from foveal.engine.records.changes import undo_consolidation
from foveal.engine.records.corrections import CorrectionVerbs
from foveal.engine.records.extraction import with_model_use
from foveal.engine.records.recall import SUMMARY, found_summaries, reranked, with_second_look
from foveal.engine.records.relations import nodes
from foveal.engine.records.remember import FactVerbs
from foveal.engine.records.transfer import TransferVerbs, change_encoder
from foveal.engine.runtime import runtime
from foveal.engine.runtime.facade import Facade, Filters, Moment, checks_arguments, checks_call
from foveal.engine.runtime.runtime import Runtime, with_overrides
from foveal.engine.tape.tape import TapeVerbs
from foveal.errors import CODES, Invalid, Unsupported
from foveal.model.crystal import Changes, Restored, Snapshot
from foveal.model.ids import Address
from foveal.model.notice import Notice
from foveal.model.policy import PolicyValue
from foveal.model.query import Access, At, Details, Viewpoint
from foveal.model.record import KEPT, Group, Link, LinkKind, Record, Rendition, Session, Subject
from foveal.model.results import (
    AssembledContext,
    Branch,
    Context,
    Forecast,
    Forgotten,
    Hit,
    Mark,
    Metabolised,
    Move,
    Node,
    Outline,
    Page,
    Recollection,
    Region,
    Reindexed,
    Related,
    Stats,
    Written,
)
from foveal.ports.store import Order
from foveal.ports.system import VectorIndex
from foveal.rules.budget import TIERS, named_tiers
from foveal.rules.decay import forecast
from foveal.rules.drafts import viewpoint_of, writer_of
from foveal.rules.filters import TierName, beyond, cursor_of, narrowed
from foveal.rules.recall.ranking import LEAST, LEAST_READ
from foveal.rules.trees import checked_order, checked_sort
from foveal.rules.validation import (
    checked_count,
    checked_fraction,
    checked_moment,
    checked_name,
    checked_one_of,
    checked_text,
)


@checks_arguments
class RelationVerbs(Facade):
    """Verbs for how records belong together: children, trees, related records, sessions."""

    def children(
        self,
        record_id: str,
        *,
        limit: int = 100,
        sort_field: str = "occurred_at",
        sort_order: str = "asc",
        **at: Unpack[At],
    ) -> list[Record]:
        """The direct children of a record, oldest first by default."""
        sort, descending = checked_sort(sort_field), checked_order(sort_order)
        count = checked_count(limit, "limit")
        return self._runtime.store.trees.children(
            self._access(at), record_id, sort=sort, descending=descending, limit=count
        )

    def tree(self, record_id: str, *, depth: int = 3, limit: int = 1000, **at: Unpack[At]) -> list[Branch]:
        """A record and its descendants down to `depth` levels, each listed right after its parent."""
        steps, count = checked_count(depth, "depth", 0), checked_count(limit, "limit")
        return relations.tree(self._runtime, self._access(at), record_id, steps, count)

    def related(
        self, record_id: str, *, kind: str | None = None, depth: int = 1, **at: Unpack[At]
    ) -> list[Related]:
        """The records reachable over at most `depth` links, each listed once: nearest first, then strongest.

        Links are followed in both directions. The strength of a path is the product of its link weights.
        """
        return relations.related(self._runtime, self._access(at), record_id, kind, checked_count(depth, "depth"))

    def create_session(
        self, *, kind: str = "conversation", metadata: Mapping[str, Any] | None = None, **at: Unpack[At]
    ) -> Session:
        """Start a session with the given `session_id`, or with a new id if none is given."""
        viewpoint = viewpoint_of(self._bound, at)
        return relations.create_session(self._runtime, viewpoint, at.get("session_id"), kind, metadata)

    def end_session(self, session: str, **at: Unpack[At]) -> Session:
        """End a session. Ending it again keeps the first end time."""
        return relations.end_session(self._runtime, self._access(at), session)

    def get_session(self, session: str, **at: Unpack[At]) -> Session:
        """One session, with the number of its records and their first and last dates."""
        return relations.get_session(self._runtime, self._access(at), session)

    def sessions(self, *, limit: int = 100, **at: Unpack[At]) -> list[Session]:
        """The sessions that were created explicitly or that records refer to, latest first."""
        return self._runtime.store.links.sessions(self._access(at), limit=checked_count(limit, "limit"))


@checks_arguments
class ChangeVerbs(Facade):
    """Verbs that change the state of a record or connect it to others."""

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

    def reinforce(self, record_id: str, factor: float | None = None, **at: Unpack[At]) -> Record:
        """Raise the importance of a record by `factor`, or by the default of its kind, up to 1."""
        return changes.reinforce(self._runtime, self._access(at), record_id, factor)

    def link(
        self,
        source_id: str,
        target_id: str,
        *,
        kind: str = LinkKind.RELATES,
        weight: float = 1.0,
        **at: Unpack[At],
    ) -> Link:
        """Create a typed, weighted link between two records. Linking them again updates the weight."""
        access = self._access(at)
        link = Link(
            source_id=source_id,
            target_id=target_id,
            kind=checked_name(kind, "kind"),
            weight=checked_fraction(weight, "weight"),
            created_at=access.now,
        )
        self._runtime.writes.link(access, link)
        return link

    def unlink(self, source_id: str, target_id: str, *, kind: str | None = None, **at: Unpack[At]) -> int:
        """Remove the links between two records, or only those of one kind. Returns how many were removed."""
        return self._runtime.writes.unlink(self._access(at), source_id, target_id, kind)

    def group(self, name: str, record_ids: Sequence[str] = (), *, description: str = "", **at: Unpack[At]) -> Group:
        """Add records to the group of this name, creating it if it does not exist. Returns the group."""
        return changes.group(self._runtime, self._access(at), checked_name(name, "name"), record_ids, description)

    def ungroup(self, group_id: str, record_ids: Sequence[str], **at: Unpack[At]) -> None:
        """Remove records from a group."""
        self._runtime.writes.leave(self._access(at), group_id, record_ids)

    def groups(self, **at: Unpack[At]) -> list[Group]:
        """All groups, sorted by name."""
        return self._runtime.store.links.groups(viewpoint_of(self._bound, at))

    def members(self, group_id: str, **at: Unpack[At]) -> list[Record]:
        """The records of a group, oldest first."""
        return self._runtime.store.links.members(self._access(at), group_id)


@checks_arguments
class LifecycleVerbs(Facade):
    """Verbs for the lifecycle of records: run it, forecast it, inspect it and undo it."""

    def metabolise(self, *, dry_run: bool = False, **at: Unpack[At]) -> Metabolised:
        """Run the lifecycle now: move, consolidate, summarise and archive the records that are due.

        Nothing is destroyed. With `dry_run`, nothing changes and the result says what would happen.
        """
        return metabolise(self._runtime, self._access(at), dry_run=dry_run)

    def widen(self, *, dry_run: bool = False, **at: Unpack[At]) -> Metabolised:
        """Let every node see what the root wrote as LOCAL, as it would be written today without a scope.

        Every record gets a version of scope GLOBAL with the same text; the journal lists the moves, each of which
        can be undone. With `dry_run`, nothing changes and the result says what would happen.
        """
        return changes.widen(self._runtime, self._access(at), dry_run=dry_run)

    def forecast(self, record_id: str, **at: Unpack[At]) -> list[Forecast]:
        """When the lifecycle will move a record, to which tier, and why."""
        record = relations.require_record(self._runtime, self._access(at), record_id)
        return forecast(record, with_overrides(self._runtime).config)

    def journal(self, record_id: str | None = None, *, limit: int = 100, **at: Unpack[At]) -> list[Move]:
        """The changes made to records other than to their text, newest first: who, what, why, before and after."""
        return self._runtime.store.lifecycle.journal(
            self._access(at), record_id=record_id, limit=checked_count(limit, "limit")
        )

    def undo(self, move_id: str, **at: Unpack[At]) -> Move:
        """Undo one move of the journal as a whole; `Conflict` if its records have moved again since."""
        return changes.undo(self._runtime, self._access(at), move_id)

    def summaries(self, *, kind: str = Subject.SESSION, limit: int = 100, **at: Unpack[At]) -> list[Rendition]:
        """The summaries of sessions or regions, with the records they were made from, latest first."""
        subject = Subject(checked_one_of(kind, KEPT, "kind"))
        return self._runtime.store.lifecycle.renditions(
            self._access(at), subject, limit=checked_count(limit, "limit")
        )

    def get_stats(self, **at: Unpack[At]) -> dict[str, Any]:
        """How many records each tier holds, its capacity, and how many were pruned."""
        return run.tiers(self._runtime, self._access(at))


@checks_arguments
class ErrorVerbs(Facade):
    """Verbs for the error bus. An error names a component, a code and whose memory it was; it quotes no text."""

    def report_error(self, code: str, *, component: str = "client", **at: Unpack[At]) -> None:
        """Report an error, by its code, to all who watch this memory. The component is "client" or "agent"."""
        kind = CODES[checked_one_of(code, tuple(CODES), "code")]
        part = checked_one_of(component, ("client", "agent"), "component")
        if self._runtime.notifier is not None:
            self._runtime.notifier.fault(part, kind(), viewpoint=viewpoint_of(self._bound, at))

    def errors(self, *, limit: int = 50, **at: Unpack[At]) -> list[Notice]:
        """The last errors of calls for this actor, newest first: when, from which agent, what kind, how bad."""
        most = checked_count(limit, "limit")
        if self._runtime.notifier is None:
            return []
        return self._runtime.notifier.faults(viewpoint_of(self._bound, at), most)


@checks_arguments
class PolicyVerbs(Facade):
    """Verbs for the policy values that the store keeps for every process that opens it."""

    def policies(self) -> list[PolicyValue]:
        """The values that divide the budget of a read and control the tiers, with where each value comes from."""
        return runtime.listed(self._runtime)

    def set_policies(
        self, values: Mapping[str, Any] | None = None, *, reset: Sequence[str] = ()
    ) -> list[PolicyValue]:
        """Override settings in the store, for every process that opens it, from its next read on.

        `values` maps names, as listed by `policies`, to new values; names in `reset` go back to the settings.
        Shares that add up to a whole are set and reset together. Either every change is applied or none is.
        """
        if not values and not reset:
            raise Invalid("name the values to set, or those to reset")
        return runtime.amend(self._runtime, values or {}, reset)


MODES = ("text", "mixed", "glyph")


@checks_arguments
class ReadVerbs(Facade):
    """Verbs that read: by question, by id, by time, by address."""

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
        question, most = checked_text(query, "query"), checked_count(k, "k")
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
            checked_text(query, "query"),
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

    def recalls(self, record_id: str | None = None, *, limit: int = 20, **at: Unpack[At]) -> list[Recollection]:
        """The log of reads with what each returned, newest first; with `record_id`, only reads that showed it.

        You see the reads of your own node and of the nodes below it, and in them only records visible to you.
        """
        self._runtime.touches.flush()
        return self._runtime.store.recall_log.reads(self._access(at), record_id, checked_count(limit, "limit"))

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

    def nodes(self, **at: Unpack[At]) -> list[Node]:
        """The nodes whose records reach you and the nodes below you, with how many records each wrote.

        For a node below you this counts its private records too, but never shows them.
        """
        return nodes(self._runtime, self._access(at))

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

    def stats(self, *, filters: Filters | None = None, **at: Unpack[At]) -> Stats:
        """Counts of what the memory holds, or of the part that passes a filter."""
        access = self._access(at, filters)
        stats = with_second_look(self._runtime, access, self._runtime.store.counts.stats(access))
        return with_model_use(self._runtime, access, stats)


def _least(min_relevance: float | None, default: float) -> float:
    return default if min_relevance is None else checked_fraction(min_relevance, "min_relevance")


def _between(since: Moment | None, until: Moment | None, filters: Filters | None) -> dict[str, Any]:
    span = {"gte": checked_moment(since, "since"), "lt": checked_moment(until, "until")}
    bounds = {op: moment for op, moment in span.items() if moment is not None}
    return {"and": [filters or {}, {"occurred_at": bounds} if bounds else {}]}


class WriteVerbs(Facade):
    """Verbs that write: write, supersede, forget."""

    def write(self, text: str, **details: Unpack[Details]) -> Written:
        """Store a text. Once this returns, the next read finds it and a crash does not lose it."""
        return write.write(self._runtime, self._bound, text, details)

    def write_many(self, items: Iterable[str | Mapping[str, Any]], **details: Unpack[Details]) -> Written:
        """Store many texts: strings, or mappings with a text and details of their own.

        Each batch is one transaction. Items that cannot be stored are listed in `rejected` with their position.
        """
        return write.write_many(self._runtime, self._bound, items, details)

    @checks_call
    def supersede(
        self, record_id: str, text: str, *, expected_version: int | None = None, **details: Unpack[Details]
    ) -> Record:
        """Add a version with a new text; the old one stays in `history`. Details not given stay as they were."""
        viewpoint = writer_of(self._bound, details)
        access = self._runtime.access(viewpoint)
        undo_consolidation(self._runtime, access, self._runtime.store.records.get(access, [record_id]))
        return write.supersede(self._runtime, viewpoint, record_id, text, details, expected_version)

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
class Fork(WriteVerbs, ReadVerbs):
    """A writable memory that starts from a snapshot and leaves the original unchanged.

    It answers from what was known at the snapshot and from what was written to the fork since, ranked together.
    Nothing is copied. Records forgotten or erased in the original are hidden here too.
    """

    def __init__(self, runtime: Runtime, bound: At, snapshot: Snapshot, name: str) -> None:
        viewpoint = viewpoint_of(bound, {})
        self.snapshot = snapshot
        self.name = name
        self._plain = runtime
        world = forks.world_of(viewpoint.world, snapshot, name)
        forked, self._fork = forks.forked(runtime, viewpoint, world, snapshot)
        super().__init__(forked, {**bound, "world": world})

    @checks_call
    def forget(
        self,
        target: str | Sequence[str] | Filters,
        *,
        hard: bool = False,
        cascade: bool = False,
        **at: Unpack[At],
    ) -> Forgotten:
        """Hide records in this fork: one id, several, or all that match a filter.

        A fork cannot erase single records: `drop` erases everything that was written in it.
        """
        if hard or cascade:
            raise Unsupported("a fork forgets records one by one and erases none: use drop for all of it")
        return forks.forget(self._runtime, self._plain, self._fork, self._viewpoint(at), target)

    def changes(self, **at: Unpack[At]) -> Changes:
        """What was added, superseded and forgotten in this fork. The cost grows with the number of changes."""
        return forks.changes(self._plain, self._fork, self._viewpoint(at))

    def drop(self, **at: Unpack[At]) -> int:
        """Erase what was written in this fork. Returns how many records that were; its name cannot be reused."""
        return forks.drop(self._plain, self._viewpoint(at))

    def _viewpoint(self, at: At) -> Viewpoint:
        viewpoint = viewpoint_of(self._bound, at)
        self._fork.layers.require(*viewpoint.organism)
        return viewpoint

    def _access(
        self,
        at: At,
        filters: Filters | None = None,
        as_of: Moment | None = None,
        valid_at: Moment | None = None,
    ) -> Access:
        self._viewpoint(at)
        return super()._access(at, filters, as_of, valid_at)


@checks_arguments
class Past(ReadVerbs):
    """A read-only memory that answers from what was known at a moment in the past."""

    def history(self, record_id: str, **at: Unpack[At]) -> list[Record]:
        """The versions of a record that were known then, oldest first."""
        versions = super().history(record_id, **at)
        return [version for version in versions if self._as_of is None or version.recorded_at <= self._as_of]


@checks_arguments
class SnapshotVerbs(Facade):
    """Verbs for snapshots: take, read, compare, fork and restore them."""

    def snapshot(self, label: str, **at: Unpack[At]) -> Snapshot:
        """Name the present state, so that it can be read, compared and restored later. Costs one row."""
        return snapshots.take(self._runtime, viewpoint_of(self._bound, at), checked_name(label, "label"))

    def snapshots(self, **at: Unpack[At]) -> list[Snapshot]:
        """All snapshots, oldest first."""
        return self._runtime.store.snapshots.all(viewpoint_of(self._bound, at))

    def at(self, snapshot: Snapshot | str, **at: Unpack[At]) -> Past:
        """The memory as it was at a snapshot, given by id or label; records forgotten since stay hidden."""
        viewpoint = viewpoint_of(self._bound, at)
        taken = snapshots.found(self._runtime, viewpoint, snapshot).taken_at
        return Past(self._runtime, {**self._bound, **at}, taken)

    def fork(self, snapshot: Snapshot | str, name: str = "fork", **at: Unpack[At]) -> Fork:
        """A writable memory that starts from a snapshot; this memory is not changed by it.

        Nothing is copied: a fork costs only what is written to it. The same snapshot and name give the same fork.
        """
        viewpoint = viewpoint_of(self._bound, at)
        taken = snapshots.found(self._runtime, viewpoint, snapshot)
        return Fork(self._runtime, {**self._bound, **at}, taken, checked_name(name, "name"))

    def changes(
        self, since: Snapshot | str | datetime, until: Snapshot | str | datetime | None = None, **at: Unpack[At]
    ) -> Changes:
        """What changed since a snapshot or a moment, up to another one or until now.

        The cost grows with the number of changes.
        """
        viewpoint = viewpoint_of(self._bound, at)
        first = self._moment(since, at)
        if first is None:
            raise Invalid("since is missing: name a snapshot or a moment")
        return snapshots.changes(self._runtime, viewpoint, first, self._moment(until, at))

    def restore(self, snapshot: Snapshot | str, **at: Unpack[At]) -> Restored:
        """Return to what was known at a snapshot, by adding versions and by recovering and forgetting records.

        A snapshot of the present is taken first; restore that one to undo this.
        """
        viewpoint = viewpoint_of(self._bound, at)
        return snapshots.restore(self._runtime, viewpoint, snapshots.found(self._runtime, viewpoint, snapshot))

    def _moment(self, end: Snapshot | str | datetime | None, at: At) -> datetime | None:
        if end is None or isinstance(end, datetime):
            return checked_moment(end, "moment")
        return snapshots.found(self._runtime, viewpoint_of(self._bound, at), end).taken_at


@checks_arguments
class View(
    EngramVerbs,
    WriteVerbs,
    FactVerbs,
    CorrectionVerbs,
    ReadVerbs,
    ChangeVerbs,
    RelationVerbs,
    LifecycleVerbs,
    SnapshotVerbs,
    TransferVerbs,
    PolicyVerbs,
    ErrorVerbs,
    EntryVerbs,
):
    """A memory seen from one viewpoint. Every verb takes the viewpoint as keywords; `view` binds it once."""

    @property
    def tape(self) -> TapeVerbs:
        """The glyph tape: families of phrases, their glyphs, and the map they lie on."""
        return TapeVerbs(self._runtime, self._bound)

    @property
    def set_vector_store(self) -> Callable[[VectorIndex | None], None]:
        """Use this vector index for searches from now on, or none: `memory.set_vector_store(index)`.

        It applies to this process only, so it is not offered at the doors. `reindex` fills it with the records.
        """
        return self._runtime.vector_sync.use

    @property
    def set_embedding_provider(self) -> Callable[[Any], Reindexed]:
        """Change the encoder and re-encode all records: `memory.set_embedding_provider(encoder)`.

        It accepts what the argument `embedder` of a memory accepts; None means the encoder of the settings. If it
        fails, the previous encoder stays. It applies to this process; others name their encoder in the settings.
        """
        return partial(change_encoder, self._runtime)

    def view(self, **at: Unpack[At]) -> View:
        """The same memory with a viewpoint bound, so that calls need not repeat it."""
        viewpoint = viewpoint_of(self._bound, at)
        return View(
            self._runtime,
            At(
                world=viewpoint.world,
                actor_id=viewpoint.actor_id,
                node=viewpoint.node,
                session_id=viewpoint.session_id,
            ),
        )

    def invoke(self, path: str, **arguments: Any) -> dict[str, Any]:
        """Run the operation that a path names, like "self.memory.resume", and return its answer as plain data.

        `paths` lists them all.
        """
        return paths.invoke(self, path, arguments)

    def paths(self) -> list[Path]:
        """All paths, each with its help and arguments."""
        return paths.listed()

    @property
    def crystals(self) -> Crystals:
        """Windows and crystals, from the same viewpoint."""
        return Crystals(self._runtime, self._bound)

    @property
    def operational(self) -> Operational:
        """Operational memory: recent events, metrics and the state of the machine."""
        return Operational(self._runtime, self._bound)

    @property
    def ledger(self) -> Ledger:
        """The ledger of agent work: goals, tasks, tool calls, decisions, patterns and agent states."""
        return Ledger(self._runtime, self._bound)

    @property
    def longterm(self) -> LongTerm:
        """Long-term memory: procedures, incidents, configuration changes and knowledge."""
        return LongTerm(self._runtime, self._bound)

    def assemble_context(
        self,
        task_description: str,
        max_tokens: int = 4000,
        tiers: Sequence[str] = TIERS,
        *,
        memory_tiers: Sequence[str] | None = None,
        **at: Unpack[At],
    ) -> AssembledContext:
        """The context a task needs from each tier: never over the budget, each chunk with source and relevance.

        The state of the machine comes first. The tiers are operational, working, longterm and knowledge;
        `memory_tiers` is another name of `tiers`.
        """
        if memory_tiers is not None:
            if tuple(tiers) not in (TIERS, tuple(memory_tiers)):
                raise Invalid("memory_tiers is another name of tiers: pass one of them")
            tiers = memory_tiers
        viewpoint = viewpoint_of(self._bound, at)
        budget, task = checked_count(max_tokens, "max_tokens"), checked_text(task_description, "task_description")
        return assemble(self._runtime, viewpoint, task, budget, named_tiers(tiers))
