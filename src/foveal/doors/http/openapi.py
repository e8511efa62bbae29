"""The description of the HTTP door, made from the table of verbs."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from http import HTTPStatus

from msgspec import Struct

import foveal
from foveal.doors.http.examples import LINKS, example_of
from foveal.doors.http.extras import EXTRAS
from foveal.model.results import Imported, Written
from foveal.model.server import Right
from foveal.wire.calls import Call, call_of
from foveal.wire.codec import Schema, component, kinds_in, object_of, schema_of
from foveal.wire.problems import MEDIA, STATUS, TYPE
from foveal.wire.routes import route
from foveal.wire.shapes import Field, Named
from foveal.wire.verbs import VERBS

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
    first, _, rest = call.told.partition("\n\n")
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
    if isinstance(field.shape, Named) or "object" in str(schema):
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
