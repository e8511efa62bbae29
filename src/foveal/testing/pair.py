"""An oracle and the store under test, which are told the same."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Generic, TypeVar

from hypothesis.stateful import RuleBasedStateMachine

from foveal.errors import FovealError
from foveal.model.query import Sight, Viewpoint
from foveal.model.record import Record
from foveal.ports.store import Store
from foveal.testing.building import ManualClock, seen_by

Knowing = TypeVar("Knowing")


class Pair(RuleBasedStateMachine, Generic[Knowing]):
    """The two of them, the clock they share, and the ids that were handed out."""

    def __init__(self, oracle: Knowing, open_at: Callable[[Path], Store]) -> None:
        super().__init__()
        self.folder = TemporaryDirectory()
        self.oracle, self.tested = oracle, open_at(Path(self.folder.name) / "store")
        self.clock = ManualClock()
        self.viewpoint = Viewpoint(actor_id="ada")
        self.ids: list[str] = ["nothing"]
        self.last: list[Record] = []
        self._steps = -1

    def both(self, call: Callable[[Knowing | Store], Any]) -> Any:
        """The answer of both, or None when both refuse with the same error."""
        expected, answer = _answer(call, self.oracle), _answer(call, self.tested)
        assert answer == expected
        return None if isinstance(answer, type) else answer

    def rests(self) -> bool:
        """Whether it is time to compare everything: after the first step, and then after every fourth."""
        self._steps += 1
        return self._steps % 4 == 0

    def sight(self, **more: Any) -> Sight:
        return seen_by(self.viewpoint, self.clock.now(), **more)

    def one(self, which: int) -> str:
        return self.ids[which % len(self.ids)]

    def teardown(self) -> None:
        self.tested.close()
        self.folder.cleanup()


def _answer(call: Callable[[Knowing | Store], Any], store: Knowing | Store) -> Any:
    try:
        return call(store)
    except FovealError as error:
        return type(error)
