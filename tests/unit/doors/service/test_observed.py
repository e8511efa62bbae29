"""What an operator sees of the calls at the doors: errors, figures, spans and lines, and no content in any."""

from __future__ import annotations

import io
import json
from collections.abc import Generator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from foveal import Memory, Settings
from foveal.doors.service import ANYONE, Caller, Service
from foveal.doors.service.logs import logged, start_logging, stop_logging
from foveal.doors.service.observed import ObservedService, open_observed_service
from foveal.doors.service.tracing import CallTracer, open_spans
from foveal.errors import FovealError, Unauthenticated
from foveal.model.notice import Kind, Notice
from foveal.model.server import Logging, Tracing
from foveal.wire.calls import Call

SECRET = "xylophone"


@pytest.fixture
def memory(tmp_path: Path) -> Generator[Memory]:
    with Memory(tmp_path / "memory.db") as memory:
        yield memory


@pytest.fixture
def station(memory: Memory, tmp_path: Path) -> Generator[ObservedService]:
    station = open_observed_service(memory, Settings(second_look="off"), url=tmp_path / "memory.db")
    yield station
    station.close()


def _calls(service: Service, door: str = "http") -> None:
    """A write, a read, a mistake and a theft."""
    said: dict[str, Any] = {"actor_id": "ada"}
    service.answer("write", {**said, "text": f"a {SECRET}"}, ANYONE, door=door, request_id="r1")
    service.answer("read", {**said, "query": f"{SECRET}?"}, ANYONE, door=door, request_id="r2")
    for name, given, caller in (
        ("read", {**said, "query": "x", SECRET: SECRET}, ANYONE),
        ("get", {"actor_id": "ada", "record_id": SECRET}, ANYONE),
        ("read", {**said, "query": SECRET}, Caller(name="ben's", actors=("ben",))),
    ):
        with suppress(FovealError):
            service.answer(name, given, caller, door=door, request_id="r3")


def _errors(memory: Memory) -> list[Notice]:
    listening = memory.bus.subscribe("0", kinds=[Kind.ERROR])
    found: list[Notice] = []
    while (one := listening.take()) is not None:
        found.append(one)
    return found


def test_every_error_of_a_call_is_on_the_bus_with_its_request(memory: Memory, station: ObservedService) -> None:
    _calls(station.service)
    station.faults.refused("http", Unauthenticated(f"not {SECRET}"), "r9")
    told = [(one.actor_id, one.fault) for one in _errors(memory)]
    assert [(actor, one.component, one.code, one.severity, one.request_id) for actor, one in told if one] == [
        ("ada", "http", "invalid", "info", "r3"),
        ("ada", "http", "not_found", "info", "r3"),
        (None, "http", "forbidden", "info", "r3"),
        (None, "http", "unauthenticated", "info", "r9"),
    ]  # fmt: skip
    assert SECRET not in repr(told)


def test_a_bug_is_told_as_internal_and_still_raised(memory: Memory, station: ObservedService) -> None:
    class Bug(Caller, frozen=True):
        def admitted(self, call: Call, given: Mapping[str, Any], world: str) -> dict[str, Any]:
            raise KeyError(SECRET)

    with pytest.raises(KeyError):
        station.service.answer("read", {}, Bug(name="b"), door="grpc")
    [told] = _errors(memory)
    assert told.fault is not None
    assert (told.fault.code, told.fault.severity, told.fault.message) == ("internal", "error", "KeyError")


def test_calls_are_counted_by_door_verb_and_code_and_timed(station: ObservedService) -> None:
    _calls(station.service)
    assert station.metrics is not None
    page = station.metrics.exposition().decode()
    for line in (
        'foveal_requests_total{code="ok",door="http",verb="write"} 1.0',
        'foveal_requests_total{code="forbidden",door="http",verb="read"} 1.0',
        'foveal_requests_in_flight{door="http"} 0.0',
        'foveal_request_seconds_count{door="http",verb="read"} 3.0',
        'foveal_errors_total{code="not_found",component="http",severity="info"} 1.0',
        'foveal_records{tier="working"} 1.0',
        "foveal_records_pending 0.0",
        "foveal_bus_dropped_total 0.0",
        'foveal_component_state{component="store"} 0.0',
    ):
        assert line in page.splitlines(), line
    assert "process_resident_memory_bytes" in page
    assert 'foveal_cache_total{kind="vector",known="yes"}' in page
    assert "ada" not in page and SECRET not in page


