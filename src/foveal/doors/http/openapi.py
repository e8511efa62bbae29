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
from foveal.wire.codec import Schema, component, object_of, schema_of
from foveal.wire.problems import MEDIA, STATUS, TYPE
from foveal.wire.routes import route
from foveal.wire.shapes import Field, MapOf, Shape, Value, shapes_in
from foveal.wire.verbs import VERBS

# Example values of the fields that callers usually send, by name.
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
    """Example arguments of a call: the required ones, and whose memory it is about."""
    return {
        field.name: SAID[field.name]
        for field in fields
        if field.name in SAID and (field.required or field.name in OPTIONAL)
    }


def _link(verb: str, name: str, pointer: str, **more: str) -> dict[str, Any]:
    return {"operationId": verb, "parameters": {name: f"$response.body#{pointer}", **more}}


_ACTOR = {"actor_id": "$request.body#/actor_id"}
# The calls that can follow an answer.
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


def _json(schema: dict[str, Any]) -> Operation:
    return {"200": {"description": "The answer.", "content": {"application/json": {"schema": schema}}}}


def _body(schema: dict[str, Any], example: dict[str, Any]) -> Operation:
    return {"required": True, "content": {"application/json": {"schema": schema, "example": example}}}


def _same(verb: str, path: str, method: str) -> Operation:
    """A legacy path of a verb, which the first clients use."""
    pointer = f"#/paths/{path.replace('/', '~1')}/{method}"
    operation: Operation = {
        "operationId": f"{verb}.old",
        "tags": ["server"],
        "summary": f"The same as {method.upper()} {path}.",
        "responses": _json({"type": ["object", "array"]}),
    }
    if method == "post":
        schema = {"$ref": f"{pointer}/requestBody/content/application~1json/schema"}
        return {**operation, "requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}
    return {**operation, "parameters": _AT}


_STATE = {"type": "object", "properties": {"status": {"type": "string"}}, "required": ["status"]}
_CALLER = {
    "type": "object",
    "properties": {
        **{"name": _TEXT, "subject": _TEXT, "worlds": _NAMES, "actors": _NAMES, "verbs": _NAMES},
        "rights": {"type": "array", "items": {"type": "string", "enum": ["read", "write", "admin"]}},
        "auth": {
            "type": "string",
            "enum": ["open", "keys", "oidc"],
            "description": "How the server authenticates callers.",
        },
        "world": {"type": "string", "description": "The default world."},
    },
    "required": ["name", "subject", "worlds", "actors", "rights", "verbs", "auth", "world"],
}
_OPEN: Operation = {"security": []}
_TURNS = {
    "type": "array",
    "minItems": 1,
    "description": "The conversation, whose last message is the user's.",
    "items": {
        "type": "object",
        "required": ["role", "content"],
        "additionalProperties": False,
        "properties": {"role": {"type": "string", "enum": ["user", "assistant", "system"]}, "content": _TEXT},
    },
}

EXTRAS: dict[str, dict[str, Operation]] = {
    "/api/memory/write": {"post": _same("write", "/v1/records", "post")},
    "/api/memory/read": {"post": _same("read", "/v1/read", "post")},
    "/api/memory/regions": {"get": _same("regions", "/v1/regions", "get")},
    "/api/memory/addresses": {"get": _same("addresses", "/v1/addresses", "get")},
    "/api/memory/stats": {"get": _same("stats", "/v1/stats", "get")},
    "/api/memory/health": {
        "get": {
            "operationId": "health",
            "tags": ["server"],
            "summary": "The health of the server: each component is ok, degraded or down.",
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
                    "oneOf": [{"required": ["message"]}, {"required": ["messages"]}],
                    "additionalProperties": False,
                    "properties": {
                        **{"message": {"type": "string", "minLength": 1}, "messages": _TURNS},
                        **{"actor_id": _TEXT, "world": _TEXT},
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
            "summary": "Import an export. Records that exist already stay unchanged.",
            "parameters": _AT,
            "requestBody": {"required": True, "content": {"application/x-ndjson": {"schema": _TEXT}}},
            "responses": _json({"$ref": "#/components/schemas/Imported"}),
        }
    },
    "/v1/whoami": {
        "get": {
            "operationId": "whoami",
            "tags": ["server"],
            "summary": "Who you are to the server and what you may do: null means any world, actor or verb.",
            "responses": _json(_CALLER),
        }
    },
    "/v1/stream": {
        "get": {
            "operationId": "stream",
            "tags": ["server"],
            "summary": "Notices as events: writes, reads, changes, moves and errors, without the texts of records.",
            "description": "Resumes after `Last-Event-ID` or `after` if those notices are still kept.",
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
            "summary": "All keys ever created, without secrets.",
            "responses": _json({"type": "array", "items": {"type": "object"}}),
        },
        "post": {
            "operationId": "keys.add",
            "tags": ["server"],
            "summary": "Create a key. Its token appears only in this answer.",
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
            "summary": "Revoke a key.",
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
            "summary": "Metrics for Prometheus.",
            "responses": {"200": {"description": "The metrics.", "content": {"text/plain": {"schema": _TEXT}}}},
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
                "503": {
                    "description": "The server does not take requests now.",
                    "content": {"application/json": {"schema": _STATE}},
                },
            },
        }
    },
}


# Export and import transfer files, so their operations are written by hand, in EXTRAS.
FILES = ("export", "import_")
STATUSES = sorted({int(status.http) for status in STATUS.values()})


@lru_cache(maxsize=1)
def document() -> Schema:
    """The whole document, in OpenAPI 3.1."""
    calls = [call_of(name) for name, verb in VERBS.items() if verb.http is not None and name not in FILES]
    paths: dict[str, Schema] = {}
    for call in calls:
        method, path = route(call)
        paths.setdefault(path, {})[method.lower()] = _operation(call, method)
    for path, operations in EXTRAS.items():
        for method, operation in operations.items():
            failures = {} if operation.get("security") == [] else _failures()
            responses = {**failures, **operation["responses"]}
            paths.setdefault(path, {})[method] = {**operation, "responses": responses}
    shapes: list[Shape] = [Value(Written), Value(Imported), *(call.answer for call in calls if call.answer)]
    shapes += [field.shape for call in calls for field in call.fields]
    kinds = {shape.kind for shape in shapes_in(shapes) if isinstance(shape, Value)}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Foveal",
            "version": foveal.__version__,
            "summary": "The memory of AI agents.",
            "description": "All verbs of a memory. `actor_id` says whose memory it is, in the tenant `world`; "
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
            "schemas": {"Problem": _problem(), **{kind.__name__: component(kind) for kind in _sorted(kinds)}},
        },
    }


