from __future__ import annotations

import re
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from foveal import Memory, Settings
from foveal.doors.http import create_app
from foveal.doors.http.console import PATH, console_routes, require_console
from foveal.doors.service import Authenticator
from foveal.doors.service.auth import new_pass
from foveal.doors.service.observed import open_observed_service
from foveal.errors import NotFound, Unsupported
from foveal.model.server import Serving
from foveal.testing import ManualClock


@pytest.fixture
def built(tmp_path: Path) -> TestClient:
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text("<!doctype html><title>console</title>")
    (tmp_path / "assets" / "index-abc.js").write_text("1")
    (tmp_path / "secret.txt").write_text("no")
    return TestClient(Starlette(routes=console_routes(built=tmp_path)))


def test_without_a_build_the_page_says_how_to_make_one(tmp_path: Path) -> None:
    answer = TestClient(Starlette(routes=console_routes(built=tmp_path))).get(PATH)
    assert answer.status_code == 503
    assert "make console" in answer.text


def test_foveal_console_refuses_to_open_a_console_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(Unsupported, match="no console.*make console"):
        require_console(tmp_path)


def test_this_installation_has_the_console() -> None:
    require_console()
    http = TestClient(Starlette(routes=console_routes()))
    page = http.get(PATH).text
    files = re.findall(r'"(/memory-console/assets/[^"]+)"', page)
    assert files and all(http.get(file).status_code == 200 for file in files)


def test_every_path_of_the_console_gives_the_page_under_a_strict_policy(built: TestClient) -> None:
    for path in ("", "/memories", "/inspect/a/b?actor=ada"):
        answer = built.get(PATH + path)
        assert answer.status_code == 200
        assert "console" in answer.text
        policy = answer.headers["content-security-policy"]
        assert "unsafe" not in policy
        assert "default-src 'none'" in policy
        assert answer.headers["cache-control"] == "no-cache"


def test_a_hashed_file_is_kept_for_good_and_nothing_beside_it_is_served(built: TestClient) -> None:
    answer = built.get(f"{PATH}/assets/index-abc.js")
    assert (answer.text, answer.headers["content-type"]) == ("1", "text/javascript; charset=utf-8")
    assert "immutable" in answer.headers["cache-control"]
    assert built.get(f"{PATH}/assets/..%2Fsecret.txt").text != "no"
    assert built.get(f"{PATH}/secret.txt").text != "no"
    with pytest.raises(NotFound, match="has no file"):
        built.get(f"{PATH}/assets/none.js")


def test_the_server_says_whom_it_takes_you_for(http: TestClient) -> None:
    told = http.get("/v1/whoami").json()
    assert told["name"] == "anyone"
    assert told["rights"] == ["read", "write", "admin"]
    assert (told["actors"], told["worlds"], told["auth"], told["world"]) == (None, None, "open", "default")


def test_the_page_exchanges_its_one_time_token_for_a_session_and_ends_it(memory: Memory) -> None:
    clock, locked = ManualClock(), Serving(auth="keys", hosts=("testserver",))
    guard, given = Authenticator(memory.keys, locked, clock=clock), new_pass(clock.now())
    guard.admit(given)
    station = open_observed_service(memory, Settings(second_look="off"), url=":memory:")
    app = create_app(station.service, authenticate=guard.caller, serving=locked, station=station, guard=guard)
    with TestClient(app, raise_server_exceptions=False) as http:
        assert http.get("/v1/whoami").status_code == 401
        begun = http.post(f"{PATH}/session", json={"ticket": given.ticket})
        assert begun.status_code == 200
        assert begun.headers["cache-control"] == "no-store"
        assert begun.headers["referrer-policy"] == "no-referrer"
        shown = {"Authorization": f"Bearer {begun.json()['token']}"}
        assert http.get("/v1/whoami", headers=shown).json()["name"] == "console"
        again = http.post(f"{PATH}/session", json={"ticket": given.ticket})
        assert again.status_code == 401
        assert "was used already" in again.json()["detail"]
        assert http.post(f"{PATH}/session", json={}).status_code == 422
        foreign = http.post(f"{PATH}/session", json={"ticket": "x"}, headers={"Origin": "http://evil.example"})
        assert foreign.status_code == 403
        assert http.delete(f"{PATH}/session", headers=shown).json() == {"ended": True}
        assert http.get("/v1/whoami", headers=shown).status_code == 401
        assert http.delete(f"{PATH}/session").json() == {"ended": False}
    station.close()
