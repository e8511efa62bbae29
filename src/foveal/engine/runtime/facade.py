"""`Facade`, a runtime bound to a viewpoint, and `Shell`, its asynchronous form; argument checks of verbs."""

from __future__ import annotations

import asyncio
import inspect
import types
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from datetime import date, datetime
from functools import cache, wraps
from typing import (
    Any,
    Concatenate,
    Generic,
    ParamSpec,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from msgspec import Struct
from msgspec.structs import fields

from foveal.engine.runtime.runtime import Runtime
from foveal.errors import Invalid
from foveal.model.query import Access, At, Details
from foveal.rules.drafts import require_known, viewpoint_of
from foveal.rules.filters import parsed_filter
from foveal.rules.validation import MOST_COUNT, checked_moment, encodable

Filters = Mapping[str, Any]
Moment = datetime | date | str


class Facade:
    """The base of every class that has verbs: a runtime and a bound viewpoint."""

    def __init__(self, runtime: Runtime, bound: At, as_of: datetime | None = None) -> None:
        self._first_runtime = runtime
        self._bound = bound
        self._as_of = as_of

    def __repr__(self) -> str:
        at = {name: value for name, value in self._bound.items() if value not in (None, "/", "default")}
        then = "" if self._as_of is None else f" as of {self._as_of:%Y-%m-%d %H:%M %Z}"
        return f"<{type(self).__name__}{then} {' '.join(f'{name}={value!r}' for name, value in at.items())}>"

    @property
    def _runtime(self) -> Runtime:
        """The runtime in use now; a change of the encoder replaces it."""
        return self._first_runtime.newest

    def _access(
        self,
        at: At,
        filters: Filters | None = None,
        as_of: Moment | None = None,
        valid_at: Moment | None = None,
    ) -> Access:
        moments = [moment for moment in (checked_moment(as_of, "as_of"), self._as_of) if moment is not None]
        return self._runtime.access(
            viewpoint_of(self._bound, at),
            where=parsed_filter(filters),
            as_of=min(moments, default=None),
            valid_at=checked_moment(valid_at, "valid_at"),
        )


P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S", covariant=True)


class Shell(Generic[S]):
    """A facade for asynchronous callers, around the one it forwards to.

    Instead of that facade it takes a function that makes it, which the first verb calls in its thread.
    """

    def __init__(self, sync: S | None = None, *, make: Callable[[], S] | None = None) -> None:
        self._make: Callable[[], S] = make or (lambda: cast(S, sync))

    @property
    def sync(self) -> S:
        """The facade that does the work. While the memory is being opened, this waits for it."""
        return self._make()


M = TypeVar("M", bound=Facade)


def sync_of(memory: M | Shell[M]) -> M:
    """The facade that does the work, also of one for asynchronous callers."""
    return memory if isinstance(memory, Facade) else memory.sync


def threaded(verb: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[Shell[S], P], Coroutine[Any, Any, R]]:
    """The verb as a coroutine function with the same parameters, which runs it in a thread."""

    @wraps(verb)
    async def call(self: Shell[S], *args: P.args, **kwargs: P.kwargs) -> R:
        # By name, so that a facade may forward the verb elsewhere; in the thread, where it may wait for the memory
        return await asyncio.to_thread(lambda: getattr(self.sync, verb.__name__)(*args, **kwargs))

    return call


C = TypeVar("C", bound=type)
F = TypeVar("F", bound=Callable[..., Any])

_NAMES: dict[Any, str] = {
    **{str: "a string", bool: "true or false", int: "a whole number", float: "a number", Callable: "a function"},
    **{list: "a list", tuple: "a list", Sequence: "a list", Iterable: "a list", Mapping: "a mapping"},
}
_MANY = (list, tuple, Sequence, Iterable, Mapping)


def checks_arguments(cls: C) -> C:
    """Make the public verbs of a class check the types of their arguments against their signatures.

    An argument of the wrong type raises `Invalid` with its name; the verb itself judges the value.
    """
    for name, verb in list(vars(cls).items()):
        if inspect.isfunction(verb) and not name.startswith("_"):
            setattr(cls, name, checks_call(verb))
    return cls


Renamed = str | tuple[str, Callable[[Any], Any]] | None


class Taking:
    """How a verb takes a whole value, such as a goal, in place of its arguments.

    `needs` are the parameters that the verb needs although the value makes them optional in its signature. The
    fields of the value that were set become the arguments; `renamed` says which are called otherwise, which are
    converted, and with None which are the memory's own and not taken.
    """

    def __init__(self, kind: type[Struct], needs: tuple[str, ...], renamed: Mapping[str, Renamed]) -> None:
        self.kind, self.needs, self._renamed = kind, needs, renamed
        self._fields = fields(kind)

    def spread(self, words: tuple[Any, ...], said: Mapping[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The positional and the keyword arguments with the value, if there is one, as arguments of the verb."""
        if not words or not isinstance(words[0], self.kind):
            return words, dict(said)
        return words[1:], {**self._arguments(words[0]), **said}

    def _arguments(self, value: Struct) -> dict[str, Any]:
        arguments: dict[str, Any] = {}
        for field in self._fields:
            held, name = getattr(value, field.name), self._renamed.get(field.name, field.name)
            if name is None or held == field.default or held in ({}, ()):
                continue
            if isinstance(name, tuple):
                name, convert = name
                held = convert(held)
            arguments[name] = held
        return arguments

    def require(self, verb: str, given: Iterable[str]) -> None:
        """Raise `Invalid` unless these arguments are enough."""
        missing = [name for name in self.needs if name not in given]
        if missing:
            raise Invalid(f"{verb} needs {', '.join(missing)}", missing=missing)


def takes(kind: type[Struct], *needs: str, **renamed: Renamed) -> Callable[[F], F]:
    """Let a verb take a value of this kind in place of its arguments, also at the doors: see `Taking`."""

    def mark(verb: F) -> F:
        verb.__dict__["taking"] = Taking(kind, needs, renamed)
        return verb

    return mark


class _Unsaid:
    def __repr__(self) -> str:
        return "…"


_KEYWORDS: dict[str, type] = {"Unpack[At]": At, "Unpack[Details]": Details}

_UNSAID = _Unsaid()


def spells_out(verb: F) -> F:
    """Make `help` and editors show the keywords of a verb, such as `actor_id`, instead of `**at`."""
    signature = inspect.signature(verb)
    spelled: list[inspect.Parameter] = []
    for parameter in signature.parameters.values():
        keywords = _KEYWORDS.get(str(parameter.annotation))
        if parameter.kind is not parameter.VAR_KEYWORD or keywords is None:
            spelled.append(parameter)
            continue
        taken = {each.name for each in spelled}
        spelled += [
            inspect.Parameter(name, parameter.KEYWORD_ONLY, annotation=hint.__forward_arg__, default=_UNSAID)
            for name, hint in keywords.__annotations__.items()
            if name not in taken
        ]

    @wraps(verb)
    def spoken(*args: Any, **kwargs: Any) -> Any:
        return verb(*args, **kwargs)

    spoken.__signature__ = signature.replace(parameters=spelled)  # pyright: ignore[reportFunctionMemberAccess, reportAttributeAccessIssue]
    return cast(F, spoken)


def checks_call(verb: F) -> F:
    """Make one verb check the types of its arguments, after spreading a value that it takes in their place."""
    # As it is written: a verb that is checked already shows a longer one.
    parameters = inspect.signature(inspect.unwrap(verb)).parameters.values()
    names = [parameter.name for parameter in parameters if parameter.kind is not parameter.VAR_KEYWORD][1:]
    placed = [each.name for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD][1:]
    open_ended = any(each.kind is each.VAR_POSITIONAL for each in parameters)
    # Resolved at the first call, when the module has defined every name in its annotations.
    hints = cache(lambda: get_type_hints(verb))
    taking: Taking | None = getattr(verb, "taking", None)
    signature = inspect.signature(spells_out(verb))
    spelled = frozenset(name for name, each in signature.parameters.items() if each.kind is not each.VAR_KEYWORD)
    is_spelled = len(spelled) == len(signature.parameters)

    @wraps(verb)
    def checked(*args: Any, **kwargs: Any) -> Any:
        if taking is not None:
            words, kwargs = taking.spread(args[1:], kwargs)
            args = (args[0], *words)
            taking.require(verb.__name__, [*names[: len(words)], *kwargs])
        if len(args) - 1 > len(placed) and not open_ended:
            raise Invalid(
                f"{verb.__name__} takes {len(placed)} arguments by position ({', '.join(placed) or 'none'}), "
                f"not {len(args) - 1}: pass the others by name, such as {_by_name(names, placed)}"
            )
        if is_spelled:
            require_known({name: kwargs[name] for name in kwargs if name != "extra"}, spelled - {"self"})
        for name, value in [*zip(names, args[1:], strict=False), *kwargs.items()]:
            if name in names:
                require_type(value, hints()[name], name)
        return verb(*args, **kwargs)

    checked.__signature__ = signature  # pyright: ignore[reportFunctionMemberAccess, reportAttributeAccessIssue]
    return cast(F, checked)


def _by_name(names: Sequence[str], placed: Sequence[str]) -> str:
    return ", ".join(f"{name}=…" for name in names[len(placed) :][:3]) or "none"


def require_type(value: object, hint: Any, name: str) -> None:
    """Raise `Invalid` for a value that does not have the type of its parameter.

    >>> require_type(123, str | None, "agent")
    Traceback (most recent call last):
    foveal.errors.Invalid: agent must be a string, not int
    """
    if _fits(value, hint):
        return
    kinds = [(kind, inner) for kind, inner in _kinds(hint) if kind is not types.NoneType]
    expected = dict.fromkeys(_NAMES.get(kind, f"a {kind.__name__}") for kind, _ in kinds)
    if isinstance(value, str):
        # Either the text cannot be encoded, or a list is wanted and a single string was passed.
        encodable(value, name)
        if "a list" in expected:
            raise Invalid(f"{name} must be a list of strings; for one write [{value[:40]!r}]")
    if isinstance(value, int) and not isinstance(value, bool) and _fits(0, hint):
        raise Invalid(f"{name} is out of range: it must be below 2**63")
    for kind, inner in kinds:
        for element in cast(Iterable[object], value) if kind in _MANY and isinstance(value, kind) else ():
            require_type(element, inner[0], f"each of {name}")
    raise Invalid(f"{name} must be {' or '.join(expected)}, not {type(cast(object, value)).__name__}")


def _fits(value: object, hint: Any) -> bool:
    return any(_is(value, kind, inner) for kind, inner in _kinds(hint))


def _is(value: object, kind: Any, inner: tuple[Any, ...]) -> bool:
    if kind is Callable:
        return callable(value)
    if isinstance(value, bool) and kind in (int, float):
        return False
    if isinstance(value, int) and kind in (int, float):
        return abs(value) <= MOST_COUNT
    if not isinstance(value, kind) or (kind in _MANY and isinstance(value, str | bytes)):
        return False
    if kind is str:
        return _encodes(cast(str, value))
    # An iterator can be consumed only once, so its elements are left to the verb.
    elements = cast(Sequence[object], value) if kind in _MANY and inner and isinstance(value, Sequence) else ()
    return all(_fits(element, inner[0]) for element in elements)


def _encodes(text: str) -> bool:
    try:
        encodable(text, "")
    except Invalid:
        return False
    return True


@cache
def _kinds(hint: Any) -> tuple[tuple[Any, tuple[Any, ...]], ...]:
    """The types that a hint allows, each with its type arguments; `object` if it allows anything."""
    origin: Any = get_origin(hint)
    if origin in (Union, types.UnionType):
        return tuple(kind for member in get_args(hint) for kind in _kinds(member))
    if is_typeddict(hint):
        return ((Mapping, ()),)
    if origin is None and isinstance(hint, type) and hint is not Any:
        # A member of a string enumeration may be given by name.
        return ((str if issubclass(hint, str) else cast(type[Any], hint), ()),)
    return ((origin or object, get_args(hint)),)
