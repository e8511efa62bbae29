"""Who listens hears of its own memories, and of no other."""

import pytest

from foveal import Memory
from foveal.doors.service import ANYONE, Caller
from foveal.doors.service.logs import kinds_of, subscribe
from foveal.engine.runtime.notices import Notifier
from foveal.errors import Forbidden, Invalid, ModelUnavailable
from foveal.model.notice import Kind
from foveal.model.server import Right
from foveal.ports.system import Subscription

ADA = Caller(name="ada's", worlds=("default",), actors=("ada",))


def _actors(listening: Subscription) -> list[tuple[str | None, str | None]]:
    found: list[tuple[str | None, str | None]] = []
    while (one := listening.take()) is not None:
        found.append((one.world, one.actor_id))
    return found


def test_a_key_hears_of_its_actors_and_worlds_only_also_when_it_comes_back() -> None:
    with Memory(":memory:") as memory:
        now = subscribe(memory.bus, ADA)
        for world, actor in (("default", "ada"), ("default", "ben"), ("other", "ada")):
            memory.write("tea", world=world, actor_id=actor)
        Notifier(memory.bus, memory.runtime.clock).fault("encoder", ModelUnavailable())
        later = subscribe(memory.bus, ADA, after="0")
        assert _actors(now) == _actors(later) == [("default", "ada")]
        assert len(_actors(subscribe(memory.bus, ANYONE, after="0"))) == 4


def test_a_key_that_may_not_read_may_not_listen() -> None:
    with Memory(":memory:") as memory:
        for caller in (Caller(name="w", rights=(Right.WRITE,)), Caller(name="v", verbs=("write",))):
            with pytest.raises(Forbidden):
                subscribe(memory.bus, caller)


def test_kinds_are_named_whole_or_by_their_family() -> None:
    assert kinds_of(["error", "memory"]) == {Kind.ERROR, Kind.WRITE, Kind.READ, Kind.CHANGE, Kind.FORGET}
    assert kinds_of([]) == frozenset()
    with pytest.raises(Invalid, match=r"memory\.write"):
        kinds_of(["memories"])
