"""Where values are kept that take the place of settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from foveal.model.policy import Override


class Overrides(Protocol):
    """What a store keeps of settings, for every process that opens it.

    They belong to the whole store, to no world and no actor. What a call has acknowledged, every process sees at
    its next call. Moments come back to the microsecond.
    """

    def overrides(self) -> dict[str, Override]:
        """What is kept, by name."""
        ...

    def override(self, change: Callable[[Mapping[str, Override]], Mapping[str, Override]]) -> dict[str, Override]:
        """Keep what `change` makes of what is kept, all or none, against concurrent changes. Gives it."""
        ...
