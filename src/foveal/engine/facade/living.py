"""How memories age by themselves: run, foretold, told and taken back."""

from __future__ import annotations

from typing import Any, Unpack

from foveal.engine import census, undo
from foveal.engine.facade.bound import Bound
from foveal.engine.facade.guarding import guarded
from foveal.engine.metabolism.run import metabolise
from foveal.engine.policies import current
from foveal.errors import NotFound
from foveal.model.query import At
from foveal.model.record import KEPT, Rendition, Subject
from foveal.model.results import Forecast, Metabolised, Move
from foveal.rules.decay import forecast
from foveal.rules.validation import checked_count, checked_one_of


@guarded
class Living(Bound):
    """How memories age by themselves: run, foretold, told and taken back."""

    def metabolise(self, *, dry_run: bool = False, **at: Unpack[At]) -> Metabolised:
        """Let what is due move to its next tier, be consolidated, summed up or archived: nothing is destroyed.

        With `dry_run`, it only says what would happen.
        """
        return metabolise(self._core, self._sight(at), dry_run=dry_run)

    def forecast(self, record_id: str, **at: Unpack[At]) -> list[Forecast]:
        """When a record will move by itself, to where, and why."""
        found = self._core.store.get(self._sight(at), [record_id])
        if not found:
            raise NotFound(f"there is no record {record_id!r} here", record_id=record_id)
        return forecast(found[0], current(self._core).config)

    def journal(self, record_id: str | None = None, *, limit: int = 100, **at: Unpack[At]) -> list[Move]:
        """What was done to records without changing their text, newest first: who, what, why, before and after."""
        return self._core.store.journal(self._sight(at), record_id=record_id, limit=checked_count(limit, "limit"))

    def undo(self, move_id: str, **at: Unpack[At]) -> Move:
        """Take a move of the journal back as a whole; `Conflict` if its records have moved again since."""
        return undo.undo(self._core, self._sight(at), move_id)

    def summaries(self, *, kind: str = Subject.SESSION, limit: int = 100, **at: Unpack[At]) -> list[Rendition]:
        """What was made of whole sessions or regions, with the records it was made from; latest first."""
        subject = Subject(checked_one_of(kind, KEPT, "kind"))
        return self._core.store.renditions(self._sight(at), subject, limit=checked_count(limit, "limit"))

    def get_stats(self, **at: Unpack[At]) -> dict[str, Any]:
        """How much each tier holds and may hold, and what was pruned."""
        return census.tiers(self._core, self._sight(at))
