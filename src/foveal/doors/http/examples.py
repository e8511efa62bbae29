"""The examples and links in the description of the HTTP door."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from foveal.wire.shapes import Field

# What a field of this name is for example; only what a caller usually says stands here.
SAID: dict[str, Any] = {
    "actor_id": "ada",
    "text": "Ada prefers tea to coffee.",
    "items": ["Ada prefers tea.", {"text": "Ben sails on Sundays.", "speaker": "Ben"}],
    "query": "what does Ada drink?",
    "token_budget": 512,
    "target": "01k6zq3v8m2x4c7n9p5r1t3w5y",
    "record_id": "01k6zq3v8m2x4c7n9p5r1t3w5y",
    "record_ids": ["01k6zq3v8m2x4c7n9p5r1t3w5y"],
    "source_id": "01k6zq3v8m2x4c7n9p5r1t3w5y",
    "target_id": "01k6zq3v8m2x4c7n9p5r1t3w5z",
    "label": "before the move",
    "since": "2026-03-01T00:00:00Z",
    "description": "Renew the certificate",
    "goal_id": "goal-1",
    "task_id": "task-1",
    "tool_name": "openssl",
    "context": "which authority to use",
    "chosen": "the free one",
    "outcome": "it worked",
    "trigger": "a certificate runs out",
    "action": "renew it and restart the server",
    "success": True,
    "state": {"step": 3},
    "category": "deploy",
    "value": 0.5,
    "task_description": "renew the certificate",
    "name": "renewal",
    "title": "Passwords",
    "content": "A password has at least 12 characters.",
    "file_path": "/etc/app.conf",
    "messages": [{"role": "user", "content": "Keep the key safe."}],
    "stream": "Ada prefers tea.",
    "crystal_id": "crystal_1f0c33a9be21",
    "reason": "try another way",
    "into": "crystal_1f0c33a9be21",
}
OPTIONAL = ("actor_id", "token_budget")


def example_of(fields: Iterable[Field]) -> dict[str, Any]:
    """What a call says, for example: what it must, and whose memory it is about."""
    return {
        one.name: SAID[one.name] for one in fields if one.name in SAID and (one.required or one.name in OPTIONAL)
    }


def _link(verb: str, name: str, found: str, **said: str) -> dict[str, Any]:
    return {"operationId": verb, "parameters": {name: f"$response.body#{found}", **said}}


_ACTOR = {"actor_id": "$request.body#/actor_id"}
# What an answer lets one ask next.
LINKS: dict[str, dict[str, Any]] = {
    "write": {
        "Get": _link("get", "record_id", "/ids/0", **_ACTOR),
        "History": _link("history", "record_id", "/ids/0", **_ACTOR),
        "Forecast": _link("forecast", "record_id", "/ids/0", **_ACTOR),
        "Pin": {"operationId": "pin", "parameters": {"record_id": "$response.body#/ids/0"}, "requestBody": _ACTOR},
    },
    "ledger.store_goal": {
        "Get": _link("ledger.get_goal", "goal_id", "/id", **_ACTOR),
        "Tasks": _link("ledger.get_tasks_for_goal", "goal_id", "/id", **_ACTOR),
    },
    "create_session": {"Get": _link("get_session", "session", "/id", **_ACTOR)},
    "group": {"Members": _link("members", "group_id", "/id", **_ACTOR)},
    "crystals.crystallize": {"Get": _link("crystals.get", "crystal_id", "/crystal_id", **_ACTOR)},
    "page": {"Next": _link("page", "cursor", "/cursor", actor_id="$request.query.actor_id")},
}
