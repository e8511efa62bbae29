"""Two stores that are told the same, the reference and the one under test."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis.stateful import RuleBasedStateMachine

from foveal.backends.ram import RamStore
from foveal.errors import FovealError
from foveal.model.record import Record
from foveal.model.sight import Sight, Viewpoint
from foveal.ports.store import Store
from foveal.testing.building import ManualClock, seen_by


class Pair(RuleBasedStateMachine):
    """The two stores, the clock they share, and the ids that were handed out."""

    def __init__(self, open_at: Callable[[Path], Store]) -> None:
        super().__init__()
        self.folder = TemporaryDirectory()
        self.pair: tuple[Store, Store] = (RamStore(), open_at(Path(self.folder.name) / "store"))
        self.clock = ManualClock()
        self.viewpoint = Viewpoint(actor_id="ada")
        self.ids: list[str] = ["nothing"]
        self.last: list[Record] = []
        self._steps = -1

    def both(self, call: Callable[[Store], Any]) -> Any:
        """The answer of both, or None when both refuse with the same error."""
        reference, tested = (_answer(call, store) for store in self.pair)
        assert tested == reference
        return None if isinstance(tested, type) else tested

    def rests(self) -> bool:
        """Whether it is time to compare everything: after the first step, and then after every fourth."""
        self._steps += 1
        return self._steps % 4 == 0

    def sight(self, **more: Any) -> Sight:
        return seen_by(self.viewpoint, self.clock.now(), **more)

    def one(self, which: int) -> str:
        return self.ids[which % len(self.ids)]

    def teardown(self) -> None:
        self.pair[1].close()
        self.folder.cleanup()


def _answer(call: Callable[[Store], Any], store: Store) -> Any:
    try:
        return call(store)
    except FovealError as error:
        return type(error)
