"""Keys are kept as a hash, revoked once and for all, and seen by every process."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule, run_state_machine_as_test

from foveal.errors import Conflict, NotFound
from foveal.model.server import Key, Right
from foveal.ports.store import Capability, Store
from foveal.testing.building import START
from foveal.testing.pair import Pair

DIGEST = bytes(range(32))


def key_of(key_id: str = "k1", **said: Any) -> Key:
    """A key as a server would make it."""
    more: dict[str, Any] = {"name": "ci", "created_at": START, **said}
    return Key(id=key_id, **more)


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
        store.put_key(plain, DIGEST)
        store.put_key(narrow, bytes(32))
        assert store.key("k1") == (plain, DIGEST)
        assert store.key("k2") == (narrow, bytes(32))
        assert store.keys() == [narrow, plain]

    def test_an_id_is_given_once(self, store: Store) -> None:
        store.put_key(key_of(), DIGEST)
        store.revoke_key("k1", START)
        with pytest.raises(Conflict):
            store.put_key(key_of(name="another"), bytes(32))
        assert store.key("k1")[1] == DIGEST

    def test_a_key_that_is_not_there_is_not_found(self, store: Store) -> None:
        for call in (lambda: store.key("k1"), lambda: store.revoke_key("k1", START)):
            with pytest.raises(NotFound):
                call()
        assert store.keys() == []

    def test_a_revoked_key_stays_revoked_since_the_first_time(self, store: Store) -> None:
        store.put_key(key_of(), DIGEST)
        first = store.revoke_key("k1", START)
        assert first == key_of(revoked_at=START)
        assert store.revoke_key("k1", START + timedelta(days=1)) == first
        assert store.key("k1") == (first, DIGEST)
        assert store.keys() == [first]

    def test_the_last_use_never_goes_back(self, store: Store) -> None:
        store.put_key(key_of(), DIGEST)
        store.put_key(key_of("k2"), DIGEST)
        later = START + timedelta(minutes=1)
        store.use_keys({"k1": later, "unknown": later})
        store.use_keys({"k1": START}, wait=False)
        assert [one.last_used_at for one in store.keys()] == [later, None]

    def test_another_opening_sees_a_key_and_its_end(self, store: Store, open_again: Callable[[], Store]) -> None:
        if Capability.MANY_PROCESSES not in store.capabilities:
            return
        other = open_again()
        try:
            store.put_key(key_of(), DIGEST)
            assert other.key("k1") == (key_of(), DIGEST)
            other.revoke_key("k1", START)
            assert store.key("k1")[0].revoked_at == START
        finally:
            other.close()

    def test_keys_are_there_after_reopening(self, store: Store, reopen: Callable[[], Store]) -> None:
        store.put_key(key_of(), DIGEST)
        durable = Capability.DURABLE in store.capabilities
        assert reopen().keys() == ([key_of()] if durable else [])

    def test_keys_answer_as_their_oracle_does(self, open_at: Callable[[Path], Store]) -> None:
        class Story(KeyTwins):
            def __init__(self) -> None:
                super().__init__(Keys(), open_at)

        run_state_machine_as_test(Story, settings=settings(max_examples=15, stateful_step_count=20, deadline=None))


_ID = st.sampled_from(["a", "b", "c"])
_NAMES = st.none() | st.lists(st.sampled_from(["x", "é", ""]), max_size=2).map(tuple)


class Keys:
    """The oracle of keys: one dictionary."""

    def __init__(self) -> None:
        self._ring: dict[str, tuple[Key, bytes]] = {}

    def put_key(self, key: Key, digest: bytes) -> None:
        if key.id in self._ring:
            raise Conflict(f"the id {key.id} is taken", key_id=key.id)
        self._ring[key.id] = (key, digest)

    def key(self, key_id: str) -> tuple[Key, bytes]:
        if key_id not in self._ring:
            raise NotFound(f"there is no key {key_id!r}", key_id=key_id)
        return self._ring[key_id]

    def keys(self) -> list[Key]:
        return sorted((key for key, _ in self._ring.values()), key=lambda one: (one.created_at, one.id))

    def revoke_key(self, key_id: str, now: datetime) -> Key:
        key, digest = self.key(key_id)
        self._ring[key_id] = (msgspec.structs.replace(key, revoked_at=key.revoked_at or now), digest)
        return self._ring[key_id][0]

    def use_keys(self, used: Mapping[str, datetime]) -> None:
        for key_id in used.keys() & self._ring.keys():
            key, digest = self._ring[key_id]
            latest = max(used[key_id], key.last_used_at or used[key_id])
            self._ring[key_id] = (msgspec.structs.replace(key, last_used_at=latest), digest)


class KeyTwins(Pair[Keys]):
    """The story of keys: made, used, revoked."""

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
        self.both(lambda store: store.put_key(key, digest))

    @rule(name=_ID)
    def revoke(self, name: str) -> None:
        self.both(lambda store: store.revoke_key(name, self.clock.now()))

    @rule(names=st.sets(_ID))
    def use(self, names: set[str]) -> None:
        self.both(lambda store: store.use_keys(dict.fromkeys(names, self.clock.now())))

    @invariant()
    def they_hold_the_same_keys(self) -> None:
        self.both(lambda store: store.keys())
        for name in "abc":
            self.both(lambda store, name=name: store.key(name))
