"""Contracts of keys, idempotent requests and stored settings."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule, run_state_machine_as_test

from foveal.errors import Conflict, Invalid, NotFound
from foveal.model.policy import Override
from foveal.model.server import IdempotentRequest, Key, Right
from foveal.ports.store import Capability, Server, Store
from foveal.testing.builders import ADA, ENCODER, START, entry, seen_by
from foveal.testing.lifecycle import crystal_of
from foveal.testing.twins import Pair

DAY = timedelta(days=1)


def errand_of(holder: str = "one", place: bytes = b"p", **said: Any) -> IdempotentRequest:
    """An idempotent request as a server begins it."""
    fields: dict[str, Any] = {"content": b"c", "begun_at": START, "until": START + timedelta(seconds=30), **said}
    return IdempotentRequest(place=place, holder=holder, **fields)


class ErrandsContract:
    """Requests that run once per idempotency key."""

    def test_an_errand_is_begun_by_the_first(self, store: Store) -> None:
        first = errand_of(world="büro", actor_id="ada", begun_at=START + timedelta(microseconds=3))
        assert store.server.begin_request(first, START - DAY) == first
        assert store.server.begin_request(errand_of("two", content=b"other"), START - DAY) == first
        assert store.server.begin_request(errand_of("two", b"q"), START - DAY).holder == "two"

    def test_of_many_at_once_one_begins(self, store: Store) -> None:
        with ThreadPoolExecutor(8) as pool:
            futures = [
                pool.submit(store.server.begin_request, errand_of(str(number)), START - DAY) for number in range(8)
            ]
        assert len({future.result().holder for future in futures}) == 1

    def test_an_answer_is_kept_and_given_to_who_comes_later(self, store: Store) -> None:
        store.server.begin_request(errand_of(), START - DAY)
        store.server.end_request(b"p", "two", b"not mine to say")
        store.server.end_request(b"p", "one", b'{"id": "\x00"}')
        store.server.drop_request(b"p", "one")
        assert store.server.begin_request(errand_of("two"), START - DAY).answer == b'{"id": "\x00"}'

    def test_what_came_to_nothing_may_be_begun_again(self, store: Store) -> None:
        store.server.begin_request(errand_of(), START - DAY)
        store.server.drop_request(b"p", "two")
        assert store.server.begin_request(errand_of("two"), START - DAY).holder == "one"
        store.server.drop_request(b"p", "one")
        assert store.server.begin_request(errand_of("two"), START - DAY).holder == "two"

    def test_a_holder_says_that_it_is_still_at_it(self, store: Store) -> None:
        store.server.begin_request(errand_of(), START - DAY)
        store.server.begin_request(errand_of("two", b"q"), START - DAY)
        store.server.prolong_requests(dict.fromkeys([b"p", b"q", b"nowhere"], "one"), START + DAY)
        assert store.server.begin_request(errand_of("x"), START - DAY).until == START + DAY
        assert store.server.begin_request(errand_of("x", b"q"), START - DAY).until < START + DAY

    def test_an_old_errand_is_as_if_it_had_not_been(self, store: Store) -> None:
        store.server.begin_request(errand_of(), START - DAY)
        store.server.end_request(b"p", "one", b"done")
        later = errand_of("two", begun_at=START + DAY)
        assert store.server.begin_request(later, START).holder == "one"
        assert store.server.begin_request(later, START + timedelta(microseconds=1)) == later

    def test_an_answer_does_not_outlive_what_is_erased(self, store: Store) -> None:
        ada = {"world": ADA.world, "actor_id": ADA.actor_id}
        [(record, _)] = store.records.append([entry("the code is 4711")], ENCODER)
        store.crystals.put(ADA, crystal_of("c1"))
        for place, erase in (
            (b"p", lambda: store.records.erase(seen_by(), [record.id])),
            (b"q", lambda: store.crystals.compost(ADA, "c1", START, hard=True)),
        ):
            for errand in (
                errand_of(place=place, **ada),
                errand_of(place=place + b"2", world="w", actor_id="ben"),
            ):
                store.server.begin_request(errand, START - DAY)
                store.server.end_request(errand.place, "one", b"the code is 4711")
            erase()
            assert store.server.begin_request(errand_of("two", place), START - DAY).answer == b""
            assert (
                store.server.begin_request(errand_of("two", place + b"2"), START - DAY).answer
                == b"the code is 4711"
            )

    def test_another_opening_sees_what_is_under_way(self, store: Store, open_again: Callable[[], Store]) -> None:
        if Capability.MANY_PROCESSES not in store.capabilities:
            return
        other = open_again()
        try:
            store.server.begin_request(errand_of(), START - DAY)
            assert other.server.begin_request(errand_of("two"), START - DAY).holder == "one"
            store.server.end_request(b"p", "one", b"done")
            assert other.server.begin_request(errand_of("two"), START - DAY).answer == b"done"
        finally:
            other.close()

    def test_errands_are_there_after_reopening(self, store: Store, reopen: Callable[[], Store]) -> None:
        store.server.begin_request(errand_of(), START - DAY)
        holder = "one" if Capability.DURABLE in store.capabilities else "two"
        assert reopen().server.begin_request(errand_of("two"), START - DAY).holder == holder

    def test_errands_answer_as_their_oracle_does(self, open_at: Callable[[Path], Store]) -> None:
        class Story(ErrandTwins):
            def __init__(self) -> None:
                super().__init__(Errands(), open_at, lambda store: store.server)

        run_state_machine_as_test(Story, settings=settings(max_examples=15, stateful_step_count=20, deadline=None))


_PLACE = st.sampled_from([b"", b"p", b"q\x00"])
_HOLDER = st.sampled_from(["one", "two"])


class Errands:
    """The oracle of idempotent requests: one dictionary."""

    def __init__(self) -> None:
        self._errands: dict[bytes, IdempotentRequest] = {}

    def begin_request(self, errand: IdempotentRequest, since: datetime) -> IdempotentRequest:
        self._errands = {place: request for place, request in self._errands.items() if request.begun_at >= since}
        return self._errands.setdefault(errand.place, errand)

    def prolong_requests(self, held: Mapping[bytes, str], until: datetime) -> None:
        for place, holder in held.items():
            self._change(place, holder, until=until)

    def end_request(self, place: bytes, holder: str, answer: bytes) -> None:
        self._change(place, holder, answer=answer)

    def drop_request(self, place: bytes, holder: str) -> None:
        if self._holds(place, holder):
            del self._errands[place]

    def _change(self, place: bytes, holder: str, **new: Any) -> None:
        if self._holds(place, holder):
            self._errands[place] = msgspec.structs.replace(self._errands[place], **new)

    def _holds(self, place: bytes, holder: str) -> bool:
        request = self._errands.get(place)
        return request is not None and request.holder == holder and request.answer is None


class ErrandTwins(Pair[Errands, Server]):
    """Random steps with idempotent requests: begin, prolong, end, drop, and let time pass."""

    @rule(hours=st.sampled_from([-1, 5, 30]))
    def wait(self, hours: int) -> None:
        self.clock.turn(timedelta(hours=hours))

    @rule(place=_PLACE, holder=_HOLDER, actor=st.sampled_from([None, "ada"]))
    def begin(self, place: bytes, holder: str, actor: str | None) -> None:
        now = self.clock.now()
        wanted = errand_of(holder, place, begun_at=now, until=now, world=actor and "w", actor_id=actor)
        self.both(lambda server: server.begin_request(wanted, now - DAY))

    @rule(held=st.dictionaries(_PLACE, _HOLDER))
    def prolong(self, held: dict[bytes, str]) -> None:
        self.both(lambda server: server.prolong_requests(held, self.clock.now()))

    @rule(place=_PLACE, holder=_HOLDER, answer=st.binary(max_size=3))
    def end(self, place: bytes, holder: str, answer: bytes) -> None:
        self.both(lambda server: server.end_request(place, holder, answer))

    @rule(place=_PLACE, holder=_HOLDER)
    def drop(self, place: bytes, holder: str) -> None:
        self.both(lambda server: server.drop_request(place, holder))


DIGEST = bytes(range(32))


def key_of(key_id: str = "k1", **said: Any) -> Key:
    """A key as a server creates it."""
    fields: dict[str, Any] = {"name": "ci", "created_at": START, **said}
    return Key(id=key_id, **fields)


class KeysContract:
    """The keys of a server."""

    def test_a_key_comes_back_as_it_was_put(self, store: Store) -> None:
        plain = key_of()
        narrow = key_of(
            "k2",
            name="schlüssel 🗝",
            worlds=("home", "büro"),
            actors=(),
            rights=(Right.READ, Right.ADMIN),
            verbs=("read",),
            created_at=START - timedelta(microseconds=1),
            expires_at=START + timedelta(days=1, microseconds=7),
            rate=0.5,
            burst=3,
        )
        store.server.put_key(plain, DIGEST)
        store.server.put_key(narrow, bytes(32))
        assert store.server.key("k1") == (plain, DIGEST)
        assert store.server.key("k2") == (narrow, bytes(32))
        assert store.server.keys() == [narrow, plain]

    def test_an_id_is_given_once(self, store: Store) -> None:
        store.server.put_key(key_of(), DIGEST)
        store.server.revoke_key("k1", START)
        with pytest.raises(Conflict):
            store.server.put_key(key_of(name="another"), bytes(32))
        assert store.server.key("k1")[1] == DIGEST

    def test_a_key_that_is_not_there_is_not_found(self, store: Store) -> None:
        for call in (lambda: store.server.key("k1"), lambda: store.server.revoke_key("k1", START)):
            with pytest.raises(NotFound):
                call()
        assert store.server.keys() == []

    def test_a_revoked_key_stays_revoked_since_the_first_time(self, store: Store) -> None:
        store.server.put_key(key_of(), DIGEST)
        first = store.server.revoke_key("k1", START)
        assert first == key_of(revoked_at=START)
        assert store.server.revoke_key("k1", START + timedelta(days=1)) == first
        assert store.server.key("k1") == (first, DIGEST)
        assert store.server.keys() == [first]

    def test_the_last_use_never_goes_back(self, store: Store) -> None:
        store.server.put_key(key_of(), DIGEST)
        store.server.put_key(key_of("k2"), DIGEST)
        later = START + timedelta(minutes=1)
        store.server.use_keys({"k1": later, "unknown": later})
        store.server.use_keys({"k1": START}, wait=False)
        assert [key.last_used_at for key in store.server.keys()] == [later, None]

    def test_another_opening_sees_a_key_and_its_end(self, store: Store, open_again: Callable[[], Store]) -> None:
        if Capability.MANY_PROCESSES not in store.capabilities:
            return
        other = open_again()
        try:
            store.server.put_key(key_of(), DIGEST)
            assert other.server.key("k1") == (key_of(), DIGEST)
            other.server.revoke_key("k1", START)
            assert store.server.key("k1")[0].revoked_at == START
        finally:
            other.close()

    def test_keys_are_there_after_reopening(self, store: Store, reopen: Callable[[], Store]) -> None:
        store.server.put_key(key_of(), DIGEST)
        durable = Capability.DURABLE in store.capabilities
        assert reopen().server.keys() == ([key_of()] if durable else [])

    def test_keys_answer_as_their_oracle_does(self, open_at: Callable[[Path], Store]) -> None:
        class Story(KeyTwins):
            def __init__(self) -> None:
                super().__init__(Keys(), open_at, lambda store: store.server)

        run_state_machine_as_test(Story, settings=settings(max_examples=15, stateful_step_count=20, deadline=None))


_ID = st.sampled_from(["a", "b", "c"])
_NAMES = st.none() | st.lists(st.sampled_from(["x", "é", ""]), max_size=2).map(tuple)


class Keys:
    """The oracle of keys: one dictionary."""

    def __init__(self) -> None:
        self._keys: dict[str, tuple[Key, bytes]] = {}

    def put_key(self, key: Key, digest: bytes) -> None:
        if key.id in self._keys:
            raise Conflict(f"the id {key.id} is taken", key_id=key.id)
        self._keys[key.id] = (key, digest)

    def key(self, key_id: str) -> tuple[Key, bytes]:
        if key_id not in self._keys:
            raise NotFound(f"there is no key {key_id!r}", key_id=key_id)
        return self._keys[key_id]

    def keys(self) -> list[Key]:
        return sorted((key for key, _ in self._keys.values()), key=lambda key: (key.created_at, key.id))

    def revoke_key(self, key_id: str, now: datetime) -> Key:
        key, digest = self.key(key_id)
        self._keys[key_id] = (msgspec.structs.replace(key, revoked_at=key.revoked_at or now), digest)
        return self._keys[key_id][0]

    def use_keys(self, used: Mapping[str, datetime]) -> None:
        for key_id in used.keys() & self._keys.keys():
            key, digest = self._keys[key_id]
            latest = max(used[key_id], key.last_used_at or used[key_id])
            self._keys[key_id] = (msgspec.structs.replace(key, last_used_at=latest), digest)


class KeyTwins(Pair[Keys, Server]):
    """Random steps with keys: create, use, revoke."""

    @rule(minutes=st.sampled_from([-5, 1, 90]))
    def wait(self, minutes: int) -> None:
        self.clock.turn(timedelta(minutes=minutes))

    @rule(name=_ID, worlds=_NAMES, verbs=_NAMES, rate=st.none() | st.floats(0.1, 9), digest=st.binary(max_size=4))
    def put(
        self,
        name: str,
        worlds: tuple[str, ...] | None,
        verbs: tuple[str, ...] | None,
        rate: float | None,
        digest: bytes,
    ) -> None:
        key = key_of(name, worlds=worlds, verbs=verbs, rate=rate, created_at=self.clock.now())
        self.both(lambda server: server.put_key(key, digest))

    @rule(name=_ID)
    def revoke(self, name: str) -> None:
        self.both(lambda server: server.revoke_key(name, self.clock.now()))

    @rule(names=st.sets(_ID))
    def use(self, names: set[str]) -> None:
        self.both(lambda server: server.use_keys(dict.fromkeys(names, self.clock.now())))

    @invariant()
    def they_hold_the_same_keys(self) -> None:
        self.both(lambda server: server.keys())
        for name in "abc":
            self.both(lambda server, name=name: server.key(name))


def kept(values: Mapping[str, Any], at: datetime = START) -> dict[str, Override]:
    """Overrides with these values."""
    return {name: Override(name=name, value=value, changed_at=at) for name, value in values.items()}


class OverridesContract:
    """Stored values that override settings."""

    def test_values_come_back_as_they_were_kept(self, store: Store) -> None:
        assert store.server.overrides() == {}
        values = {"z": 0.1, "a": 7, "é": None, "b": True, "c": [1, "two", {"three": 3.5}]}
        wanted = kept(values, START + timedelta(microseconds=7))
        assert store.server.override(lambda _: wanted) == wanted
        assert store.server.overrides() == wanted
        assert list(store.server.overrides()) == sorted(values)
        assert type(store.server.overrides()["a"].value) is int

    def test_a_change_sees_what_is_kept_and_what_it_leaves_out_is_gone(self, store: Store) -> None:
        store.server.override(lambda _: kept({"a": 1, "b": 2}))
        seen: list[Mapping[str, Override]] = []

        def change(before: Mapping[str, Override]) -> Mapping[str, Override]:
            seen.append(before)
            return kept({"b": 3})

        assert store.server.override(change) == kept({"b": 3})
        assert seen == [kept({"a": 1, "b": 2})]

    def test_a_change_that_fails_leaves_all_as_it_was(self, store: Store) -> None:
        store.server.override(lambda _: kept({"a": 1}))

        def refuse(_: Mapping[str, Override]) -> Mapping[str, Override]:
            raise Invalid("no")

        with pytest.raises(Invalid):
            store.server.override(refuse)
        assert store.server.overrides() == kept({"a": 1})

    def test_no_change_is_lost_among_many(self, store: Store) -> None:
        def count(before: Mapping[str, Override]) -> Mapping[str, Override]:
            return kept({"a": before["a"].value + 1 if "a" in before else 1})

        threads = [threading.Thread(target=store.server.override, args=(count,)) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert store.server.overrides() == kept({"a": 6})

    def test_another_opening_sees_a_change_at_once(self, store: Store, open_again: Callable[[], Store]) -> None:
        if Capability.MANY_PROCESSES not in store.capabilities:
            return
        other = open_again()
        try:
            assert other.server.overrides() == {}
            store.server.override(lambda _: kept({"a": 1}))
            assert other.server.overrides() == kept({"a": 1})
            other.server.override(lambda _: {})
            assert store.server.overrides() == {}
        finally:
            other.close()

    def test_values_are_there_after_reopening(self, store: Store, reopen: Callable[[], Store]) -> None:
        store.server.override(lambda _: kept({"a": 1}))
        durable = Capability.DURABLE in store.capabilities
        assert reopen().server.overrides() == (kept({"a": 1}) if durable else {})

    def test_overrides_answer_as_their_oracle_does(self, open_at: Callable[[Path], Store]) -> None:
        class Story(OverrideTwins):
            def __init__(self) -> None:
                super().__init__(Overrides(), open_at, lambda store: store.server)

        run_state_machine_as_test(Story, settings=settings(max_examples=10, stateful_step_count=15, deadline=None))


_VALUES = st.dictionaries(
    st.sampled_from(["a", "b", "policy.é"]), st.none() | st.booleans() | st.integers(-9, 9) | st.floats(-2, 2)
)


class Overrides:
    """The oracle of overrides: one dictionary."""

    def __init__(self) -> None:
        self._overrides: dict[str, Override] = {}

    def overrides(self) -> dict[str, Override]:
        return self._overrides

    def override(self, change: Callable[[Mapping[str, Override]], Mapping[str, Override]]) -> dict[str, Override]:
        self._overrides = dict(change(self._overrides))
        return self._overrides


class OverrideTwins(Pair[Overrides, Server]):
    """Random steps with overrides: set, change, remove."""

    @rule(values=_VALUES)
    def keep(self, values: dict[str, Any]) -> None:
        self.both(lambda server: server.override(lambda _: kept(values, self.clock.now())))

    @rule(values=_VALUES)
    def add(self, values: dict[str, Any]) -> None:
        self.both(lambda server: server.override(lambda before: {**before, **kept(values, self.clock.now())}))

    @invariant()
    def they_keep_the_same(self) -> None:
        self.both(lambda server: server.overrides())
