"""Other shapes of the configuration file: sections and keys under the names that other systems use for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from msgspec import Struct

from foveal.errors import Invalid

Names = tuple[str, ...]
Conversion = Callable[[Any], Any]


class Translated(Struct, frozen=True, kw_only=True):
    """A section in our own terms: the settings it means, the keys that are ours already, and those without effect.

    `idle` says for each key without effect why it has none.
    """

    settings: tuple[tuple[Names, Any], ...] = ()
    rest: Mapping[str, Any] = {}
    idle: Mapping[str, str] = {}


def hours(days: Any) -> Any:
    """Days as hours; anything but a number is left for the settings to refuse.

    >>> hours(7), hours("soon")
    (168, 'soon')
    """
    return days * 24 if isinstance(days, int | float) and not isinstance(days, bool) else days


def hour_of_day(clock: Any) -> Any:
    """A time of day as hours.

    >>> hour_of_day("03:30"), hour_of_day(3)
    (3.5, 3)
    """
    parts = clock.split(":") if isinstance(clock, str) else []
    if len(parts) == 2 and all(part.isdecimal() for part in parts):
        return int(parts[0]) + int(parts[1]) / 60
    return clock


def lowered(word: Any) -> Any:
    """A word in small letters.

    >>> lowered("INFO")
    'info'
    """
    return word.lower() if isinstance(word, str) else word


_FADED = ("scheduler", "faded_below")
_FADED_DAYS = ("scheduler", "faded_days")
# The settings that keys of a section mean, and how their values are converted.
_MEANING: dict[str, dict[str, tuple[Names, Conversion | None]]] = {
    "circuit_breaker": {
        "failure_threshold": (("breaker", "failures"), None),
        "reset_timeout": (("breaker", "seconds"), None),
    },
    "cache": {"ttl": (("cache_seconds",), None), "max": (("kept_rankings",), None)},
    "database": {"timeout": (("store_timeout",), None), "connections": (("postgres", "pool_size"), None)},
    "logging": {"level": (("logging", "level"), lowered)},
    "scheduler": {
        "cleanup_days": (("scheduler", "cleanup"), hours),
        "health_check": (("scheduler", "health_check"), hour_of_day),
    },
    "consolidation": {"min_related": (("memory", "smallest_cluster"), None)},
    "cleanup": {"max_importance": (_FADED, None), "min_age_days": (_FADED_DAYS, None)},
}
_ONE_CACHE = "there is one cache, and its values are those of default"
_GROUPS = "near-duplicates are consolidated whatever their age and number"
# Keys that are known and have no effect here, and why.
_IDLE: dict[str, dict[str, str]] = {
    "cache": dict.fromkeys(("nlu_results", "model_outputs", "semantic_search"), _ONE_CACHE),
    "database": {"backup_days": "a running memory is backed up by `foveal backup`, from cron or a timer"},
    "consolidation": {"min_age_hours": _GROUPS, "max_group": _GROUPS},
}
_TIERS = {"short": "l2", "medium": "l3", "long": "l4"}
_BY_VALUE = "a record moves by its age and its uses, and what it is worth decides whether it stays"


def translated(section: str, value: Mapping[str, Any]) -> Translated:
    """What a section of the configuration file means in our own terms.

    >>> translated("circuit_breaker", {"failure_threshold": 5}).settings
    ((('breaker', 'failures'), 5),)
    >>> translated("redis", {"host": "cache.local", "db": 2}).settings
    ((('redis',), 'redis://cache.local:6379/2'),)
    """
    if section == "tiers":
        return _tiers(value)
    if section == "redis" and "host" in value:
        return _redis(value)
    if section == "cache" and isinstance(value.get("default"), Mapping):
        value = {**value, **cast(Mapping[str, Any], value["default"])}
        del value["default"]
    if section == "cleanup":
        value = _kept(value)
    meanings, idle = _MEANING.get(section, {}), _IDLE.get(section, {})
    settings: list[tuple[Names, Any]] = []
    for key, said in value.items():
        if key in meanings:
            names, convert = meanings[key]
            settings.append((names, convert(said) if convert else said))
    return Translated(
        settings=tuple(settings),
        rest={key: said for key, said in value.items() if key not in meanings and key not in idle},
        idle={key: idle[key] for key in value if key in idle},
    )


def known_keys(section: str) -> tuple[str, ...]:
    """The keys that a section may have besides our own."""
    if section == "tiers":
        return tuple(_TIERS)
    more = {"redis": ("host", "port", "db"), "cache": ("default",), "cleanup": ("archive", "delete")}
    return (*_MEANING.get(section, ()), *_IDLE.get(section, ()), *more.get(section, ()))


SECTIONS = ("tiers", "cache", "cleanup", "circuit_breaker")


def _redis(value: Mapping[str, Any]) -> Translated:
    url = f"redis://{value['host']}:{value.get('port', 6379)}/{value.get('db', 0)}"
    rest = {key: said for key, said in value.items() if key not in ("host", "port", "db")}
    return Translated(settings=((("redis",), url),), rest=rest)


def _kept(value: Mapping[str, Any]) -> dict[str, Any]:
    """A cleanup without its switches, which have one value each: it archives, and never deletes."""
    if value.get("delete") or value.get("archive") is False:
        raise Invalid("a cleanup archives and deletes nothing: leave archive on and delete off, and use forget")
    return {key: said for key, said in value.items() if key not in ("archive", "delete")}


def _tiers(value: Mapping[str, Any]) -> Translated:
    settings: list[tuple[Names, Any]] = []
    rest: dict[str, Any] = {}
    idle: dict[str, str] = {}
    for tier, said in value.items():
        if tier not in _TIERS or not isinstance(said, Mapping):
            rest[tier] = said
            continue
        meanings: dict[str, tuple[Names, Conversion | None]] = {
            "decay": (("memory", "decay", tier), None),
            "max_age_days": (("memory", _TIERS[tier], "retention_hours"), hours),
            "archive_below": (_FADED, None),
            "archive_after_days": (_FADED_DAYS, None),
        }
        for key, inner in cast(Mapping[str, Any], said).items():
            if key == "threshold":
                idle[f"{tier}.threshold"] = _BY_VALUE
            elif key in meanings and (tier == "long" or not key.startswith("archive_")):
                names, convert = meanings[key]
                settings.append((names, convert(inner) if convert else inner))
            else:
                rest[f"{tier}.{key}"] = inner
    return Translated(settings=tuple(settings), rest=rest, idle=idle)
