from __future__ import annotations

from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from foveal.doors.http.console import PATH, routes
from foveal.errors import NotFound


@pytest.fixture
def built(tmp_path: Path) -> TestClient:
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text("<!doctype html><title>console</title>")
    (tmp_path / "assets" / "index-abc.js").write_text("1")
    (tmp_path / "secret.txt").write_text("no")
    return TestClient(Starlette(routes=routes(tmp_path)))


def test_without_a_build_the_page_says_how_to_make_one(tmp_path: Path) -> None:
    answer = TestClient(Starlette(routes=routes(tmp_path))).get(PATH)
    assert answer.status_code == 503
    assert "make console" in answer.text


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
