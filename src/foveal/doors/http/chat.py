"""Talking to an agent with this memory, piece by piece."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ParamSpec, TypeVar

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from foveal.agents.chat import NO_MODEL, Answer, ChatAgent
from foveal.doors.http.boundary import body_of, json_of
from foveal.doors.http.context import Context
from foveal.errors import FovealError, Invalid
from foveal.model.query import At
from foveal.ports.models import LLM, Message
from foveal.rules.drafts import refuse_unknown
from foveal.wire.calls import call_of
from foveal.wire.codec import plain
from foveal.wire.problems import problem

KNOWN = frozenset({"message", "token_budget", "memory", *At.__annotations__})

P = ParamSpec("P")
R = TypeVar("R")


async def in_thread(work: Callable[P, R], *args: P.args, **said: P.kwargs) -> R:
    """What blocks, done beside the event loop."""
    return await run_in_threadpool(work, *args, **said)


def routes(context: Context) -> list[Route]:
    """The chat."""

    async def chat(request: Request) -> Response:
        said = json_of(await body_of(request, context.serving.body_limit))
        agent = await in_thread(_agent, context, request, said)
        events = _events(agent, str(said["message"]), request.state.request_id)
        return StreamingResponse(events, media_type="text/event-stream", headers={"Cache-Control": "no-store"})

    return [Route("/api/agent/chat", chat, methods=["POST"])]


def _agent(context: Context, request: Request, said: dict[str, Any]) -> Callable[[str], Iterator[str | Answer]]:
    refuse_unknown(said, KNOWN)
    message, with_memory, budget = said.get("message"), said.get("memory", True), said.get("token_budget", 2048)
    if not isinstance(message, str) or not message.strip():
        raise Invalid("the chat needs a message")
    if not isinstance(with_memory, bool):
        raise Invalid("memory must be true or false")
    if not isinstance(budget, int) or isinstance(budget, bool) or budget < 1:
        raise Invalid("token_budget must be a whole number above 0")
    at = {name: value for name, value in said.items() if name in At.__annotations__}
    caller = context.caller(request)
    for verb in ("read", "write"):
        at = context.service.admitted(call_of(verb), at, caller)
    arguments = call_of("view").arguments(at)
    if not with_memory:
        return lambda asked: _without_memory(context.llm, asked)
    view = context.service.memory.view(**arguments)
    return ChatAgent(view, context.llm, token_budget=budget).converse


def _without_memory(llm: LLM | None, message: str) -> Iterator[str | Answer]:
    """What the model says that remembers nothing, to be set beside the other."""
    if llm is None:
        text = f"Without memory I cannot answer: {NO_MODEL}."
        yield text
        yield Answer(text=text, context=None, extractive=True, degraded=NO_MODEL)
        return
    pieces: list[str] = []
    for piece in llm.stream([Message(role="user", content=message)]):
        pieces.append(piece)
        yield piece
    yield Answer(text="".join(pieces), context=None, model=llm.model)


def _events(answer: Callable[[str], Iterator[str | Answer]], message: str, request_id: str) -> Iterator[bytes]:
    try:
        for piece in answer(message):
            yield event("token", {"text": piece}) if isinstance(piece, str) else event("answer", plain(piece))
    except FovealError as error:
        yield event("problem", problem(error, request_id))


def event(kind: str, data: Any, number: str | None = None) -> bytes:
    """One event, as a stream of events carries it.

    >>> event("token", {"text": "tea"})
    b'event: token\\ndata: {"text":"tea"}\\n\\n'
    """
    # JSON has no line breaks of its own here, so the data is one line.
    head = f"id: {number}\n" if number is not None else ""
    return f"{head}event: {kind}\ndata: {msgspec.json.encode(data).decode()}\n\n".encode()
