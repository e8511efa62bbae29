"""Runs the code of a document as it stands there, and compares the classes that it defines with ours."""

from __future__ import annotations

import ast
import asyncio
import inspect
from collections.abc import Callable
from textwrap import dedent
from typing import Any


def run(snippet: str, **names: Any) -> dict[str, Any]:
    """Run a snippet, which may await at its top level. Returns the names that it leaves behind."""
    code = compile(dedent(snippet), "snippet", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, True)
    namespace: dict[str, Any] = {**names, "__name__": "snippet"}
    coroutine = eval(code, namespace)
    if coroutine is not None:
        asyncio.run(_awaited(coroutine))
    return namespace


async def _awaited(coroutine: Any) -> None:
    await coroutine


def require_class(ours: type[Any], theirs: type[Any], *, built: bool = True) -> None:
    """Fail unless our class has the fields, defaults and methods of the document's, in its order.

    Without `built`, the document does not say how an object of its class is made.
    """
    if built:
        require_call(ours, theirs)
    for name, method in vars(theirs).items():
        if inspect.isfunction(method) and not name.startswith("_"):
            own = getattr(ours, name)
            require_call(own, method)
            assert inspect.iscoroutinefunction(own) == inspect.iscoroutinefunction(method), name


def require_call(ours: Callable[..., Any], theirs: Callable[..., Any]) -> None:
    """Fail unless a call that the document's signature allows by name also fits ours, with the same defaults."""
    own, document = inspect.signature(ours).parameters, inspect.signature(theirs).parameters
    assert [name for name in own if name in document] == list(document), ours
    for name, parameter in document.items():
        if parameter.default is not parameter.empty:
            assert _plain(own[name].default) == _plain(parameter.default), (ours, name)
    further = [one for name, one in own.items() if name not in document]
    optional = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    assert all(one.default is not one.empty or one.kind in optional for one in further), ours


def require_order(ours: Callable[..., Any], *parameters: str) -> None:
    """Fail unless our method takes these parameters in this order without their names, and needs no others."""
    own = [one for one in inspect.signature(ours).parameters.values() if one.name != "self"]
    positional = [one.name for one in own if one.kind is one.POSITIONAL_OR_KEYWORD]
    assert positional[: len(parameters)] == list(parameters), (ours, positional)
    needed = [one.name for one in own if one.default is one.empty and one.kind is not one.VAR_KEYWORD]
    assert set(needed) <= set(parameters), (ours, needed)


def _plain(default: Any) -> Any:
    return [*default] if isinstance(default, list | tuple) else default  # pyright: ignore[reportUnknownVariableType]
