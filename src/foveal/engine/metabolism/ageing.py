"""The passes that take records from L1 to L2, L3 and L4, or to the archive."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from foveal.engine.core import Core
from foveal.engine.metabolism.slicing import act_of, owner, performed
from foveal.model.query import Viewpoint
from foveal.model.record import Record, Tier
from foveal.model.results import Move
from foveal.ports.store import Room
from foveal.rules.lifecycle import FULL, digested, leaving, pruned

# How many records of one room are looked at in one go.
MOST = 2_000


def digest(core: Core, viewpoint: Viewpoint | None = None, *, dry_run: bool = False) -> Iterator[Move]:
    """L1 to L2: what matters is promoted, and what is too old or too much is archived."""
    for room in core.store.rooms(Tier.WORKING, viewpoint):
        yield from digest_room(core, room, dry_run=dry_run)


def digest_room(core: Core, room: Room, *, dry_run: bool = False, most: int | None = None) -> Iterator[Move]:
    """The same for one session, with at most so many moves."""
    viewpoint = _viewpoint(room)
    newer = room.records
    while newer > 0:
        held = core.store.held(owner(core, viewpoint), Tier.WORKING, session_id=room.session_id, limit=MOST)
        newer = max(0, newer - len(held))
        shifts = islice(digested(held[::-1], core.config, core.clock.now(), newer), most)
        moved = list(performed(core, viewpoint, [act_of(core, one) for one in shifts], dry_run=dry_run))
        yield from moved
        if dry_run or not moved or most is not None:
            return


def assimilate(core: Core, viewpoint: Viewpoint | None = None, *, dry_run: bool = False) -> Iterator[Move]:
    """L2 to L3: what a session no longer needs becomes an episode or goes to the archive."""
    for room in core.store.rooms(Tier.SESSION, viewpoint):
        if _due(core, room, Tier.SESSION):
            yield from assimilate_room(core, room, dry_run=dry_run)


def assimilate_room(core: Core, room: Room, *, dry_run: bool = False, most: int | None = None) -> Iterator[Move]:
    """The same for one session, with at most so many moves."""
    viewpoint = _viewpoint(room)
    while True:
        held = core.store.held(owner(core, viewpoint), Tier.SESSION, session_id=room.session_id, limit=MOST)
        moved = list(_left(core, viewpoint, held, dry_run, most))
        yield from moved
        if dry_run or len(held) < MOST or not moved or most is not None:
            return


def sediment(core: Core, viewpoint: Viewpoint | None = None, *, dry_run: bool = False) -> Iterator[Move]:
    """L3 to L4: what has proved its worth becomes knowledge, the rest goes to the archive."""
    for room in _by_actor(core.store.rooms(Tier.EPISODIC, viewpoint)):
        while _due(core, room, Tier.EPISODIC):
            held = core.store.held(owner(core, _viewpoint(room)), Tier.EPISODIC, limit=MOST)
            moved = list(_left(core, _viewpoint(room), held, dry_run))
            yield from moved
            if dry_run or len(held) < MOST or not moved:
                break


def prune(core: Core, viewpoint: Viewpoint | None = None, *, dry_run: bool = False) -> Iterator[Move]:
    """What L4 may not hold any longer goes to the archive, if it has a capacity or a retention at all."""
    layer = core.config.l4
    if layer.capacity is None and layer.retention_hours is None:
        return
    for room in _by_actor(core.store.rooms(Tier.SEMANTIC, viewpoint)):
        count = room.records
        while True:
            held = core.store.held(owner(core, _viewpoint(room)), Tier.SEMANTIC, limit=MOST)
            shifts = pruned(held, count, core.config, core.clock.now())
            acts = [act_of(core, one) for one in shifts]
            moved = list(performed(core, _viewpoint(room), acts, dry_run=dry_run))
            yield from moved
            count -= len(moved)
            if dry_run or len(held) < MOST or not moved:
                break


def _left(
    core: Core, viewpoint: Viewpoint, held: list[Record], dry_run: bool, most: int | None = None
) -> Iterator[Move]:
    shifts = islice(leaving(held, core.config, core.clock.now()), most)
    yield from performed(core, viewpoint, [act_of(core, one) for one in shifts], dry_run=dry_run)


def _due(core: Core, room: Room, tier: Tier) -> bool:
    layer = core.config.layer(tier)
    full = layer.capacity is not None and room.records >= FULL * layer.capacity
    hours = layer.retention_hours
    return full or (hours is not None and (core.clock.now() - room.oldest).total_seconds() >= hours * 3600)


def _by_actor(rooms: list[Room]) -> list[Room]:
    """The rooms of all sessions of an actor as one."""
    found: dict[tuple[str, str], Room] = {}
    for room in rooms:
        name = (room.world, room.actor_id)
        known = found.get(name)
        found[name] = Room(
            world=room.world,
            actor_id=room.actor_id,
            session_id=None,
            records=room.records + (known.records if known else 0),
            oldest=min(room.oldest, known.oldest) if known else room.oldest,
        )
    return list(found.values())


def _viewpoint(room: Room) -> Viewpoint:
    return Viewpoint(world=room.world, actor_id=room.actor_id)
