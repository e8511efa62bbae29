"""Clients are set up without losing what their files hold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from foveal.doors.cli.app import app
from foveal.doors.mcp.install import CLIENTS, install
from foveal.errors import Conflict, Invalid, Unsupported

COMMAND = ["/opt/foveal", "mcp", "--actor-id", "ada"]
# Where each system keeps the configurations of programs.
SYSTEMS = {"linux": ".config", "mac": "Library/Application Support", "windows": "AppData/Roaming"}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path))
    for name in ("XDG_CONFIG_HOME", "FOVEAL_URL", "FOVEAL_ACTOR_ID"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _said(path: Path) -> Any:
    return json.loads(path.read_text())


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize(
    ("client", "file"),
    [
        ("claude-code", "~/.claude.json"),
        ("claude-desktop", "*/Claude/claude_desktop_config.json"),
        ("cursor", "~/.cursor/mcp.json"),
        ("vscode", "*/Code/User/mcp.json"),
    ],
)
def test_each_client_has_its_file_on_each_system(client: str, file: str, system: str, home: Path) -> None:
    config = home / SYSTEMS[system]
    wanted = home / file.removeprefix("~/") if file.startswith("~") else config / file.removeprefix("*/")
    assert CLIENTS[client].path(home=home, config=config) == wanted


@pytest.mark.parametrize("client", CLIENTS)
def test_a_first_entry_makes_the_file_and_only_the_user_reads_it(client: str, home: Path) -> None:
    path = CLIENTS[client].path(home=home, config=home / ".config")
    done = install(client, path, "foveal", COMMAND)
    assert (done.changed, done.backup) == (True, None)
    entry = _said(path)["servers" if client == "vscode" else "mcpServers"]["foveal"]
    assert (entry["command"], entry["args"]) == (COMMAND[0], COMMAND[1:])
    assert entry.get("type") == ("stdio" if client in ("vscode", "claude-code") else None)
    assert path.stat().st_mode & 0o777 == 0o600


def test_what_else_is_there_stays_and_the_old_file_is_kept(home: Path) -> None:
    path = home / "mcp.json"
    before: dict[str, Any] = {
        "theme": "dark ☾",
        "mcpServers": {"other": {"command": "x", "env": {"KEY": "secret"}}},
    }
    path.write_text(json.dumps(before), encoding="utf-8")
    path.chmod(0o640)
    done = install("cursor", path, "foveal", COMMAND)
    assert _said(path)["mcpServers"].keys() == {"other", "foveal"}
    assert {**_said(path), "mcpServers": {"other": before["mcpServers"]["other"]}} == before
    kept = home / "mcp.json.bak"
    assert done.backup == str(kept)
    assert _said(kept) == before
    assert {path.stat().st_mode & 0o777, kept.stat().st_mode & 0o777} == {0o640}
    again = install("cursor", path, "foveal", [*COMMAND, "--read-only"])
    assert again.backup == str(home / "mcp.json.bak1")
    assert _said(home / "mcp.json.bak") == before


def test_a_second_time_changes_nothing(home: Path) -> None:
    install("cursor", home / "mcp.json", "foveal", COMMAND)
    done = install("cursor", home / "mcp.json", "foveal", COMMAND)
    assert (done.changed, done.backup) == (False, None)
    assert [one.name for one in home.iterdir()] == ["mcp.json"]


def test_a_dry_run_writes_nothing(home: Path) -> None:
    (home / "mcp.json").write_text("{}")
    done = install("cursor", home / "mcp.json", "foveal", COMMAND, dry_run=True)
    assert done.changed
    assert [(one.name, one.read_text()) for one in home.iterdir()] == [("mcp.json", "{}")]


def test_a_link_stays_a_link(home: Path) -> None:
    (home / "dotfiles").mkdir()
    (home / "dotfiles" / "mcp.json").write_text("{}")
    (home / "mcp.json").symlink_to(home / "dotfiles" / "mcp.json")
    install("cursor", home / "mcp.json", "foveal", COMMAND)
    assert (home / "mcp.json").is_symlink()
    assert "foveal" in _said(home / "dotfiles" / "mcp.json")["mcpServers"]


@pytest.mark.parametrize("text", ['{"servers": {} // mine\n}', "[]", '{"servers": []}'])
def test_a_file_that_cannot_be_kept_whole_is_left_alone(text: str, home: Path) -> None:
    (home / "mcp.json").write_text(text)
    with pytest.raises(Conflict):
        install("vscode", home / "mcp.json", "foveal", COMMAND)
    assert [(one.name, one.read_text()) for one in home.iterdir()] == [("mcp.json", text)]


def test_a_file_with_comments_says_what_to_add_by_hand(home: Path) -> None:
    (home / "mcp.json").write_text("// mine\n{}")
    with pytest.raises(Conflict, match='"servers": {"foveal": {"type": "stdio", "command": "/opt/foveal"'):
        install("vscode", home / "mcp.json", "foveal", COMMAND)


def test_projects_and_clients_that_are_not_there_are_refused(home: Path) -> None:
    with pytest.raises(Unsupported, match="leave --project out"):
        CLIENTS["claude-desktop"].path(home=home, config=home, folder=home)
    with pytest.raises(Invalid, match="there are claude-code, claude-desktop, cursor, vscode"):
        install("emacs", home / "x", "foveal", COMMAND)


def test_the_command_writes_what_starts_this_memory_from_anywhere(home: Path) -> None:
    words = [
        "mcp",
        "install",
        "vscode",
        "--project",
        "--url",
        "notes.db",
        "--actor-id",
        "ada",
        "--node",
        "/planner",
    ]
    ended = CliRunner().invoke(app, words)
    assert ended.exit_code == 0, ended.output
    entry = _said(home / ".vscode" / "mcp.json")["servers"]["foveal"]
    assert Path(entry["command"]).is_absolute()
    wanted = ["mcp", "--url", str(home / "notes.db"), "--actor-id", "ada", "--node", "/planner"]
    assert entry["args"][-7:] == wanted


def test_options_may_stand_before_the_command(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOVEAL_SESSION_ID", "s1")
    words = ["mcp", "--actor-id", "ada", "install", "cursor", "--dry-run", "--read-only", "--json"]
    ended = CliRunner().invoke(app, words)
    told = json.loads(ended.stdout)
    assert told["entry"]["args"][-5:] == ["--actor-id", "ada", "--session-id", "s1", "--read-only"]
    assert (told["path"], told["changed"]) == (str(home / ".cursor" / "mcp.json"), True)
    assert not (home / ".cursor").exists()
