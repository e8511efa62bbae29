"""Functions as tools that a model may call."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, cast, get_type_hints

from foveal.errors import FovealError, Invalid
from foveal.ports.models import Tool

# What a tool may fail with; anything else is a fault of the program and ends it.
FAILURES = (
    *(ArithmeticError, AttributeError, LookupError, OSError, RuntimeError, TypeError, ValueError),
    FovealError,
)
Listed = Iterable[Callable[..., Any]]

_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean", list: "array", dict: "object"}


class Toolbox:
    """Tools by their names, with what a model is told of them, made from signatures and docstrings."""

    def __init__(self, tools: Iterable[Callable[..., Any]] | Mapping[str, Callable[..., Any]]) -> None:
        named = cast(Mapping[str, Callable[..., Any]], tools) if isinstance(tools, Mapping) else None
        self._tools = dict(named if named is not None else {one.__name__: one for one in cast(Listed, tools)})
        self.told = tuple(_told(name, tool) for name, tool in self._tools.items())

    def __contains__(self, name: str) -> bool:
        return name in self._tools

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the tools."""
        return tuple(self._tools)

    def call(self, name: str, arguments: Mapping[str, Any]) -> Any:
        """What a tool gives. `Invalid` if there is none of that name."""
        if name not in self._tools:
            raise Invalid(f"there is no tool {name!r}; there are {', '.join(self._tools) or 'none'}")
        return self._tools[name](**arguments)


def _told(name: str, tool: Callable[..., Any]) -> Tool:
    hints = get_type_hints(tool)
    parameters = inspect.signature(tool).parameters.values()
    properties = {one.name: {"type": _TYPES.get(hints.get(one.name, str), "string")} for one in parameters}
    required = [one.name for one in parameters if one.default is inspect.Parameter.empty]
    schema = {"type": "object", "properties": properties, "required": required}
    return Tool(name=name, description=inspect.getdoc(tool) or name, parameters=schema)
