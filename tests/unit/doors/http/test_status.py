"""What a server tells of itself, and to whom."""

from collections.abc import Iterator
from typing import Any

import httpx2
import msgspec
import pytest
from starlette.testclient import TestClient

from foveal import Memory, Settings
from foveal.doors.http import create_app
from foveal.doors.server import Server
from foveal.doors.service import Caller
from foveal.doors.service.auth import Keys
from foveal.doors.service.observed import open_observed_service
from foveal.model.server import Serving

ADA = {"actor_id": "ada"}


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(
        Settings(second_look="off", server=Serving(port=0)), url=":memory:", grpc=False, worker=False
    ) as running:
        yield running


def test_health_names_each_part(http: TestClient) -> None:
    told = http.get("/api/memory/health").json()
    assert told["status"] == told["state"] == "ok"
    assert {"store", "embedder", "bus", "scheduler", "disk", "clock"} <= {one["name"] for one in told["components"]}
    assert http.get("/readyz").json() == {"status": "ok"}


def test_figures_count_the_requests(http: TestClient) -> None:
    http.post("/v1/records", json={**ADA, "text": "Ada prefers tea."})
    assert 'foveal_requests_total{code="ok",door="http",verb="write"} 1.0' in http.get("/metrics").text


def test_keys_are_made_listed_and_revoked(http: TestClient) -> None:
    made = http.post("/v1/keys", json={"name": "laptop", "rights": ["read"], "actors": ["ada"]}).json()
    assert made["token"].startswith("fov_")
    listed = http.get("/v1/keys").json()
    assert [one["name"] for one in listed] == ["laptop"]
    assert made["token"] not in http.get("/v1/keys").text
    assert http.delete(f"/v1/keys/{made['key']['id']}").json()["revoked_at"] is not None
    assert http.post("/v1/keys", json={"name": "x", "colour": "red"}).status_code == 422


@pytest.mark.parametrize("path", ["/v1/keys", "/metrics"])
def test_the_whole_server_is_for_keys_of_the_whole_server(memory: Memory, path: str) -> None:
    station = open_observed_service(memory, Settings(second_look="off"), url=":memory:")
    ada = Caller(name="ada", actors=("ada",))
    app = create_app(
        station.service,
        authenticate=lambda _: ada,
        serving=Serving(hosts=("testserver",)),
        station=station,
        keys=Keys(memory.keys),
    )
    http = TestClient(app)
    assert http.get(path).status_code == 403
    assert http.get("/v1/whoami").json()["actors"] == ["ada"]
    station.close()


def _next(lines: Iterator[str]) -> dict[str, Any]:
    return msgspec.json.decode(next(line for line in lines if line.startswith("data: ")).removeprefix("data: "))


def test_a_stream_tells_what_happens_and_goes_on_where_it_stopped(server: Server) -> None:
    with httpx2.Client(base_url=server.url, timeout=240) as client:
        with client.stream("GET", "/v1/stream", params=ADA) as stream:
            lines = stream.iter_lines()
            assert next(lines) == ": listening"
            client.post("/v1/records", json={"actor_id": "ben", "text": "Ben sails."})
            first = client.post("/v1/records", json={**ADA, "text": "Ada prefers tea."}).json()["ids"]
            told = _next(lines)
            assert (told["kind"], told["ids"]) == ("memory.write", first)
            assert "tea" not in str(told)
        second = client.post("/v1/records", json={**ADA, "text": "Ada paints."}).json()["ids"]
        again = {"Last-Event-ID": str(told["id"])}
        with client.stream("GET", "/v1/stream", params=ADA, headers=again) as stream:
            assert _next(stream.iter_lines())["ids"] == second


def test_a_stream_ends_when_the_server_stops(server: Server) -> None:
    with httpx2.Client(base_url=server.url, timeout=240) as client, client.stream("GET", "/v1/stream") as stream:
        lines = stream.iter_lines()
        assert next(lines) == ": listening"
        server.stop()
        assert all(not line.startswith("data") for line in lines)


def test_what_a_door_turned_away_is_told_once(server: Server) -> None:
    with httpx2.Client(base_url=server.url, timeout=240) as client:
        with client.stream("GET", "/v1/stream", params={"kinds": "error"}) as stream:
            lines = stream.iter_lines()
            next(lines)
            client.post("/v1/records", content=b"{", headers={"X-Request-Id": "one"})
            client.get("/v1/records/none", params=ADA, headers={"X-Request-Id": "two"})
            found = [_next(lines)["fault"], _next(lines)["fault"]]
        assert [(one["code"], one["request_id"]) for one in found] == [("invalid", "one"), ("not_found", "two")]
