"""What happens now: events, metrics, and the state of the machine."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, ClassVar

from msgspec import Struct, field

from foveal.model.ledger import Task


class Event(Struct, frozen=True, kw_only=True):
    """Something that happened. A critical one is in the durable ledger, once."""

    key: ClassVar[str] = "id"
    moment: ClassVar[str] = "timestamp"

    id: str
    timestamp: datetime
    category: str
    source: str = ""
    data: Any = None
    critical: bool = False


class Metric(Struct, frozen=True, kw_only=True):
    """The latest value of a measured thing."""

    key: ClassVar[str] = "name"
    moment: ClassVar[str] = "updated_at"

    name: str
    value: float
    updated_at: datetime


class MetricHour(Struct, frozen=True, kw_only=True):
    """The values of a metric in one hour, rolled up."""

    key: ClassVar[str] = "id"
    moment: ClassVar[str] = "hour"

    id: str
    name: str
    hour: datetime
    count: int
    total: float
    least: float
    most: float

    @property
    def mean(self) -> float:
        """The average of the hour."""
        return self.total / self.count


class EventHour(Struct, frozen=True, kw_only=True):
    """How many events of one category and source left the ring that happened in one hour."""

    key: ClassVar[str] = "id"
    moment: ClassVar[str] = "hour"

    id: str
    category: str
    source: str
    hour: datetime
    count: int


class SystemSnapshot(Struct, frozen=True, kw_only=True):
    """The machine and the work on it, at one moment.

    `values` has cpu.usage, memory.used_mb, memory.total_mb, disk.used_gb, disk.total_gb, tasks.active and
    agents.active, and gpu.utilization if someone reports it; `metrics` is what was measured besides.
    """

    at: datetime
    values: Mapping[str, float]
    metrics: Mapping[str, float] = field(default_factory=dict[str, float])
    active_tasks: tuple[Task, ...] = ()
    recent: tuple[Event, ...] = ()
    loaded_models: tuple[str, ...] = ()
