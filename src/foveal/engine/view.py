"""The facade: every verb of a memory, seen from one viewpoint."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Unpack

from foveal.engine import keep, reindexing, transfer
from foveal.engine import read as reading
from foveal.engine import write as writing
from foveal.engine.core import Core
from foveal.engine.recall import recall
from foveal.errors import Invalid, NotFound
from foveal.model.address import Address
from foveal.model.context import Context, Hit
from foveal.model.draft import At, Details
from foveal.model.link import Group, Link, LinkKind
from foveal.model.outcome import Forgotten, Imported, Region, Reindexed, Related, Stats, Written
from foveal.model.record import Record
from foveal.model.sight import Sight
from foveal.ports.store import Order
from foveal.rules.checking import checked_count, checked_fraction, checked_moment, checked_name, checked_text
from foveal.rules.drafting import viewpoint_of, writer_of
from foveal.rules.filtering import parsed_filter

Filters = Mapping[str, Any]
Progress = Callable[[int, int], None]
Moment = datetime | str

MODES = ("text", "mixed")


class View:
    """A memory as one viewpoint sees it. Every verb takes the viewpoint as keywords; `view` binds it once."""

    def __init__(self, core: Core, bound: At) -> None:
        self._core = core
        self._bound = bound

    def view(self, **at: Unpack[At]) -> View:
        """The same memory with a viewpoint bound, so that calls need not repeat it."""
        viewpoint = viewpoint_of(self._bound, at)
        return View(
            self._core,
            At(
                world=viewpoint.world,
                actor_id=viewpoint.actor_id,
                node=viewpoint.node,
                session_id=viewpoint.session_id,
            ),
        )

    def write(self, text: str, **details: Unpack[Details]) -> Written:
        """Store a text. When this returns, the next read finds it and a crash does not lose it."""
        return writing.write(self._core, self._bound, text, details)

    def write_many(self, items: Iterable[str | Mapping[str, Any]], **details: Unpack[Details]) -> Written:
        """Store many texts: strings, or mappings with a text and details of their own.

        Each batch is one transaction. What cannot be taken is in `rejected` with its position.
        """
        return writing.write_many(self._core, self._bound, items, details)

    def supersede(
        self, record_id: str, text: str, *, expected_version: int | None = None, **details: Unpack[Details]
    ) -> Record:
        """Add a version with a new text; the old one stays in `history`. What is not said, stays."""
        viewpoint = writer_of(self._bound, details)
        return writing.supersede(self._core, viewpoint, record_id, text, details, expected_version)

    def forget(self, target: str | Sequence[str] | Filters, *, hard: bool = False, **at: Unpack[At]) -> Forgotten:
        """Take records out of sight: one id, several, or all that a filter finds.

        With `hard`, they are erased for good. One pinned id is `Pinned`; several are skipped and reported.
        """
        return keep.forget(self._core, viewpoint_of(self._bound, at), target, hard=hard)

    def search(
        self,
        query: str,
        *,
        k: int = 10,
        filters: Filters | None = None,
        as_of: Moment | None = None,
        valid_at: Moment | None = None,
        explain: bool = False,
        **at: Unpack[At],
    ) -> list[Hit]:
        """The `k` records that answer a question best, by words and by meaning."""
        sight = self._sight(at, filters, as_of, valid_at)
        question = checked_text(query, "query")
        return recall(self._core, sight, question, checked_count(k, "k"), explain=explain)

    def read(
        self,
        query: str,
        *,
        token_budget: int = 2048,
        mode: str = "mixed",
        policy: str = "foveated",
        filters: Filters | None = None,
        as_of: Moment | None = None,
        valid_at: Moment | None = None,
        explain: bool = False,
        **at: Unpack[At],
    ) -> Context:
        """What to put before the model for a question: never over the budget, with a receipt.

        `mode` "text" shows records whole or not at all, "mixed" also shallower where the budget is short. `policy`
        says which come first: "foveated", "relevant", "recent" or "mixed".
        """
        if mode not in MODES:
            raise Invalid(f"mode {mode!r} is not one of {', '.join(MODES)}")
        sight = self._sight(at, filters, as_of, valid_at)
        budget = checked_count(token_budget, "token_budget")
        question = checked_text(query, "query")
        return reading.read(
            self._core, sight, question, budget, policy=policy, whole=mode == "text", explain=explain
        )

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
        """All versions of a record, oldest first."""
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
        wanted: dict[str, Any] = {"and": [filters or {}]}
        if since is not None or until is not None:
            span = {"gte": checked_moment(since, "since"), "lt": checked_moment(until, "until")}
            wanted["occurred_at"] = {op: moment for op, moment in span.items() if moment is not None}
        order = Order.NEWEST if newest_first else Order.OLDEST
        return list(
            self._core.store.scan(self._sight(at, wanted), order=order, limit=checked_count(limit, "limit"))
        )

    def children(self, record_id: str, *, limit: int = 100, **at: Unpack[At]) -> list[Record]:
        """The records written under this one, oldest first."""
        parent = self.get(record_id, **at)
        sight = self._sight(at, {"parent_id": parent.id})
        return list(self._core.store.scan(sight, order=Order.OLDEST, limit=checked_count(limit, "limit")))

    def pin(self, record_id: str, **at: Unpack[At]) -> Record:
        """Keep a record from being forgotten and from decay."""
        return keep.pin(self._core, self._sight(at), record_id, pinned=True)

    def unpin(self, record_id: str, **at: Unpack[At]) -> Record:
        """Let a record age like the others again."""
        return keep.pin(self._core, self._sight(at), record_id, pinned=False)

    def reinforce(self, record_id: str, factor: float = 1.2, **at: Unpack[At]) -> Record:
        """Say that a record matters: its importance grows by the factor, to 1 at most."""
        return keep.reinforce(self._core, self._sight(at), record_id, factor)

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
        sight = self._sight(at)
        link = Link(
            source_id=source_id,
            target_id=target_id,
            kind=checked_name(kind, "kind"),
            weight=checked_fraction(weight, "weight"),
            created_at=sight.now,
        )
        self._core.store.link(sight, link)
        return link

    def unlink(self, source_id: str, target_id: str, *, kind: str | None = None, **at: Unpack[At]) -> int:
        """Take the edges between two records away, or those of one kind. Gives how many there were."""
        return self._core.store.unlink(self._sight(at), source_id, target_id, kind)

    def related(self, record_id: str, *, kind: str | None = None, **at: Unpack[At]) -> list[Related]:
        """The records that edges tie to this one, strongest first."""
        return keep.related(self._core, self._sight(at), record_id, kind)

    def group(self, name: str, record_ids: Sequence[str] = (), *, description: str = "", **at: Unpack[At]) -> Group:
        """The group of this name, made if need be, with these records added to it."""
        return keep.group(self._core, self._sight(at), checked_name(name, "name"), record_ids, description)

    def ungroup(self, group_id: str, record_ids: Sequence[str], **at: Unpack[At]) -> None:
        """Take records out of a group."""
        self._core.store.leave(self._sight(at), group_id, record_ids)

    def groups(self, **at: Unpack[At]) -> list[Group]:
        """The groups there are, by name."""
        return self._core.store.groups(viewpoint_of(self._bound, at))

    def members(self, group_id: str, **at: Unpack[At]) -> list[Record]:
        """The records of a group, oldest first."""
        return self._core.store.members(self._sight(at), group_id)

    def regions(self, **at: Unpack[At]) -> list[Region]:
        """The regions there are, with counts and dates."""
        return self._core.store.regions(self._sight(at))

    def addresses(
        self, *, region: str | None = None, prefix: str = "", limit: int = 100, **at: Unpack[At]
    ) -> list[Address]:
        """Where records lie, newest first: in one region, or under one prefix of the digits."""
        wanted: dict[str, Any] = {"digits": {"prefix": prefix}} if prefix else {}
        if region is not None:
            wanted["region"] = region
        sight = self._sight(at, wanted)
        found = self._core.store.scan(sight, order=Order.NEWEST, limit=checked_count(limit, "limit"))
        return [record.address for record in found]

    def stats(self, **at: Unpack[At]) -> Stats:
        """How much there is."""
        return self._core.store.stats(self._sight(at))

    def export(self, path: str | Path, **at: Unpack[At]) -> int:
        """Write the whole memory of an actor to a file of JSON lines. Gives how many records."""
        return transfer.export(self._core, viewpoint_of(self._bound, at), Path(path))

    def import_(self, path: str | Path, **at: Unpack[At]) -> Imported:
        """Read a file that `export` wrote into an actor's memory. What is there already is left as it is."""
        return transfer.import_(self._core, viewpoint_of(self._bound, at), Path(path))

    def backup(self, path: str | Path) -> None:
        """Copy the whole store to a new file, while others go on."""
        self._core.store.backup(str(path))

    def reindex(self, *, progress: Progress | None = None) -> Reindexed:
        """Embed everything anew with the encoder this memory was opened with, while reads go on."""
        return reindexing.reindex(self._core, progress)

    def check(self) -> list[str]:
        """What is wrong with the stored data, in words; nothing when all is well."""
        return self._core.store.check()

    def _sight(
        self,
        at: At,
        filters: Filters | None = None,
        as_of: Moment | None = None,
        valid_at: Moment | None = None,
    ) -> Sight:
        return self._core.sight(
            viewpoint_of(self._bound, at),
            where=parsed_filter(filters),
            as_of=checked_moment(as_of, "as_of"),
            valid_at=checked_moment(valid_at, "valid_at"),
        )
