"""The recall log and the uses of records, in the reference store."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Sequence

import msgspec

from foveal.backends.ram.organism import Organism
from foveal.model.recollection import Recalled, Recollection, Use
from foveal.model.record import Record
from foveal.model.sight import Sight, Viewpoint
from foveal.ports.recollections import MOST_READS
from foveal.rules.decay import used
from foveal.rules.visibility import oversees


class Recollections:
    """What reads leave behind."""

    _lock: threading.RLock
    _organisms: dict[tuple[str, str], Organism]

    @abstractmethod
    def _organism(self, sight: Sight) -> Organism: ...

    @abstractmethod
    def _visible(self, sight: Sight, record_id: str) -> Record: ...

    def remember(
        self, sight: Sight, reads: Sequence[Recollection], uses: Sequence[Use], *, wait: bool = True
    ) -> None:
        """Log reads and count uses; nobody ever waits long here."""
        with self._lock:
            organism = self._organism(sight)
            for use in uses:
                if organism.seen(sight, use.id):
                    organism.vitals[use.id] = used(organism.vitals[use.id], use.at, use.times)
            for read in reads:
                organism.reads[organism.next_read] = _kept(organism, sight, read)
                organism.next_read += 1
            for number in list(organism.reads)[:-MOST_READS]:
                del organism.reads[number]

    def recollections(self, sight: Sight, record_id: str | None, limit: int) -> list[Recollection]:
        """The reads of this node and those below it, newest first, with the items that the sight sees."""
        with self._lock:
            organism = self._organism(sight)
            if record_id is not None:
                self._visible(sight, record_id)
            found = [
                read
                for read in reversed(organism.reads.values())
                if (sight.owner or oversees(sight.viewpoint.node, read.node))
                and (record_id is None or any(item.id == record_id for item in read.items))
            ]
            return [_kept(organism, sight, read) for read in found[:limit]]

    def heard(self, viewpoint: Viewpoint, after: int, limit: int) -> tuple[int, list[str]]:
        """The ids that reads of this very conversation showed since the read `after`."""
        with self._lock:
            organism = self._organisms.get(viewpoint.organism) or Organism()
            found: list[tuple[int, str]] = []
            for number, read in reversed(organism.reads.items()):
                if number <= after or len(found) >= limit:
                    break
                if (read.node, read.session_id) == (viewpoint.node, viewpoint.session_id):
                    found += [(number, one) for one in sorted(item.id for item in read.items)]
            return (found[0][0] if found else after), list(dict.fromkeys(one for _, one in found[:limit]))


def _kept(organism: Organism, sight: Sight, read: Recollection) -> Recollection:
    """The read with the items that the sight sees, best first."""
    seen = [item for item in read.items if organism.seen(sight, item.id)]
    return msgspec.structs.replace(read, items=tuple(sorted(seen, key=_place)))


def _place(item: Recalled) -> tuple[bool, int, str]:
    return item.rank is None, item.rank or 0, item.id
