"""What the HTTP door has beside the verbs, as it is described."""

from __future__ import annotations

from typing import Any

Operation = dict[str, Any]

_TEXT = {"type": "string"}
_NAMES = {"type": ["array", "null"], "items": _TEXT}
_AT = [{"name": name, "in": "query", "required": False, "schema": _TEXT} for name in ("actor_id", "world", "node")]


def _json(schema: dict[str, Any], told: str = "The answer.") -> Operation:
    return {"200": {"description": told, "content": {"application/json": {"schema": schema}}}}


def _body(schema: dict[str, Any], example: dict[str, Any]) -> Operation:
    return {"required": True, "content": {"application/json": {"schema": schema, "example": example}}}


def _same(verb: str, path: str, method: str) -> Operation:
    """Another path of a verb, under the name that clients of old know."""
    pointer = f"#/paths/{path.replace('/', '~1')}/{method}"
    told: Operation = {
        "operationId": f"{verb}.old",
        "tags": ["server"],
        "summary": f"The same as {method.upper()} {path}.",
        "responses": _json({"type": ["object", "array"]}),
    }
    if method == "post":
        schema = {"$ref": f"{pointer}/requestBody/content/application~1json/schema"}
        return {**told, "requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}
    return {**told, "parameters": _AT}


_STATE = {"type": "object", "properties": {"status": {"type": "string"}}, "required": ["status"]}
_CALLER = {
    "type": "object",
    "properties": {
        **{"name": _TEXT, "subject": _TEXT, "worlds": _NAMES, "actors": _NAMES, "verbs": _NAMES},
        "rights": {"type": "array", "items": {"type": "string", "enum": ["read", "write", "admin"]}},
        "auth": {"type": "string", "enum": ["open", "keys", "oidc"], "description": "Whom the server lets in."},
        "world": {"type": "string", "description": "The world that is meant when none is said."},
    },
    "required": ["name", "subject", "worlds", "actors", "rights", "verbs", "auth", "world"],
}
_OPEN: Operation = {"security": []}

EXTRAS: dict[str, dict[str, Operation]] = {
    "/api/memory/write": {"post": _same("write", "/v1/records", "post")},
    "/api/memory/read": {"post": _same("read", "/v1/read", "post")},
    "/api/memory/regions": {"get": _same("regions", "/v1/regions", "get")},
    "/api/memory/addresses": {"get": _same("addresses", "/v1/addresses", "get")},
    "/api/memory/health": {
        "get": {
            "operationId": "health",
            "tags": ["server"],
            "summary": "How the server is: each component ok, degraded or down.",
            "responses": _json(_STATE),
        }
    },
    "/api/agent/chat": {
        "post": {
            "operationId": "chat",
            "tags": ["server"],
            "summary": "Talk to an agent with this memory: events `token`, then `answer` with what was recalled.",
            "requestBody": _body(
                {
                    "type": "object",
                    "required": ["message"],
                    "additionalProperties": False,
                    "properties": {
                        **{"message": {"type": "string", "minLength": 1}, "actor_id": _TEXT, "world": _TEXT},
                        **{"node": _TEXT, "session_id": {"type": ["string", "null"]}},
                        **{"token_budget": {"type": "integer", "minimum": 1}, "memory": {"type": "boolean"}},
                    },
                },
                {"message": "What do I drink?", "actor_id": "ada"},
            ),
            "responses": {
                "200": {
                    "description": "The answer, as events.",
                    "content": {"text/event-stream": {}},
                }
            },
        }
    },
    "/v1/records/{record_id}": {
        "delete": {
            "operationId": "forget.one",
            "tags": ["memory"],
            "summary": "Forget one record; with `hard`, erase it.",
            "parameters": [
                {"name": "record_id", "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}},
                {"name": "hard", "in": "query", "required": False, "schema": {"type": "boolean"}},
                {"name": "cascade", "in": "query", "required": False, "schema": {"type": "boolean"}},
                *_AT,
            ],
            "responses": _json({"$ref": "#/components/schemas/Forgotten"}),
        }
    },
    "/v1/export": {
        "get": {
            "operationId": "export",
            "tags": ["memory"],
            "summary": "The whole memory of an actor, as JSON lines.",
            "parameters": _AT,
            "responses": {
                "200": {"description": "The file.", "content": {"application/x-ndjson": {"schema": _TEXT}}}
            },
        }
    },
    "/v1/import": {
        "post": {
            "operationId": "import",
            "tags": ["memory"],
            "summary": "Bring in what an export gave. What is there already is left as it is.",
            "parameters": _AT,
            "requestBody": {"required": True, "content": {"application/x-ndjson": {"schema": _TEXT}}},
            "responses": _json({"$ref": "#/components/schemas/Imported"}),
        }
    },
    "/v1/whoami": {
        "get": {
            "operationId": "whoami",
            "tags": ["server"],
            "summary": "Whom the server takes you for, and what you may: null is any world, actor or verb.",
            "responses": _json(_CALLER),
        }
    },
    "/v1/stream": {
        "get": {
            "operationId": "stream",
            "tags": ["server"],
            "summary": "What happens, as events: writes, reads, changes, moves and errors, never what they say.",
            "description": "Goes on after `Last-Event-ID`, or `after`, as long as the notices are kept.",
            "parameters": [
                {"name": "kinds", "in": "query", "required": False, "schema": {"type": "array", "items": _TEXT}},
                {"name": "after", "in": "query", "required": False, "schema": _TEXT},
                {"name": "Last-Event-ID", "in": "header", "required": False, "schema": _TEXT},
                *_AT[:2],
            ],
            "responses": {"200": {"description": "The events.", "content": {"text/event-stream": {}}}},
        }
    },
    "/v1/keys": {
        "get": {
            "operationId": "keys",
            "tags": ["server"],
            "summary": "Every key there ever was, without secrets.",
            "responses": _json({"type": "array", "items": {"type": "object"}}),
        },
        "post": {
            "operationId": "keys.add",
            "tags": ["server"],
            "summary": "Make a key. Its token is in this answer only.",
            "requestBody": _body(
                {
                    "type": "object",
                    "required": ["name"],
                    "additionalProperties": False,
                    "properties": {
                        **{"name": {"type": "string", "minLength": 1}, "worlds": _NAMES, "actors": _NAMES},
                        **{"rights": {"type": "array", "items": {"enum": ["read", "write", "admin"]}}},
                        **{"verbs": _NAMES, "expires_at": {"type": ["string", "null"], "format": "date-time"}},
                        **{"rate": {"type": ["number", "null"]}, "burst": {"type": ["integer", "null"]}},
                    },
                },
                {"name": "laptop", "rights": ["read", "write"], "actors": ["ada"]},
            ),
            "responses": _json({"type": "object", "required": ["token", "key"]}),
        },
    },
    "/v1/keys/{key_id}": {
        "delete": {
            "operationId": "keys.revoke",
            "tags": ["server"],
            "summary": "Let a key open nothing from now on.",
            "parameters": [
                {"name": "key_id", "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
            ],
            "responses": _json({"type": "object", "required": ["id"]}),
        }
    },
    "/metrics": {
        "get": {
            "operationId": "metrics",
            "tags": ["server"],
            "summary": "Figures for Prometheus.",
            "responses": {"200": {"description": "The figures.", "content": {"text/plain": {"schema": _TEXT}}}},
        }
    },
    "/livez": {
        "get": {
            **_OPEN,
            "operationId": "livez",
            "tags": ["server"],
            "summary": "Whether the process runs.",
            "responses": _json(_STATE),
        }
    },
    "/readyz": {
        "get": {
            **_OPEN,
            "operationId": "readyz",
            "tags": ["server"],
            "summary": "Whether the server takes requests.",
            "responses": {
                **_json(_STATE),
                "503": {"description": "Not now.", "content": {"application/json": {"schema": _STATE}}},
            },
        }
    },
}