def _operation(call: Call, method: str) -> Schema:
    _, path = route(call)
    first, _, rest = call.description.partition("\n\n")
    inside = {part.strip("{}") for part in path.split("/") if part.startswith("{")}
    others = [field for field in call.fields if field.name not in inside]
    path_parameters = [_parameter(field, "path") for field in call.fields if field.name in inside]
    operation: Schema = {
        "operationId": call.verb.name,
        "tags": [_tag(call)],
        "summary": first.replace("\n", " "),
        "description": "\n\n".join(text for text in (rest, _needs(call)) if text),
        "responses": {**_success(call), **_failures()},
    }
    if method == "GET":
        operation["parameters"] = [*path_parameters, *(_parameter(field, "query") for field in others)]
        return operation
    operation["parameters"] = path_parameters + ([] if call.verb.safe else [_KEY])
    schema = object_of(others, closed=not call.open)
    operation["requestBody"] = {
        "required": any(field.required for field in others),
        "content": {"application/json": {"schema": schema, "example": example_of(others)}},
    }
    return operation


def _parameter(field: Field, where: str) -> Schema:
    schema = schema_of(field.shape)
    parameter: Schema = {"name": field.name, "in": where, "required": where == "path" or field.required}
    if where == "path":
        schema = {**schema, "minLength": 1} if schema.get("type") == "string" else schema
    if isinstance(field.shape, MapOf) or "object" in str(schema):
        return {**parameter, "content": {"application/json": {"schema": schema}}}
    example = example_of([field]).get(field.name)
    parameter["schema"] = schema
    return parameter if example is None else {**parameter, "example": example}


_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "A unique name for this request: if it is sent twice, it runs once.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[A-Za-z0-9._-]+$"},
}


def _success(call: Call) -> Schema:
    if call.answer is None:
        return {"204": {"description": "Done."}}
    response: Schema = {
        "description": "The answer.",
        "headers": {"ETag": {"schema": {"type": "string"}}, "X-Request-Id": {"schema": {"type": "string"}}},
        "content": {"application/json": {"schema": schema_of(call.answer)}},
    }
    links = LINKS.get(call.verb.name)
    return {"200": {**response, "links": links} if links else response}


def _failures() -> Schema:
    return {str(status): {"$ref": f"#/components/responses/{status}"} for status in STATUSES}


def _failure(status: int) -> Schema:
    codes = sorted(error.code for error, statuses in STATUS.items() if int(statuses.http) == status)
    return {
        "description": f"{HTTPStatus(status).phrase}: {', '.join(codes) or 'method_not_allowed'}.",
        "content": {MEDIA: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }


def _problem() -> Schema:
    text = {"type": "string"}
    return {
        "title": "Problem",
        "description": "What went wrong (RFC 9457). `code` is stable; `data` has the details of the case.",
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
    rights = call.verb.rights
    if not rights:
        return "Needs a key that may use the verbs that the path calls."
    if Right.ADMIN in rights:
        return "Needs a key that may administer the whole store."
    return "" if call.verb.safe else f"Needs a key that may {' and '.join(rights)}."


def _tag(call: Call) -> str:
    return call.verb.name.rpartition(".")[0] or "memory"


def _sorted(kinds: Iterable[type[Struct]]) -> list[type[Struct]]:
    return sorted(kinds, key=lambda kind: kind.__name__)
