"""The values by which memory is read and ages: those of the settings, and those the store keeps in their place."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from foveal.engine.core import Core
from foveal.model.policy import Override, PolicyValue
from foveal.rules.lifecycle import amended, governed, told


def current(core: Core) -> Core:
    """The core with what its store keeps at this moment: another process may have changed it just now."""
    kept = core.store.overrides()
    if not kept:
        return core
    policy, config = governed(core.policy, core.config, _values(kept))
    return replace(core, policy=policy, config=config)


def listed(core: Core) -> list[PolicyValue]:
    """Every value, and where it comes from."""
    return told(core.policy, core.config, core.store.overrides().values())


def amend(core: Core, values: Mapping[str, Any], reset: Collection[str]) -> list[PolicyValue]:
    """Keep some values in the store, and give others up. Gives every value as it is then."""
    now = core.clock.now()

    def change(kept: Mapping[str, Override]) -> dict[str, Override]:
        wanted = amended(_values(kept), values, reset, core.policy, core.config)
        return {
            name: kept[name]
            if name in kept and kept[name].value == value
            else Override(name=name, value=value, changed_at=now)
            for name, value in wanted.items()
        }

    return told(core.policy, core.config, core.store.override(change).values())


def _values(kept: Mapping[str, Override]) -> dict[str, Any]:
    return {name: one.value for name, one in kept.items()}
