"""OpenTelemetry spans."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import msgspec

from foveal.doors.service.service import ServiceCall
from foveal.errors import FovealError, Invalid
from foveal.model.notice import severity_of
from foveal.model.results import Context, Written
from foveal.model.server import Tracing

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SpanExporter
    from opentelemetry.trace import Span, Tracer

# Names from the draft semantic conventions, which no package has yet.
OPERATION = "gen_ai.operation.name"
STORE = "gen_ai.memory.store.id"
RECORD = "gen_ai.memory.record.id"
COUNT = "gen_ai.memory.record.count"
QUERY = "gen_ai.memory.query.text"
RECORDS = "gen_ai.memory.records"
AGENT = "gen_ai.agent.id"
CONVERSATION = "gen_ai.conversation.id"
ERROR = "error.type"
VERB, DOOR, REQUEST = "foveal.verb", "foveal.door", "foveal.request.id"

OPERATIONS = {
    "search": "search_memory",
    "read": "search_memory",
    "assemble_context": "search_memory",
    "timeline": "search_memory",
    "page": "search_memory",
    "get": "search_memory",
    "get_many": "search_memory",
    "write": "create_memory",
    "write_many": "create_memory",
    "import_": "create_memory",
    "supersede": "update_memory",
    "pin": "update_memory",
    "unpin": "update_memory",
    "mute": "update_memory",
    "unmute": "update_memory",
    "reinforce": "update_memory",
    "undo": "update_memory",
    "forget": "delete_memory",
}


class CallTracer:
    """An observer that makes a span of each call. Questions and records are included only with `content`."""

    def __init__(self, tracer: Tracer, *, content: bool = False) -> None:
        self._tracer = tracer
        self._content = content

    @contextmanager
    def __call__(self, asked: ServiceCall) -> Generator[None]:
        """Trace one call."""
        operation = OPERATIONS.get(asked.verb, asked.verb)
        with self._tracer.start_as_current_span(
            f"{operation} foveal", record_exception=False, set_status_on_exception=False
        ) as span:
            span.set_attributes(
                {OPERATION: operation, VERB: asked.verb, DOOR: asked.door, REQUEST: asked.request_id}
            )
            try:
                yield
            except Exception as error:
                _failed(span, error)
                raise
            finally:
                self._describe(span, asked)

    def _describe(self, span: Span, asked: ServiceCall) -> None:
        arguments = asked.said
        attributes = {
            STORE: arguments.get("world", "default"),
            AGENT: arguments.get("node"),
            CONVERSATION: arguments.get("session_id"),
            RECORD: arguments.get("record_id"),
        }
        for name, value in attributes.items():
            if isinstance(value, str):
                span.set_attribute(name, value)
        ids = _ids(asked.answer)
        if ids is not None:
            span.set_attribute(COUNT, len(ids))
        if self._content:
            if isinstance(arguments.get("query"), str):
                span.set_attribute(QUERY, arguments["query"])
            if isinstance(asked.answer, Context):
                span.set_attribute(
                    RECORDS, msgspec.json.encode([item.text for item in asked.answer.items]).decode()
                )


def _ids(answer: Any) -> list[str] | None:
    if isinstance(answer, Written):
        return list(answer.ids)
    if isinstance(answer, Context):
        return [item.id for item in answer.items]
    return None


def _failed(span: Span, error: Exception) -> None:
    from opentelemetry.trace import StatusCode

    # The message may quote private text, so the span carries only the code.
    code = error.code if isinstance(error, FovealError) else type(error).__name__
    span.set_attribute(ERROR, code)
    if severity_of(error) != "info":
        span.set_status(StatusCode.ERROR, code)


def open_spans(said: Tracing, exporter: SpanExporter | None = None) -> tuple[CallTracer, TracerProvider] | None:
    """The tracer that the settings ask for, and the provider to shut down at the end; None if tracing is off."""
    if said.endpoint is None and exporter is None:
        return None
    try:
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor

        if exporter is None:
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

            exporter = OTLPSpanExporter(endpoint=f"{(said.endpoint or '').rstrip('/')}/v1/traces")
    except ImportError as error:
        raise Invalid(f"spans need the extra otel: pip install 'foveal[otel]' ({error.name} is missing)") from None
    provider = TracerProvider(resource=Resource.create({"service.name": "foveal"}))
    provider.add_span_processor(BatchSpanProcessor(exporter))
    return CallTracer(provider.get_tracer("foveal"), content=said.content), provider
