"""Keys of a server are made, listed and revoked at the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from foveal import Memory, Settings
from foveal.config import load_settings
from foveal.doors.service import open_authenticator
from foveal.errors import Invalid, Unauthenticated
from foveal.model.server import Serving

from .conftest import Run


def test_a_key_is_made_used_and_revoked(run: Run, path: Path) -> None:
    words = ["--world", "home", "--world", "work", "--actor-id", "ada", "--right", "read", "--right", "write"]
    made = run("key", "add", "ci", *words, "--verb", "read", "--expires", "90d", "--rate", "5")
    token = made.out.strip()
    assert "ci may read on the memory of ada in the world home or work, 5 times a second" in made.err
    with Memory(path, settings=Settings(second_look="off")) as memory:
        guard = open_authenticator(memory, Settings(second_look="off", server=Serving(auth="keys")))
        caller = guard.caller(f"Bearer {token}")
        assert (caller.worlds, caller.actors, caller.verbs) == (("home", "work"), ("ada",), ("read",))
        listed = run("key", "ls", "--json")
        assert token.split("_")[2] not in listed.out + run("key", "ls").out
        [key] = listed.json
        assert (key["name"], key["rights"], key["rate"], key["revoked_at"]) == ("ci", ["read", "write"], 5.0, None)
        assert run("key", "revoke", key["id"]).out.startswith(f"revoked {key['id']}")
        guard.forget(key["id"])
        with pytest.raises(Unauthenticated, match="revoked"):
            guard.caller(f"Bearer {token}")
    assert "revoked" in run("key", "ls").out


def test_a_key_reads_unless_more_is_said(run: Run) -> None:
    ended = run("key", "add", "ci", "--json")
    assert (ended.json["key"]["rights"], ended.json["key"]["worlds"]) == (["read"], None)
    assert run("key", "add", "ci", "-q").out.startswith("fov_")


def test_options_before_the_command_narrow_a_key_too(run: Run) -> None:
    key = run("--actor-id", "ada", "--world", "home", "key", "add", "ci", "--json").json["key"]
    assert (key["actors"], key["worlds"]) == (["ada"], ["home"])


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--expires", "2020-01-01"], "later moment"),
        (["--expires", "soon"], "not a date"),
        (["--right", "all"], "read, write, admin"),
        (["--verb", "serch"], "did you mean search"),
    ],
)
def test_a_key_that_makes_no_sense_says_why(run: Run, words: list[str], told: str) -> None:
    ended = run("key", "add", "ci", *words)
    assert ended.code == 2
    assert told in ended.err


def test_an_unknown_key_cannot_be_revoked(run: Run, tea: str) -> None:
    assert run("key", "revoke", "nobody").code == 3


def test_each_value_of_a_section_says_where_it_came_from(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "config" / "foveal"
    home.mkdir(parents=True)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (home / "memory_config.yaml").write_text("server: {port: 1, grpc_port: 2, rate: 3}\nbreaker: {failures: 5}\n")
    (tmp_path / "memory_config.yaml").write_text("server: {port: 4, grpc_port: 5}\nlogging: {level: debug}\n")
    monkeypatch.setenv("FOVEAL_SERVER", '{"port": 6}')
    monkeypatch.setenv("FOVEAL_LLM", "https://ada:hunter2@host/v1#m")
    monkeypatch.setenv("FOVEAL_LLM_KEY", "hunter2")
    ended = run("config", "show", "--origin", "--json")
    shown = {one["setting"]: (one["value"], one["origin"]) for one in ended.json}
    assert shown["server.port"] == (6, "environment")
    assert shown["server.grpc_port"] == (5, "memory_config.yaml")
    assert shown["server.rate"] == (3.0, str(home / "memory_config.yaml"))
    assert shown["server.host"] == ("127.0.0.1", "default")
    assert shown["logging.level"] == ("debug", "memory_config.yaml")
    assert shown["breaker.failures"][0] == 5
    assert "hunter2" not in ended.out + run("config", "show", "--origin").out + run("config", "show").out


@pytest.mark.parametrize(
    "text", ["redis: redis://host/1\nredis_prefix: mine", "redis: {url: redis://host/1, prefix: mine}"]
)
def test_a_redis_server_is_named_in_one_line_or_in_a_section(tmp_path: Path, text: str) -> None:
    (tmp_path / "memory_config.yaml").write_text(text)
    found = load_settings({}, tmp_path)
    assert (found.redis, found.redis_prefix) == ("redis://host/1", "mine")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("cache: {host: localhost}", "there are default, max, model_outputs"),
        ("redis: {hst: localhost}", "did you mean host"),
        ("circuit_breaker: {failures: 3}", "failure_threshold"),
        ("server: {prt: 1}", "did you mean port"),
        ("server: {port: 99999}", "between 0 and 65535"),
        ("server: {auth: maybe}", "auth"),
        ("server: {cors: [example.org]}", "not an origin"),
        ("server: {rate: -1}", "0 or more"),
        ("server: {burst: 0}", "above 0"),
        ("server: {leeway: 9999}", "300 seconds"),
        ("server: {algorithms: []}", "none at all"),
        ("logging: {level: loud}", "level"),
        ("breaker: {failures: 0}", "at least 1"),
    ],
)
def test_a_section_that_means_nothing_says_so(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "memory_config.yaml").write_text(text)
    with pytest.raises(Invalid, match=told):
        load_settings({}, tmp_path)
