"""Lists of names in one column."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec


def names(kept: list[str] | str) -> tuple[str, ...]:
    """The names that a column holds: as a list where the database has lists, as JSON where it has none.

    >>> names(["tea", "tin"]) == names('["tea","tin"]') == ("tea", "tin")
    True
    """
    return tuple(msgspec.json.decode(kept) if isinstance(kept, str) else kept)


def listed(names: Sequence[object]) -> str:
    """A list as JSON."""
    return msgspec.json.encode(list(names)).decode()


def names_or_none(kept: list[str] | str | None) -> tuple[str, ...] | None:
    """The names that a column holds, if it holds any."""
    return None if kept is None else names(kept)
