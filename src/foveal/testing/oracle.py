"""The oracle that the twins compare a store with: plain dictionaries, for a single thread."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import msgspec
import numpy as np
from numpy.typing import NDArray

from foveal.errors import Conflict, NotFound
from foveal.model.crystal import Changes, Snapshot
from foveal.model.query import Access, Viewpoint
from foveal.model.record import Group, Link, Record, Session, Tier, Vitals
from foveal.model.results import Forgotten, Move, Recollection, Region, Stats, Use
from foveal.ports.store import Encoder, Erasure, NewRecord, Order, PlannedMove, TierSession
from foveal.rules.crystals import quotes, telling
from foveal.rules.decay import used
from foveal.rules.duplicates import repeating, words_number
from foveal.rules.lifecycle import Span, after, as_made, carried, changes_of, lives_after
from foveal.rules.recall.index import codes
from foveal.rules.trees import Sort, siblings
from foveal.rules.visibility import (
    follows,
    gone,
    may_know,
    oversees,
    owned_name,
    require_found,
    require_newest,
    require_own,
    require_same_organism,
    visible,
)


@dataclass
class _Version:
    place: int
    record: Record
    terms: set[int]
    vectors: NDArray[np.float32] | None


@dataclass
class _Organism:
    """The records of one (world, actor), with their links, groups, sessions and logs."""

    versions: dict[str, list[_Version]] = field(default_factory=dict[str, list[_Version]])
    vitals: dict[str, Vitals] = field(default_factory=dict[str, Vitals])
    sent: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    filed: int = 0
    slices: Counter[str] = field(default_factory=Counter[str])
    links: dict[tuple[str, str, str], Link] = field(default_factory=dict[tuple[str, str, str], Link])
    groups: dict[str, Group] = field(default_factory=dict[str, Group])
    members: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    sessions: dict[tuple[str, str], Session] = field(default_factory=dict[tuple[str, str], Session])
    journal: list[Move] = field(default_factory=list[Move])
    arrived: set[str] = field(default_factory=set[str])
    reads: list[Recollection] = field(default_factory=list[Recollection])
    snapshots: list[Snapshot] = field(default_factory=list[Snapshot])
    oblivions: dict[str, list[Span]] = field(default_factory=dict[str, list[Span]])
    erased: dict[str, datetime] = field(default_factory=dict[str, datetime])

    @property
    def floor(self) -> datetime | None:
        return max((snapshot.taken_at for snapshot in self.snapshots), default=None)

    def shown(self, version: _Version) -> Record:
        return msgspec.structs.replace(version.record, vitals=self.vitals[version.record.id])

    def newest(self, record_id: str) -> Record:
        return self.shown(self.versions[record_id][-1])

    def seen(self, access: Access, record_id: str) -> list[Record]:
        """The versions of a record that `access` may see: at most one, for any pair of moments."""
        versions = [self.shown(version) for version in self.versions.get(record_id, ())]
        return [record for n, record in enumerate(versions, 1) if visible(record, access, versions[n:])]

    def all_seen(self, access: Access) -> list[Record]:
        return [record for record_id in self.versions for record in self.seen(access, record_id)]

    def sent_before(self, record: Record) -> list[_Version]:
        """The versions of the record stored under the same idempotency key, if it still exists."""
        earlier = self.versions.get(self.sent.get((record.node, record.idempotency_key or ""), ""), [])
        return [] if not earlier or gone(self.shown(earlier[-1]), record.recorded_at) else earlier

    def standing(self, tier: Tier) -> list[Record]:
        """The records that a tier holds: those that are neither archived nor forgotten."""
        newest = map(self.newest, self.versions)
        return [
            record
            for record in newest
            if record.vitals.tier is tier
            and record.vitals.archived_at is None
            and record.vitals.forgotten_at is None
        ]

    def live(self, record_id: str, vitals: Vitals) -> None:
        """Set the vitals of a record, and note its arrival if it enters L4."""
        before = self.vitals.get(record_id)
        self.vitals[record_id] = vitals
        came = vitals.tier is Tier.SEMANTIC and (before is None or before.tier is not Tier.SEMANTIC)
        if came and vitals.archived_at is None and vitals.forgotten_at is None:
            self.arrived.add(record_id)

    def dated(self, record_id: str, vitals: Vitals, now: datetime) -> Vitals:
        """New vitals with `forgotten_at` after the newest snapshot; a span of oblivion that ends is noted."""
        before = self.vitals[record_id].forgotten_at
        if vitals.forgotten_at == before:
            return vitals
        if before is not None:
            self.oblivions.setdefault(record_id, []).append((before, after(now, self.floor)))
        if vitals.forgotten_at is None:
            return vitals
        return msgspec.structs.replace(vitals, forgotten_at=after(vitals.forgotten_at, self.floor))

    def file(self, entry: NewRecord, vitals: Vitals) -> Record:
        """Add a version with the next slice in its region, dated after the newest snapshot."""
        record = entry.record
        moment = record.recorded_at if entry.dated else after(record.recorded_at, self.floor)
        address = msgspec.structs.replace(record.address, time_slice=self.slices[record.region])
        self.slices[record.region] += 1
        self.live(record.id, vitals)
        stored = msgspec.structs.replace(record, address=address, recorded_at=moment, vitals=vitals)
        versions = self.versions.setdefault(record.id, [])
        if versions:
            versions[-1].record = msgspec.structs.replace(versions[-1].record, superseded_at=moment)
        self.filed += 1
        versions.append(_Version(self.filed, stored, set(entry.trace.terms.tolist()), entry.vectors))
        return stored

    def erase(self, ids: Sequence[str], now: datetime) -> None:
        """Remove records and everything that mentions them; their ids stay taken."""
        at = after(now, self.floor)
        going = [version.record for record_id in ids for version in self.versions[record_id]]
        named = [group_id for group_id, members in self.members.items() if members & {*ids}]
        for record_id in ids:
            self.erased[record_id] = at
            del self.versions[record_id], self.vitals[record_id]
            self.oblivions.pop(record_id, None)
        self.links = {ends: link for ends, link in self.links.items() if not {*ends[:2]} & {*ids}}
        for members in self.members.values():
            members.difference_update(ids)
        self.arrived.difference_update(ids)
        moves = [
            msgspec.structs.replace(
                move, changes=tuple(change for change in move.changes if change.record_id not in ids)
            )
            for move in self.journal
        ]
        self.journal = [move for move in moves if move.changes]
        self._leave_nothing_of(going, named)
        # The question of a read may quote an erased record.
        told = telling(record.text for record in going)
        self.reads = [
            read
            for read in self.reads
            if all(item.id not in ids for item in read.items) and not quotes(read.query, told)
        ]

    def _leave_nothing_of(self, going: Sequence[Record], named: Sequence[str]) -> None:
        """Remove the groups, sessions and regions that erased records leave empty."""
        for group_id in named:
            if not self.members[group_id]:
                del self.members[group_id], self.groups[group_id]
        left = [version.record for versions in self.versions.values() for version in versions]
        sessions = {record.session_id for record in going} - {record.session_id for record in left}
        self.sessions = {key: session for key, session in self.sessions.items() if session.id not in sessions}
        self.reads = [
            msgspec.structs.replace(read, session_id=None) if read.session_id in sessions else read
            for read in self.reads
        ]
        for region in {record.region for record in going} - {record.region for record in left}:
            del self.slices[region]


@dataclass
class _Shared:
    """What all parts of an oracle know."""

    organisms: dict[tuple[str, str], _Organism] = field(default_factory=dict[tuple[str, str], _Organism])
    encoder: Encoder | None = None


class _Part:
    def __init__(self, shared: _Shared) -> None:
        self._shared, self._organisms = shared, shared.organisms

    def _get(self, access: Access, ids: Sequence[str]) -> list[Record]:
        organism = self._of(access.viewpoint)
        return [record for record_id in dict.fromkeys(ids) for record in organism.seen(access, record_id)]

    def _edges(self, access: Access, ids: Sequence[str]) -> list[Link]:
        seen = {record.id for record in self._seen(access)}
        links = self._of(access.viewpoint).links
        return [links[ends] for ends in sorted(links) if {*ends[:2]} <= seen and {*ends[:2]} & {*ids}]

    def _of(self, viewpoint: Viewpoint) -> _Organism:
        return self._organisms.get(viewpoint.organism) or _Organism()

    def _own(self, viewpoint: Viewpoint) -> _Organism:
        return self._organisms.setdefault(viewpoint.organism, _Organism())

    def _seen(self, access: Access) -> list[Record]:
        return self._of(access.viewpoint).all_seen(access)

    def _scan(self, access: Access, order: Order) -> list[Record]:
        newest = order is Order.NEWEST
        return sorted(self._seen(access), key=lambda record: (record.occurred_at, record.id), reverse=newest)

    def _versions_seen(self, access: Access) -> list[_Version]:
        organism = self._of(access.viewpoint)
        return [
            version
            for record in organism.all_seen(access)
            for version in organism.versions[record.id]
            if version.record.version == record.version
        ]

    def _visible(self, access: Access, record_id: str) -> Record:
        records = self._get(access, [record_id])
        require_found([record_id], records)
        return records[0]

    def _changeable(self, access: Access, record_id: str) -> Record:
        record = self._visible(access, record_id)
        require_own([record], access)
        return record

    def _admit(self, records: Sequence[Record]) -> None:
        """Refuse records that cannot be stored, also because of others in the batch, before storing any."""
        keys, ids = dict[tuple[str, ...], str](), set[tuple[str, ...]]()
        for record in records:
            name = (record.world, record.actor_id)
            organism = self._organisms.get(name) or _Organism()
            if record.idempotency_key is not None:
                key = (*name, record.node, record.idempotency_key)
                earlier = organism.sent_before(record)
                text = earlier[0].record.text if earlier else keys.get(key)
                if text is not None and text != record.text:
                    raise Conflict("this idempotency key was used for another text", key=record.idempotency_key)
                if text is not None:
                    continue
                keys[key] = record.text
            if record.id in organism.versions or record.id in organism.erased or (*name, record.id) in ids:
                raise Conflict(f"the id {record.id} is taken", record_id=record.id)
            ids.add((*name, record.id))

    def _append(self, entry: NewRecord) -> tuple[Record, bool]:
        record = entry.record
        organism = self._organisms.setdefault((record.world, record.actor_id), _Organism())
        if record.idempotency_key is not None:
            if earlier := organism.sent_before(record):
                return organism.shown(earlier[-1]), False
            organism.sent[(record.node, record.idempotency_key)] = record.id
        stored = organism.file(entry, record.vitals)
        if entry.repeats in organism.versions:
            link = repeating(record, entry.repeats)
            organism.links[(link.source_id, link.target_id, link.kind)] = link
        return stored, True

    def _admit_version(self, access: Access, record: Record) -> None:
        require_same_organism(record, access)
        require_newest(record, self._visible(access, record.id), access)

    def _supersede(self, entry: NewRecord) -> Record:
        organism = self._organisms[(entry.record.world, entry.record.actor_id)]
        return organism.file(entry, carried(organism.vitals[entry.record.id], entry.was, entry.record.vitals))

    def _move(self, organism: _Organism, move: Move, seen: set[str]) -> bool:
        ids = seen & {change.record_id for change in move.changes}
        new = lives_after(move, {record_id: organism.vitals[record_id] for record_id in ids})
        if new is None:
            return False
        new = {record_id: organism.dated(record_id, vitals, move.at) for record_id, vitals in new.items()}
        for record_id, vitals in new.items():
            organism.live(record_id, vitals)
        organism.journal.append(as_made(move, new))
        return True

    def _members(self, access: Access, group_id: str) -> set[str]:
        organism = self._of(access.viewpoint)
        members, group = organism.members.get(group_id), organism.groups.get(group_id)
        node = "/" if access.as_owner else access.viewpoint.node
        if members is None or group is None or not may_know(node, group.node):
            raise NotFound(f"there is no group {group_id!r} here", group_id=group_id)
        return members

    def _below(self, access: Access, ids: Sequence[str], depth: int | None) -> list[Record]:
        seen, records = self._seen(access), dict[str, Record]()
        step, frontier = 0, set(ids)
        while frontier and (depth is None or step < depth):
            new = {record.id: record for record in seen if record.parent_id in frontier}
            frontier = new.keys() - records.keys() - {*ids}
            records |= {record_id: new[record_id] for record_id in frontier}
            step += 1
        return sorted(records.values(), key=lambda record: (record.occurred_at, record.id))

    def _as_seen(self, access: Access, read: Recollection) -> Recollection:
        """The read with the items that `access` may see, best first."""
        seen = [item for item in read.items if self._get(access, [item.id])]
        seen.sort(key=lambda item: (item.rank is None, item.rank or 0, item.id))
        return msgspec.structs.replace(read, items=tuple(seen))


class _Records(_Part):
    def append(self, entries: Sequence[NewRecord], encoder: Encoder) -> list[tuple[Record, bool]]:
        self._shared.encoder = encoder
        self._admit([entry.record for entry in entries])
        return [self._append(entry) for entry in entries]

    def supersede(self, access: Access, entry: NewRecord, encoder: Encoder) -> Record:
        self._shared.encoder = encoder
        self._admit_version(access, entry.record)
        return self._supersede(entry)

    def write_batch(
        self, access: Access, fresh: Sequence[NewRecord], later: Sequence[NewRecord], encoder: Encoder
    ) -> list[Record]:
        self._shared.encoder = encoder
        for entry in fresh:
            if entry.record.idempotency_key is not None and self._of(access.viewpoint).sent_before(entry.record):
                raise Conflict("this idempotency key was used", key=entry.record.idempotency_key)
        self._admit([entry.record for entry in fresh])
        for entry in later:
            self._admit_version(access, entry.record)
        return [*(self._append(entry)[0] for entry in fresh), *map(self._supersede, later)]

    def get(self, access: Access, ids: Sequence[str]) -> list[Record]:
        return self._get(access, ids)

    def history(self, access: Access, record_id: str) -> list[Record]:
        self._visible(access, record_id)
        organism = self._of(access.viewpoint)
        versions = [organism.shown(version) for version in organism.versions[record_id]]
        return [record for record in versions if follows(record, access)]

    def scan(self, access: Access, *, order: Order) -> Iterator[Record]:
        return iter(self._scan(access, order))

    def with_words(self, access: Access, words: Sequence[str]) -> set[str]:
        wanted = set(codes(words).tolist())
        return {version.record.id for version in self._versions_seen(access) if version.terms & wanted}

    def cosines(self, access: Access, vector: NDArray[np.float32]) -> dict[str, float]:
        rows_by_id = [(version.record.id, version.vectors) for version in self._versions_seen(access)]
        return {record_id: float((rows @ vector).max()) for record_id, rows in rows_by_id if rows is not None}

    def revise(self, access: Access, ids: Sequence[str], change: Callable[[Record], Vitals]) -> list[Record]:
        organism = self._of(access.viewpoint)
        changed = [(record_id, change(self._changeable(access, record_id))) for record_id in ids]
        for record_id, vitals in changed:
            organism.live(record_id, organism.dated(record_id, vitals, access.now))
        return [organism.newest(record_id) for record_id in ids]

    def erase(self, access: Access, ids: Sequence[str]) -> Erasure:
        for record_id in ids:
            self._changeable(access, record_id)
        self._of(access.viewpoint).erase(ids, access.now)
        return Erasure()

    def keyed(self, access: Access, node: str, keys: Sequence[str]) -> Mapping[str, Record]:
        sent = self._of(access.viewpoint).sent
        return {key: record for key in keys for record in self._get(access, [sent.get((node, key), "")])}

    def previous(self, access: Access, records: Sequence[Record]) -> dict[str, Record]:
        organism = self._of(access.viewpoint)
        return {
            record.id: organism.shown(version)
            for record in records
            if organism.seen(access, record.id)
            for version in organism.versions[record.id]
            if version.record.version == record.version - 1 and follows(version.record, access)
        }

    def said_before(self, access: Access, records: Sequence[Record]) -> dict[str, str]:
        first: dict[int, str] = {}
        for version in sorted(self._versions_seen(access), key=lambda version: version.place):
            first.setdefault(words_number(version.record), version.record.id)
        numbers = {record.id: words_number(record) for record in records}
        return {record_id: first[number] for record_id, number in numbers.items() if number in first}


class _Links(_Part):
    def link(self, access: Access, link: Link) -> None:
        for end in (link.source_id, link.target_id):
            self._visible(access, end)
        self._of(access.viewpoint).links[(link.source_id, link.target_id, link.kind)] = link

    def unlink(self, access: Access, source_id: str, target_id: str, kind: str | None) -> int:
        for end in (source_id, target_id):
            self._visible(access, end)
        links = self._of(access.viewpoint).links
        drawn = [ends for ends in links if ends[:2] == (source_id, target_id) and kind in (None, ends[2])]
        for ends in drawn:
            del links[ends]
        return len(drawn)

    def of(self, access: Access, record_id: str) -> list[Link]:
        self._visible(access, record_id)
        return self._edges(access, [record_id])

    def put_group(self, viewpoint: Viewpoint, group: Group) -> Group:
        organism = self._own(viewpoint)
        others = [other for other in organism.groups.values() if other.id != group.id]
        known = organism.groups.get(group.id)
        if known and not may_know(viewpoint.node, known.node):
            raise Conflict(f"the id {group.id} is taken", group_id=group.id)
        if any((other.node, other.name) == (group.node, group.name) for other in others):
            raise Conflict(f"there is a group {group.name!r} already", name=group.name)
        number = known.number if known else 1 + max((other.number for other in others), default=0)
        organism.groups[group.id] = msgspec.structs.replace(group, number=number)
        organism.members.setdefault(group.id, set())
        return organism.groups[group.id]

    def groups(self, viewpoint: Viewpoint) -> list[Group]:
        groups = [group for group in self._of(viewpoint).groups.values() if may_know(viewpoint.node, group.node)]
        return sorted(groups, key=lambda group: (group.name, group.id))

    def join(self, access: Access, group_id: str, ids: Sequence[str]) -> None:
        self._members(access, group_id).update([self._visible(access, record_id).id for record_id in ids])

    def members(self, access: Access, group_id: str) -> list[Record]:
        records = self._get(access, sorted(self._members(access, group_id)))
        return sorted(records, key=lambda record: (record.occurred_at, record.id))

    def put_session(self, viewpoint: Viewpoint, session: Session) -> None:
        self._own(viewpoint).sessions[(session.node, session.id)] = session

    def sessions(self, access: Access) -> list[Session]:
        written: dict[str, list[datetime]] = {}
        for record in self._seen(access):
            if record.session_id is not None:
                written.setdefault(record.session_id, []).append(record.occurred_at)
        node = "/" if access.as_owner else access.viewpoint.node
        begun = [
            session for session in self._of(access.viewpoint).sessions.values() if may_know(node, session.node)
        ]
        named = written.keys() - {session.id for session in begun}
        begun += [Session(id=name, actor_id=access.viewpoint.actor_id) for name in named]
        dated: list[tuple[datetime | None, str, str, Session]] = []
        for session in begun:
            if times := written.get(session.id):
                session = msgspec.structs.replace(
                    session, records=len(times), first_at=min(times), last_at=max(times)
                )
            stored = owned_name(session.node, session.id)
            dated.append((session.last_at or session.started_at, session.id, stored, session))
        return [session for *_, session in sorted(dated, reverse=True)]


class _Trees(_Part):
    def forget(self, access: Access, ids: Sequence[str], *, hard: bool) -> Forgotten:
        starts = [self._visible(access, record_id) for record_id in dict.fromkeys(ids)]
        # Descend through hidden records as well.
        deep = msgspec.structs.replace(access, include_hidden=True)
        below = self._below(deep, [record.id for record in starts], None)
        family = [*starts, *(record for record in below if access.include_hidden or not gone(record, access.now))]
        family.sort(key=lambda record: (record.occurred_at, record.id))
        going = [self._changeable(access, record.id).id for record in family if not record.vitals.pinned]
        organism = self._of(access.viewpoint)
        if hard:
            organism.erase(going, access.now)
        else:
            at = after(access.now, organism.floor)
            for record_id in going:
                organism.live(record_id, msgspec.structs.replace(organism.vitals[record_id], forgotten_at=at))
        pinned = tuple(record.id for record in family if record.vitals.pinned)
        return Forgotten(ids=tuple(going), pinned=pinned, erased=hard)

    def edges(self, access: Access, ids: Sequence[str]) -> list[Link]:
        return self._edges(access, ids)

    def children(
        self, access: Access, record_id: str, *, sort: Sort, descending: bool = False, limit: int | None = None
    ) -> list[Record]:
        self._visible(access, record_id)
        records = [record for record in self._seen(access) if record.parent_id == record_id]
        return siblings(records, sort, descending)[:limit]

    def descendants(self, access: Access, record_id: str, depth: int) -> list[Record]:
        self._visible(access, record_id)
        return self._below(access, [record_id], depth)

    def ancestors(self, access: Access, record_id: str) -> list[str]:
        path: list[str] = []
        above = self._visible(access, record_id).parent_id
        while above is not None and above not in path and (seen := self._get(access, [above])):
            path.append(above)
            above = seen[0].parent_id
        return path


class _Counts(_Part):
    def regions(self, access: Access) -> list[Region]:
        times_by_region: dict[str, list[datetime]] = {}
        for record in self._seen(access):
            times_by_region.setdefault(record.region, []).append(record.occurred_at)
        return [
            Region(region=name, records=len(times), first_at=min(times), last_at=max(times))
            for name, times in sorted(times_by_region.items())
        ]

    def marks(self, access: Access, *, order: Order, every: int) -> tuple[int, list[tuple[int, datetime, str]]]:
        places = list(enumerate(self._scan(access, order), 1))
        return len(places), [(n, record.occurred_at, record.id) for n, record in places if n % every == 0]

    def nodes(self, access: Access) -> list[tuple[str, str, int]]:
        counts = Counter((record.node, record.scope.value) for record in self._seen(access))
        return [(node, scope, count) for (node, scope), count in sorted(counts.items())]

    def organisms(self) -> list[tuple[str, str]]:
        return sorted(name for name, organism in self._organisms.items() if organism.versions)

    def stats(self, access: Access) -> Stats:
        seen, organism = self._seen(access), self._of(access.viewpoint)
        ids = {record.id for record in seen}
        versions = [version for record_id in ids for version in organism.versions[record_id]]
        tiers = [(record.vitals.tier.name.lower(), record.vitals.archived_at is None) for record in seen]
        return Stats(
            records=len(ids),
            versions=len(versions),
            links=sum({*ends[:2]} <= ids for ends in organism.links),
            pinned=sum(record.vitals.pinned for record in seen),
            archived=sum(not held for _, held in tiers),
            pending=sum(version.vectors is None for version in versions),
            tiers=_counted(tier for tier, _ in tiers),
            held=_counted(tier for tier, held in tiers if held),
            kinds=_counted(record.kind for record in seen),
            scopes=_counted(record.scope.value for record in seen),
            regions=len({record.region for record in seen}),
            sessions=len({record.session_id for record in seen} - {None}),
            first_at=min((record.occurred_at for record in seen), default=None),
            last_at=max((record.occurred_at for record in seen), default=None),
            bytes=sum(len(version.record.text.encode()) for version in versions),
            encoder=self._shared.encoder.id if self._shared.encoder else None,
        )


class _Lifecycle(_Part):
    def apply(self, access: Access, acts: Sequence[PlannedMove], encoder: Encoder) -> list[Move]:
        ids = [change.record_id for act in acts for change in act.move.changes]
        records = self._get(msgspec.structs.replace(access, include_hidden=True), ids)
        require_own(records, access)
        seen = {record.id for record in records}
        return [act.move for act in acts if self._move(self._of(access.viewpoint), act.move, seen)]

    def journal(self, access: Access, *, limit: int) -> list[Move]:
        hidden = msgspec.structs.replace(access, include_hidden=True)
        moves: list[Move] = []
        for move in reversed(self._of(access.viewpoint).journal):
            seen = {record.id for record in self._get(hidden, [change.record_id for change in move.changes])}
            changes = tuple(change for change in move.changes if change.record_id in seen)
            if changes:
                moves.append(msgspec.structs.replace(move, changes=changes))
        return moves[:limit]

    def tier_sessions(self, tier: Tier) -> list[TierSession]:
        ages_by_session: dict[tuple[str, str, str], list[datetime]] = {}
        for name, organism in self._organisms.items():
            for record in organism.standing(tier):
                since = organism.versions[record.id][0].record.recorded_at
                ages_by_session.setdefault((*name, record.session_id or ""), []).append(since)
        return [
            TierSession(
                world=world, actor_id=actor, session_id=session or None, records=len(ages), oldest=min(ages)
            )
            for (world, actor, session), ages in sorted(ages_by_session.items())
        ]

    def uncompared(self, access: Access, limit: int) -> list[Record]:
        return self._get(access, sorted(self._of(access.viewpoint).arrived))[:limit]

    def expired(self, now: datetime, viewpoint: Viewpoint | None, limit: int) -> list[Record]:
        expiring = [
            (record.vitals.expires_at, organism.newest(record.id))
            for name, organism in self._organisms.items()
            if viewpoint is None or viewpoint.organism == name
            for record in map(organism.newest, organism.versions)
            if record.vitals.expires_at is not None and record.vitals.forgotten_at is None
        ]
        return [record for at, record in sorted(expiring, key=lambda pair: pair[0]) if at <= now][:limit]


class _RecallLog(_Part):
    def add(self, access: Access, reads: Sequence[Recollection], uses: Sequence[Use]) -> None:
        organism = self._of(access.viewpoint)
        for use in uses:
            if organism.seen(access, use.id):
                organism.vitals[use.id] = used(organism.vitals[use.id], use.at, use.times, use.reads)
        organism.reads += [self._as_seen(access, read) for read in reads]

    def reads(self, access: Access, record_id: str | None, limit: int) -> list[Recollection]:
        if record_id is not None:
            self._visible(access, record_id)
        reads = [
            read
            for read in reversed(self._of(access.viewpoint).reads)
            if (access.as_owner or oversees(access.viewpoint.node, read.node))
            and (record_id is None or any(item.id == record_id for item in read.items))
        ]
        return [self._as_seen(access, read) for read in reads[:limit]]

    def recently_shown(self, viewpoint: Viewpoint, after: int, limit: int) -> tuple[int, list[str]]:
        """The numbers of reads belong to the store, so `after` and the returned number mean nothing here."""
        here = (viewpoint.node, viewpoint.session_id)
        reads = [read for read in reversed(self._of(viewpoint).reads) if (read.node, read.session_id) == here]
        shown = [record_id for read in reads for record_id in sorted(item.id for item in read.items)]
        return after, list(dict.fromkeys(shown[:limit]))


class _Snapshots(_Part):
    def put(self, viewpoint: Viewpoint, snapshot: Snapshot) -> Snapshot:
        organism = self._own(viewpoint)
        if any(other.id == snapshot.id for other in organism.snapshots):
            raise Conflict(f"the id {snapshot.id} is taken", snapshot_id=snapshot.id)
        moments = [version.record.recorded_at for versions in organism.versions.values() for version in versions]
        moments += [vitals.forgotten_at for vitals in organism.vitals.values() if vitals.forgotten_at]
        moments += [end for spans in organism.oblivions.values() for _, end in spans]
        moments += [*organism.erased.values(), *(other.taken_at for other in organism.snapshots)]
        taken = msgspec.structs.replace(snapshot, taken_at=max([snapshot.taken_at, *moments]))
        organism.snapshots.append(taken)
        return taken

    def all(self, viewpoint: Viewpoint) -> list[Snapshot]:
        known = [taken for taken in self._of(viewpoint).snapshots if may_know(viewpoint.node, taken.node)]
        return sorted(known, key=lambda snapshot: (snapshot.taken_at, snapshot.id))

    def changes(self, access: Access, since: datetime, until: datetime) -> Changes:
        organism = self._of(access.viewpoint)
        present = msgspec.structs.replace(access, include_hidden=True, as_of=None, valid_at=None, where=None)
        lives = [
            (
                [organism.shown(version) for version in organism.versions[record.id]],
                organism.oblivions.get(record.id, ()),
            )
            for record in self._seen(present)
        ]
        root = access.as_owner or access.viewpoint.node == "/"
        erased = [record_id for record_id, at in organism.erased.items() if since < at <= until] if root else []
        return changes_of(lives, erased, since, until)


class Oracle:
    """Answers the calls of the twins as every store must. The methods are documented in `ports`.

    It shares the pure rules with the stores, but no query, index or lock. It is not a whole store, so the tests of
    `StoreContract` do not run on it: the twins compare it with every store that passes them.
    """

    def __init__(self) -> None:
        shared = _Shared()
        self.records = _Records(shared)
        self.links = _Links(shared)
        self.trees = _Trees(shared)
        self.counts = _Counts(shared)
        self.lifecycle = _Lifecycle(shared)
        self.recall_log = _RecallLog(shared)
        self.snapshots = _Snapshots(shared)


def _counted(names: Iterator[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))
