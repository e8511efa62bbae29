"""The last good answer of a server that is away."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from msgspec import Struct


class Level(StrEnum):
    """How far an old answer can be trusted."""

    FRESH = "fresh"
    STALE = "stale"
    REFUSE = "refuse"


class Room(StrEnum):
    """Where ghosts of one sort are kept."""

    STATUS = "status"
    AGENTS = "agents"
    READS = "reads"
    CRYSTALS = "crystals"


class Ghost(Struct, frozen=True, kw_only=True):
    """An answer that was kept: what answered it, when, in plain JSON. `name` is that of an engram."""

    verb: str
    at: datetime
    answer: Any
    name: str | None = None


class Manifest(Struct, frozen=True, kw_only=True):
    """A state that an engram kept: its age, and how far it can be trusted."""

    name: str
    state: Any
    at: datetime
    age: timedelta
    level: Level


class Engram(Struct, frozen=True, kw_only=True):
    """A state that is kept where the client is, and in which file."""

    name: str
    path: str
    at: datetime
