"""What the metabolism does beside moving records: old rows of ledgers go cold, and tapes take in what is new."""

from __future__ import annotations

from foveal.engine.core import Core
from foveal.engine.ledger import ageing
from foveal.engine.tape import building
from foveal.errors import EncoderMismatch, ModelUnavailable
from foveal.model.query import Viewpoint


def age_ledgers(core: Core, viewpoint: Viewpoint | None = None) -> int:
    """Let finished goals and old decisions go to long-term memory, slice by slice. Gives how many went."""
    gone = 0
    for place in core.store.ledgers():
        if viewpoint is None or place.organism == viewpoint.organism:
            while moved := _one_slice(core, place):
                gone += moved
    return gone


def _one_slice(core: Core, place: Viewpoint) -> int:
    done = ageing.age(core, place)
    return len(done.goals) + len(done.decisions) + done.metric_hours + done.event_hours


def follow_tapes(core: Core, viewpoint: Viewpoint | None = None) -> int:
    """Take what was written since into the tapes in use. Gives how many tapes there are."""
    followed = 0
    for world, actor in [viewpoint.organism] if viewpoint else core.store.organisms():
        place = Viewpoint(world=world, actor_id=actor)
        if core.store.shown_tape(place):
            try:
                building.update(core, place)
            except (EncoderMismatch, ModelUnavailable):
                # A tape of another encoder stays as it is until one is built anew.
                continue
            followed += 1
    return followed
