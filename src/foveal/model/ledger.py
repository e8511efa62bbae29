"""The rows of a ledger: goals, tasks, tool calls, decisions, patterns, events, metrics."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, ClassVar

from msgspec import Struct, field

from foveal.errors import Invalid
from foveal.model.ids import new_id


def _now() -> datetime:
    return datetime.now(UTC)


def _id() -> str:
    return new_id(_now())


class Status(StrEnum):
    """The status of a goal or a task."""

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @classmethod
    def named(cls, name: object) -> Status:
        """The status with this name; the error for an unknown name lists them all.

        >>> Status.named("COMPLETED")
        <Status.COMPLETED: 'completed'>
        """
        for status in cls:
            if str(name).lower() == status.value:
                return status
        raise Invalid(f"{name!r} is not a status; use one of {', '.join(cls)}")

    @property
    def finished(self) -> bool:
        """Whether no work remains."""
        return self in (Status.COMPLETED, Status.FAILED, Status.CANCELLED)


class Goal(Struct, frozen=True, kw_only=True):
    """A goal to reach. Priority 1 is the most urgent.

    `owner` is the process that works on it; `record_id` is the record that makes it searchable. `node` is the agent
    that stored it, and `changed_by` the one that last changed its status.
    """

    key: ClassVar[str] = "id"
    moment: ClassVar[str] = "created_at"

    id: str = field(default_factory=_id)
    description: str
    status: Status = Status.PENDING
    priority: int = 2
    created_at: datetime = field(default_factory=_now)
    completed_at: datetime | None = None
    result: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])
    owner: str | None = None
    archived_at: datetime | None = None
    record_id: str | None = None
    node: str = ""
    changed_by: str | None = None


class Task(Struct, frozen=True, kw_only=True):
    """One step towards a goal."""

    key: ClassVar[str] = "id"
    moment: ClassVar[str] = "created_at"

    id: str = field(default_factory=_id)
    goal_id: str
    description: str
    agent: str = ""
    status: Status = Status.PENDING
    given: Any = None
    output: Any = None
    created_at: datetime = field(default_factory=_now)
    started_at: datetime | None = None
    completed_at: datetime | None = None
    duration_ms: float | None = None
    error: str | None = None
    record_id: str | None = None
    node: str = ""
    changed_by: str | None = None


class ToolCall(Struct, frozen=True, kw_only=True):
    """A tool call, kept for audit and never changed."""

    key: ClassVar[str] = "id"
    moment: ClassVar[str] = "timestamp"

    id: str = field(default_factory=_id)
    task_id: str
    tool_name: str
    agent: str = ""
    given: Any = None
    output: Any = None
    success: bool = True
    duration_ms: float | None = None
    reason: str = ""
    timestamp: datetime = field(default_factory=_now)
    node: str = ""


class Level(StrEnum):
    """How much thought went into a decision."""

    REACTIVE = "reactive"
    OPERATIONAL = "operational"
    TACTICAL = "tactical"
    STRATEGIC = "strategic"

    @classmethod
    def named(cls, name: object) -> Level:
        """The level with this name; the error for an unknown name lists them all."""
        for level in cls:
            if str(name).lower() == level.value:
                return level
        raise Invalid(f"{name!r} is not a level; use one of {', '.join(cls)}")


class Decision(Struct, frozen=True, kw_only=True):
    """Who chose what, among which options, and why; later also the outcome."""

    key: ClassVar[str] = "id"
    moment: ClassVar[str] = "timestamp"

    id: str = field(default_factory=_id)
    context: str
    options: tuple[str, ...] = ()
    chosen: str
    reasoning: str = ""
    agent: str = ""
    intelligence_level: Level = Level.OPERATIONAL
    model_used: str = ""
    outcome: str | None = None
    goal_id: str | None = None
    timestamp: datetime = field(default_factory=_now)
    archived_at: datetime | None = None
    record_id: str | None = None
    node: str = ""


class Pattern(Struct, frozen=True, kw_only=True):
    """What to do when a request comes again, and how often that worked."""

    key: ClassVar[str] = "id"
    moment: ClassVar[str] = "created_at"

    id: str = field(default_factory=_id)
    trigger: str
    action: str
    success_rate: float = 0.0
    uses: int = 0
    created_at: datetime = field(default_factory=_now)
    last_used: datetime | None = None
    created_from: str | None = None
    record_id: str | None = None
    node: str = ""


class AgentState(Struct, frozen=True, kw_only=True):
    """The last state that an agent saved."""

    key: ClassVar[str] = "agent_name"
    moment: ClassVar[str] = "updated_at"

    agent_name: str
    state: Any
    updated_at: datetime = field(default_factory=_now)
    node: str = ""


class Engram(Struct, frozen=True, kw_only=True):
    """A state kept under a name until it is overwritten, and the agent that kept it."""

    key: ClassVar[str] = "name"
    moment: ClassVar[str] = "kept_at"

    name: str
    state: Any
    kept_at: datetime
    node: str = ""


class Procedure(Struct, frozen=True, kw_only=True):
    """How something is done: what `store_procedure` takes, and keeps as a record."""

    id: str = field(default_factory=_id)
    name: str
    description: str
    steps: tuple[Any, ...] = ()
    success_count: int = 0
    fail_count: int = 0
    avg_duration_ms: float | None = None
    tags: tuple[str, ...] = ()


class Incident(Struct, frozen=True, kw_only=True):
    """What went wrong, why, and what helped: what `store_incident` takes, and keeps as a record."""

    id: str = field(default_factory=_id)
    description: str
    symptoms: tuple[str, ...] = ()
    root_cause: str = ""
    resolution: str = ""
    resolved_by: str = ""
    prevention: str = ""
    timestamp: datetime = field(default_factory=_now)


class ConfigChange(Struct, frozen=True, kw_only=True):
    """The new content of a configuration file: what `store_config_change` takes, and keeps as a record."""

    id: str = field(default_factory=_id)
    file_path: str
    content: str
    changed_by: str = ""
    reason: str = ""


class Knowledge(Struct, frozen=True, kw_only=True):
    """A piece of reference knowledge: what `add_knowledge` takes, and keeps as a record."""

    id: str = field(default_factory=_id)
    title: str
    content: str
    source: str = ""
    tags: tuple[str, ...] = ()


class Event(Struct, frozen=True, kw_only=True):
    """Something that happened. A critical event is also stored in the durable ledger, once."""

    key: ClassVar[str] = "id"
    moment: ClassVar[str] = "timestamp"

    id: str = field(default_factory=_id)
    timestamp: datetime = field(default_factory=_now)
    category: str
    source: str = ""
    data: Any = None
    critical: bool = False
    node: str = ""

    def is_critical(self) -> bool:
        """Whether the event is also stored in the durable ledger."""
        return self.critical


class Metric(Struct, frozen=True, kw_only=True):
    """The latest value of a measurement."""

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
        """The average value in the hour."""
        return self.total / self.count


class EventHour(Struct, frozen=True, kw_only=True):
    """How many events of one category and source that happened in one hour have left the ring."""

    key: ClassVar[str] = "id"
    moment: ClassVar[str] = "hour"

    id: str
    category: str
    source: str
    hour: datetime
    count: int


class SystemSnapshot(Struct, frozen=True, kw_only=True):
    """The state of the machine and its work at one moment.

    `values` has cpu.usage, memory.used_mb, memory.total_mb, disk.used_gb, disk.total_gb, tasks.active and
    agents.active, and gpu.utilization if it is reported; `metrics` has all other measurements.
    """

    at: datetime
    values: Mapping[str, float]
    metrics: Mapping[str, float] = field(default_factory=dict[str, float])
    active_tasks: tuple[Task, ...] = ()
    recent: tuple[Event, ...] = ()
    loaded_models: tuple[str, ...] = ()
