"""A service with its observers, as the settings ask."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from foveal.compose import Memory
from foveal.config import Settings
from foveal.doors.service.health import HealthMonitor
from foveal.doors.service.logs import FaultReporter, logged
from foveal.doors.service.service import Observer, Service
from foveal.doors.service.tracing import open_spans

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

    from foveal.doors.service.metrics import Metrics


@dataclass(frozen=True, kw_only=True)
class ObservedService:
    """What a server process runs: the service, its health, its figures, and what its doors turn away.

    Without the extra `server` there are no figures.
    """

    service: Service
    physician: HealthMonitor
    faults: FaultReporter
    meters: Metrics | None = None
    provider: TracerProvider | None = None

    def close(self) -> None:
        """Send what spans are left, and count no more. The memory stays open."""
        if self.meters is not None:
            self.meters.close()
        if self.provider is not None:
            self.provider.shutdown()


def open_station(
    memory: Memory, settings: Settings, *, url: str | Path | None = None, world: str | None = None
) -> ObservedService:
    """The service on a memory, watched as the settings say. `url` is where the memory is, if not they say it."""
    physician = HealthMonitor(memory, settings, url=url)
    faults, meters = FaultReporter(memory), _meters(memory, physician)
    spans = open_spans(settings.otel)
    # The span is outermost, so that a line of the log is written inside it.
    watches: list[Observer] = [] if spans is None else [spans[0]]
    watches += [logged, *([] if meters is None else [meters]), faults]
    return ObservedService(
        service=Service(memory, world=world or settings.policy.default_world, watches=watches),
        physician=physician,
        faults=faults,
        meters=meters,
        provider=None if spans is None else spans[1],
    )


def _meters(memory: Memory, physician: HealthMonitor) -> Metrics | None:
    try:
        from foveal.doors.service.metrics import Metrics
    except ModuleNotFoundError as error:
        if error.name != "prometheus_client":
            raise
        return None
    return Metrics(memory, physician)
