"""Tiers and moves of the reference store."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Sequence
from datetime import datetime, timedelta

import msgspec
import numpy as np
from msgspec import UNSET, UnsetType
from numpy.typing import NDArray

from foveal.backends.ram.organism import Organism
from foveal.model.journal import Change, Move
from foveal.model.link import Link
from foveal.model.record import Record
from foveal.model.sight import Sight, Viewpoint
from foveal.model.tier import Tier
from foveal.ports.entry import Encoder, Entry
from foveal.ports.life import Act, Room
from foveal.rules.changing import as_made, lives_after
from foveal.rules.decay import strength
from foveal.rules.visibility import refuse_foreign, refuse_half


class Life:
    """How records age in memory."""

    _lock: threading.RLock
    _organisms: dict[tuple[str, str], Organism]

    def __init__(self) -> None:
        self._leases: dict[str, tuple[str, datetime]] = {}
        self._jobs: dict[str, datetime] = {}

    @abstractmethod
    def _organism(self, sight: Sight) -> Organism: ...

    @abstractmethod
    def get(self, sight: Sight, ids: Sequence[str]) -> list[Record]:
        """The visible ones of these records."""
        ...

    @abstractmethod
    def append(self, entries: Sequence[Entry], encoder: Encoder) -> list[tuple[Record, bool]]:
        """Store new records."""
        ...

    def rooms(
        self, tier: Tier, viewpoint: Viewpoint | None = None, *, before: datetime | None = None
    ) -> list[Room]:
        """What each session holds in a tier, of one organism or of all."""
        with self._lock:
            found: dict[tuple[str, str, str], list[datetime]] = {}
            for name, organism in self._organisms.items():
                if viewpoint is None or viewpoint.organism == name:
                    for record in organism.standing(tier):
                        since = organism.versions[record.id][0].record.recorded_at
                        if before is None or since <= before:
                            found.setdefault((*name, record.session_id or ""), []).append(since)
            return [
                Room(world=world, actor_id=actor, session_id=session or None, records=len(ages), oldest=min(ages))
                for (world, actor, session), ages in sorted(found.items())
            ]

    def held(
        self, sight: Sight, tier: Tier, *, session_id: str | UnsetType | None = UNSET, limit: int
    ) -> list[Record]:
        """What a tier holds, oldest first: of one session, or of all."""
        with self._lock:
            organism = self._organism(sight)
            ids = [one.id for one in organism.standing(tier) if session_id is UNSET or one.session_id == session_id]
            ids.sort(key=lambda one: (organism.versions[one][0].record.recorded_at, one))
            return self.get(sight, ids)[:limit]

    def act(self, sight: Sight, acts: Sequence[Act], encoder: Encoder) -> list[Move]:
        """Make moves, with their rows in the journal."""
        with self._lock:
            organism = self._organism(sight)
            ids = [change.record_id for act in acts for change in act.move.changes]
            found = self.get(msgspec.structs.replace(sight, hidden=True), ids)
            refuse_foreign(found, sight)
            seen = {one.id for one in found}
            undone = {act.undoes for act in acts} - {None}
            moved = {one.record_id for move in organism.journal if move.id in undone for one in move.changes}
            refuse_half(moved, seen)
            return [act.move for act in acts if self._act(organism, act, encoder, seen)]

    def _act(self, organism: Organism, act: Act, encoder: Encoder, seen: set[str]) -> bool:
        move = act.move
        ids = seen & {one.record_id for one in move.changes}
        new = lives_after(move, {one: organism.vitals[one] for one in ids})
        if new is None:
            return False
        self.append(act.entries, encoder)
        new = {one: organism.dated(one, vitals, move.at) for one, vitals in new.items()}
        for one, vitals in new.items():
            organism.revise(one, vitals)
        for link in act.links:
            self._draw(organism, link)
        organism.journal.append(as_made(move, new))
        if act.undoes is not None:
            organism.journal = [
                msgspec.structs.replace(one, undone_at=move.at) if one.id == act.undoes else one
                for one in organism.journal
            ]
        return True

    def _draw(self, organism: Organism, link: Link) -> None:
        organism.links[(link.source_id, link.target_id, link.kind)] = link

    def journal(
        self, sight: Sight, *, record_id: str | None = None, move_id: str | None = None, limit: int
    ) -> list[Move]:
        """Moves of records that may be seen, or could before they were forgotten: newest first."""
        with self._lock:
            found: list[Move] = []
            for move in reversed(self._organism(sight).journal):
                if move_id in (None, move.id) and len(found) < limit:
                    seen = self._seen_changes(sight, move)
                    if seen and (record_id is None or record_id in {one.record_id for one in seen}):
                        found.append(msgspec.structs.replace(move, changes=seen))
            return found

    def _seen_changes(self, sight: Sight, move: Move) -> tuple[Change, ...]:
        hidden = msgspec.structs.replace(sight, hidden=True)
        seen = {one.id for one in self.get(hidden, [one.record_id for one in move.changes])}
        return tuple(one for one in move.changes if one.record_id in seen)

    def counted_moves(self, sight: Sight) -> dict[tuple[str, Tier], tuple[int, datetime]]:
        """How many moves of each kind left each tier, and when the last did."""
        with self._lock:
            found: dict[tuple[str, Tier], tuple[int, datetime]] = {}
            for move in self._organism(sight).journal:
                for tier in {one.before.tier for one in self._seen_changes(sight, move)}:
                    known = found.get((move.what.value, tier), (0, move.at))
                    found[(move.what.value, tier)] = (known[0] + 1, max(known[1], move.at))
            return found

    def forget_moves(self, before: datetime, limit: int) -> int:
        """Drop the oldest moves of the journal. Gives how many rows went."""
        with self._lock:
            gone = 0
            for organism in self._organisms.values():
                old = [move for move in organism.journal if move.at < before][:limit]
                gone += sum(len(move.changes) for move in old)
                organism.journal = [move for move in organism.journal if move not in old]
            return gone

    def arrivals(self, sight: Sight, limit: int) -> list[Record]:
        """What came to L4 and was not yet compared with the rest, oldest first."""
        with self._lock:
            return self.get(sight, sorted(self._organism(sight).arrived))[:limit]

    def settle(self, viewpoint: Viewpoint, ids: Sequence[str]) -> None:
        """Say that arrivals were compared."""
        with self._lock:
            if viewpoint.organism in self._organisms:
                self._organisms[viewpoint.organism].arrived.difference_update(ids)

    def facts(self, viewpoint: Viewpoint, encoder: Encoder, limit: int) -> dict[str, NDArray[np.float32]]:
        """The newest of what L4 holds and nothing was consolidated into: id and vector."""
        with self._lock:
            organism = self._organisms.get(viewpoint.organism) or Organism()
            found = [one for one in organism.standing(Tier.SEMANTIC) if one.kind != "consolidated"]
            found.sort(key=lambda one: (organism.versions[one.id][0].record.recorded_at, one.id), reverse=True)
            rows = {one.id: organism.versions[one.id][-1].vectors.get(encoder.id) for one in found[:limit]}
            return {one: _middle(vectors) for one, vectors in rows.items() if vectors is not None}

    def faded(self, now: datetime, idle: timedelta, *, rate: float, below: float, limit: int) -> list[Record]:
        """Records of L4, of any actor, unused for that long, not pinned, whose strength is below that."""
        with self._lock:
            found = [
                organism.shown(organism.versions[one.id][-1])
                for organism in self._organisms.values()
                for one in organism.standing(Tier.SEMANTIC)
            ]
            rates = {Tier.SEMANTIC: rate}
            return [
                one
                for one in found
                if not one.vitals.pinned
                and (one.vitals.used_at or one.recorded_at) <= now - idle
                and strength(one.vitals, one.recorded_at, now, rates) < below
            ][:limit]

    def expired(self, now: datetime, viewpoint: Viewpoint | None, limit: int) -> list[Record]:
        """Records of one organism, or of all, whose time has run out and that are not forgotten yet."""
        with self._lock:
            found = [
                organism.shown(organism.versions[one][-1])
                for name, organism in self._organisms.items()
                if viewpoint is None or viewpoint.organism == name
                for one, vitals in organism.vitals.items()
                if vitals.expires_at is not None and vitals.expires_at <= now and vitals.forgotten_at is None
            ]
            return sorted(found, key=lambda one: one.vitals.expires_at or now)[:limit]


def _middle(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    middle = rows.mean(axis=0)
    return (middle / max(float(np.linalg.norm(middle)), 1e-12)).astype(np.float32)
