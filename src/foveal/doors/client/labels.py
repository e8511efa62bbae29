"""How an old answer says that it is old."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from msgspec.structs import replace

from foveal.model.results import AssembledContext, Context, Cut
from foveal.model.server import Level
from foveal.rules.rendering import CLOSE
from foveal.rules.staleness import told_age

Count = Callable[[str], int]


def labelled(answer: Any, age: timedelta, level: Level, count: Callable[[str], Count]) -> Any:
    """An answer that says it is a ghost, as far as its kind can: a context does, and never over its budget.

    `count` gives the token counter of a name.
    """
    match answer:
        case Context() if level is Level.STALE:
            return _stale(answer, age, count(answer.receipt.counter))
        case Context():
            return _degraded(answer, age)
        case AssembledContext() if level is Level.STALE:
            text = f"{mark(age)}\n{answer.text}"
            tokens = count("o200k_base")(text)
            return replace(answer, text=text, total_tokens=tokens) if tokens <= answer.max_tokens else answer
        case _:
            return answer


def mark(age: timedelta) -> str:
    """The line above an old text."""
    return f"[GHOST] the memory is away; this is from {told_age(age)} ago"


def _degraded(context: Context, age: timedelta) -> Context:
    receipt = context.receipt
    return replace(context, receipt=replace(receipt, degraded=(*receipt.degraded, f"ghost: {told_age(age)} old")))


def _stale(context: Context, age: timedelta, count: Count) -> Context:
    """The context under its mark, without the last lines if there is no room for both."""
    body = context.text.removesuffix(CLOSE).splitlines()
    budget = context.receipt.token_budget
    left = list(context.items)
    cut: list[Cut] = []
    text = _written(body, age)
    tokens = count(text)
    while len(body) > 1 and tokens > budget:
        body, gone = _shorter(body)
        for item in [one for one in reversed(left) if gone == one.text][:1]:
            left.remove(item)
            cut.append(Cut(id=item.id, reason="budget", relevance=item.relevance))
        text = _written(body, age)
        tokens = count(text)
    if tokens > budget:
        text, tokens = "", 0
    receipt = replace(context.receipt, chosen=len(left), tokens=tokens, cut=(*context.receipt.cut, *cut))
    shown = context.periphery if len(body) > 1 else ()
    return _degraded(
        replace(context, text=text, tokens=tokens, items=tuple(left), periphery=shown, receipt=receipt), age
    )


def _written(body: list[str], age: timedelta) -> str:
    return "\n".join([mark(age), *body, CLOSE]) if len(body) > 1 else mark(age)


def _shorter(body: list[str]) -> tuple[list[str], str]:
    """Without the last line and what goes on from it, nor a heading under which nothing is left; and what went."""
    start = len(body) - 1
    while start > 1 and body[start].startswith("  "):
        start -= 1
    end = start
    while end > 1 and body[end - 1].startswith("[") and body[end - 1].endswith("]"):
        end -= 1
    return body[:end], "\n".join(body[start:])
