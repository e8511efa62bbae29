"""Who spoke in the organisms that were searched lately."""

from __future__ import annotations

import threading
from collections import OrderedDict

from foveal.model.search import Setting

_ROOM = 1024

Name = tuple[str, str]


class Lately:
    """The settings of organisms as they were last seen, by world and actor. They may have changed since."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: OrderedDict[Name, Setting] = OrderedDict()

    def of(self, organism: Name) -> Setting | None:
        """What was last seen, if anything was."""
        with self._lock:
            return self._known.get(organism)

    def keep(self, organism: Name, setting: Setting) -> None:
        """Remember what was seen; what was longest not searched makes room."""
        with self._lock:
            self._known[organism] = setting
            self._known.move_to_end(organism)
            if len(self._known) > _ROOM:
                self._known.popitem(last=False)

    def drop(self, organism: Name) -> None:
        """Forget an organism."""
        with self._lock:
            self._known.pop(organism, None)
