"""What one organism holds, in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Set
from dataclasses import dataclass, field
from datetime import datetime

import msgspec
import numpy as np
from numpy.typing import NDArray

from foveal.backends.mirror import Mirror, Packed
from foveal.backends.ram.reel import Reel
from foveal.model.crystal import Snapshot
from foveal.model.journal import Move
from foveal.model.link import Group, Link
from foveal.model.recollection import Recollection
from foveal.model.record import Record
from foveal.model.rendition import Rendition
from foveal.model.session import Session
from foveal.model.sight import Sight
from foveal.model.tier import Tier
from foveal.model.vitals import Vitals
from foveal.ports.store import Encoder
from foveal.rules.moments import Span, after
from foveal.rules.visibility import gone, visible


@dataclass
class Version:
    """One version of a record, what it is found by, and its vectors by encoder."""

    key: int
    record: Record
    trace: Packed
    vectors: dict[str, NDArray[np.float32]] = field(default_factory=dict[str, "NDArray[np.float32]"])


@dataclass
class Organism:
    """The records of one (world, actor) and everything between them."""

    versions: dict[str, list[Version]] = field(default_factory=dict[str, list[Version]])
    vitals: dict[str, Vitals] = field(default_factory=dict[str, Vitals])
    tombstones: set[str] = field(default_factory=set[str])
    sent: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    slices: Counter[str] = field(default_factory=Counter[str])
    links: dict[tuple[str, str, str], Link] = field(default_factory=dict[tuple[str, str, str], Link])
    groups: dict[str, Group] = field(default_factory=dict[str, Group])
    members: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    sessions: dict[str, Session] = field(default_factory=dict[str, Session])
    reels: dict[int, Reel] = field(default_factory=dict[int, Reel])
    dropped: int = 0
    origins: dict[int, str] = field(default_factory=dict[int, str])
    mirror: Mirror | None = None
    journal: list[Move] = field(default_factory=list[Move])
    renditions: list[Rendition] = field(default_factory=list[Rendition])
    arrived: set[str] = field(default_factory=set[str])
    unsummarised: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    reads: dict[int, Recollection] = field(default_factory=dict[int, Recollection])
    next_read: int = 1
    words: dict[int, dict[str, None]] = field(default_factory=dict[int, dict[str, None]])
    crystals: dict[str, bytes] = field(default_factory=dict[str, bytes])
    snapshots: list[Snapshot] = field(default_factory=list[Snapshot])
    oblivions: dict[str, list[Span]] = field(default_factory=dict[str, list[Span]])
    erased: dict[str, datetime] = field(default_factory=dict[str, datetime])

    @property
    def floor(self) -> datetime | None:
        """When the newest snapshot was taken: what comes later is dated later."""
        return max((one.taken_at for one in self.snapshots), default=None)

    def dated(self, record_id: str, vitals: Vitals, now: datetime) -> Vitals:
        """The new vitals of a record, forgotten after the newest snapshot; what was forgotten till now is noted."""
        before = self.vitals[record_id].forgotten_at
        if vitals.forgotten_at == before:
            return vitals
        if before is not None:
            self.oblivions.setdefault(record_id, []).append((before, after(now, self.floor)))
        if vitals.forgotten_at is None:
            return vitals
        return msgspec.structs.replace(vitals, forgotten_at=after(vitals.forgotten_at, self.floor))

    def sent_before(self, record: Record) -> list[Version]:
        """The versions of what was stored under the record's idempotency key, if it is still there."""
        earlier = self.versions.get(self.sent.get((record.node, record.idempotency_key or ""), ""), [])
        return [] if not earlier or gone(self.shown(earlier[-1]), record.recorded_at) else earlier

    def shown(self, version: Version) -> Record:
        """The version with the life of its record."""
        return msgspec.structs.replace(version.record, vitals=self.vitals[version.record.id])

    def seen(self, sight: Sight, record_id: str) -> list[Record]:
        """The versions of a record that `sight` may see: one at most, for any pair of moments."""
        versions = [self.shown(version) for version in self.versions.get(record_id, ())]
        return [one for n, one in enumerate(versions, 1) if visible(one, sight, versions[n:])]

    def all_seen(self, sight: Sight) -> list[Record]:
        """Everything that `sight` may see."""
        return [record for record_id in self.versions for record in self.seen(sight, record_id)]

    def standing(self, tier: Tier) -> list[Record]:
        """What a tier holds: what is neither archived nor forgotten."""
        return [
            self.versions[one][-1].record
            for one, vitals in self.vitals.items()
            if vitals.tier is tier and vitals.archived_at is None and vitals.forgotten_at is None
        ]

    def revise(self, record_id: str, vitals: Vitals) -> None:
        """Give a record another life; what comes to L4 has arrived there."""
        before = self.vitals.get(record_id)
        self.vitals[record_id] = vitals
        if before is not None and before.forgotten_at != vitals.forgotten_at:
            self.sum_up_anew(self.versions[record_id])
        came = vitals.tier is Tier.SEMANTIC and (before is None or before.tier is not Tier.SEMANTIC)
        if came and vitals.archived_at is None and vitals.forgotten_at is None:
            self.arrived.add(record_id)

    def sum_up_anew(self, versions: Iterable[Version]) -> None:
        """Note that the sessions and regions of these have to be summed up anew."""
        for one in versions:
            self.unsummarised.add(("region", one.record.region))
            if one.record.session_id is not None:
                self.unsummarised.add(("session", one.record.session_id))

    def drop(self, ids: Set[str]) -> list[Version]:
        """Take records out with their edges and memberships, leaving tombstones."""
        gone = [version for one in ids for version in self.versions.pop(one)]
        for one in ids:
            del self.vitals[one]
        self.tombstones |= ids
        self.sum_up_anew(gone)
        for one in ids:
            self.oblivions.pop(one, None)
        for version in gone:
            self.origins.pop(version.key, None)
            for reel in self.reels.values():
                reel.drop(version.key)
        self.links = {ends: link for ends, link in self.links.items() if not ids & set(ends[:2])}
        for members in self.members.values():
            members -= ids
        self.arrived -= ids
        self.renditions = [one for one in self.renditions if all(source not in ids for source, _ in one.sources)]
        kept = (
            msgspec.structs.replace(move, changes=tuple(one for one in move.changes if one.record_id not in ids))
            for move in self.journal
        )
        self.journal = [move for move in kept if move.changes]
        for known in self.words.values():
            for one in ids:
                known.pop(one, None)
        # What was asked may tell of what is erased, so these reads go with it.
        self.reads = {n: read for n, read in self.reads.items() if all(one.id not in ids for one in read.items)}
        self.mirror = None
        return gone

    def leave_tapes(self, encoder: str) -> None:
        """Put no tape to use that another encoder built."""
        for reel in self.reels.values():
            if reel.tape.encoder != encoder:
                reel.tape = msgspec.structs.replace(reel.tape, active=False)

    def followed(self, encoder: Encoder) -> Mirror:
        """The mirror of the organism, with everything in it."""
        if self.mirror is None:
            self.mirror = Mirror(encoder.dimension)
        known = self.mirror.followed
        new = sorted(
            (one for versions in self.versions.values() for one in versions if one.key > known),
            key=lambda one: one.key,
        )
        vectors = [one.vectors.get(encoder.id) for one in new]
        self.mirror.add(
            [one.key for one in new],
            [(one.record.id, one.record.node, one.record.scope) for one in new],
            [one.trace for one in new],
            [None if rows is None else rows.astype(np.float16).tobytes() for rows in vectors],
            [one.record.kind for one in new],
        )
        return self.mirror
