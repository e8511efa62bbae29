"""Options that several commands take, declared once as a class."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from copy import copy
from functools import cache, wraps
from typing import Annotated, Any

import typer

from foveal.doors.cli.call import Call, Everywhere

_KEYWORD = inspect.Parameter.KEYWORD_ONLY
_CONTEXT = inspect.Parameter("ctx", _KEYWORD, annotation=typer.Context)


def spread(command: Callable[..., None]) -> Callable[..., None]:
    """`command` with each parameter that is a bundle replaced by the options of that bundle.

    A bundle is a dataclass whose fields are annotated as Typer options. A `Call` is made of `Everywhere`:
    what is said after the command wins over what was said before it.
    """
    bundles: dict[str, type[Any]] = {}
    parameters = [_CONTEXT]
    wanted = inspect.signature(command, eval_str=True).parameters
    takes_context = _CONTEXT.name in wanted
    own = {name for one in wanted.values() for name in _spelled(one)}
    for parameter in wanted.values():
        kind = parameter.annotation
        if dataclasses.is_dataclass(kind) and isinstance(kind, type):
            bundles[parameter.name] = kind
            # A command that has an option of its own under the same name means its own.
            everywhere = [one for one in _hidden(Everywhere) if own.isdisjoint(_spelled(one))]
            parameters += everywhere if kind is Call else _options(kind)
        elif kind is not typer.Context:
            parameters.append(parameter.replace(kind=_KEYWORD))

    @wraps(command)
    def run(ctx: typer.Context, **said: Any) -> None:
        for name, kind in bundles.items():
            options = Everywhere if kind is Call else kind
            values = {one.name: said.pop(one.name) for one in dataclasses.fields(options) if one.name in said}
            made = options(**values)
            said[name] = Call(ctx.obj.then(made)) if kind is Call else made
        command(**said, **({"ctx": ctx} if takes_context else {}))

    run.__signature__ = inspect.Signature(parameters)  # pyright: ignore[reportAttributeAccessIssue, reportFunctionMemberAccess]
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    return run


@cache
def _options(bundle: type[Any]) -> list[inspect.Parameter]:
    found = inspect.signature(bundle, eval_str=True).parameters.values()
    return [one.replace(kind=_KEYWORD) for one in found]


@cache
def _hidden(bundle: type[Any]) -> list[inspect.Parameter]:
    """The options of a bundle, left out of the help: the help of `foveal` has them."""
    found: list[inspect.Parameter] = []
    for one in _options(bundle):
        option = copy(one.annotation.__metadata__[0])
        option.hidden = True
        found.append(one.replace(annotation=Annotated[one.annotation.__origin__, option]))
    return found


def _spelled(parameter: inspect.Parameter) -> tuple[str, ...]:
    """How an option is written on the command line."""
    told = getattr(parameter.annotation, "__metadata__", ())
    return tuple(name for one in told for name in getattr(one, "param_decls", None) or ())
