"""What was recalled lately, so that it is not stored again when it comes back."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable

from foveal.model.query import Sight, Viewpoint
from foveal.model.record import Record
from foveal.ports.store import Store
from foveal.rules.duplicates import echoes

# How many conversations are remembered, and how many texts of each.
CONVERSATIONS, TEXTS = 256, 200

Conversation = tuple[str, str, str, str | None]


class Echoes:
    """The texts that reads returned, by conversation: those of this process, and those that the log tells of."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._shown: OrderedDict[Conversation, OrderedDict[str, str]] = OrderedDict()
        self._logged: OrderedDict[Conversation, int] = OrderedDict()

    def heard(self, viewpoint: Viewpoint, records: Iterable[Record]) -> None:
        """Remember what a read returned."""
        with self._lock:
            shown = self._shown.setdefault(_conversation(viewpoint), OrderedDict())
            self._shown.move_to_end(_conversation(viewpoint))
            for record in records:
                shown[record.id] = record.text
                shown.move_to_end(record.id)
            while len(shown) > TEXTS:
                shown.popitem(last=False)
            while len(self._shown) > CONVERSATIONS:
                self._shown.popitem(last=False)

    def catch_up(self, store: Store, sight: Sight) -> None:
        """Take in what the log says that other processes, or this one before it was started again, recalled."""
        conversation = _conversation(sight.viewpoint)
        with self._lock:
            after = self._logged.get(conversation, 0)
            known = frozenset(self._shown.get(conversation, ()))
        last, ids = store.heard(sight.viewpoint, after, TEXTS)
        unheard = [one for one in ids if one not in known]
        if unheard:
            self.heard(sight.viewpoint, reversed(store.get(sight, unheard)))
        with self._lock:
            self._logged[conversation] = last
            self._logged.move_to_end(conversation)
            while len(self._logged) > CONVERSATIONS:
                self._logged.popitem(last=False)

    def source(self, viewpoint: Viewpoint, text: str) -> str | None:
        """The id of the recalled record that a text repeats, if it does."""
        with self._lock:
            known = self._shown.get(_conversation(viewpoint))
            shown = list(known.items()) if known else []
        return next((one for one, said in reversed(shown) if _near(text, said) and echoes(text, said)), None)


def _near(text: str, said: str) -> bool:
    """Whether two texts are about as long: most are not, and need no closer look."""
    return abs(len(text) - len(said)) <= 8 + max(len(text), len(said)) // 20


def _conversation(viewpoint: Viewpoint) -> Conversation:
    return (viewpoint.world, viewpoint.actor_id, viewpoint.node, viewpoint.session_id)
