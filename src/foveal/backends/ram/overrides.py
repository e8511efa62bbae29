"""What the reference store keeps of settings."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Callable, Mapping

from foveal.model.override import Override


class Overrides:
    """Values by the names of settings."""

    _lock: threading.RLock

    def __init__(self) -> None:
        super().__init__()
        self._overrides: dict[str, Override] = {}

    @abstractmethod
    def _require_open(self) -> None: ...

    def overrides(self) -> dict[str, Override]:
        """What is kept, by name."""
        with self._lock:
            self._require_open()
            return dict(self._overrides)

    def override(self, change: Callable[[Mapping[str, Override]], Mapping[str, Override]]) -> dict[str, Override]:
        """Keep what `change` makes of what is kept."""
        with self._lock:
            self._require_open()
            self._overrides = dict(sorted(change(dict(self._overrides)).items()))
            return dict(self._overrides)
