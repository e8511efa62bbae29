"""An app on a memory in RAM, and a client that calls it without a port."""

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from foveal import Memory, Settings
from foveal.doors.http import create_app
from foveal.doors.service import ANYONE
from foveal.doors.service.auth import Keys
from foveal.doors.service.observed import open_observed_service
from foveal.model.server import Serving

SMALL = Serving(body_limit=20_000, hosts=("testserver",))


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory(":memory:") as memory:
        yield memory


@pytest.fixture
def http(memory: Memory) -> Iterator[TestClient]:
    station = open_observed_service(memory, Settings(second_look="off"), url=":memory:")
    app = create_app(
        station.service,
        authenticate=lambda _: ANYONE,
        serving=SMALL,
        station=station,
        keys=Keys(memory.keys),
    )
    with TestClient(app, raise_server_exceptions=False) as client:
        yield client
    station.close()


@pytest.fixture
def written(http: TestClient) -> str:
    return http.post("/v1/records", json={"actor_id": "ada", "text": "Ada prefers tea."}).json()["ids"][0]
