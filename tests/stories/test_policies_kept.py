"""What an administrator sets holds in every process that opens the store, until it is reset."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from foveal import Memory, MemoryConfig, MemoryLayerConfig, MemoryPolicyConfig
from foveal.doors.service.service import Caller, Service
from foveal.errors import Forbidden, Invalid
from foveal.model.policy import Origin
from foveal.model.server import Right
from foveal.testing import ManualClock

RECENT = "policy.recent_records"


def _value(memory: Memory, name: str) -> Any:
    return next(one for one in memory.admin.policies() if one.name == name)


def _filled(memory: Memory) -> None:
    # The newest of the working tier have a zone of their own.
    ada = memory.view(actor_id="ada")
    days = [f"On day {n} of the journey we got up early and had bread with cheese." for n in range(40)]
    ada.write_many([*days, *(f"The boat number {n} is blue and large." for n in range(40))], tier="episodic")


def _recent(memory: Memory) -> int:
    found = memory.read("journey bread cheese", token_budget=600, actor_id="ada")
    return sum(one.zone == "recent" for one in found.items)


def test_the_next_read_of_another_process_takes_what_was_set(tmp_path: Path) -> None:
    with Memory(tmp_path / "m.db") as one, Memory(tmp_path / "m.db") as other:
        _filled(one)
        before = _recent(other)
        found = one.admin.set_policies({RECENT: 8})
        assert next(value for value in found if value.name == RECENT).origin is Origin.STORE
        assert _recent(other) > before
        assert _value(other, RECENT).value == 8
        assert _value(other, RECENT).otherwise == 2
        other.admin.set_policies(reset=[RECENT])
        assert _recent(one) == before
        assert _value(one, RECENT).origin is Origin.DEFAULT
    with Memory(tmp_path / "m.db") as later:
        later.admin.set_policies({RECENT: 5})
    with Memory(tmp_path / "m.db") as latest:
        assert _value(latest, RECENT).value == 5


def test_a_value_says_where_it_comes_from(tmp_path: Path) -> None:
    with Memory(":memory:", policy=MemoryPolicyConfig(early_records=3)) as memory:
        memory.admin.set_policies({RECENT: 4})
        told = {one.name: one.origin for one in memory.admin.policies()}
        assert told["policy.early_records"] is Origin.SETTINGS
        assert told[RECENT] is Origin.STORE
        assert told["policy.default_depth"] is Origin.DEFAULT
        assert "policy.default_world" not in told


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"policy.early_ratio": 0.6}, "must add up to 1"),
        ({"policy.earlier_sessions_ratio": 0.5}, "may not be larger"),
        ({RECENT: 1.5}, "a whole number"),
        ({RECENT: True}, "a whole number"),
        ({"policy.periphery_ratio": float("nan")}, "finite"),
        ({"policy.periphery_cells": 1}, "true or false"),
        ({"memory.l1.capacity": 0}, "1 or more"),
        ({"policy.default_world": "mars"}, "`policies` lists"),
        ({RECENT: 3, "nothing": 1}, "`policies` lists"),
        ({}, "name the values"),
    ],
)
def test_what_cannot_hold_is_refused_as_a_whole(values: dict[str, Any], said: str) -> None:
    with Memory(":memory:") as memory:
        with pytest.raises(Invalid, match=said):
            memory.admin.set_policies({**values, "policy.early_records": 2} if values else {})
        assert all(one.origin is Origin.DEFAULT for one in memory.admin.policies())
        with pytest.raises(Invalid, match="either"):
            memory.admin.set_policies({RECENT: 1}, reset=[RECENT])


def test_shares_of_a_whole_fit_also_where_a_process_was_started_with_others(tmp_path: Path) -> None:
    started = MemoryPolicyConfig(early_ratio=0.1, relevant_ratio=0.8, recent_ratio=0.1)
    with Memory(tmp_path / "m.db") as one, Memory(tmp_path / "m.db", policy=started) as other:
        _filled(one)
        one.admin.set_policies({"policy.early_ratio": 0.2, "policy.recent_ratio": 0.5})
        assert _value(other, "policy.relevant_ratio").value == 0.3
        assert _recent(other)
        other.admin.set_policies(reset=["policy.early_ratio"])
        assert _value(other, "policy.relevant_ratio").value == 0.8
        assert all(value.changed_at is None for value in one.admin.policies())


def test_tiers_keep_records_as_long_as_was_set() -> None:
    clock = ManualClock()
    config = MemoryConfig(l1=MemoryLayerConfig(retention_hours=1))
    with Memory(":memory:", clock=clock, config=config) as memory:
        ada = memory.view(actor_id="ada", session_id="s")
        written = ada.write("The boat is blue.").id
        memory.admin.set_policies({"memory.l1.retention_hours": 12})
        clock.turn(timedelta(hours=2))
        assert ada.lifecycle.run(dry_run=True).moves == 0
        assert ada.get_stats()["l1_retention_hours"] == 12
        soonest = min(one.at for one in ada.lifecycle.forecast(written))
        memory.admin.set_policies(reset=["memory.l1.retention_hours"])
        assert ada.lifecycle.run(dry_run=True).moves == 1
        assert soonest > clock.now()


def test_a_moment_of_a_change_stays_while_the_value_does() -> None:
    clock = ManualClock()
    with Memory(":memory:", clock=clock) as memory:
        memory.admin.set_policies({RECENT: 4})
        first = _value(memory, RECENT).changed_at
        clock.turn(timedelta(hours=1))
        memory.admin.set_policies({RECENT: 4, "policy.early_records": 2})
        assert _value(memory, RECENT).changed_at == first
        assert _value(memory, "policy.early_records").changed_at == clock.now()


def test_a_fork_is_read_as_the_store_says(tmp_path: Path) -> None:
    with Memory(tmp_path / "m.db") as memory:
        _filled(memory)
        ada = memory.view(actor_id="ada")
        fork = ada.snapshots.fork(ada.snapshots.take("then"))
        before = fork.read("journey bread cheese", token_budget=600)
        memory.admin.set_policies({RECENT: 8})
        after = fork.read("journey bread cheese", token_budget=600)
        assert sum(one.zone == "recent" for one in after.items) > sum(one.zone == "recent" for one in before.items)


def test_only_a_key_for_everything_that_may_administer_changes_them() -> None:
    with Memory(":memory:") as memory:
        service = Service(memory)
        reader = Caller(name="reader", rights=(Right.READ, Right.WRITE), actors=("ada",))
        assert service.answer("policies", {}, reader) == memory.admin.policies()
        narrow = Caller(name="narrow", worlds=("mars",))
        for caller in (reader, narrow):
            with pytest.raises(Forbidden):
                service.answer("set_policies", {"values": {RECENT: 3}}, caller)
        service.answer("set_policies", {"values": {RECENT: 3}}, Caller(name="chief"))
        assert _value(memory, RECENT).value == 3
