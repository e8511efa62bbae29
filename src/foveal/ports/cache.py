"""What keeps answers that are dear to make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Protocol


class Cache(Protocol):
    """Bytes by key, for a while. It may forget anything at any time, and never fails.

    A key stands for everything that its value depends on, so that no value is ever wrong and none has to be taken
    back.
    """

    def get(self, keys: Sequence[str]) -> list[bytes | None]:
        """What is known for each key."""
        ...

    def put(self, values: Mapping[str, bytes], ttl: timedelta) -> None:
        """Keep values, so long at most."""
        ...

    @property
    def away(self) -> str:
        """Why it knows nothing now, if it does not."""
        ...

    def close(self) -> None:
        """Let go of what it holds."""
        ...
