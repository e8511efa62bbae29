"""How what was written is gathered into the segments that a large organism is searched by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from foveal.backends.mirror import Packed, Unpacked, gathered, lengths
from foveal.backends.postgres.connection import Connections
from foveal.backends.postgres.dialect import PostgresTransaction
from foveal.backends.sql.session import Organism
from foveal.model.query import Viewpoint

# So many are looked through one by one at each question before they are gathered.
ENOUGH = 1024
# So many at once: who writes to the organism waits for that.
_AT_ONCE = 4096
# A segment that has so many is full: larger ones cost more to add to, more of them cost more to read.
_FULL = 16_384


class Gathering:
    """Segments are made behind the writing, in its order; what is not in one yet is searched as it is."""

    _db: Connections

    def gather(self, viewpoint: Viewpoint, *, wait: bool = True) -> int:
        """Gather what was written to an organism since that was last done. Says how much it was.

        Without `wait` it is `StoreUnavailable` when another writes to the organism.
        """
        whole = 0
        while True:
            with self._db.writing(viewpoint, wait=wait) as db:
                organism = db.organism(viewpoint)
                some = 0 if organism is None else _gather(db, organism)
            whole += some
            if some < ENOUGH:
                return whole


def _gather(db: PostgresTransaction, organism: Organism) -> int:
    filed = db.value("last_gathered", organism)
    rows: list[Any] = db.run("ungathered", {**organism, "filed": filed, "limit": _AT_ONCE})
    if rows:
        number, held = next(iter(db.run("last_segment", organism)), (0, 0))
        _add(db, {**organism, "number": number + (held >= _FULL)}, rows)
    return len(rows)


def _add(db: PostgresTransaction, own: dict[str, Any], rows: Sequence[Sequence[Any]]) -> None:
    keys, traces = np.array([row[0] for row in rows], np.int64), Unpacked([Packed(*row[1:]) for row in rows])
    span = {"first": int(keys[0]), "last": int(keys[-1]), "records": len(keys)}
    days = {"first_day": int(traces.days.min()), "last_day": int(traces.days.max())}
    db.change("add_to_segment", {**own, **span, **days, "length": int(lengths(traces).sum())})
    held, holders, blocks = zip(*gathered(keys, traces), strict=True) if len(traces.terms) else ((), (), ())
    db.change("add_postings", {**own, "keys": list(held), "holders": list(holders), "blocks": list(blocks)})
    firsts: dict[str, int] = {}
    counts: dict[str, int] = {}
    for key, name in zip(keys.tolist(), traces.speakers, strict=True):
        firsts.setdefault(name, key)
        counts[name] = counts.get(name, 0) + 1
    names = {"names": list(firsts), "firsts": list(firsts.values()), "counts": list(counts.values())}
    db.change("add_speakers", {**own, **names})
