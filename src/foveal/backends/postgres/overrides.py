"""What a Postgres database keeps of settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from foveal.backends.postgres.part import Part
from foveal.backends.postgres.query import change as changed
from foveal.backends.postgres.query import change_all, run
from foveal.backends.relational.override_rows import override_values, overrides_of
from foveal.model.override import Override


class Overrides(Part):
    """Values by the names of settings."""

    def overrides(self) -> dict[str, Override]:
        """What is kept, by name."""
        with self._db.reading() as db:
            return overrides_of(run(db, "overrides_in_order"))

    def override(self, change: Callable[[Mapping[str, Override]], Mapping[str, Override]]) -> dict[str, Override]:
        """Keep what `change` makes of what is kept."""
        with self._db.writing() as db:
            changed(db, "lock_overrides", {})
            wanted = change(overrides_of(run(db, "overrides_in_order")))
            changed(db, "remove_overrides", {})
            change_all(db, "put_override", [override_values(one) for one in wanted.values()])
            return overrides_of(run(db, "overrides_in_order"))
