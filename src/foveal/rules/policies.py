"""Which settings a store may keep values for, and what a change makes of them."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from types import NoneType
from typing import Any, get_args

import msgspec
from msgspec.structs import replace

from foveal.errors import Invalid
from foveal.model.policy import MemoryConfig, MemoryLayerConfig, MemoryPolicyConfig, Origin, Override, PolicyValue

_LAYERS = ("l1", "l2", "l3", "l4")
# A process is bound to its world when it starts.
_LEFT_OUT = "default_world"
# Values that make sense together only. They are kept and given up together: another process may have been started
# with others, which need not fit to some of them.
_TOGETHER = (
    ("policy.shallow_budget_ratio", "policy.deep_budget_ratio"),
    ("policy.early_ratio", "policy.relevant_ratio", "policy.recent_ratio", "policy.earlier_sessions_ratio"),
)
_TYPES: dict[str, Any] = {
    **{f"policy.{one.name}": one.type for one in msgspec.structs.fields(MemoryPolicyConfig)},
    **{f"memory.{at}.{one.name}": one.type for at in _LAYERS for one in msgspec.structs.fields(MemoryLayerConfig)},
}
_SAID = {bool: "true or false", int: "a whole number", float: "a number", NoneType: "nothing for no bound"}


def flat(policy: MemoryPolicyConfig, config: MemoryConfig) -> dict[str, Any]:
    """Every value that a store may keep another for, by the name it has in the settings.

    >>> flat(MemoryPolicyConfig(), MemoryConfig())["memory.l2.capacity"]
    50
    """
    own = {f"policy.{name}": getattr(policy, name) for name in policy.__struct_fields__ if name != _LEFT_OUT}
    for at in _LAYERS:
        layer: MemoryLayerConfig = getattr(config, at)
        own |= {f"memory.{at}.{name}": getattr(layer, name) for name in layer.__struct_fields__}
    return own


def governed(
    policy: MemoryPolicyConfig, config: MemoryConfig, kept: Mapping[str, Any]
) -> tuple[MemoryPolicyConfig, MemoryConfig]:
    """The policy and the configuration with the values that are kept. A name of another release is passed over.

    >>> governed(MemoryPolicyConfig(), MemoryConfig(), {"memory.l1.capacity": 3})[1].l1.capacity
    3
    """
    known = {name: value for name, value in kept.items() if name in _TYPES}
    layers = {
        at: replace(getattr(config, at), **said) for at in _LAYERS if (said := _under(f"memory.{at}.", known))
    }
    said = _under("policy.", known)
    return (replace(policy, **said) if said else policy), (replace(config, **layers) if layers else config)


def _under(before: str, kept: Mapping[str, Any]) -> dict[str, Any]:
    return {name.removeprefix(before): value for name, value in kept.items() if name.startswith(before)}


def amended(
    kept: Mapping[str, Any],
    values: Mapping[str, Any],
    reset: Collection[str],
    policy: MemoryPolicyConfig,
    config: MemoryConfig,
) -> dict[str, Any]:
    """What is kept after a change: `reset` is given up, `values` are taken. `Invalid` if they cannot hold together.

    >>> amended({}, {"policy.recent_records": 4}, (), MemoryPolicyConfig(), MemoryConfig())
    {'policy.recent_records': 4}
    """
    known = flat(policy, config)
    for name in (*values, *reset):
        if name not in known:
            raise Invalid(f"there is no value {name!r} to set: policies lists those there are", name=name)
    twice = sorted(set(values) & set(reset))
    if twice:
        raise Invalid(f"{', '.join(twice)}: either set it or reset it")
    gone = {one for name in reset for one in _with(name)}
    left = {name: value for name, value in kept.items() if name not in gone}
    left |= {name: _fit(name, value) for name, value in values.items()}
    held = flat(*governed(policy, config, left))
    return left | {one: held[one] for name in left for one in _with(name) if one in held}


def _with(name: str) -> tuple[str, ...]:
    """A value and those that go with it."""
    return next((names for names in _TOGETHER if name in names), (name,))


def _fit(name: str, value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        raise Invalid(f"{name} must be a finite number, not {value}", name=name)
    try:
        return msgspec.convert(value, _TYPES[name])
    except msgspec.ValidationError:
        wanted = " or ".join(_SAID[one] for one in get_args(_TYPES[name]) or (_TYPES[name],))
        raise Invalid(f"{name} must be {wanted}, not {value!r}", name=name) from None


def told(policy: MemoryPolicyConfig, config: MemoryConfig, kept: Iterable[Override]) -> list[PolicyValue]:
    """Every value with where it comes from: `policy` and `config` are what the process was started with.

    >>> every = told(MemoryPolicyConfig(early_records=2), MemoryConfig(), [])
    >>> [one.name for one in every if one.origin is Origin.SETTINGS]
    ['policy.early_records']
    """
    found = {one.name: one for one in kept}
    started, default = flat(policy, config), flat(MemoryPolicyConfig(), MemoryConfig())
    return [
        PolicyValue(
            name=name,
            value=found[name].value if name in found else value,
            origin=Origin.STORE if name in found else Origin.DEFAULT if value == default[name] else Origin.SETTINGS,
            otherwise=value,
            changed_at=found[name].changed_at if name in found else None,
        )
        for name, value in started.items()
    ]
