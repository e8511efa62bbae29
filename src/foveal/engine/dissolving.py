"""What becomes of a consolidated fact when one of its sources does not stand for it any more."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from foveal.engine.core import Core
from foveal.engine.undo import undo
from foveal.errors import Conflict
from foveal.model.query import Sight
from foveal.model.record import Record, Tier
from foveal.model.results import What


def dissolve(core: Core, sight: Sight, sources: Sequence[Record]) -> list[str]:
    """Take back the consolidations that these records went into, before they are forgotten, muted or superseded.

    The other sources stand for themselves again. Gives the ids of the records that had been made.
    """
    made: list[str] = []
    wide = msgspec.structs.replace(sight, where=None, hidden=True)
    for record in sources:
        # Only what is archived in L4 can have been consolidated.
        if record.vitals.tier is not Tier.SEMANTIC or record.vitals.archived_at is None:
            continue
        for move in core.store.journal(wide, record_id=record.id, limit=20):
            if move.what is What.CONSOLIDATED and move.undone_at is None:
                made += move.made
                try:
                    undo(core, wide, move.id)
                except Conflict:
                    # A source has moved since: then only what was made goes.
                    gone = [one.id for one in core.store.get(wide, move.made)]
                    core.store.revise(
                        wide, gone, lambda one: msgspec.structs.replace(one.vitals, forgotten_at=sight.now)
                    )
    return made
