"""Shapes as JSON Schema, for the description of the HTTP door and of the tools."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from msgspec import Struct

from foveal.wire.plain import plain
from foveal.wire.shapes import (
    Anything,
    Choice,
    Either,
    Field,
    Flag,
    Listed,
    Maybe,
    Moment,
    Named,
    Number,
    Place,
    Row,
    Shape,
    Span,
    Text,
    Value,
    Whole,
    fields_of,
)

Schema = dict[str, Any]

SINGLE: dict[type[Shape], Schema] = {
    Text: {"type": "string"},
    Flag: {"type": "boolean"},
    Whole: {"type": "integer"},
    Number: {"type": "number"},
    Moment: {"type": "string", "format": "date-time"},
    Span: {"type": ["number", "string"], "description": "seconds, or an ISO 8601 duration"},
    Place: {"type": "string", "description": "world/region#digits@d<depth>t<slice>"},
    Anything: {},
}


def schema_of(shape: Shape, *, refs: str = "#/components/schemas/") -> Schema:
    """The schema of a shape; values of the model are referred to by name.

    >>> schema_of(Maybe(Listed(Text())))
    {'anyOf': [{'type': 'array', 'items': {'type': 'string'}}, {'type': 'null'}]}
    """
    match shape:
        case Maybe():
            return {"anyOf": [schema_of(shape.inner, refs=refs), {"type": "null"}]}
        case Listed():
            return {"type": "array", "items": schema_of(shape.inner, refs=refs)}
        case Row():
            inner = [schema_of(one, refs=refs) for one in shape.inner]
            return {"type": "array", "prefixItems": inner, "minItems": len(inner), "maxItems": len(inner)}
        case Named():
            return {"type": "object", "additionalProperties": schema_of(shape.inner, refs=refs)}
        case Choice():
            return {"type": "string", "enum": list(shape.names)}
        case Value():
            return {"$ref": refs + shape.kind.__name__}
        case Either():
            return {"anyOf": [schema_of(one, refs=refs) for one in shape.inner]}
        case _:
            return dict(SINGLE[type(shape)])


def object_of(fields: Iterable[Field], *, closed: bool = True, refs: str = "#/components/schemas/") -> Schema:
    """The schema of an object with these fields."""
    listed = list(fields)
    schema: Schema = {"type": "object", "properties": {one.name: _property(one, refs) for one in listed}}
    required = [one.name for one in listed if one.required]
    if required:
        schema["required"] = required
    if closed:
        schema["additionalProperties"] = False
    return schema


def component(kind: type[Struct]) -> Schema:
    """The schema of a value of the model."""
    told = (inspect.getdoc(kind) or "").split("\n\n")[0].replace("\n", " ")
    return {"title": kind.__name__, "description": told, **object_of(fields_of(kind), closed=False)}


def kinds_in(shape: Shape | None) -> set[type[Struct]]:
    """The values of the model that a shape is made of, through and through."""
    found: set[type[Struct]] = set()
    left = [shape]
    while left:
        match left.pop():
            case Value(kind=kind) if kind not in found:
                found.add(kind)
                left += [one.shape for one in fields_of(kind)]
            case Maybe(inner=inner) | Listed(inner=inner) | Named(inner=inner):
                left.append(inner)
            case Row(inner=several) | Either(inner=several):
                left += several
            case _:
                pass
    return found


def _property(field: Field, refs: str) -> Schema:
    schema = schema_of(field.shape, refs=refs)
    if field.told:
        schema["description"] = field.told
    if field.default is not None and "$ref" not in schema:
        default = field.default
        schema["default"] = default.total_seconds() if isinstance(default, timedelta) else plain(default)
    return schema