def test_the_metabolism_is_counted_by_what_became_of_records(memory: Memory, station: ObservedService) -> None:
    memory.write("gone at once", actor_id="ada", ttl=0)
    made = memory.lifecycle.run(actor_id="ada").counts
    assert made and station.metrics is not None
    page = station.metrics.exposition().decode().splitlines()
    for what, count in made.items():
        assert f'foveal_metabolism_moves_total{{what="{what}"}} {float(count)}' in page


def test_a_scrape_outlives_the_memory(memory: Memory, station: ObservedService) -> None:
    memory.close()
    assert station.metrics is not None
    page = station.metrics.exposition().decode()
    assert 'foveal_component_state{component="store"} 2.0' in page and "foveal_records{" not in page


def _spanned(memory: Memory, *, content: bool) -> list[Any]:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    service = Service(memory, watches=[CallTracer(provider.get_tracer("t"), content=content)])
    _calls(service, "mcp")
    provider.shutdown()
    return list(exporter.get_finished_spans())


def test_a_call_is_a_span_by_the_conventions(memory: Memory) -> None:
    spans = _spanned(memory, content=False)
    assert [one.name for one in spans][:2] == ["create_memory foveal", "search_memory foveal"]
    wrote, read, wrong, *_ = (dict(one.attributes) for one in spans)
    assert wrote["gen_ai.operation.name"] == "create_memory"
    assert wrote["gen_ai.memory.store.id"] == "default" and wrote["gen_ai.memory.record.count"] == 1
    assert (read["foveal.verb"], read["foveal.door"], read["foveal.request.id"]) == ("read", "mcp", "r2")
    assert wrong["error.type"] == "invalid"
    told = [(dict(one.attributes), one.events, one.status.description) for one in spans[:2]]
    assert SECRET not in repr(told)


def test_content_is_in_a_span_only_when_asked_for(memory: Memory) -> None:
    read = dict(_spanned(memory, content=True)[1].attributes)
    assert read["gen_ai.memory.query.text"] == f"{SECRET}?"
    assert SECRET in read["gen_ai.memory.records"]


def test_there_are_no_spans_unless_somebody_takes_them() -> None:
    assert open_spans(Tracing()) is None
    exporter = InMemorySpanExporter()
    opened = open_spans(Tracing(), exporter)
    assert opened is not None
    with Memory(":memory:") as memory:
        Service(memory, watches=[opened[0]]).answer("paths", {}, ANYONE)
    opened[1].shutdown()
    assert len(exporter.get_finished_spans()) == 1


def test_a_call_is_a_line_of_json_without_content(memory: Memory) -> None:
    stream = io.StringIO()
    handler = start_logging(Logging(format="json"), stream)
    try:
        _calls(Service(memory, watches=[logged]))
    finally:
        stop_logging(handler)
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    calls = [one for one in lines if one["logger"] == "foveal.calls"]
    assert [(one["door"], one["verb"], one["request_id"], one["code"], one["level"]) for one in calls] == [
        ("http", "write", "r1", "ok", "info"),
        ("http", "read", "r2", "ok", "info"),
        ("http", "read", "r3", "invalid", "info"),
        ("http", "get", "r3", "not_found", "info"),
        ("http", "read", "r3", "forbidden", "info"),
    ]
    assert all(one["ms"] >= 0 for one in calls)
    assert SECRET not in stream.getvalue()


def test_the_log_is_as_mild_and_as_plain_as_the_settings_say(memory: Memory) -> None:
    stream = io.StringIO()
    handler = start_logging(Logging(level="warning", format="text"), stream)
    try:
        _calls(Service(memory, watches=[logged]))
        memory.close()
        with suppress(FovealError):
            Service(memory, watches=[logged]).answer("stats", {"actor_id": "ada"}, ANYONE, request_id="r7")
    finally:
        stop_logging(handler)
    first = stream.getvalue().splitlines()[0]
    assert "ERROR" in first and "python stats store_unavailable" in first and "[r7]" in first
