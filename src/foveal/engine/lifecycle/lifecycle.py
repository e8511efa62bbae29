"""`memory.lifecycle`: the verbs for how records age."""

from __future__ import annotations

from typing import Unpack

from foveal.engine.lifecycle.run import metabolise
from foveal.engine.records import changes, relations
from foveal.engine.runtime.facade import Facade, checks_arguments
from foveal.engine.runtime.runtime import with_overrides
from foveal.model.query import At
from foveal.model.record import KEPT, Record, Rendition, Subject
from foveal.model.results import Forecast, Metabolised, Move
from foveal.rules.decay import forecast
from foveal.rules.validation import checked_count, checked_one_of


@checks_arguments
class Lifecycle(Facade):
    """How records age: run it, forecast it, see in the journal what it did, and undo it."""

    def run(self, *, dry_run: bool = False, **at: Unpack[At]) -> Metabolised:
        """Run the lifecycle now: move, consolidate, summarise and archive the records that are due.

        Nothing is destroyed. With `dry_run`, nothing changes and the result says what would happen.
        """
        return metabolise(self._runtime, self._access(at), dry_run=dry_run)

    def forecast(self, record_id: str, **at: Unpack[At]) -> list[Forecast]:
        """When the lifecycle will move a record, to which tier, and why."""
        record = relations.require_record(self._runtime, self._access(at), record_id)
        return forecast(record, with_overrides(self._runtime).config)

    def journal(self, record_id: str | None = None, *, limit: int = 100, **at: Unpack[At]) -> list[Move]:
        """The changes made to records other than to their text, newest first: who, what, why, before and after."""
        return self._runtime.store.lifecycle.journal(
            self._access(at), record_id=record_id, limit=checked_count(limit, "limit")
        )

    def undo(self, move_id: str, **at: Unpack[At]) -> Move:
        """Undo one move of the journal as a whole; `Conflict` if its records have moved again since."""
        return changes.undo(self._runtime, self._access(at), move_id)

    def reinforce(self, record_id: str, factor: float | None = None, **at: Unpack[At]) -> Record:
        """Raise the importance of a record by `factor`, or by the default of its kind, up to 1."""
        return changes.reinforce(self._runtime, self._access(at), record_id, factor)

    def summaries(self, *, kind: str = Subject.SESSION, limit: int = 100, **at: Unpack[At]) -> list[Rendition]:
        """The summaries of sessions or regions, with the records they were made from, latest first."""
        subject = Subject(checked_one_of(kind, KEPT, "kind"))
        return self._runtime.store.lifecycle.renditions(
            self._access(at), subject, limit=checked_count(limit, "limit")
        )

    def widen(self, *, dry_run: bool = False, **at: Unpack[At]) -> Metabolised:
        """Let every node see what the root wrote as LOCAL, as it would be written today without a scope.

        Every record gets a version of scope GLOBAL with the same text; the journal lists the moves, each of which
        can be undone. With `dry_run`, nothing changes and the result says what would happen.
        """
        return changes.widen(self._runtime, self._access(at), dry_run=dry_run)
