"""How the moves of a pass are made: in slices, so that nobody waits long for the store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

from foveal.engine.core import Core
from foveal.engine.telling import WHO
from foveal.model.ids import new_id
from foveal.model.query import Sight, Viewpoint
from foveal.model.results import Move
from foveal.ports.store import Act
from foveal.rules.lifecycle import Shift

# So many moves take some 10 ms of the write lock.
SLICE = 200

T = TypeVar("T")


def owner(core: Core, viewpoint: Viewpoint) -> Sight:
    """What the metabolism sees of an organism: all its nodes."""
    return core.sight(Viewpoint(world=viewpoint.world, actor_id=viewpoint.actor_id), owner=True)


def act_of(core: Core, shift: Shift) -> Act:
    """The shift of one record as a move."""
    now = core.clock.now()
    return Act(move=Move(id=new_id(now), at=now, who=WHO, what=shift.what, why=shift.why, changes=(shift.change,)))


def performed(core: Core, viewpoint: Viewpoint, acts: Iterable[Act], *, dry_run: bool) -> Iterator[Move]:
    """The moves that were made, or would be."""
    for part in sliced(acts, SLICE):
        if dry_run:
            yield from (act.move for act in part)
        else:
            yield from core.store.act(owner(core, viewpoint), part, core.encoder)


def sliced(items: Iterable[T], size: int) -> Iterator[Sequence[T]]:
    """The items in lists of at most `size`."""
    iterator = iter(items)
    while part := list(islice(iterator, size)):
        yield part
