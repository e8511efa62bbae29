"""The columns of records in a SQLite file."""

from __future__ import annotations

from foveal.backends.relational.record_rows import record_columns

COLUMN_NAMES = record_columns(
    world="(select world from organism where number = r.organism)",
    actor="(select actor from organism where number = r.organism)",
)
COLUMNS = ", ".join(COLUMN_NAMES)
