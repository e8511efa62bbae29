"""Where the traces of calls go."""

from __future__ import annotations

from msgspec import Struct


class Tracing(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where spans of OpenTelemetry go."""

    endpoint: str | None = None
    """The collector, as http://host:4318. None, no spans. Else OTEL_EXPORTER_OTLP_ENDPOINT."""
    content: bool = False
    """Whether spans carry questions and what was found. They leave the memory with them."""
