"""Links, groups, regions and counts of the reference store."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections import Counter
from collections.abc import Sequence
from datetime import datetime

import msgspec

from foveal.backends.ram.organism import Organism
from foveal.errors import Conflict, NotFound
from foveal.model.link import Group, Link
from foveal.model.outcome import Region, Stats
from foveal.model.record import Record
from foveal.model.sight import Sight, Viewpoint
from foveal.ports.store import Encoder, Order


class Bonds:
    """What ties the records of an organism together."""

    _lock: threading.RLock
    _organisms: dict[tuple[str, str], Organism]
    _encoder: Encoder | None

    @abstractmethod
    def _require_open(self) -> None: ...

    @abstractmethod
    def _organism(self, sight: Sight) -> Organism: ...

    @abstractmethod
    def _visible(self, sight: Sight, record_id: str) -> Record: ...

    @abstractmethod
    def get(self, sight: Sight, ids: Sequence[str]) -> list[Record]:
        """The visible ones of these records."""
        ...

    def link(self, sight: Sight, link: Link) -> None:
        """Draw an edge between two visible records; drawn again, it takes the new weight."""
        with self._lock:
            for end in (link.source_id, link.target_id):
                self._visible(sight, end)
            self._organism(sight).links[(link.source_id, link.target_id, link.kind)] = link

    def unlink(self, sight: Sight, source_id: str, target_id: str, kind: str | None) -> int:
        """Take edges away. Gives how many there were."""
        with self._lock:
            for end in (source_id, target_id):
                self._visible(sight, end)
            links = self._organism(sight).links
            gone = [ends for ends in links if ends[:2] == (source_id, target_id) and kind in (None, ends[2])]
            for ends in gone:
                del links[ends]
            return len(gone)

    def links(self, sight: Sight, record_id: str) -> list[Link]:
        """The edges of a visible record to and from visible records."""
        with self._lock:
            self._visible(sight, record_id)
            edges = [link for ends, link in self._organism(sight).links.items() if record_id in ends[:2]]
            return self._between_seen(sight, edges)

    def _between_seen(self, sight: Sight, edges: Sequence[Link]) -> list[Link]:
        ends = {end for link in edges for end in (link.source_id, link.target_id)}
        seen = {record.id for record in self.get(sight, sorted(ends))}
        kept = [link for link in edges if {link.source_id, link.target_id} <= seen]
        return sorted(kept, key=lambda link: (link.source_id, link.target_id, link.kind))

    def put_group(self, viewpoint: Viewpoint, group: Group) -> Group:
        """Make a group, or rename it."""
        with self._lock:
            organism = self._organisms.setdefault(viewpoint.organism, Organism())
            others = [one for one in organism.groups.values() if one.id != group.id]
            if any(one.name == group.name for one in others):
                raise Conflict(f"there is a group {group.name!r} already", name=group.name)
            known = organism.groups.get(group.id)
            number = known.number if known else 1 + max((one.number for one in others), default=0)
            organism.groups[group.id] = msgspec.structs.replace(group, number=number)
            organism.members.setdefault(group.id, set())
            return organism.groups[group.id]

    def groups(self, viewpoint: Viewpoint) -> list[Group]:
        """The groups of an organism, by name."""
        with self._lock:
            organism = self._organisms.get(viewpoint.organism)
            groups = organism.groups.values() if organism else ()
            return sorted(groups, key=lambda group: (group.name, group.id))

    def join(self, sight: Sight, group_id: str, ids: Sequence[str]) -> None:
        """Put visible records into a group."""
        with self._lock:
            members = self._members(sight, group_id)
            members.update([self._visible(sight, one).id for one in ids])

    def leave(self, sight: Sight, group_id: str, ids: Sequence[str]) -> None:
        """Take records out of a group."""
        with self._lock:
            members = self._members(sight, group_id)
            members.difference_update([self._visible(sight, one).id for one in ids])

    def members(self, sight: Sight, group_id: str) -> list[Record]:
        """The visible records of a group, oldest first."""
        with self._lock:
            records = self.get(sight, sorted(self._members(sight, group_id)))
            return sorted(records, key=lambda one: (one.occurred_at, one.id))

    def _members(self, sight: Sight, group_id: str) -> set[str]:
        members = self._organism(sight).members.get(group_id)
        if members is None:
            raise NotFound(f"there is no group {group_id!r} here", group_id=group_id)
        return members

    def regions(self, sight: Sight) -> list[Region]:
        """The regions with visible records, by name."""
        found: dict[str, list[Record]] = {}
        for record in self._seen(sight):
            found.setdefault(record.region, []).append(record)
        return [
            Region(
                region=name,
                records=len(records),
                first_at=min(record.occurred_at for record in records),
                last_at=max(record.occurred_at for record in records),
            )
            for name, records in sorted(found.items())
        ]

    def stats(self, sight: Sight) -> Stats:
        """How much of it is visible."""
        with self._lock:
            seen, organism = self._seen(sight), self._organism(sight)
            ids = {record.id for record in seen}
            encoder = self._encoder.id if self._encoder else None
            kept = [version for one in ids for version in organism.versions[one]]
            return Stats(
                records=len(ids),
                versions=len(kept),
                links=sum(link.source_id in ids and link.target_id in ids for link in organism.links.values()),
                pinned=sum(record.vitals.pinned for record in seen),
                archived=sum(record.vitals.archived_at is not None for record in seen),
                pending=sum(encoder not in version.vectors for version in kept),
                tiers=dict(sorted(Counter(record.vitals.tier.name.lower() for record in seen).items())),
                held=dict(
                    sorted(
                        Counter(
                            record.vitals.tier.name.lower() for record in seen if record.vitals.archived_at is None
                        ).items()
                    )
                ),
                kinds=dict(sorted(Counter(record.kind for record in seen).items())),
                scopes=dict(sorted(Counter(record.scope.value for record in seen).items())),
                regions=len({record.region for record in seen}),
                sessions=len({record.session_id for record in seen} - {None}),
                first_at=min((record.occurred_at for record in seen), default=None),
                last_at=max((record.occurred_at for record in seen), default=None),
                bytes=sum(len(version.record.text.encode()) for version in kept),
                encoder=encoder,
            )

    def marks(self, sight: Sight, *, order: Order, every: int) -> tuple[int, list[tuple[int, datetime, str]]]:
        """How many records `scan` gives, and the place, time and id of each `every`th of them."""
        places = sorted(((one.occurred_at, one.id) for one in self._seen(sight)), reverse=order is Order.NEWEST)
        return len(places), [(n, *places[n - 1]) for n in range(every, len(places) + 1, every)]

    def nodes(self, sight: Sight) -> list[tuple[str, str, int]]:
        """How many visible records each node wrote at each scope."""
        counts = Counter((one.node, one.scope.value) for one in self._seen(sight))
        return [(node, scope, count) for (node, scope), count in sorted(counts.items())]

    def _seen(self, sight: Sight) -> list[Record]:
        with self._lock:
            return self._organism(sight).all_seen(sight)
