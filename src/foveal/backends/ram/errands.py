"""What the reference store is to do once."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Mapping
from datetime import datetime

import msgspec

from foveal.model.errand import Errand


class Errands:
    """Errands by their place."""

    _lock: threading.RLock
    _errands: dict[bytes, Errand]

    @abstractmethod
    def _require_open(self) -> None: ...

    def begin_errand(self, errand: Errand, since: datetime) -> Errand:
        """Keep an errand, unless there is one of this place."""
        with self._lock:
            self._require_open()
            self._errands = {place: one for place, one in self._errands.items() if one.begun_at >= since}
            return self._errands.setdefault(errand.place, errand)

    def prolong_errands(self, held: Mapping[bytes, str], until: datetime) -> None:
        """Say that holders are still at their errands."""
        with self._lock:
            self._require_open()
            for place, holder in held.items():
                found = self._held(place, holder)
                if found is not None:
                    self._errands[place] = msgspec.structs.replace(found, until=until)

    def end_errand(self, place: bytes, holder: str, answer: bytes) -> None:
        """Keep the answer of an errand."""
        with self._lock:
            self._require_open()
            found = self._held(place, holder)
            if found is not None:
                self._errands[place] = msgspec.structs.replace(found, answer=answer)

    def drop_errand(self, place: bytes, holder: str) -> None:
        """Remove an errand that came to nothing."""
        with self._lock:
            self._require_open()
            if self._held(place, holder) is not None:
                del self._errands[place]

    def _held(self, place: bytes, holder: str) -> Errand | None:
        found = self._errands.get(place)
        return found if found is not None and found.holder == holder and found.answer is None else None

    def _empty_answers(self, organism: tuple[str, str]) -> None:
        """Let no answer tell of what was erased."""
        for place, one in self._errands.items():
            if (one.world, one.actor_id) == organism and one.answer is not None:
                self._errands[place] = msgspec.structs.replace(one, answer=b"")
