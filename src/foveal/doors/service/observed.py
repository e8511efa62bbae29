"""A service with the observers that the settings ask for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from foveal.compose import Memory
from foveal.config import Settings
from foveal.doors.service.audit import AuditLog
from foveal.doors.service.health import HealthMonitor
from foveal.doors.service.logs import FaultReporter, logged
from foveal.doors.service.service import Observer, Service
from foveal.doors.service.tracing import open_spans

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

    from foveal.doors.service.metrics import Metrics


@dataclass(frozen=True, kw_only=True)
class ObservedService:
    """What a server process runs: the service, its health monitor, its metrics, and its fault reporter.

    Without the extra `server` there are no metrics.
    """

    service: Service
    health: HealthMonitor
    faults: FaultReporter
    audit: AuditLog
    metrics: Metrics | None = None
    provider: TracerProvider | None = None

    def close(self) -> None:
        """Send the remaining spans and stop counting. The memory stays open."""
        if self.metrics is not None:
            self.metrics.close()
        if self.provider is not None:
            self.provider.shutdown()


def open_observed_service(
    memory: Memory, settings: Settings, *, url: str | Path | None = None, world: str | None = None
) -> ObservedService:
    """The service on a memory, with the observers in the settings. `url` overrides where the memory is."""
    monitor = HealthMonitor(memory, settings, url=url)
    faults, metrics = FaultReporter(memory), _metrics(memory, monitor)
    spans = open_spans(settings.otel)
    # The span is outermost, so that log lines are written inside it.
    watches: list[Observer] = [] if spans is None else [spans[0]]
    audit = AuditLog(
        memory.runtime.clock, None if settings.logging.audit is None else Path(settings.logging.audit).expanduser()
    )
    watches += [logged, *([] if metrics is None else [metrics]), faults, audit]
    return ObservedService(
        service=Service(
            memory, world=world or settings.policy.default_world, watches=watches, quotas=settings.quotas
        ),
        health=monitor,
        faults=faults,
        audit=audit,
        metrics=metrics,
        provider=None if spans is None else spans[1],
    )


def _metrics(memory: Memory, monitor: HealthMonitor) -> Metrics | None:
    try:
        from foveal.doors.service.metrics import Metrics
    except ModuleNotFoundError as error:
        if error.name != "prometheus_client":
            raise
        return None
    return Metrics(memory, monitor)
