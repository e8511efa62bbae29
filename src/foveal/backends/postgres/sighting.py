"""Who may be seen of those that a search brings, and who stands around them."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from foveal.backends.mirror import NONE
from foveal.backends.postgres.dialect import DIALECT, Numbers, PostgresTransaction
from foveal.backends.sql.rows import stamp
from foveal.backends.sql.session import Organism
from foveal.backends.sql.visibility import clause, is_plain_recall, ways
from foveal.model.query import Sight
from foveal.model.record import Scope
from foveal.model.search import Rows
from foveal.rules.visibility import reaches

# So many may be seen at most for each of them to be measured, when few of the best may be.
_FEW = 20_000


class Eye:
    """Whether versions may be seen, as the database says; it is asked of each once."""

    def __init__(self, db: PostgresTransaction, organism: Organism, sight: Sight) -> None:
        self._db, self._organism, self._sight = db, organism, sight
        self._condition, self._values = clause(DIALECT, sight, organism)
        self._known: dict[int, bool] = {}

    def look(self, keys: Rows) -> None:
        """Have the database say of all of these."""
        new = [key for key in dict.fromkeys(keys.tolist()) if key not in self._known]
        if new:
            asked = self._values | {"keys": Numbers(np.array(new))}
            found = self._db.run("keys_seen", asked, sight=self._condition)
            self._known |= dict.fromkeys(new, False)
            self._known |= dict.fromkeys((key for (key,) in found), True)

    def __call__(self, keys: Rows) -> NDArray[np.bool_]:
        """Which of these may be seen."""
        self.look(keys)
        return np.array([self._known[key] for key in keys.tolist()], bool)

    def few(self) -> Rows | None:
        """All that may be seen, None if they are many."""
        found: list[int] = []
        for way in ways(DIALECT, self._sight):
            condition, values = clause(DIALECT, self._sight, self._organism, way=way)
            values["limit"] = _FEW + 1
            found += [key for (key,) in self._db.run("keys_on_one_way", values, sight=condition)]
            if len(found) > _FEW:
                return None
        return np.array(sorted(found), np.int64)


def beside(
    db: PostgresTransaction, organism: Organism, sight: Sight, keys: Rows, places: Sequence[tuple[str, str]]
) -> NDArray[np.bool_]:
    """Which of those that stand around candidates count: what may be seen, whatever is looked for.

    `places` are the node and scope of each. They and the moment until which a version is shown decide what may be
    recalled now, as in a mirror; anything else is asked of the database as for a candidate.
    """
    if not is_plain_recall(sight):
        return Eye(db, organism, msgspec.structs.replace(sight, where=None))(keys)
    asked = {**organism, "keys": Numbers(keys), "moment": stamp(sight.now)}
    gone = [key for (key,) in db.run("out_of_sight", asked)] if len(keys) else []
    node = sight.viewpoint.node
    known = {one: sight.owner or reaches(Scope(one[1]), one[0], node) for one in set(places)}
    return np.array([known[one] for one in places], bool) & ~np.isin(keys, gone)


class Around:
    """Who stands 3, 2, 1 before and 1, 2, 3 after versions in their chains."""

    def __init__(self, db: PostgresTransaction, organism: Organism) -> None:
        self._db, self._organism = db, organism
        self._known: dict[int, list[int]] = {}

    def look(self, keys: Rows) -> None:
        """Have the database say of all of these."""
        new = [key for key in dict.fromkeys(keys.tolist()) if key not in self._known]
        if not new:
            return
        self._known |= dict.fromkeys(new, [NONE] * 6)
        asked = {**self._organism, "keys": Numbers(np.array(new))}
        for key, before, after in self._db.run("standing_around", asked):
            self._known[key] = [*([NONE] * 3 + before[::-1])[-3:], *(after + [NONE] * 3)[:3]]

    def near(self, keys: Rows) -> Rows:
        """Six neighbours for each of these, or none."""
        return np.array([self._known[key] for key in keys.tolist()], np.int64).reshape(-1, 6)
