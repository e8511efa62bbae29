"""The columns of records in a Postgres database, and its rows of vectors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foveal.backends.postgres.vectors import Half
from foveal.backends.relational.record_rows import record_columns

COLUMN_NAMES = record_columns(world="r.world", actor="%(actor)s::text")
COLUMNS = ", ".join(COLUMN_NAMES)
# The same for records of every world.
COLUMNS_OF_ALL = ", ".join(
    record_columns("r.world", "(select o.actor from organism o where (o.world, o.number) = (r.world, r.organism))")
)


def vector_values(own: Mapping[str, Any], encoder: int, rows: NDArray[np.float32]) -> list[dict[str, Any]]:
    """What `add_vector` binds for each chunk of a version."""
    return [{**own, "encoder": encoder, "chunk": chunk, "data": Half(row)} for chunk, row in enumerate(rows)]
