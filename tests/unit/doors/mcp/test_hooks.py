"""A coding agent with hooks recalls and remembers without being asked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from foveal import Memory
from foveal.doors.cli.app import app
from foveal.doors.mcp.hooks import answer
from foveal.engine.memory import View
from foveal.errors import Invalid

COMMON = {"session_id": "s1", "transcript_path": "", "cwd": "/repo", "permission_mode": "default"}


@pytest.fixture
def ada() -> View:
    return Memory(":memory:").view(actor_id="ada")


def _event(name: str, **fields: Any) -> dict[str, Any]:
    return {**COMMON, "hook_event_name": name, **fields}


def _context(told: dict[str, Any] | None, event: str) -> str:
    assert told is not None
    assert told["hookSpecificOutput"]["hookEventName"] == event
    return told["hookSpecificOutput"]["additionalContext"]


@pytest.mark.parametrize(("asked", "answered"), [("UserPromptSubmit", "Stop"), ("BeforeAgent", "AfterAgent")])
def test_what_was_said_in_one_session_is_recalled_in_the_next(ada: View, asked: str, answered: str) -> None:
    assert answer(ada, _event(asked, prompt="We deploy with fly.io, never with Heroku.")) is None
    field = "last_assistant_message" if answered == "Stop" else "prompt_response"
    assert answer(ada, _event(answered, **{field: "Noted. The staging app is called shop-blue."})) is None
    told = answer(ada, _event(asked, session_id="s2", prompt="What is the staging app called?"))
    assert "shop-blue" in _context(told, asked)
    assert [record.session_id for record in ada.timeline(filters={"session_id": "s2"})] == ["s2"]


def test_a_session_begins_with_what_is_known(ada: View) -> None:
    assert answer(ada, _event("SessionStart", source="startup")) is None
    answer(ada, _event("UserPromptSubmit", prompt="From now on always run the linter before you commit."))
    assert "linter" in _context(answer(ada, _event("SessionStart", source="startup")), "SessionStart")


def test_the_last_answer_is_found_in_the_transcript_of_an_older_host(ada: View, tmp_path: Path) -> None:
    lines = [
        {"type": "user", "message": {"role": "user", "content": "Which port?"}},
        {
            "type": "assistant",
            "message": {"role": "assistant", "content": [{"type": "text", "text": "Port 8443."}]},
        },
        {"message": {"role": "assistant", "content": [{"type": "tool_use", "name": "Bash"}]}},
        {"type": "system", "content": "hook ran"},
    ]
    path = tmp_path / "transcript.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines) + "\n{ cut off")
    answer(ada, _event("Stop", transcript_path=str(path)))
    assert [record.text for record in ada.timeline(filters={"source": "assistant"})] == ["Port 8443."]


def test_an_agent_that_was_sent_on_is_not_remembered_twice(ada: View) -> None:
    answer(ada, _event("Stop", last_assistant_message="Done.", stop_hook_active=True))
    assert ada.timeline() == []


@pytest.mark.parametrize("event", [_event("PreToolUse"), _event("UserPromptSubmit"), _event("Stop")])
def test_events_without_words_change_nothing(ada: View, event: dict[str, Any]) -> None:
    assert answer(ada, event) is None
    assert ada.timeline() == []


def test_the_command_speaks_json_and_names_what_it_cannot_read(tmp_path: Path) -> None:
    words = ["mcp", "--url", str(tmp_path / "a.db"), "--actor-id", "ada", "hook"]
    run = CliRunner().invoke(
        app, words, input=json.dumps(_event("UserPromptSubmit", prompt="The cat is called Miso."))
    )
    assert (run.exit_code, run.stdout) == (0, "")
    run = CliRunner().invoke(
        app, words, input=json.dumps(_event("UserPromptSubmit", prompt="What is the cat called?"))
    )
    assert "Miso" in _context(json.loads(run.stdout), "UserPromptSubmit")
    for wrong in ("", "[]", "{}"):
        run = CliRunner().invoke(app, words, input=wrong)
        # Exit code 2 would block the prompt of the user.
        assert run.exit_code not in (0, 2)


def test_an_event_without_a_name_is_refused(ada: View) -> None:
    with pytest.raises(Invalid, match="not by hand"):
        answer(ada, {"prompt": "hello"})
