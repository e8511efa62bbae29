"""Verbs with their parameters, called with plain JSON."""

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

from foveal.engine.memory import View
from foveal.engine.past import Fork, Past
from foveal.engine.runtime.facade import Taking
from foveal.errors import Invalid
from foveal.rules.drafts import require_known
from foveal.rules.messages import spoken
from foveal.wire.codec import from_json, to_json
from foveal.wire.shapes import Anything, Field, Shape, Text, alternatives, shape_of
from foveal.wire.verbs import ALIASES, VERBS, Verb


class Call(Struct, frozen=True, kw_only=True):
    """The parameters and the answer of a verb. An `open` verb takes any further argument."""

    verb: Verb
    description: str
    fields: tuple[Field, ...]
    answer: Shape | None
    open: bool
    signature: inspect.Signature
    taking: Taking | None = None

    @property
    def placed(self) -> bool:
        """Whether the verb is about the memory of one actor."""
        return self.open or any(field.name == "actor_id" for field in self.fields)

    def named(self, words: tuple[Any, ...], said: Mapping[str, Any]) -> dict[str, Any]:
        """Positional and keyword arguments as plain JSON by name, as a door sends them."""
        if self.taking is not None:
            words, said = self.taking.spread(words, said)
            positional = [name for name in self.signature.parameters if name != "self"][: len(words)]
            self.taking.require(self.verb.name, [*positional, *said])
        try:
            bound = self.signature.bind(None, *words, **said).arguments
        except TypeError as error:
            raise Invalid(f"{self.verb.name}: {error}") from error
        parameters = self.signature.parameters.values()
        rest = [parameter.name for parameter in parameters if parameter.kind is parameter.VAR_KEYWORD]
        arguments = {name: value for name, value in bound.items() if name not in ("self", *rest)}
        for name in rest:
            arguments |= bound.get(name, {})
        for name in ("text", "query"):
            if isinstance(arguments.get(name), Mapping):
                told, more = spoken(arguments[name], {})
                arguments = {**(more if name == "text" else {}), **arguments, name: told}
        texts = {field.name for field in self.fields if Text() in alternatives(field.shape)}
        return {name: to_json(_label(value) if name in texts else value) for name, value in arguments.items()}

    def arguments(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Plain JSON as arguments of the method; `Invalid` for a missing, unknown or mistyped one."""
        known = {field.name: field for field in self.fields}
        if not self.open:
            require_known(given, frozenset(known))
        missing = [field.name for field in self.fields if field.required and field.name not in given]
        if missing:
            raise Invalid(f"{self.verb.name} needs {', '.join(missing)}", missing=missing)
        return {
            name: from_json(known[name].shape if name in known else Anything(), value, name)
            for name, value in given.items()
        }

    def run(self, memory: View, given: Mapping[str, Any], here: Mapping[str, Any] | None = None) -> Any:
        """The answer of the verb to plain JSON, as a model value. `here` holds arguments that are never sent."""
        return method_of(memory, self.verb.name)(**self.arguments(given), **(here or {}))

    def understood(self, answer: Any) -> Any:
        """A plain answer as a model value."""
        return None if self.answer is None else from_json(self.answer, answer, "answer", lenient=True)


@cache
def call_of(name: str) -> Call:
    """The call of a verb, by its name or an alias."""
    verb = VERBS[ALIASES.get(name, name)]
    method = _declared(verb.method)
    hints = get_type_hints(method, include_extras=True)
    # As it is written: `help` shows a longer one.
    signature = inspect.signature(inspect.unwrap(method))
    taking: Taking | None = getattr(method, "taking", None)
    fields: list[Field] = []
    is_open = False
    for parameter in list(signature.parameters.values())[1:]:
        hint = hints[parameter.name]
        if parameter.kind is parameter.VAR_KEYWORD:
            is_open = get_origin(hint) is not Unpack
            fields += [] if is_open else _spread(get_args(hint)[0])
        elif _travels(hint):
            required = parameter.default is parameter.empty or (taking and parameter.name in taking.needs) is True
            default = None if required else to_json(parameter.default)
            fields.append(Field(name=parameter.name, shape=shape_of(hint), required=required, default=default))
    answer = hints["return"]
    return Call(
        verb=verb,
        description=inspect.getdoc(method) or "",
        fields=tuple(fields),
        answer=shape_of(answer) if _travels(answer) and answer is not type(None) else None,
        open=is_open,
        signature=signature,
        taking=taking,
    )


def _declared(name: str) -> Callable[..., Any]:
    facade, _, verb = name.rpartition(".")
    if not facade:
        return getattr(View, verb)
    return getattr(get_type_hints(getattr(View, facade).fget)["return"], verb)


def method_of(memory: View, name: str) -> Callable[..., Any]:
    """The method of a memory that a verb names."""
    facade, _, method = (VERBS[name].method if name in VERBS else name).rpartition(".")
    return getattr(getattr(memory, facade) if facade else memory, method)


def _label(value: Any) -> Any:
    """A struct that can also be given as text, such as a snapshot, is replaced by its id."""
    return getattr(value, "id", value) if isinstance(value, Struct) else value


def _spread(keywords: type) -> list[Field]:
    hints = get_type_hints(keywords)
    # `actor_id` is required unless a viewpoint was bound before, which only the engine knows.
    return [Field(name=name, shape=shape_of(hint), required=False) for name, hint in hints.items()]


def _travels(hint: Any) -> bool:
    """Whether values of a type can be sent: not functions, local files or facades."""
    inside = (hint, *get_args(hint))
    return not any(part in (Path, View, Past, Fork) or get_origin(part) is Callable for part in inside)


@cache
def told_of(kind: type) -> dict[str, str]:
    """The docstring under each field of a class.

    >>> from foveal.model.query import At
    >>> told_of(At)["actor_id"]
    'Whose memory it is; "me" by default. A server has no default, unless the key is for one actor.'
    """
    docs: dict[str, str] = {}
    tree = ast.parse(inspect.getsource(sys.modules[kind.__module__]))
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == kind.__name__]
    for body in (node.body for node in classes):
        for field, doc in pairwise(body):
            match field, doc:
                case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                    docs[name] = text
                case _:
                    pass
    return docs
