"""The lifecycle passes: promote, archive, expire, fade, consolidate, summarise."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from itertools import islice
from typing import TypeVar

import msgspec
import numpy as np

from foveal.engine.records.write import entries
from foveal.engine.runtime.runtime import WHO, Runtime
from foveal.errors import ModelUnavailable
from foveal.model.ids import new_id
from foveal.model.policy import MemoryLayerConfig, Schedule, Strategy
from foveal.model.query import Access, Compare, Details, Op, Viewpoint
from foveal.model.record import KEPT, Linearity, Link, LinkKind, Record, Rendition, Subject, Tier
from foveal.model.results import Move, What
from foveal.ports.models import Extractive, Summarizer
from foveal.ports.store import Order, PlannedMove, TierSession
from foveal.rules.decay import rates, strength
from foveal.rules.drafts import new_record
from foveal.rules.duplicates import compatible, stars
from foveal.rules.lifecycle import FULL, Shift, archived, digested, leaving, pruned, returned, unfinished
from foveal.rules.summaries import faithful, kept

# How many moves are made in one transaction; this many hold the write lock for some 10 ms.
SLICE = 200

T = TypeVar("T")


def owner(runtime: Runtime, viewpoint: Viewpoint) -> Access:
    """Access to all nodes of an organism, for the metabolism."""
    return runtime.access(Viewpoint(world=viewpoint.world, actor_id=viewpoint.actor_id), as_owner=True)


def act_of(runtime: Runtime, shift: Shift) -> PlannedMove:
    """The move that shifts one record."""
    now = runtime.clock.now()
    return PlannedMove(
        move=Move(id=new_id(now), at=now, who=WHO, what=shift.what, why=shift.why, changes=(shift.change,))
    )


def performed(
    runtime: Runtime, viewpoint: Viewpoint, acts: Iterable[PlannedMove], *, dry_run: bool
) -> Iterator[Move]:
    """Make the moves, slice by slice. Yields those that were made, or with `dry_run` those that would be."""
    for part in sliced(acts, SLICE):
        if dry_run:
            yield from (act.move for act in part)
        else:
            yield from runtime.writes.apply(owner(runtime, viewpoint), part, runtime.encoder)


def sliced(items: Iterable[T], size: int) -> Iterator[Sequence[T]]:
    """The items in lists of at most `size`."""
    iterator = iter(items)
    while part := list(islice(iterator, size)):
        yield part


# How many records of one session are read at once.
MOST = 2_000


def digest(runtime: Runtime, viewpoint: Viewpoint | None = None, *, dry_run: bool = False) -> Iterator[Move]:
    """L1 to L2: promote records that matter, and archive those that are too old or exceed the capacity."""
    for room in runtime.store.lifecycle.tier_sessions(Tier.WORKING, viewpoint):
        yield from digest_room(runtime, room, dry_run=dry_run)


def digest_room(
    runtime: Runtime, room: TierSession, *, dry_run: bool = False, most: int | None = None
) -> Iterator[Move]:
    """The same for one session, with at most `most` moves."""
    viewpoint = _viewpoint(room)
    newer = room.records
    while newer > 0:
        held = runtime.store.lifecycle.in_tier(
            owner(runtime, viewpoint), Tier.WORKING, session_id=room.session_id, limit=MOST
        )
        newer = max(0, newer - len(held))
        shifts = islice(digested(held[::-1], runtime.config, runtime.clock.now(), newer), most)
        moved = list(performed(runtime, viewpoint, [act_of(runtime, shift) for shift in shifts], dry_run=dry_run))
        yield from moved
        if dry_run or not moved or most is not None:
            return


def assimilate(runtime: Runtime, viewpoint: Viewpoint | None = None, *, dry_run: bool = False) -> Iterator[Move]:
    """L2 to L3: records that a session no longer needs become episodic or are archived."""
    for room in runtime.store.lifecycle.tier_sessions(Tier.SESSION, viewpoint):
        if _due(runtime, room, Tier.SESSION):
            yield from assimilate_room(runtime, room, dry_run=dry_run)


def assimilate_room(
    runtime: Runtime, room: TierSession, *, dry_run: bool = False, most: int | None = None
) -> Iterator[Move]:
    """The same for one session, with at most `most` moves."""
    viewpoint = _viewpoint(room)
    while True:
        held = runtime.store.lifecycle.in_tier(
            owner(runtime, viewpoint), Tier.SESSION, session_id=room.session_id, limit=MOST
        )
        moved = list(_left(runtime, viewpoint, held, dry_run, most))
        yield from moved
        if dry_run or len(held) < MOST or not moved or most is not None:
            return


def sediment(runtime: Runtime, viewpoint: Viewpoint | None = None, *, dry_run: bool = False) -> Iterator[Move]:
    """L3 to L4: records that have proved useful become knowledge, and the rest are archived."""
    for room in _by_actor(runtime.store.lifecycle.tier_sessions(Tier.EPISODIC, viewpoint)):
        while _due(runtime, room, Tier.EPISODIC):
            held = runtime.store.lifecycle.in_tier(owner(runtime, _viewpoint(room)), Tier.EPISODIC, limit=MOST)
            moved = list(_left(runtime, _viewpoint(room), held, dry_run))
            yield from moved
            if dry_run or len(held) < MOST or not moved:
                break


def bring_back(
    runtime: Runtime, viewpoint: Viewpoint | None = None, *, dry_run: bool = False, most: int | None = None
) -> Iterator[Move]:
    """Take archived records that were used again back into a tier, if they have earned it by now."""
    least = min((layer.promote_threshold for layer in _layers(runtime) if layer.promote_threshold), default=1)
    importance = (
        runtime.config.importance_threshold if runtime.config.strategy is Strategy.IMPORTANCE_BASED else 1.0
    )
    if runtime.config.strategy is Strategy.TIME_BASED:
        least = 0
    last: Record | None = None
    while part := runtime.store.lifecycle.used_again(
        viewpoint, uses=least, importance=importance, after=last, limit=SLICE
    ):
        acts: dict[tuple[str, str], list[PlannedMove]] = {}
        for record in part:
            shift = returned(record, runtime.config)
            if shift is not None:
                acts.setdefault((record.world, record.actor_id), []).append(act_of(runtime, shift))
        for (world, actor), own in acts.items():
            place = Viewpoint(world=world, actor_id=actor)
            yield from performed(runtime, place, own[:most], dry_run=dry_run)
        last = part[-1]
        if len(part) < SLICE or most is not None:
            return


def _layers(runtime: Runtime) -> list[MemoryLayerConfig]:
    return [runtime.config.layer(tier) for tier in Tier]


def prune(runtime: Runtime, viewpoint: Viewpoint | None = None, *, dry_run: bool = False) -> Iterator[Move]:
    """Archive the records that exceed the capacity or the retention of L4, if it has either."""
    layer = runtime.config.l4
    if layer.capacity is None and layer.retention_hours is None:
        return
    for room in _by_actor(runtime.store.lifecycle.tier_sessions(Tier.SEMANTIC, viewpoint)):
        count = room.records
        while True:
            held = runtime.store.lifecycle.in_tier(owner(runtime, _viewpoint(room)), Tier.SEMANTIC, limit=MOST)
            shifts = pruned(held, count, runtime.config, runtime.clock.now())
            acts = [act_of(runtime, shift) for shift in shifts]
            moved = list(performed(runtime, _viewpoint(room), acts, dry_run=dry_run))
            yield from moved
            count -= len(moved)
            if dry_run or len(held) < MOST or not moved:
                break


def _left(
    runtime: Runtime, viewpoint: Viewpoint, held: list[Record], dry_run: bool, most: int | None = None
) -> Iterator[Move]:
    shifts = islice(leaving(held, runtime.config, runtime.clock.now()), most)
    yield from performed(runtime, viewpoint, [act_of(runtime, shift) for shift in shifts], dry_run=dry_run)


def _due(runtime: Runtime, room: TierSession, tier: Tier) -> bool:
    layer = runtime.config.layer(tier)
    full = layer.capacity is not None and room.records >= FULL * layer.capacity
    hours = layer.retention_hours
    return full or (hours is not None and (runtime.clock.now() - room.oldest).total_seconds() >= hours * 3600)


def _by_actor(rooms: list[TierSession]) -> list[TierSession]:
    """The sessions of each actor, added up."""
    totals: dict[tuple[str, str], TierSession] = {}
    for room in rooms:
        organism = (room.world, room.actor_id)
        known = totals.get(organism)
        totals[organism] = TierSession(
            world=room.world,
            actor_id=room.actor_id,
            session_id=None,
            records=room.records + (known.records if known else 0),
            oldest=min(room.oldest, known.oldest) if known else room.oldest,
        )
    return list(totals.values())


def _viewpoint(room: TierSession) -> Viewpoint:
    return Viewpoint(world=room.world, actor_id=room.actor_id)


# New facts are compared with the newest existing ones only, so the work does not grow with the memory.
WINDOW, COMPARED_AT_ONCE = 20_000, 256
# How long a consolidated fact may be, unless one of its sources is longer.
FACT_CHARACTERS = 400


def consolidate(runtime: Runtime, viewpoint: Viewpoint | None = None, *, dry_run: bool = False) -> Iterator[Move]:
    """Merge near-duplicates in L4 into one record that they are linked to, and archive them."""
    if not (runtime.config.enable_compression and runtime.config.l4.auto_compress):
        return
    for world, actor in [viewpoint.organism] if viewpoint else runtime.store.counts.organisms():
        place = Viewpoint(world=world, actor_id=actor)
        while fresh := runtime.store.lifecycle.uncompared(owner(runtime, place), COMPARED_AT_ONCE):
            yield from _compared(runtime, place, fresh, dry_run)
            if dry_run:
                break
            runtime.store.lifecycle.mark_compared(place, [record.id for record in fresh])


def _compared(runtime: Runtime, place: Viewpoint, fresh: Sequence[Record], dry_run: bool) -> Iterator[Move]:
    vectors = runtime.store.lifecycle.facts(place, runtime.encoder, WINDOW)
    ids = [record.id for record in fresh]
    for cluster in stars(ids, vectors, runtime.config.similarity, runtime.config.smallest_cluster):
        records = runtime.store.records.get(owner(runtime, place), cluster)
        same = [record for record in records if _may_join(record, records[0])]
        if len(same) >= runtime.config.smallest_cluster:
            act = _merged(runtime, place, same)
            if act is not None:
                yield from performed(runtime, place, [act], dry_run=dry_run)


def _may_join(record: Record, middle: Record) -> bool:
    """Whether a record may be consolidated with another.

    Both must be visible to the same nodes, or the consolidated record would reveal one of them.
    """
    life = record.vitals
    free = not (life.pinned or life.muted or life.expires_at or record.valid_to)
    free = free and record.linearity is not Linearity.PRESERVED and not unfinished(record)
    same = (record.node, record.scope) == (middle.node, middle.scope)
    return free and same and compatible(record.text, middle.text)


def _merged(runtime: Runtime, place: Viewpoint, records: Sequence[Record]) -> PlannedMove | None:
    """The move that replaces several records with one; None if its text would not be faithful to theirs."""
    texts = [record.text for record in records]
    try:
        text = runtime.summarizer.summarise(texts, max(FACT_CHARACTERS, *map(len, texts)))
        vectors = runtime.embedder.embed([text, *texts])
    except ModelUnavailable as error:
        runtime.degraded("summarizer", error)
        return None
    middle = vectors[1:].mean(axis=0)
    cosine = float(vectors[0] @ middle / max(float(np.linalg.norm(middle)), 1e-12))
    if not text or not faithful(cosine, kept(texts, text)):
        return None
    now = runtime.clock.now()
    consolidated = _drafted(runtime, place, records, text)
    links = tuple(
        Link(source_id=record.id, target_id=consolidated.id, kind=LinkKind.CONSOLIDATED_INTO, created_at=now)
        for record in records
    )
    why = f"{len(records)} facts say nearly the same"
    move = Move(
        id=new_id(now),
        at=now,
        who=WHO,
        what=What.CONSOLIDATED,
        why=why,
        changes=tuple(archived(record, why, now).change for record in records),
        made=(consolidated.id,),
    )
    return PlannedMove(move=move, entries=tuple(entries(runtime, [consolidated])), links=links)


def _drafted(runtime: Runtime, place: Viewpoint, records: Sequence[Record], text: str) -> Record:
    now = runtime.clock.now()
    first = max(records, key=lambda record: (record.vitals.importance, record.occurred_at))
    speakers = {record.speaker for record in records}
    details: Details = {
        "kind": "consolidated",
        "tier": Tier.SEMANTIC,
        "importance": first.vitals.importance,
        "region": first.region,
        "scope": first.scope,
        "source": WHO,
        "speaker": first.speaker if len(speakers) == 1 else None,
        "tags": sorted({tag for record in records for tag in record.tags})[:32],
        "occurred_at": max(record.occurred_at for record in records),
        "valid_from": min(record.valid_from for record in records),
        "metadata": {"compressed_from": len(records), "original_ids": [record.id for record in records]},
    }
    writer = msgspec.structs.replace(place, node=first.node)
    return msgspec.structs.replace(new_record(text, details, writer, now, new_id(now)), idempotency_key=None)


def expire(runtime: Runtime, viewpoint: Viewpoint | None = None, *, dry_run: bool = False) -> Iterator[Move]:
    """Mark expired records, which were hidden already, as forgotten, with entries in the journal."""
    while True:
        now = runtime.clock.now()
        acts: dict[tuple[str, str], list[PlannedMove]] = {}
        for record in runtime.store.lifecycle.expired(now, viewpoint, SLICE):
            vitals = msgspec.structs.replace(record.vitals, forgotten_at=now)
            why = f"its time ran out at {record.vitals.expires_at:%Y-%m-%d %H:%M}"
            shift = Shift(record=record, vitals=vitals, what=What.EXPIRED, why=why)
            acts.setdefault((record.world, record.actor_id), []).append(act_of(runtime, shift))
        moved = 0
        for (world, actor), own in acts.items():
            for move in performed(runtime, Viewpoint(world=world, actor_id=actor), own, dry_run=dry_run):
                moved += 1
                yield move
        if dry_run or not moved:
            return


def fade(runtime: Runtime, schedule: Schedule) -> Iterator[Move]:
    """Archive the records of L4 that have almost no strength left."""
    a_day = rates(runtime.config)
    while True:
        now = runtime.clock.now()
        records = runtime.store.lifecycle.faded(
            now,
            timedelta(days=schedule.faded_days),
            rate=a_day[Tier.SEMANTIC],
            below=schedule.faded_below,
            limit=SLICE,
        )
        acts: dict[tuple[str, str], list[PlannedMove]] = {}
        for record in records:
            if unfinished(record):
                continue
            left = strength(record.vitals, record.recorded_at, now, a_day)
            why = f"its strength is {left:.2f}, below {schedule.faded_below:g}"
            acts.setdefault((record.world, record.actor_id), []).append(act_of(runtime, archived(record, why, now)))
        moved = 0
        for (world, actor), own in acts.items():
            for move in performed(runtime, Viewpoint(world=world, actor_id=actor), own, dry_run=False):
                moved += 1
                yield move
        if not moved:
            return


# How long a session must be quiet, or a region must wait, before it is summarised again.
QUIET = timedelta(hours=1)
# How many records of a session or region are read, and how long the summary may be.
READ, SUMMARY_CHARACTERS = 300, 320
# Anything with fewer records or characters than this needs no summary.
LEAST_RECORDS, LEAST_CHARACTERS = 3, 480
SUMMARISED_AT_ONCE = 50


def summarise(runtime: Runtime, viewpoint: Viewpoint | None = None) -> Iterator[Rendition]:
    """Store new summaries of the sessions and regions that have grown and are quiet now, and yield them."""
    for kind in KEPT:
        while due := runtime.store.lifecycle.unsummarised(
            kind, viewpoint, runtime.clock.now() - QUIET, SUMMARISED_AT_ONCE
        ):
            for place, subject in due:
                renditions = list(_rendered(runtime, place, kind, subject))
                runtime.store.lifecycle.summarise(place, kind, subject, renditions)
                yield from renditions


def _rendered(runtime: Runtime, place: Viewpoint, kind: Subject, subject: str) -> Iterator[Rendition]:
    """One rendition for each node and scope, so that it is visible exactly where its sources are."""
    where = Compare("session_id" if kind is Subject.SESSION else "region", Op.EQ, subject)
    access = msgspec.structs.replace(owner(runtime, place), where=where, for_recall=True)
    groups: dict[tuple[str, str], list[Record]] = {}
    for record in runtime.store.records.scan(access, order=Order.NEWEST, limit=READ):
        groups.setdefault((record.node, record.scope), []).append(record)
    for records in groups.values():
        ordered = sorted(records, key=lambda record: (record.occurred_at, record.id))
        if len(ordered) < LEAST_RECORDS or sum(len(record.text) for record in ordered) < LEAST_CHARACTERS:
            continue
        summary = _summary(runtime, [_with_speaker(record) for record in ordered])
        if summary is not None:
            yield Rendition(
                kind=kind,
                subject=subject,
                node=ordered[0].node,
                scope=ordered[0].scope,
                text=summary[0],
                records=len(ordered),
                sources=tuple(sorted((record.id, record.version) for record in ordered)),
                first_at=ordered[0].occurred_at,
                last_at=ordered[-1].occurred_at,
                maker=summary[1],
                made_at=runtime.clock.now(),
            )


def _with_speaker(record: Record) -> str:
    return f"{record.speaker}: {record.text}" if record.speaker else record.text


def _summary(runtime: Runtime, texts: Sequence[str]) -> tuple[str, str] | None:
    """A summary of texts, and the id of its maker. The summary of a model is used only if it is faithful."""
    if runtime.summarizer.id != Extractive.id:
        try:
            summary = _faithful_summary(runtime, runtime.summarizer, texts)
        except ModelUnavailable as error:
            runtime.degraded("summarizer", error)
            summary = None
        if summary is not None:
            return summary
    return _faithful_summary(runtime, Extractive(), texts)


def _faithful_summary(runtime: Runtime, summarizer: Summarizer, texts: Sequence[str]) -> tuple[str, str] | None:
    text = summarizer.summarise(texts, SUMMARY_CHARACTERS)
    if not text:
        return None
    try:
        vectors = runtime.embedder.embed([text, " ".join(texts)[:8_000]])
    except ModelUnavailable:
        return (text, summarizer.id) if summarizer.id == Extractive.id else None
    return (text, summarizer.id) if faithful(float(np.dot(vectors[0], vectors[1])), kept(texts, text)) else None
