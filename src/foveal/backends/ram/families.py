"""Parents, children and sessions of the reference store."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence

import msgspec

from foveal.backends.ram.bonds import Bonds
from foveal.backends.ram.organism import Organism
from foveal.model.link import Link
from foveal.model.outcome import Forgotten
from foveal.model.record import Record
from foveal.model.session import Session
from foveal.model.sight import Sight, Viewpoint
from foveal.rules.branching import Sort, siblings
from foveal.rules.changing import forgetting
from foveal.rules.moments import after
from foveal.rules.visibility import gone


class Families(Bonds):
    """What lies below records, and the sessions they were written in."""

    @abstractmethod
    def _changeable(self, sight: Sight, record_id: str) -> Record: ...

    @abstractmethod
    def erase(self, sight: Sight, ids: Sequence[str]) -> bool:
        """Remove records for good."""
        ...

    def children(
        self, sight: Sight, record_id: str, *, sort: Sort, descending: bool = False, limit: int | None = None
    ) -> list[Record]:
        """The visible records right below one, sorted."""
        with self._lock:
            self._visible(sight, record_id)
            found = [one for one in self._seen(sight) if one.parent_id == record_id]
            return siblings(found, sort, descending)[:limit]

    def descendants(self, sight: Sight, record_id: str, depth: int) -> list[Record]:
        """The visible records at most `depth` steps below one, each once, oldest first."""
        with self._lock:
            self._visible(sight, record_id)
            return self._below(sight, [record_id], depth)

    def _below(self, sight: Sight, ids: Sequence[str], depth: int | None) -> list[Record]:
        under: dict[str, list[Record]] = {}
        for one in self._seen(sight):
            if one.parent_id is not None:
                under.setdefault(one.parent_id, []).append(one)
        found: dict[str, Record] = {}
        step, frontier = 0, list(ids)
        while frontier and (depth is None or step < depth):
            new = {one.id: one for parent in frontier for one in under.get(parent, ())}
            frontier = [one for one in new if one not in found and one not in ids]
            found |= {one: new[one] for one in frontier}
            step += 1
        return sorted(found.values(), key=lambda one: (one.occurred_at, one.id))

    def ancestors(self, sight: Sight, record_id: str) -> list[str]:
        """The ids above a record, nearest first."""
        with self._lock:
            found: dict[str, None] = {}
            above = self._visible(sight, record_id).parent_id
            while above is not None and above not in found:
                seen = self.get(sight, [above])
                if not seen:
                    break
                found[above] = None
                above = seen[-1].parent_id
            return list(found)

    def fell(self, sight: Sight, ids: Sequence[str], *, hard: bool, move_id: str | None = None) -> Forgotten:
        """Forget records and all that lies below them, or erase them."""
        with self._lock:
            starts = [self._visible(sight, one) for one in dict.fromkeys(ids)]
            # The way down leads through what is hidden already, too.
            wide = msgspec.structs.replace(sight, hidden=True)
            below = self._below(wide, [one.id for one in starts], None)
            family = [*starts, *(one for one in below if sight.hidden or not gone(one, sight.now))]
            family.sort(key=lambda one: (one.occurred_at, one.id))
            records = [self._changeable(sight, one.id) for one in family if not one.vitals.pinned]
            going = [one.id for one in records]
            organism = self._organism(sight)
            if hard and going:
                self.erase(sight, going)
            elif going:
                at = after(sight.now, organism.floor)
                for one in going:
                    organism.revise(one, msgspec.structs.replace(organism.vitals[one], forgotten_at=at))
                if move_id is not None:
                    organism.journal.append(forgetting(move_id, records, sight.viewpoint.node, at))
            pinned = tuple(one.id for one in family if one.vitals.pinned)
            return Forgotten(ids=tuple(going), pinned=pinned, erased=hard, move=None if hard else move_id)

    def edges(self, sight: Sight, ids: Sequence[str]) -> list[Link]:
        """The edges between visible records that begin or end at one of these."""
        with self._lock:
            wanted = set(ids)
            found = [link for ends, link in self._organism(sight).links.items() if wanted & set(ends[:2])]
            return self._between_seen(sight, found)

    def keyed(self, sight: Sight, node: str, keys: Sequence[str]) -> Mapping[str, Record]:
        """The visible records that a node stored under these idempotency keys, by key."""
        with self._lock:
            sent = self._organism(sight).sent
            found = {key: self.get(sight, [sent[(node, key)]]) for key in keys if (node, key) in sent}
            return {key: records[-1] for key, records in found.items() if records}

    def put_session(self, viewpoint: Viewpoint, session: Session) -> None:
        """Keep a session, or what has changed about it."""
        with self._lock:
            self._require_open()
            organism = self._organisms.setdefault(viewpoint.organism, Organism())
            organism.sessions[session.id] = msgspec.structs.replace(session, records=0, first_at=None, last_at=None)

    def sessions(self, sight: Sight, session_id: str | None = None, limit: int | None = None) -> list[Session]:
        """Those that were created and those that visible records name, the latest first."""
        with self._lock:
            found = dict(self._organism(sight).sessions)
            for one in self._seen(sight):
                if one.session_id is not None:
                    known = found.get(one.session_id) or Session(id=one.session_id, actor_id=one.actor_id)
                    found[one.session_id] = _with(known, one)
            listed = [one for one in found.values() if session_id in (None, one.id)]
            listed.sort(key=lambda one: (one.last_at or one.started_at, one.id), reverse=True)  # pyright: ignore[reportArgumentType, reportCallIssue]
            return listed[:limit]


def _with(session: Session, record: Record) -> Session:
    at = record.occurred_at
    return msgspec.structs.replace(
        session,
        records=session.records + 1,
        first_at=min(session.first_at or at, at),
        last_at=max(session.last_at or at, at),
    )
