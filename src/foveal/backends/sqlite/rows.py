"""The columns of records in a SQLite file."""

from __future__ import annotations

from foveal.backends.relational.record_rows import record_columns

# Whose record it is, is looked up once a query, where the organism is bound.
COLUMN_NAMES = record_columns(
    world="(select world from organism where number = :organism)",
    actor="(select actor from organism where number = :organism)",
)
COLUMNS = ", ".join(COLUMN_NAMES)
# Where records of any organism are asked for, it is looked up for each.
COLUMNS_OF_ANY = COLUMNS.replace(":organism", "r.organism")
