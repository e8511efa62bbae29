"""The facade: every verb of a memory, one to three lines each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, Unpack

import msgspec

from foveal.engine import paths
from foveal.engine.crystals import forks, snapshots
from foveal.engine.crystals.crystals import Crystals
from foveal.engine.ledger.assemble import assemble
from foveal.engine.ledger.ledger import Ledger
from foveal.engine.ledger.longterm import LongTerm
from foveal.engine.ledger.operational import Operational
from foveal.engine.lifecycle import run
from foveal.engine.lifecycle.run import metabolise
from foveal.engine.paths import Path
from foveal.engine.records import changes, read, relations, write
from foveal.engine.records.changes import undo_consolidation
from foveal.engine.records.recall import reranked
from foveal.engine.records.relations import nodes
from foveal.engine.records.transfer import Moving, change_encoder
from foveal.engine.runtime import runtime
from foveal.engine.runtime.facade import Facade, Filters, Moment, checks_arguments, checks_call
from foveal.engine.runtime.runtime import Runtime, current
from foveal.engine.tape.tape import TapeVerbs
from foveal.errors import Invalid, NotFound, Unsupported
from foveal.model.crystal import Changes, Restored, Snapshot
from foveal.model.ids import Address
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
from foveal.rules.recall.ranking import LEAST
from foveal.rules.trees import checked_order, checked_sort
from foveal.rules.validation import (
    checked_count,
    checked_fraction,
    checked_moment,
    checked_name,
    checked_one_of,
    checked_text,
)


class Families(Facade):
    """The families of records: children, trees, edges, sessions."""

    def children(
        self,
        record_id: str,
        *,
        limit: int = 100,
        sort_field: str = "occurred_at",
        sort_order: str = "asc",
        **at: Unpack[At],
    ) -> list[Record]:
        """The records written under this one, oldest first unless another order is asked for."""
        sort, descending = checked_sort(sort_field), checked_order(sort_order)
        count = checked_count(limit, "limit")
        return self._runtime.store.children(
            self._access(at), record_id, sort=sort, descending=descending, limit=count
        )

    def tree(self, record_id: str, *, depth: int = 3, limit: int = 1000, **at: Unpack[At]) -> list[Branch]:
        """A record and what lies at most `depth` steps below it, each right after its parent."""
        steps, count = checked_count(depth, "depth", 0), checked_count(limit, "limit")
        return relations.tree(self._runtime, self._access(at), record_id, steps, count)

    def related(
        self, record_id: str, *, kind: str | None = None, depth: int = 1, **at: Unpack[At]
    ) -> list[Related]:
        """The records that at most `depth` edges lead to, each once: nearest first, then strongest.

        Edges are followed either way. The strength of a way is the product of its weights.
        """
        return relations.related(self._runtime, self._access(at), record_id, kind, checked_count(depth, "depth"))

    def create_session(
        self, *, kind: str = "conversation", metadata: Mapping[str, Any] | None = None, **at: Unpack[At]
    ) -> Session:
        """Begin a session, of the `session_id` that this call says, or else of a fresh one."""
        viewpoint = viewpoint_of(self._bound, at)
        return relations.create_session(self._runtime, viewpoint, at.get("session_id"), kind, metadata)

    def end_session(self, session: str, **at: Unpack[At]) -> Session:
        """Say that a session is over. Ended again, it keeps its first end."""
        return relations.end_session(self._runtime, self._access(at), session)

    def get_session(self, session: str, **at: Unpack[At]) -> Session:
        """One session, with the number of its records and their dates."""
        return relations.get_session(self._runtime, self._access(at), session)

    def sessions(self, *, limit: int = 100, **at: Unpack[At]) -> list[Session]:
        """The sessions that were created or that records name, the latest first."""
        return self._runtime.store.sessions(self._access(at), limit=checked_count(limit, "limit"))


@checks_arguments
class Keeping(Facade):
    """What becomes of a record, and what ties it to others."""

    def pin(self, record_id: str, **at: Unpack[At]) -> Record:
        """Keep a record from being forgotten and from decay."""
        return changes.pin(self._runtime, self._access(at), record_id, pinned=True)

    def unpin(self, record_id: str, **at: Unpack[At]) -> Record:
        """Let a record age like the others again."""
        return changes.pin(self._runtime, self._access(at), record_id, pinned=False)

    def mute(self, record_id: str, **at: Unpack[At]) -> Record:
        """Keep a record from being recalled: no search or read finds it, `get` and `timeline` still do."""
        return changes.mute(self._runtime, self._access(at), record_id, muted=True)

    def unmute(self, record_id: str, **at: Unpack[At]) -> Record:
        """Let a record be recalled again."""
        return changes.mute(self._runtime, self._access(at), record_id, muted=False)

    def reinforce(self, record_id: str, factor: float | None = None, **at: Unpack[At]) -> Record:
        """Say that a record matters: its importance grows by the factor, or by that of its kind, to 1 at most."""
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
        """Draw a typed edge between two records; drawn again, it takes the new weight."""
        access = self._access(at)
        link = Link(
            source_id=source_id,
            target_id=target_id,
            kind=checked_name(kind, "kind"),
            weight=checked_fraction(weight, "weight"),
            created_at=access.now,
        )
        self._runtime.store.link(access, link)
        return link

    def unlink(self, source_id: str, target_id: str, *, kind: str | None = None, **at: Unpack[At]) -> int:
        """Take the edges between two records away, or those of one kind. Gives how many there were."""
        return self._runtime.store.unlink(self._access(at), source_id, target_id, kind)

    def group(self, name: str, record_ids: Sequence[str] = (), *, description: str = "", **at: Unpack[At]) -> Group:
        """The group of this name, made if need be, with these records added to it."""
        return changes.group(self._runtime, self._access(at), checked_name(name, "name"), record_ids, description)

    def ungroup(self, group_id: str, record_ids: Sequence[str], **at: Unpack[At]) -> None:
        """Take records out of a group."""
        self._runtime.store.leave(self._access(at), group_id, record_ids)

    def groups(self, **at: Unpack[At]) -> list[Group]:
        """The groups there are, by name."""
        return self._runtime.store.groups(viewpoint_of(self._bound, at))

    def members(self, group_id: str, **at: Unpack[At]) -> list[Record]:
        """The records of a group, oldest first."""
        return self._runtime.store.members(self._access(at), group_id)


@checks_arguments
class Living(Facade):
    """How memories age by themselves: run, foretold, told and taken back."""

    def metabolise(self, *, dry_run: bool = False, **at: Unpack[At]) -> Metabolised:
        """Let what is due move to its next tier, be consolidated, summed up or archived: nothing is destroyed.

        With `dry_run`, it only says what would happen.
        """
        return metabolise(self._runtime, self._access(at), dry_run=dry_run)

    def forecast(self, record_id: str, **at: Unpack[At]) -> list[Forecast]:
        """When a record will move by itself, to where, and why."""
        found = self._runtime.store.get(self._access(at), [record_id])
        if not found:
            raise NotFound(f"there is no record {record_id!r} here", record_id=record_id)
        return forecast(found[0], current(self._runtime).config)

    def journal(self, record_id: str | None = None, *, limit: int = 100, **at: Unpack[At]) -> list[Move]:
        """What was done to records without changing their text, newest first: who, what, why, before and after."""
        return self._runtime.store.journal(
            self._access(at), record_id=record_id, limit=checked_count(limit, "limit")
        )

    def undo(self, move_id: str, **at: Unpack[At]) -> Move:
        """Take a move of the journal back as a whole; `Conflict` if its records have moved again since."""
        return changes.undo(self._runtime, self._access(at), move_id)

    def summaries(self, *, kind: str = Subject.SESSION, limit: int = 100, **at: Unpack[At]) -> list[Rendition]:
        """What was made of whole sessions or regions, with the records it was made from; latest first."""
        subject = Subject(checked_one_of(kind, KEPT, "kind"))
        return self._runtime.store.renditions(self._access(at), subject, limit=checked_count(limit, "limit"))

    def get_stats(self, **at: Unpack[At]) -> dict[str, Any]:
        """How much each tier holds and may hold, and what was pruned."""
        return run.tiers(self._runtime, self._access(at))


@checks_arguments
class Policies(Facade):
    """How memory is read and ages, as everyone who opens it shall have it."""

    def policies(self) -> list[PolicyValue]:
        """The values by which the budget of a read is parted and by which tiers keep records, and where each comes
        from."""
        return runtime.listed(self._runtime)

    def set_policies(
        self, values: Mapping[str, Any] | None = None, *, reset: Sequence[str] = ()
    ) -> list[PolicyValue]:
        """Have the store keep values in place of the settings, for every process: their next read takes them.

        `values` are by name, as `policies` lists them; what is in `reset` is as the settings say again. Shares that
        make a whole are kept and reset together. All are taken, or none.
        """
        if not values and not reset:
            raise Invalid("say which values to set, or which to reset")
        return runtime.amend(self._runtime, values or {}, reset)


MODES = ("text", "mixed", "glyph")


class ReadVerbs(Facade):
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
        access = self._recalling(self._access(at, filters, as_of, valid_at), tiers, kinds)
        question = checked_text(query, "query")
        hits, _, _ = reranked(self._runtime, access, question, checked_count(k, "k"), explain=explain)
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
            min_relevance=_least(min_relevance),
            touch=touch,
        )

    def _recalling(self, access: Access, tiers: Sequence[TierName] | None, kinds: Sequence[str] | None) -> Access:
        session = access.viewpoint.session_id
        where = narrowed(access.where, tiers=tiers, kinds=kinds, session_id=session)
        return msgspec.structs.replace(access, where=where, for_recall=True)

    def recalls(self, record_id: str | None = None, *, limit: int = 20, **at: Unpack[At]) -> list[Recollection]:
        """What reads asked and brought back, newest first; with a `record_id`, only those that showed that record.

        You see the reads of your own node and of those below it, and in them the records you may see.
        """
        self._runtime.touches.flush()
        return self._runtime.store.recall_log(self._access(at), record_id, checked_count(limit, "limit"))

    def get(self, record_id: str, *, as_of: Moment | None = None, **at: Unpack[At]) -> Record:
        """The newest version of a record, or the one known at `as_of`; `NotFound` if you may not see it."""
        found = self._runtime.store.get(self._access(at, as_of=as_of), [record_id])
        if not found:
            raise NotFound(f"there is no record {record_id!r} here", record_id=record_id)
        return found[0]

    def get_many(self, record_ids: Sequence[str], **at: Unpack[At]) -> list[Record]:
        """The visible ones of these records, in the order asked."""
        return self._runtime.store.get(self._access(at), record_ids)

    def history(self, record_id: str, **at: Unpack[At]) -> list[Record]:
        """The versions of a record, oldest first; not those from before it reached you."""
        return self._runtime.store.history(self._access(at), record_id)

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
        access = self._access(at, _between(since, until, filters))
        return list(self._runtime.store.scan(access, order=order, limit=checked_count(limit, "limit")))

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
        found = list(self._runtime.store.scan(self._access(at, wanted), order=order, limit=size + 1))
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
        access = self._access(at, _between(since, until, filters))
        records, marks = self._runtime.store.marks(access, order=order, every=checked_count(every, "every"))
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
        return nodes(self._runtime, self._access(at))

    def regions(self, **at: Unpack[At]) -> list[Region]:
        """The regions there are, with counts and dates."""
        return self._runtime.store.regions(self._access(at))

    def addresses(
        self, *, region: str | None = None, prefix: str = "", limit: int = 100, **at: Unpack[At]
    ) -> list[Address]:
        """Where records lie, newest first: in one region, or under one prefix of the digits.

        While a tape is in use, a prefix means a cell of that tape; `tape.update` places what was written since.
        """
        wanted: dict[str, Any] = {}
        if prefix:
            # The same digits are another place on another tape.
            shown = self._runtime.store.shown_tape(viewpoint_of(self._bound, at))
            wanted = {"digits": {"prefix": prefix}, "tape": shown}
        if region is not None:
            wanted["region"] = region
        access = self._access(at, wanted)
        found = self._runtime.store.scan(access, order=Order.NEWEST, limit=checked_count(limit, "limit"))
        return [record.address for record in found]

    def stats(self, *, filters: Filters | None = None, **at: Unpack[At]) -> Stats:
        """How much there is, or how much of it passes a filter."""
        return self._runtime.store.stats(self._access(at, filters))


def _least(min_relevance: float | None) -> float:
    return LEAST if min_relevance is None else checked_fraction(min_relevance, "min_relevance")


def _between(since: Moment | None, until: Moment | None, filters: Filters | None) -> dict[str, Any]:
    span = {"gte": checked_moment(since, "since"), "lt": checked_moment(until, "until")}
    said = {op: moment for op, moment in span.items() if moment is not None}
    return {"and": [filters or {}, {"occurred_at": said} if said else {}]}


class WriteVerbs(Facade):
    """What a memory is told: written, corrected, forgotten."""

    def write(self, text: str, **details: Unpack[Details]) -> Written:
        """Store a text. When this returns, the next read finds it and a crash does not lose it."""
        return write.write(self._runtime, self._bound, text, details)

    def write_many(self, items: Iterable[str | Mapping[str, Any]], **details: Unpack[Details]) -> Written:
        """Store many texts: strings, or mappings with a text and details of their own.

        Each batch is one transaction. What cannot be taken is in `rejected` with its position.
        """
        return write.write_many(self._runtime, self._bound, items, details)

    def supersede(
        self, record_id: str, text: str, *, expected_version: int | None = None, **details: Unpack[Details]
    ) -> Record:
        """Add a version with a new text; the old one stays in `history`. What is not said, stays."""
        viewpoint = writer_of(self._bound, details)
        access = self._runtime.access(viewpoint)
        undo_consolidation(self._runtime, access, self._runtime.store.get(access, [record_id]))
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
        """Take records out of sight: one id, several, or all that a filter finds.

        With `hard`, they are erased for good; with `cascade`, all that lies below them goes too. One pinned id is
        `Pinned`; several are skipped and reported, as are pinned ones below.
        """
        return changes.forget(self._runtime, viewpoint_of(self._bound, at), target, hard=hard, cascade=cascade)


@checks_arguments
class Fork(WriteVerbs, ReadVerbs):
    """A memory as it was at a snapshot, to be written to apart from the original, which never changes.

    It answers with what was known at the snapshot and with what was written in it since, ranked together. Nothing
    is copied. What is forgotten or erased in the original is out of sight here, too.
    """

    def __init__(self, runtime: Runtime, bound: At, snapshot: Snapshot, name: str) -> None:
        viewpoint = viewpoint_of(bound, {})
        self.snapshot = snapshot
        self.name = name
        self._plain = runtime
        world = forks.world_of(viewpoint.world, snapshot, name)
        above, self._overlay = forks.forked(runtime, viewpoint, world, snapshot)
        super().__init__(above, {**bound, "world": world})

    @checks_call
    def forget(
        self,
        target: str | Sequence[str] | Filters,
        *,
        hard: bool = False,
        cascade: bool = False,
        **at: Unpack[At],
    ) -> Forgotten:
        """Take records out of sight in this fork: one id, several, or all that a filter finds.

        Nothing is erased one by one in a fork: `drop` erases all that was written in it.
        """
        if hard or cascade:
            raise Unsupported("a fork forgets records one by one and erases none: use drop for all of it")
        return forks.forget(self._runtime, self._plain, self._overlay, self._viewpoint(at), target)

    def changes(self, **at: Unpack[At]) -> Changes:
        """What was added, superseded and forgotten in this fork. Costs as much as changed."""
        return forks.changes(self._plain, self._overlay, self._viewpoint(at))

    def drop(self, **at: Unpack[At]) -> int:
        """Erase what was written in this fork. Gives how many records that were; its name stays used up."""
        return forks.drop(self._plain, self._viewpoint(at))

    def _viewpoint(self, at: At) -> Viewpoint:
        viewpoint = viewpoint_of(self._bound, at)
        self._overlay.require(*viewpoint.organism)
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


class Past(ReadVerbs):
    """A memory as it was: what answers, answers with what was known then. It cannot be written to."""

    def history(self, record_id: str, **at: Unpack[At]) -> list[Record]:
        """The versions of a record that were known then, oldest first."""
        versions = super().history(record_id, **at)
        return [one for one in versions if self._as_of is None or one.recorded_at <= self._as_of]


@checks_arguments
class Moments(Facade):
    """The named moments of a memory."""

    def snapshot(self, label: str, **at: Unpack[At]) -> Snapshot:
        """Name the present, so that it can be read, compared and gone back to. Costs one row."""
        return snapshots.take(self._runtime, viewpoint_of(self._bound, at), checked_name(label, "label"))

    def snapshots(self, **at: Unpack[At]) -> list[Snapshot]:
        """The snapshots there are, oldest first."""
        return self._runtime.store.snapshots(viewpoint_of(self._bound, at))

    def at(self, snapshot: Snapshot | str, **at: Unpack[At]) -> Past:
        """The memory as it was at a snapshot, named by its id or label; what was forgotten since stays hidden."""
        viewpoint = viewpoint_of(self._bound, at)
        taken = snapshots.found(self._runtime, viewpoint, snapshot).taken_at
        return Past(self._runtime, {**self._bound, **at}, taken)

    def fork(self, snapshot: Snapshot | str, name: str = "fork", **at: Unpack[At]) -> Fork:
        """A memory that goes on from a snapshot, apart from this one, which never changes by it.

        Nothing is copied, so it costs what is written in it. The same snapshot and name again are the same fork.
        """
        viewpoint = viewpoint_of(self._bound, at)
        taken = snapshots.found(self._runtime, viewpoint, snapshot)
        return Fork(self._runtime, {**self._bound, **at}, taken, checked_name(name, "name"))

    def changes(
        self, since: Snapshot | str | datetime, until: Snapshot | str | datetime | None = None, **at: Unpack[At]
    ) -> Changes:
        """What changed since a snapshot or a moment, up to another or till now. Costs as much as changed."""
        viewpoint = viewpoint_of(self._bound, at)
        first = self._moment(since, at)
        if first is None:
            raise Invalid("since is missing: name a snapshot or a moment")
        return snapshots.changes(self._runtime, viewpoint, first, self._moment(until, at))

    def restore(self, snapshot: Snapshot | str, **at: Unpack[At]) -> Restored:
        """Bring back what was known at a snapshot, by adding versions, recovering and forgetting.

        A snapshot of the present is taken first: restore that one to undo it.
        """
        viewpoint = viewpoint_of(self._bound, at)
        return snapshots.restore(self._runtime, viewpoint, snapshots.found(self._runtime, viewpoint, snapshot))

    def _moment(self, end: Snapshot | str | datetime | None, at: At) -> datetime | None:
        if end is None or isinstance(end, datetime):
            return checked_moment(end, "moment")
        return snapshots.found(self._runtime, viewpoint_of(self._bound, at), end).taken_at


@checks_arguments
class View(WriteVerbs, ReadVerbs, Keeping, Families, Living, Moments, Moving, Policies):
    """A memory as one viewpoint sees it. Every verb takes the viewpoint as keywords; `view` binds it once."""

    @property
    def tape(self) -> TapeVerbs:
        """The glyph tape: families of phrases, their glyphs, and the map they lie on."""
        return TapeVerbs(self._runtime, self._bound)

    @property
    def set_vector_store(self) -> Callable[[VectorIndex | None], None]:
        """Let searches ask this index of vectors from now on, or none: `memory.set_vector_store(index)`.

        It belongs to this process, so it is no verb that a door could have. `reindex` fills it with what is there.
        """
        return self._runtime.vector_sync.use

    @property
    def set_embedding_provider(self) -> Callable[[Any], Reindexed]:
        """Change the encoder, and encode what is there anew: `memory.set_embedding_provider(encoder)`.

        It takes what the argument `embedder` of a memory takes; None is the encoder of the settings. When it fails,
        the encoder before it stays. It belongs to this process; others name theirs in the settings.
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
        """Do what a path names, like "self.memory.resume"; `paths` lists them. The answer is plain."""
        return paths.invoke(self, path, arguments)

    def paths(self) -> list[Path]:
        """Every path there is, with its help and its arguments."""
        return paths.listed()

    @property
    def crystals(self) -> Crystals:
        """Windows and crystals, from the same viewpoint."""
        return Crystals(self._runtime, self._bound)

    @property
    def operational(self) -> Operational:
        """What happens now: events, metrics, the state of the machine."""
        return Operational(self._runtime, self._bound)

    @property
    def ledger(self) -> Ledger:
        """What agents do: goals, tasks, tool calls, decisions, patterns, states."""
        return Ledger(self._runtime, self._bound)

    @property
    def longterm(self) -> LongTerm:
        """What lasts: procedures, incidents, configuration changes, knowledge."""
        return LongTerm(self._runtime, self._bound)

    def assemble_context(
        self, task_description: str, max_tokens: int = 4000, tiers: Sequence[str] = TIERS, **at: Unpack[At]
    ) -> AssembledContext:
        """What a task needs from each tier of memory: never over the budget, each chunk with source and relevance.

        The state of the machine comes first. The tiers are operational, working, longterm and knowledge.
        """
        viewpoint = viewpoint_of(self._bound, at)
        budget, task = checked_count(max_tokens, "max_tokens"), checked_text(task_description, "task_description")
        return assemble(self._runtime, viewpoint, task, budget, named_tiers(tiers))
