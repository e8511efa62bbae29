"""A store seen through something that hears what is done to it."""

from __future__ import annotations

from typing import Any

from foveal.ports.store import Store


class Behind:
    """Everything of the store behind it; who derives from this says what is heard."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._store, name)
        if callable(found):
            # The next call finds it without asking here.
            self.__dict__[name] = found
        return found
