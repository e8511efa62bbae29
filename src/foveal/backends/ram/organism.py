"""What one organism holds, in memory."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import msgspec
import numpy as np
from numpy.typing import NDArray

from foveal.backends.mirror import Mirror, Packed
from foveal.backends.ram.reel import Reel
from foveal.model.link import Group, Link
from foveal.model.record import Record
from foveal.model.sight import Sight
from foveal.model.vitals import Vitals
from foveal.ports.store import Encoder
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
    reels: dict[int, Reel] = field(default_factory=dict[int, Reel])
    origins: dict[int, str] = field(default_factory=dict[int, str])
    mirror: Mirror | None = None

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

    def drop(self, record_id: str) -> list[Version]:
        """Take a record out with its edges and memberships, leaving a tombstone."""
        gone = self.versions.pop(record_id)
        del self.vitals[record_id]
        self.tombstones.add(record_id)
        self.links = {ends: link for ends, link in self.links.items() if record_id not in ends[:2]}
        for ids in self.members.values():
            ids.discard(record_id)
        for version in gone:
            self.origins.pop(version.key, None)
            for reel in self.reels.values():
                reel.drop(version.key)
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
            [one.trace for one in new],
            [None if rows is None else rows.astype(np.float16).tobytes() for rows in vectors],
        )
        return self.mirror
