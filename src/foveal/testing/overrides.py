"""What is kept in place of settings is kept whole, and seen by every process."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule, run_state_machine_as_test

from foveal.errors import Invalid
from foveal.model.policy import Override
from foveal.ports.store import Capability, Store
from foveal.testing.building import START
from foveal.testing.pair import Pair


def kept(values: Mapping[str, Any], at: datetime = START) -> dict[str, Override]:
    """Values as a store keeps them."""
    return {name: Override(name=name, value=value, changed_at=at) for name, value in values.items()}


class OverridesContract:
    """Values in place of settings."""

    def test_values_come_back_as_they_were_kept(self, store: Store) -> None:
        assert store.overrides() == {}
        values = {"z": 0.1, "a": 7, "é": None, "b": True, "c": [1, "two", {"three": 3.5}]}
        wanted = kept(values, START + timedelta(microseconds=7))
        assert store.override(lambda _: wanted) == wanted
        assert store.overrides() == wanted
        assert list(store.overrides()) == sorted(values)
        assert type(store.overrides()["a"].value) is int

    def test_a_change_sees_what_is_kept_and_what_it_leaves_out_is_gone(self, store: Store) -> None:
        store.override(lambda _: kept({"a": 1, "b": 2}))
        seen: list[Mapping[str, Override]] = []

        def change(before: Mapping[str, Override]) -> Mapping[str, Override]:
            seen.append(before)
            return kept({"b": 3})

        assert store.override(change) == kept({"b": 3})
        assert seen == [kept({"a": 1, "b": 2})]

    def test_a_change_that_fails_leaves_all_as_it_was(self, store: Store) -> None:
        store.override(lambda _: kept({"a": 1}))

        def refuse(_: Mapping[str, Override]) -> Mapping[str, Override]:
            raise Invalid("no")

        with pytest.raises(Invalid):
            store.override(refuse)
        assert store.overrides() == kept({"a": 1})

    def test_no_change_is_lost_among_many(self, store: Store) -> None:
        def count(before: Mapping[str, Override]) -> Mapping[str, Override]:
            return kept({"a": before["a"].value + 1 if "a" in before else 1})

        threads = [threading.Thread(target=store.override, args=(count,)) for _ in range(6)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        assert store.overrides() == kept({"a": 6})

    def test_another_opening_sees_a_change_at_once(self, store: Store, open_again: Callable[[], Store]) -> None:
        if Capability.MANY_PROCESSES not in store.capabilities:
            return
        other = open_again()
        try:
            assert other.overrides() == {}
            store.override(lambda _: kept({"a": 1}))
            assert other.overrides() == kept({"a": 1})
            other.override(lambda _: {})
            assert store.overrides() == {}
        finally:
            other.close()

    def test_values_are_there_after_reopening(self, store: Store, reopen: Callable[[], Store]) -> None:
        store.override(lambda _: kept({"a": 1}))
        durable = Capability.DURABLE in store.capabilities
        assert reopen().overrides() == (kept({"a": 1}) if durable else {})

    def test_overrides_answer_as_their_oracle_does(self, open_at: Callable[[Path], Store]) -> None:
        class Story(OverrideTwins):
            def __init__(self) -> None:
                super().__init__(Overrides(), open_at)

        run_state_machine_as_test(Story, settings=settings(max_examples=10, stateful_step_count=15, deadline=None))


_VALUES = st.dictionaries(
    st.sampled_from(["a", "b", "policy.é"]), st.none() | st.booleans() | st.integers(-9, 9) | st.floats(-2, 2)
)


class Overrides:
    """The oracle of overrides: one dictionary."""

    def __init__(self) -> None:
        self._kept: dict[str, Override] = {}

    def overrides(self) -> dict[str, Override]:
        return self._kept

    def override(self, change: Callable[[Mapping[str, Override]], Mapping[str, Override]]) -> dict[str, Override]:
        self._kept = dict(change(self._kept))
        return self._kept


class OverrideTwins(Pair[Overrides]):
    """The story of values: kept, changed, given up."""

    @rule(values=_VALUES)
    def keep(self, values: dict[str, Any]) -> None:
        self.both(lambda store: store.override(lambda _: kept(values, self.clock.now())))

    @rule(values=_VALUES)
    def add(self, values: dict[str, Any]) -> None:
        self.both(lambda store: store.override(lambda before: {**before, **kept(values, self.clock.now())}))

    @invariant()
    def they_keep_the_same(self) -> None:
        self.both(lambda store: store.overrides())
