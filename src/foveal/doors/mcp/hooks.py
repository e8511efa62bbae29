"""Answers the events of a coding agent: recalls before the model is asked, and remembers what was said."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from foveal.engine.memory import View
from foveal.errors import Invalid

PROFILE_TOKENS = 400
RECALL_TOKENS = 800
# Of a transcript only the end is read: the last answer is there.
TAIL_BYTES = 1 << 20

_ASKED = ("UserPromptSubmit", "BeforeAgent")
_ANSWERED = ("Stop", "AfterAgent")


def answer(memory: View, event: Mapping[str, Any]) -> dict[str, Any] | None:
    """What to print for an event, as its host expects it, or None if there is nothing to say.

    A session begins with the profile. A prompt gets what is known about it, and is remembered; so is the answer.
    """
    name = event.get("hook_event_name")
    if not isinstance(name, str):
        raise Invalid("the event has no hook_event_name: this command is run by a coding agent, not by hand")
    session = event.get("session_id")
    view = memory.view(session_id=session) if isinstance(session, str) and session else memory
    if name == "SessionStart":
        return _told(name, view.profile(token_budget=PROFILE_TOKENS).text)
    if name in _ASKED:
        prompt = event.get("prompt")
        if not isinstance(prompt, str) or not prompt.strip():
            return None
        # The question is asked before it is stored, so that it does not find itself.
        context = view.read(prompt, token_budget=RECALL_TOKENS)
        view.remember([{"role": "user", "content": prompt}])
        return _told(name, context.text)
    # An agent that a stop hook has sent on stops twice, with the same answer.
    if name in _ANSWERED and not event.get("stop_hook_active"):
        said = _last_answer(event)
        if said:
            view.remember([{"role": "assistant", "content": said}])
    return None


def _told(event: str, text: str) -> dict[str, Any] | None:
    if not text:
        return None
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}


def _last_answer(event: Mapping[str, Any]) -> str:
    for name in ("last_assistant_message", "prompt_response"):
        if isinstance(said := event.get(name), str) and said.strip():
            return said
    path = event.get("transcript_path")
    return next(_answers(Path(path)), "") if isinstance(path, str) and Path(path).is_file() else ""


def _answers(transcript: Path) -> Iterator[str]:
    """The answers in a transcript of JSON lines, last first."""
    with transcript.open("rb") as lines:
        lines.seek(max(0, transcript.stat().st_size - TAIL_BYTES))
        tail = lines.read().decode("utf-8", errors="replace")
    for line in reversed(tail.splitlines()):
        try:
            entry = json.loads(line)
        except ValueError:  # the first line of a tail is cut
            continue
        message = cast(dict[str, Any], entry).get("message") if isinstance(entry, dict) else None
        if not isinstance(message, dict) or cast(dict[str, Any], message).get("role") != "assistant":
            continue
        content: Any = cast(dict[str, Any], message).get("content")
        if text := _text(content):
            yield text


def _text(content: Any) -> str:
    """The words of a message: a string, or the texts among its parts."""
    if isinstance(content, str):
        return content.strip()
    parts = cast(list[Any], content) if isinstance(content, list) else []
    blocks = [cast(dict[str, Any], part) for part in parts if isinstance(part, dict)]
    return "\n".join(str(block.get("text", "")) for block in blocks if block.get("type") == "text").strip()
