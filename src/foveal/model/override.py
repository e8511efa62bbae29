"""Values that a store keeps in place of those a process was started with."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any

from msgspec import Struct


class Override(Struct, frozen=True, kw_only=True):
    """A value that a store keeps, by the name of the setting it takes the place of, and since when."""

    name: str
    value: Any
    changed_at: datetime


class Origin(StrEnum):
    """Where a value comes from: nobody said another, the process was started with it, or the store keeps it."""

    DEFAULT = "default"
    SETTINGS = "settings"
    STORE = "store"


class PolicyValue(Struct, frozen=True, kw_only=True):
    """A value that says how memory is read or how it ages: what holds now, and where that comes from.

    `otherwise` is what holds when the store keeps none.
    """

    name: str
    value: Any
    origin: Origin
    otherwise: Any
    changed_at: datetime | None = None
