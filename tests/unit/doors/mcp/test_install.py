"""Clients are set up without losing what their files hold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from foveal.doors.cli.app import app
from foveal.doors.mcp.config_files import parsed, with_member, without_member
from foveal.doors.mcp.install import CLIENTS, install, install_hooks, remove_hooks, uninstall
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


KEYS = {"vscode": "servers", "codex": "mcp_servers", "zed": "context_servers"}


def _said(path: Path) -> Any:
    return parsed(path.read_text(), "toml" if path.suffix == ".toml" else "json")


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize(
    ("client", "file"),
    [
        ("claude-code", "~/.claude.json"),
        ("claude-desktop", "*/Claude/claude_desktop_config.json"),
        ("cursor", "~/.cursor/mcp.json"),
        ("vscode", "*/Code/User/mcp.json"),
        ("windsurf", "~/.codeium/windsurf/mcp_config.json"),
        ("codex", "~/.codex/config.toml"),
        ("gemini", "~/.gemini/settings.json"),
        ("zed", "~/.config/zed/settings.json"),
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
    entry = _said(path)[KEYS.get(client, "mcpServers")]["foveal"]
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


@pytest.mark.parametrize("text", ["{", "[]", '{"servers": []}', '{"a": 1} {"b": 2}'])
def test_a_file_that_cannot_be_kept_whole_is_left_alone(text: str, home: Path) -> None:
    (home / "mcp.json").write_text(text)
    with pytest.raises(Conflict):
        install("vscode", home / "mcp.json", "foveal", COMMAND)
    assert [(one.name, one.read_text()) for one in home.iterdir()] == [("mcp.json", text)]


def test_comments_and_last_commas_stay_where_they_are(home: Path) -> None:
    text = """// my settings
{
  "theme": "One // Dark", // not a comment inside
  /* servers */
  "context_servers": {
    "other": {"command": "x"}, // mine
  },
}
"""
    (home / "settings.json").write_text(text)
    install("zed", home / "settings.json", "foveal", COMMAND)
    written = (home / "settings.json").read_text()
    assert [line for line in text.splitlines() if line not in written.splitlines()] == []
    assert _said(home / "settings.json")["context_servers"].keys() == {"foveal", "other"}
    uninstall("zed", home / "settings.json", "foveal")
    assert _said(home / "settings.json") == parsed(text, "json")
    assert "// mine" in (home / "settings.json").read_text()


def test_a_toml_file_keeps_its_comments(home: Path) -> None:
    text = '# mine\nmodel = "o5"\n\n[mcp_servers.other]\ncommand = "x" # y\n'
    (home / "config.toml").write_text(text)
    install("codex", home / "config.toml", "foveal", COMMAND)
    assert (home / "config.toml").read_text().startswith(text)
    assert _said(home / "config.toml")["mcp_servers"]["foveal"]["args"] == COMMAND[1:]
    uninstall("codex", home / "config.toml", "foveal")
    assert _said(home / "config.toml") == parsed(text, "toml")


NAMES = st.text('abc{},/*\\" \n', max_size=6)
VALUES = st.recursive(
    st.none() | st.integers() | NAMES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
)
CONTENTS = st.dictionaries(NAMES, VALUES, max_size=4)


@given(content=CONTENTS, name=NAMES, value=VALUES, indent=st.sampled_from([None, 2]))
def test_setting_and_removing_a_member_changes_nothing_else(
    content: dict[str, Any], name: str, value: Any, indent: int | None
) -> None:
    text = json.dumps(content, indent=indent)
    path = ["servers of ours", name]
    there = with_member(text, "json", path, value)
    assert parsed(there, "json") == {**content, path[0]: {name: value}}
    assert parsed(without_member(there, "json", path), "json") == {**content, path[0]: {}}


@pytest.mark.parametrize("client", ["claude-code", "gemini"])
def test_hooks_are_added_once_beside_those_that_are_there_and_taken_out_again(client: str, home: Path) -> None:
    hooks = CLIENTS[client].hooks
    assert hooks is not None
    path, first = home / hooks.file, hooks.events[0]
    path.parent.mkdir()
    before = {"hooks": {first: [{"hooks": [{"type": "command", "command": "make lint"}]}]}, "model": "x"}
    path.write_text(json.dumps(before))
    command = ["/opt/foveal", "mcp", "--actor-id", "ada", "hook"]
    assert install_hooks(client, home, command).changed
    assert not install_hooks(client, home, command).changed
    said = _said(path)["hooks"]
    assert {event: len(groups) for event, groups in said.items()} == {
        event: 2 if event == first else 1 for event in hooks.events
    }
    assert said[first][1]["hooks"][0]["command"] == "/opt/foveal mcp --actor-id ada hook"
    remove_hooks(client, home)
    assert _said(path) == before


def test_a_client_without_hooks_says_which_have_them(home: Path) -> None:
    with pytest.raises(Unsupported, match="claude-code, gemini have them"):
        install_hooks("zed", home, COMMAND)


def test_projects_and_clients_that_are_not_there_are_refused(home: Path) -> None:
    with pytest.raises(Unsupported, match="leave --project out"):
        CLIENTS["claude-desktop"].path(home=home, config=home, folder=home)
    with pytest.raises(Invalid, match="there are claude-code, .*, vscode, windsurf, codex, gemini, zed"):
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
    words += ["--tools", "graph"]
    assert json.loads(CliRunner().invoke(app, words).stdout)["entry"]["args"][-3:] == [
        "--read-only",
        "--tools",
        "graph",
    ]
    assert "use memory or graph" in CliRunner().invoke(app, [*words[:-1], "graphs"]).output
