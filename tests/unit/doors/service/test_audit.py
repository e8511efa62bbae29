"""Who administered or destroyed what is kept, with the key and the actor, and without a word of what was stored."""

import json
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from foveal import Memory, Settings
from foveal.doors.http import create_app
from foveal.doors.service import Caller
from foveal.doors.service.auth import Keys
from foveal.doors.service.observed import open_observed_service
from foveal.errors import FovealError
from foveal.model.server import Logging, Right, Serving

SECRET = "zymurgy"
ADMIN = Caller(name="admin's", subject="fov_1")
READER = Caller(name="reader", subject="fov_2", rights=(Right.READ,))


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_destructive_and_administrative_calls_are_kept_and_others_are_not(tmp_path: Path) -> None:
    path = tmp_path / "logs" / "audit.jsonl"
    with Memory(":memory:") as memory:
        station = open_observed_service(memory, Settings(logging=Logging(audit=str(path))), url=":memory:")
        record = memory.write(f"The word is {SECRET}.", id="word", tags=[SECRET], actor_id="ada")
        service = station.service
        at = {"actor_id": "ada"}
        service.answer("read", {**at, "query": SECRET}, ADMIN)
        service.answer("invoke", {**at, "path": "self.memory.recall", "query": SECRET}, ADMIN)
        service.answer("forget", {**at, "target": {"tags": SECRET}}, ADMIN, door="http", request_id="r1")
        service.answer("invoke", {**at, "path": "self.memory.forget", "target": record.id, "hard": True}, ADMIN)
        service.answer("actors", {}, ADMIN)
        with pytest.raises(FovealError):
            service.answer("forget", {**at, "target": "word"}, READER)
        station.close()
    kept = [(line["key"], line["verb"], line["actor_id"], line["about"], line["code"]) for line in _lines(path)]
    assert kept == [
        ("fov_1", "forget", "ada", None, "ok"),
        ("fov_1", "forget", "ada", "erased", "ok"),
        ("fov_1", "actors", None, None, "ok"),
        ("fov_2", "forget", None, None, "forbidden"),
    ]
    assert (_lines(path)[0]["door"], _lines(path)[0]["request_id"]) == ("http", "r1")
    assert SECRET not in path.read_text() and path.stat().st_mode & 0o777 == 0o600


def test_keys_that_are_made_and_revoked_over_http_are_kept_without_their_secret(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    with Memory(":memory:") as memory:
        station = open_observed_service(memory, Settings(logging=Logging(audit=str(path))), url=":memory:")
        app = create_app(
            station.service,
            authenticate=lambda _: ADMIN,
            serving=Serving(hosts=("testserver",)),
            station=station,
            keys=Keys(memory.keys),
        )
        with TestClient(app) as client:
            issued = client.post("/v1/keys", json={"name": "ci"}).json()
            client.delete(f"/v1/keys/{issued['key']['id']}")
        station.close()
    prefix = f"fov_{issued['key']['id']}"
    kept = [(line["verb"], line["about"]) for line in _lines(path)]
    assert kept == [("keys.add", prefix), ("keys.revoke", prefix)]
    assert issued["token"] not in path.read_text()
