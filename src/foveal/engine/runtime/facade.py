"""`Facade`: a runtime bound to a viewpoint; argument checks for verbs."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from enum import Enum
from functools import cache, wraps
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from foveal.engine.runtime.runtime import Runtime
from foveal.errors import Invalid
from foveal.model.query import Access, At
from foveal.rules.drafts import viewpoint_of
from foveal.rules.filters import parsed_filter
from foveal.rules.validation import MOST_COUNT, checked_moment, encodable

Filters = Mapping[str, Any]
Moment = datetime | str


class Facade:
    """What every part of the facade stands on."""

    def __init__(self, runtime: Runtime, bound: At, as_of: datetime | None = None) -> None:
        self._given = runtime
        self._bound = bound
        self._as_of = as_of

    @property
    def _runtime(self) -> Runtime:
        """What the verbs work with; another encoder puts another in its place."""
        return self._given.newest

    def _access(
        self,
        at: At,
        filters: Filters | None = None,
        as_of: Moment | None = None,
        valid_at: Moment | None = None,
    ) -> Access:
        moments = [one for one in (checked_moment(as_of, "as_of"), self._as_of) if one is not None]
        return self._runtime.access(
            viewpoint_of(self._bound, at),
            where=parsed_filter(filters),
            as_of=min(moments, default=None),
            valid_at=checked_moment(valid_at, "valid_at"),
        )


C = TypeVar("C", bound=type)
F = TypeVar("F", bound=Callable[..., Any])

_PLAIN = {str: "a string", bool: "true or false", int: "a whole number", float: "a number"}
_MANY = {list: "a list", tuple: "a list", Sequence: "a list", Iterable: "a list", Mapping: "a mapping"}


def checks_arguments(room: C) -> C:
    """A class whose public verbs check the types of what they are given against their signatures.

    What fits the signature is for the verb itself to judge; what does not is `Invalid`, with the argument's name.
    """
    for name, verb in list(vars(room).items()):
        if inspect.isfunction(verb) and not name.startswith("_"):
            setattr(room, name, checks_call(verb))
    return room


def checks_call(verb: F) -> F:
    """One verb that does so."""
    signature = inspect.signature(verb)
    names = [one.name for one in signature.parameters.values() if one.kind is not one.VAR_KEYWORD][1:]

    @cache
    def hints() -> dict[str, Any]:
        # Late, so that a module is whole when its annotations are looked up.
        return {name: hint for name, hint in get_type_hints(verb).items() if name in names}

    @wraps(verb)
    def checked(*given: Any, **named: Any) -> Any:
        for name, value in [*zip(names, given[1:], strict=False), *named.items()]:
            if name in hints():
                require_type(value, hints()[name], name)
        return verb(*given, **named)

    return cast(F, checked)


def require_type(value: object, hint: Any, name: str) -> None:
    """Raise `Invalid` for a value that is not of the type that a parameter takes.

    >>> require_type(123, str | None, "agent")
    Traceback (most recent call last):
    foveal.errors.Invalid: agent must be a string, not int
    """
    if _fits(value, hint):
        return
    if isinstance(value, str):
        # It is text, and text is wanted, but no store can hold it; or it stands where several do.
        encodable(value, name)
        if "a list" in _told(hint):
            raise Invalid(f"{name} must be a list of strings; for one write [{value[:40]!r}]")
    if isinstance(value, int) and not isinstance(value, bool) and _fits(0, hint):
        raise Invalid(f"{name} is out of range: it must be below 2**63")
    for kind, inner in _kinds(hint) or ():
        for one in cast(Iterable[object], value) if kind in _MANY and isinstance(value, kind) else ():
            require_type(one, inner[0], f"each of {name}")
    raise Invalid(f"{name} must be {' or '.join(dict.fromkeys(_told(hint)))}, not {_type(cast(object, value))}")


def _type(value: object) -> str:
    return type(value).__name__


def _fits(value: object, hint: Any) -> bool:
    kinds = _kinds(hint)
    if kinds is None:
        return True
    return any(_is(value, kind, inner) for kind, inner in kinds)


def _is(value: object, kind: Any, inner: tuple[Any, ...]) -> bool:
    if kind is str:
        return isinstance(value, str) and _storable(value)
    if kind in (int, float):
        number = isinstance(value, int if kind is int else (int, float)) and not isinstance(value, bool)
        return number and (isinstance(value, float) or abs(cast(int, value)) <= MOST_COUNT)
    if kind is Callable:
        return callable(value)
    if kind not in _MANY:
        return isinstance(value, kind)
    if not isinstance(value, kind) or isinstance(value, str | bytes):
        return False
    # What can be gone through only once is for the verb to go through.
    each = cast(Sequence[object], value) if isinstance(value, Sequence) and inner else ()
    return all(_fits(one, inner[0]) for one in each)


def _storable(text: str) -> bool:
    try:
        encodable(text, "")
    except Invalid:
        return False
    return True


@cache
def _kinds(hint: Any) -> tuple[tuple[Any, tuple[Any, ...]], ...] | None:
    """The types a hint names, each with what is inside; None if anything will do."""
    if hint in (Any, object) or isinstance(hint, TypeVar):
        return None
    origin: Any = get_origin(hint)
    if isinstance(hint, type) and origin is None:
        return ((_plain(cast(type[Any], hint)), ()),)
    if origin in (Union, types.UnionType):
        found = [_kinds(one) for one in get_args(hint)]
        return None if None in found else tuple(one for some in found for one in some or ())
    return None if origin is None else ((origin, get_args(hint)),)


def _plain(kind: type[Any]) -> type[Any]:
    """The type to look for: the name of a member will do for one of an enumeration."""
    return str if issubclass(kind, str) and issubclass(kind, Enum) else kind


def _told(hint: Any) -> list[str]:
    names: dict[Any, str] = {**_PLAIN, **_MANY, Callable: "a function"}
    kinds = [kind for kind, _ in _kinds(hint) or () if kind is not type(None)]
    return [names.get(kind, f"a {kind.__name__}") for kind in kinds]
