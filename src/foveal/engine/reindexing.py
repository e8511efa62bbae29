"""Embedding everything anew, in place."""

from __future__ import annotations

from collections.abc import Callable

from foveal.engine.core import Core
from foveal.engine.write import embedded, placed
from foveal.model.query import Viewpoint
from foveal.model.results import Reindexed
from foveal.ports.store import Encoder

BATCH = 256


def reindex(core: Core, progress: Callable[[int, int], None] | None = None) -> Reindexed:
    """Make this encoder's vectors beside those in use, then search them; an index of vectors gets them too.

    Each batch is stored at once, so that a run that was stopped goes on where it was. Until the last
    vector is there, readers find what they found before; what others write meanwhile is taken along.
    """
    encoder = core.encoder
    total = core.store.count_unencoded(encoder)
    done = 0
    while True:
        records = core.store.unencoded(encoder, BATCH)
        if not records:
            if core.store.adopt(encoder):
                return Reindexed(versions=done, encoder=encoder.id, indexed=_indexed(core, encoder, progress))
            continue
        core.store.encode(encoder, [(placed(core, record, rows), rows) for record, rows in embedded(core, records)])
        done += len(records)
        if progress is not None:
            progress(done, max(total, done))


def _indexed(core: Core, encoder: Encoder, progress: Callable[[int, int], None] | None) -> int | None:
    """How many records the index of vectors took in; None without one."""
    if not core.follower.has_index:
        return None
    places = [Viewpoint(world=world, actor_id=actor) for world, actor in core.store.organisms()]
    total = sum(core.follower.waiting(place, encoder) for place in places)
    done = 0

    def told(count: int) -> None:
        nonlocal done
        done += count
        if progress is not None and count:
            progress(done, max(total, done))

    for place in places:
        core.follower.follow(place, encoder, done=told)
    return done
