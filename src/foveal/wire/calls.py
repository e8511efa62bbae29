"""A verb with its parameters, called with plain JSON."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Callable, Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Unpack, get_args, get_origin, get_type_hints

from msgspec import Struct

from foveal.engine.memory import Fork, Past, View
from foveal.errors import Invalid
from foveal.rules.drafts import require_known
from foveal.wire.codec import from_json, to_json
from foveal.wire.shapes import Anything, Field, Shape, Text, alternatives, shape_of
from foveal.wire.verbs import ALIASES, VERBS, Verb


class Call(Struct, frozen=True, kw_only=True):
    """What a verb takes and what it answers. `open` verbs take any further name."""

    verb: Verb
    description: str
    fields: tuple[Field, ...]
    answer: Shape | None
    open: bool
    signature: inspect.Signature

    @property
    def placed(self) -> bool:
        """Whether it is about the memory of one actor."""
        return self.open or any(one.name == "actor_id" for one in self.fields)

    def named(self, words: tuple[Any, ...], said: Mapping[str, Any]) -> dict[str, Any]:
        """Arguments by position and by name as plain JSON by name, as a door carries them."""
        try:
            bound = self.signature.bind(None, *words, **said).arguments
        except TypeError as error:
            raise Invalid(f"{self.verb.name}: {error}") from error
        rest = [one.name for one in self.signature.parameters.values() if one.kind is one.VAR_KEYWORD]
        given = {name: value for name, value in bound.items() if name not in ("self", *rest)}
        for name in rest:
            given |= bound.get(name, {})
        texts = {one.name for one in self.fields if Text() in alternatives(one.shape)}
        return {name: to_json(_label(value) if name in texts else value) for name, value in given.items()}

    def arguments(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Plain JSON as what the method takes; what is missing, unknown or of another kind is `Invalid`."""
        known = {one.name: one for one in self.fields}
        if not self.open:
            require_known(given, frozenset(known))
        missing = [one.name for one in self.fields if one.required and one.name not in given]
        if missing:
            raise Invalid(f"{self.verb.name} needs {', '.join(missing)}", missing=missing)
        return {
            name: from_json(known[name].shape if name in known else Anything(), value, name)
            for name, value in given.items()
        }

    def run(self, memory: View, given: Mapping[str, Any], here: Mapping[str, Any] | None = None) -> Any:
        """What the verb answers to plain JSON, as a value of the model. `here` are arguments that do not travel."""
        return _method(memory, self.verb.name)(**self.arguments(given), **(here or {}))

    def understood(self, answer: Any) -> Any:
        """A plain answer as the value of the model it was."""
        return None if self.answer is None else from_json(self.answer, answer, "answer", lenient=True)


@cache
def call_of(name: str) -> Call:
    """The call of a verb, by its name or another name of the same method."""
    verb = VERBS[ALIASES.get(name, name)]
    method = _declared(verb.name)
    hints = get_type_hints(method, include_extras=True)
    signature = inspect.signature(method)
    fields: list[Field] = []
    is_open = False
    for one in list(signature.parameters.values())[1:]:
        hint = hints[one.name]
        if one.kind is one.VAR_KEYWORD:
            is_open = get_origin(hint) is not Unpack
            fields += [] if is_open else _spread(get_args(hint)[0])
        elif _travels(hint):
            required = one.default is one.empty
            default = None if required else to_json(one.default)
            fields.append(Field(name=one.name, shape=shape_of(hint), required=required, default=default))
    answer = hints["return"]
    return Call(
        verb=verb,
        description=inspect.getdoc(method) or "",
        fields=tuple(fields),
        answer=shape_of(answer) if _travels(answer) and answer is not type(None) else None,
        open=is_open,
        signature=signature,
    )


def _declared(name: str) -> Callable[..., Any]:
    facade, _, verb = name.rpartition(".")
    if not facade:
        return getattr(View, verb)
    return getattr(get_type_hints(getattr(View, facade).fget)["return"], verb)


def _method(memory: View, name: str) -> Callable[..., Any]:
    facade, _, verb = name.rpartition(".")
    return getattr(getattr(memory, facade) if facade else memory, verb)


def _label(value: Any) -> Any:
    """What may also be said as text is said by its id: a snapshot."""
    return getattr(value, "id", value) if isinstance(value, Struct) else value


def _spread(said: type) -> list[Field]:
    hints = get_type_hints(said)
    # Whose memory it is must be said, unless a viewpoint was bound before: the engine knows.
    return [Field(name=name, shape=shape_of(hint), required=False) for name, hint in hints.items()]


def _travels(hint: Any) -> bool:
    """Whether values of a type can go through a door: not functions, files of this machine or facades."""
    inside = (hint, *get_args(hint))
    return not any(one in (Path, View, Past, Fork) or get_origin(one) is Callable for one in inside)


@cache
def told_of(kind: type) -> dict[str, str]:
    """The sentence under each field of a class.

    >>> from foveal.model.query import At
    >>> told_of(At)["actor_id"]
    'Whose memory it is. Every call needs one.'
    """
    found: dict[str, str] = {}
    tree = ast.parse(inspect.getsource(sys.modules[kind.__module__]))
    for body in (one.body for one in tree.body if isinstance(one, ast.ClassDef) and one.name == kind.__name__):
        for field, doc in pairwise(body):
            match field, doc:
                case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                    found[name] = text
                case _:
                    pass
    return found
