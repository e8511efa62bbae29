"""Calls that gave way to another transaction are made again."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import isfunction, isgeneratorfunction
from typing import Any, TypeVar

from foveal.backends.postgres.errors import gave_way
from foveal.errors import FovealError

_TIMES = 5

S = TypeVar("S", bound=type)


def patient(store: S) -> S:
    """The store, with every call that is one transaction made again when the database let another go first."""
    for name in dir(store):
        method = getattr(store, name)
        if not name.startswith("_") and isfunction(method) and not isgeneratorfunction(method):
            setattr(store, name, _again(method))
    return store


def _again(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def call(*given: Any, **more: Any) -> Any:
        for left in reversed(range(_TIMES)):
            try:
                return method(*given, **more)
            except FovealError as error:
                if not left or not gave_way(error):
                    raise
        raise AssertionError("unreachable")

    return call
