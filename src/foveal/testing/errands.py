"""What comes under a key is begun once, whatever process it comes to, and its answer is kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import rule, run_state_machine_as_test

from foveal.model.server import Errand
from foveal.ports.store import Capability, Store
from foveal.testing.building import ADA, ENCODER, START, entry, seen_by
from foveal.testing.crystals import crystal_of
from foveal.testing.pair import Pair

DAY = timedelta(days=1)


def errand_of(holder: str = "one", place: bytes = b"p", **said: Any) -> Errand:
    """An errand as a server would begin it."""
    more: dict[str, Any] = {"content": b"c", "begun_at": START, "until": START + timedelta(seconds=30), **said}
    return Errand(place=place, holder=holder, **more)


class ErrandsContract:
    """What is done once."""

    def test_an_errand_is_begun_by_the_first(self, store: Store) -> None:
        first = errand_of(world="büro", actor_id="ada", begun_at=START + timedelta(microseconds=3))
        assert store.begin_errand(first, START - DAY) == first
        assert store.begin_errand(errand_of("two", content=b"other"), START - DAY) == first
        assert store.begin_errand(errand_of("two", b"q"), START - DAY).holder == "two"

    def test_of_many_at_once_one_begins(self, store: Store) -> None:
        with ThreadPoolExecutor(8) as pool:
            asked = [pool.submit(store.begin_errand, errand_of(str(number)), START - DAY) for number in range(8)]
        assert len({one.result().holder for one in asked}) == 1

    def test_an_answer_is_kept_and_given_to_who_comes_later(self, store: Store) -> None:
        store.begin_errand(errand_of(), START - DAY)
        store.end_errand(b"p", "two", b"not mine to say")
        store.end_errand(b"p", "one", b'{"id": "\x00"}')
        store.drop_errand(b"p", "one")
        assert store.begin_errand(errand_of("two"), START - DAY).answer == b'{"id": "\x00"}'

    def test_what_came_to_nothing_may_be_begun_again(self, store: Store) -> None:
        store.begin_errand(errand_of(), START - DAY)
        store.drop_errand(b"p", "two")
        assert store.begin_errand(errand_of("two"), START - DAY).holder == "one"
        store.drop_errand(b"p", "one")
        assert store.begin_errand(errand_of("two"), START - DAY).holder == "two"

    def test_a_holder_says_that_it_is_still_at_it(self, store: Store) -> None:
        store.begin_errand(errand_of(), START - DAY)
        store.begin_errand(errand_of("two", b"q"), START - DAY)
        store.prolong_errands(dict.fromkeys([b"p", b"q", b"nowhere"], "one"), START + DAY)
        assert store.begin_errand(errand_of("x"), START - DAY).until == START + DAY
        assert store.begin_errand(errand_of("x", b"q"), START - DAY).until < START + DAY

    def test_an_old_errand_is_as_if_it_had_not_been(self, store: Store) -> None:
        store.begin_errand(errand_of(), START - DAY)
        store.end_errand(b"p", "one", b"done")
        later = errand_of("two", begun_at=START + DAY)
        assert store.begin_errand(later, START).holder == "one"
        assert store.begin_errand(later, START + timedelta(microseconds=1)) == later

    def test_an_answer_does_not_outlive_what_is_erased(self, store: Store) -> None:
        ada = {"world": ADA.world, "actor_id": ADA.actor_id}
        [(record, _)] = store.append([entry("the code is 4711")], ENCODER)
        store.put_crystal(ADA, crystal_of("c1"))
        for place, erase in (
            (b"p", lambda: store.erase(seen_by(), [record.id])),
            (b"q", lambda: store.compost_crystal(ADA, "c1", START, hard=True)),
        ):
            for one in (errand_of(place=place, **ada), errand_of(place=place + b"2", world="w", actor_id="ben")):
                store.begin_errand(one, START - DAY)
                store.end_errand(one.place, "one", b"the code is 4711")
            erase()
            assert store.begin_errand(errand_of("two", place), START - DAY).answer == b""
            assert store.begin_errand(errand_of("two", place + b"2"), START - DAY).answer == b"the code is 4711"

    def test_another_opening_sees_what_is_under_way(self, store: Store, open_again: Callable[[], Store]) -> None:
        if Capability.MANY_PROCESSES not in store.capabilities:
            return
        other = open_again()
        try:
            store.begin_errand(errand_of(), START - DAY)
            assert other.begin_errand(errand_of("two"), START - DAY).holder == "one"
            store.end_errand(b"p", "one", b"done")
            assert other.begin_errand(errand_of("two"), START - DAY).answer == b"done"
        finally:
            other.close()

    def test_errands_are_there_after_reopening(self, store: Store, reopen: Callable[[], Store]) -> None:
        store.begin_errand(errand_of(), START - DAY)
        holder = "one" if Capability.DURABLE in store.capabilities else "two"
        assert reopen().begin_errand(errand_of("two"), START - DAY).holder == holder

    def test_errands_answer_as_their_oracle_does(self, open_at: Callable[[Path], Store]) -> None:
        class Story(ErrandTwins):
            def __init__(self) -> None:
                super().__init__(Errands(), open_at)

        run_state_machine_as_test(Story, settings=settings(max_examples=15, stateful_step_count=20, deadline=None))


_PLACE = st.sampled_from([b"", b"p", b"q\x00"])
_HOLDER = st.sampled_from(["one", "two"])


class Errands:
    """The oracle of errands: one dictionary."""

    def __init__(self) -> None:
        self._errands: dict[bytes, Errand] = {}

    def begin_errand(self, errand: Errand, since: datetime) -> Errand:
        self._errands = {place: one for place, one in self._errands.items() if one.begun_at >= since}
        return self._errands.setdefault(errand.place, errand)

    def prolong_errands(self, held: Mapping[bytes, str], until: datetime) -> None:
        for place, holder in held.items():
            self._change(place, holder, until=until)

    def end_errand(self, place: bytes, holder: str, answer: bytes) -> None:
        self._change(place, holder, answer=answer)

    def drop_errand(self, place: bytes, holder: str) -> None:
        if self._holds(place, holder):
            del self._errands[place]

    def _change(self, place: bytes, holder: str, **new: Any) -> None:
        if self._holds(place, holder):
            self._errands[place] = msgspec.structs.replace(self._errands[place], **new)

    def _holds(self, place: bytes, holder: str) -> bool:
        found = self._errands.get(place)
        return found is not None and found.holder == holder and found.answer is None


class ErrandTwins(Pair[Errands]):
    """The story of errands: begun, prolonged, ended, dropped, grown old."""

    @rule(hours=st.sampled_from([-1, 5, 30]))
    def wait(self, hours: int) -> None:
        self.clock.turn(timedelta(hours=hours))

    @rule(place=_PLACE, holder=_HOLDER, actor=st.sampled_from([None, "ada"]))
    def begin(self, place: bytes, holder: str, actor: str | None) -> None:
        now = self.clock.now()
        wanted = errand_of(holder, place, begun_at=now, until=now, world=actor and "w", actor_id=actor)
        self.both(lambda store: store.begin_errand(wanted, now - DAY))

    @rule(held=st.dictionaries(_PLACE, _HOLDER))
    def prolong(self, held: dict[bytes, str]) -> None:
        self.both(lambda store: store.prolong_errands(held, self.clock.now()))

    @rule(place=_PLACE, holder=_HOLDER, answer=st.binary(max_size=3))
    def end(self, place: bytes, holder: str, answer: bytes) -> None:
        self.both(lambda store: store.end_errand(place, holder, answer))

    @rule(place=_PLACE, holder=_HOLDER)
    def drop(self, place: bytes, holder: str) -> None:
        self.both(lambda store: store.drop_errand(place, holder))
