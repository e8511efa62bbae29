"""An app on a memory in RAM, and a client that calls it without a port."""

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from foveal import Memory
from foveal.doors.http import create_app
from foveal.doors.service import ANYONE, Service
from foveal.model.serving import Serving

SMALL = Serving(body_limit=20_000, hosts=("testserver",))


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory(":memory:") as memory:
        yield memory


@pytest.fixture
def http(memory: Memory) -> Iterator[TestClient]:
    app = create_app(Service(memory), authenticate=lambda _: ANYONE, serving=SMALL)
    with TestClient(app, raise_server_exceptions=False) as client:
        yield client


@pytest.fixture
def written(http: TestClient) -> str:
    return http.post("/v1/records", json={"actor_id": "ada", "text": "Ada prefers tea."}).json()["ids"][0]
