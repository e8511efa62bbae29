"""Free JSON as `google.protobuf.Value` and `Struct`, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from google.protobuf.struct_pb2 import NULL_VALUE, Struct, Value

# A number there is a double: beyond this, neighbours become one.
EXACT = 2**53


def fill_value(message: Value, given: Any) -> None:
    """Put a JSON value into a message."""
    match given:
        case None:
            message.null_value = NULL_VALUE
        case bool():
            message.bool_value = given
        case int() if abs(given) > EXACT:
            message.string_value = str(given)
        case int() | float():
            message.number_value = given
        case str():
            message.string_value = given
        case Mapping():
            fill_struct(message.struct_value, cast(Mapping[str, Any], given))
        case Sequence():
            message.list_value.SetInParent()
            for one in cast(Sequence[Any], given):
                fill_value(message.list_value.values.add(), one)
        case _:
            raise ValueError(f"{type(given).__name__} is not JSON")


def fill_struct(message: Struct, given: Mapping[str, Any]) -> None:
    """Put a JSON object into a message."""
    message.SetInParent()
    for name, one in given.items():
        fill_value(message.fields[str(name)], one)


def value_of(message: Value) -> Any:
    """The JSON value that a message holds; a number without a fraction is a whole one."""
    match message.WhichOneof("kind"):
        case "bool_value":
            return message.bool_value
        case "number_value":
            number = message.number_value
            return int(number) if number.is_integer() and abs(number) <= EXACT else number
        case "string_value":
            return message.string_value
        case "struct_value":
            return struct_of(message.struct_value)
        case "list_value":
            return [value_of(one) for one in message.list_value.values]
        case _:
            return None


def struct_of(message: Struct) -> dict[str, Any]:
    """The JSON object that a message holds."""
    return {name: value_of(one) for name, one in message.fields.items()}


def inexact(given: Any) -> bool:
    """Whether JSON holds a whole number that would not come through as a number."""
    match given:
        case bool():
            return False
        case int():
            return abs(given) > EXACT
        case str():
            return False
        case Mapping():
            return any(inexact(one) for one in cast(Mapping[str, Any], given).values())
        case Sequence():
            return any(inexact(one) for one in cast(Sequence[Any], given))
        case _:
            return False
