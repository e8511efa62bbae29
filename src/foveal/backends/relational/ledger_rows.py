"""Between rows of the ledger and rows of SQL."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from functools import cache
from typing import Any, get_args, get_type_hints

import msgspec

from foveal.backends.relational.stamps import moment, stamp
from foveal.errors import Invalid, NotFound
from foveal.ports.ledger import LOOKED_UP, R, Row

_JSON = {
    **{"given": "input_json", "output": "output_json", "metadata": "metadata_json"},
    **{"options": "options_json", "state": "state_json", "data": "data_json"},
}


class Layout(msgspec.Struct, frozen=True):
    """How the rows of one kind lie in their table: its name, and each field with its column and its type."""

    table: str
    columns: tuple[tuple[str, str, Any], ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, in the order of the fields."""
        return tuple(column for _, column, _ in self.columns)

    @property
    def said(self) -> str:
        """The kind in words."""
        return self.table.replace("_", " ")

    @property
    def selected(self) -> str:
        """The columns as a query of `a` selects them."""
        return ", ".join(f"a.{name}" for name in self.names)

    @property
    def found(self) -> bool:
        """Whether rows of this kind have a record they are found by."""
        return "record_id" in self.names


@cache
def layout(kind: type[Row]) -> Layout:
    """The layout of a kind of row.

    >>> from foveal.model.ledger import ToolCall
    >>> layout(ToolCall).table, layout(ToolCall).names[4:7]
    ('tool_call', ('input_json', 'output_json', 'success'))
    """
    hints = get_type_hints(kind)
    columns = tuple((name, _JSON.get(name, name), _plain(hints[name])) for name in kind.__struct_fields__)
    return Layout(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", kind.__name__).lower(), columns)


def _plain(hint: Any) -> Any:
    """The type of a field without `None`."""
    options = [one for one in get_args(hint) if one is not type(None)]
    return options[0] if type(None) in get_args(hint) else hint


def missing(kind: type[Row], key: str) -> NotFound:
    """The error for a row that is not there."""
    return NotFound(f"there is no {layout(kind).said} {key!r} here", row_id=key)


def looked_up(kind: type[Row], matching: Mapping[str, str] | None) -> dict[str, str]:
    """The columns that rows are looked up by; `Invalid` for one that has no index."""
    wanted = dict(matching or {})
    for name in wanted:
        if name not in LOOKED_UP[kind]:
            raise Invalid(f"a {layout(kind).table} is not looked up by {name!r}")
    return wanted


def values_of(row: Row) -> dict[str, Any]:
    """What the columns of a row bind, by name."""
    return {column: _stored(getattr(row, name), column) for name, column, _ in layout(type(row)).columns}


def _stored(value: Any, column: str) -> Any:
    if column.endswith("_json"):
        return msgspec.json.encode(value).decode()
    if isinstance(value, datetime):
        return stamp(value)
    return value


def row_of(kind: type[R], found: Sequence[Any]) -> R:
    """The row that the columns of a table hold."""
    fields = {
        name: _read(value, column, hint)
        for (name, column, hint), value in zip(layout(kind).columns, found, strict=True)
    }
    return kind(**fields)


def _read(value: Any, column: str, hint: Any) -> Any:
    if column.endswith("_json"):
        read = msgspec.json.decode(value)
        return tuple(read) if column == "options_json" else read
    if value is None:
        return None
    if hint is datetime:
        return moment(value)
    if hint is bool:
        return bool(value)
    return hint(value) if isinstance(hint, type) and issubclass(hint, StrEnum) else value
