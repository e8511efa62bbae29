"""The OpenAPI document."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from http import HTTPStatus
from typing import Any

from msgspec import Struct

import foveal
from foveal.model.results import Imported, Written
from foveal.model.server import Right
from foveal.wire.calls import Call, call_of
from foveal.wire.codec import Schema, component, kinds_in, object_of, schema_of
from foveal.wire.problems import MEDIA, STATUS, TYPE
from foveal.wire.routes import route
from foveal.wire.shapes import Field, MapOf
from foveal.wire.verbs import VERBS

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


# Export and import travel as files, so their description is written by hand, among the extras.
FILES = ("export", "import_")
STATUSES = sorted({int(one.http) for one in STATUS.values()})


@lru_cache(maxsize=1)
def document() -> Schema:
    """The whole description, in OpenAPI 3.1."""
    calls = [call_of(name) for name, verb in VERBS.items() if verb.http is not None and name not in FILES]
    paths: dict[str, Schema] = {}
    for call in calls:
        method, path = route(call)
        paths.setdefault(path, {})[method.lower()] = _operation(call, method)
    for path, operations in EXTRAS.items():
        for method, operation in operations.items():
            failures = {} if operation.get("security") == [] else _failures()
            told = {**operation, "responses": {**failures, **operation["responses"]}}
            paths.setdefault(path, {})[method] = told
    kinds = set[type[Struct]]({Written, Imported}).union(*(kinds_in(call.answer) for call in calls))
    kinds = kinds.union(*(kinds_in(one.shape) for call in calls for one in call.fields))
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Foveal",
            "version": foveal.__version__,
            "summary": "The memory of AI agents.",
            "description": "Every verb of a memory. `actor_id` says whose memory it is, in the tenant `world`; "
            "`node` is the agent that speaks. A failure is a problem (RFC 9457) with a stable `code`.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "security": [{"key": []}, {}],
        "tags": [{"name": name} for name in sorted({_tag(call) for call in calls} | {"server"})],
        "paths": dict(sorted(paths.items())),
        "components": {
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
            "responses": {str(status): _failure(status) for status in [*STATUSES, 405]},
            "schemas": {"Problem": _problem(), **{one.__name__: component(one) for one in _sorted(kinds)}},
        },
    }


def _operation(call: Call, method: str) -> Schema:
    _, path = route(call)
    first, _, rest = call.description.partition("\n\n")
    inside = {part.strip("{}") for part in path.split("/") if part.startswith("{")}
    said = [one for one in call.fields if one.name not in inside]
    placed = [_parameter(one, "path") for one in call.fields if one.name in inside]
    told: Schema = {
        "operationId": call.verb.name,
        "tags": [_tag(call)],
        "summary": first.replace("\n", " "),
        "description": "\n\n".join(one for one in (rest, _needs(call)) if one),
        "responses": {**_success(call), **_failures()},
    }
    if method == "GET":
        told["parameters"] = [*placed, *(_parameter(one, "query") for one in said)]
        return told
    told["parameters"] = placed + ([] if call.verb.safe else [_KEY])
    schema = object_of(said, closed=not call.open)
    told["requestBody"] = {
        "required": any(one.required for one in said),
        "content": {"application/json": {"schema": schema, "example": example_of(said)}},
    }
    return told


def _parameter(field: Field, where: str) -> Schema:
    schema = schema_of(field.shape)
    told: Schema = {"name": field.name, "in": where, "required": where == "path" or field.required}
    if where == "path":
        schema = {**schema, "minLength": 1} if schema.get("type") == "string" else schema
    if isinstance(field.shape, MapOf) or "object" in str(schema):
        return {**told, "content": {"application/json": {"schema": schema}}}
    example = example_of([field]).get(field.name)
    return {**told, "schema": schema} if example is None else {**told, "schema": schema, "example": example}


_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "A name for this request: sent twice, it is done once.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[A-Za-z0-9._-]+$"},
}


def _success(call: Call) -> Schema:
    if call.answer is None:
        return {"204": {"description": "Done."}}
    told: Schema = {
        "description": "The answer.",
        "headers": {"ETag": {"schema": {"type": "string"}}, "X-Request-Id": {"schema": {"type": "string"}}},
        "content": {"application/json": {"schema": schema_of(call.answer)}},
    }
    links = LINKS.get(call.verb.name)
    return {"200": {**told, "links": links} if links else told}


def _failures() -> Schema:
    return {str(status): {"$ref": f"#/components/responses/{status}"} for status in STATUSES}


def _failure(status: int) -> Schema:
    codes = sorted(kind.code for kind, one in STATUS.items() if int(one.http) == status)
    return {
        "description": f"{HTTPStatus(status).phrase}: {', '.join(codes) or 'method_not_allowed'}.",
        "content": {MEDIA: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }


def _problem() -> Schema:
    text = {"type": "string"}
    return {
        "title": "Problem",
        "description": "What went wrong (RFC 9457). `code` is stable; `data` is about the case.",
        "type": "object",
        "properties": {
            **{"type": text, "title": text, "status": {"type": "integer"}, "detail": text, "code": text},
            **{"retry": {"type": "boolean"}, "data": {"type": "object"}, "request_id": text},
        },
        "required": ["type", "title", "status", "detail", "code", "request_id"],
        "examples": [
            {
                **{"type": TYPE + "not_found", "title": "There is nothing here that you may see.", "status": 404},
                **{"detail": "there is no record 'r1' here", "code": "not_found", "retry": False},
                **{"data": {"record_id": "r1"}, "request_id": "01k6zq3v8m2x4c7n9p5r1t3w5y"},
            }
        ],
    }


def _needs(call: Call) -> str:
    return {
        Right.READ: "",
        Right.WRITE: "Needs a key that may write.",
        Right.ADMIN: "Needs a key that may administer the whole store.",
    }[call.verb.right]


def _tag(call: Call) -> str:
    return call.verb.name.rpartition(".")[0] or "memory"


def _sorted(kinds: Iterable[type[Struct]]) -> list[type[Struct]]:
    return sorted(kinds, key=lambda one: one.__name__)
