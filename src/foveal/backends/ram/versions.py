"""What the reference store knows of a record beside its newest version: the one before, and who said the same."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Sequence

from foveal.backends.ram.organism import Organism
from foveal.model.record import Record
from foveal.model.sight import Sight
from foveal.rules.echoing import words_number
from foveal.rules.visibility import follows


class Versions:
    """Earlier versions, and earlier words."""

    _lock: threading.RLock

    @abstractmethod
    def _organism(self, sight: Sight) -> Organism: ...

    def previous(self, sight: Sight, records: Sequence[Record]) -> dict[str, Record]:
        """The version before each of these records, by id."""
        with self._lock:
            organism = self._organism(sight)
            found: dict[str, Record] = {}
            for record in (one for one in records if organism.seen(sight, one.id)):
                for version in organism.versions[record.id]:
                    if version.record.version == record.version - 1 and follows(version.record, sight):
                        found[record.id] = organism.shown(version)
            return found

    def said_before(self, sight: Sight, records: Sequence[Record]) -> dict[str, str]:
        """For each of these records, the id of the first in which the same speaker said the same words."""
        with self._lock:
            organism = self._organism(sight)
            found: dict[str, str] = {}
            for record in records:
                number = words_number(record)
                same = [
                    (version.key, one)
                    for one in organism.words.get(number, ())
                    for seen in organism.seen(sight, one)
                    for version in organism.versions[one]
                    if version.record.version == seen.version and words_number(seen) == number
                ]
                if same:
                    found[record.id] = min(same)[1]
            return found
