"""Routes that stream: chat, notices, export and import."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import Any, ParamSpec, TypeVar

import msgspec
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import FileResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from foveal.agents.chat import NO_MODEL, Answer, ChatAgent
from foveal.doors.http.endpoint import Context, written
from foveal.doors.http.middleware import IMPORT, json_of
from foveal.doors.service import Caller
from foveal.doors.service.logs import subscribe
from foveal.doors.service.places import PLACES
from foveal.errors import FovealError, Invalid, StorageFull
from foveal.model.notice import Notice
from foveal.model.query import At
from foveal.ports.models import LLM, Message
from foveal.ports.system import Subscription
from foveal.rules.drafts import require_known
from foveal.wire.calls import call_of
from foveal.wire.codec import to_json
from foveal.wire.problems import problem
from foveal.wire.routes import asked

KNOWN = frozenset({"message", "messages", "token_budget", "memory", *At.__annotations__})
ROLES = ("user", "assistant", "system")

P = ParamSpec("P")
R = TypeVar("R")


async def in_thread(work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Run blocking work outside the event loop."""
    return await PLACES.run(partial(work, *args, **kwargs))


def chat_routes(context: Context) -> list[Route]:
    """The route of the chat."""

    async def chat(request: Request) -> Response:
        body = json_of(await request.body())
        caller = await in_thread(context.caller, request)
        answer = await in_thread(_conversation, context, caller, body)
        events = _chat_events(_counted(answer, context, caller, body), context, request)
        return StreamingResponse(events, media_type="text/event-stream", headers={"Cache-Control": "no-store"})

    return [Route("/api/agent/chat", chat, methods=["POST"])]


# The verbs that the agent of the chat uses.
CHAT = ("read", "search", "timeline", "profile", "remember", "write")


def _conversation(context: Context, caller: Caller, body: dict[str, Any]) -> Iterator[str | Answer]:
    require_known(body, KNOWN)
    said, with_memory, budget = _said(body), body.get("memory", True), body.get("token_budget", 2048)
    if not isinstance(with_memory, bool):
        raise Invalid("memory must be true or false")
    if not isinstance(budget, int) or isinstance(budget, bool) or budget < 1:
        raise Invalid("token_budget must be a whole number above 0")
    at = {name: value for name, value in body.items() if name in At.__annotations__}
    for verb in CHAT:
        at = context.service.admitted(call_of(verb), at, caller)
    context.service.charge(caller, at, changes=True)
    arguments = call_of("view").arguments(at)
    if not with_memory:
        return _without_memory(context.llm, said)
    view = context.service.view(**arguments)
    agent = ChatAgent(view, context.llm, token_budget=budget)
    return agent.converse(said[-1].content, turns=said[:-1] if "messages" in body else None)


def _said(body: dict[str, Any]) -> list[Message]:
    """The message of a chat, or its messages, of which the last is the user's."""
    if ("message" in body) == ("messages" in body):
        raise Invalid("the chat needs a message, or messages of which the last is the user's: send one of the two")
    given = body["messages"] if "messages" in body else [{"role": "user", "content": body["message"]}]
    try:
        said = msgspec.convert(given, list[_Turn])
    except msgspec.ValidationError as error:
        raise Invalid(f"each message has a role and a content, both strings: {error}") from None
    unknown = [turn.role for turn in said if turn.role not in ROLES]
    if unknown:
        raise Invalid(f"a message is by {', '.join(ROLES)}, not by {unknown[0][:40]!r}")
    if not said or said[-1].role != "user" or not said[-1].content.strip():
        raise Invalid("the chat needs a message by the user at its end")
    return [Message(role=turn.role, content=turn.content) for turn in said]


def _counted(
    answer: Iterator[str | Answer], context: Context, caller: Caller, body: dict[str, Any]
) -> Iterator[str | Answer]:
    """The pieces of an answer; what is stored for each counts for the key. Each may be made in another thread."""
    sent = body
    while True:
        with context.service.counted(caller, sent):
            piece = next(answer, None)
        if piece is None:
            return
        sent = {}
        yield piece


class _Turn(msgspec.Struct, forbid_unknown_fields=True):
    role: str
    content: str


def _without_memory(llm: LLM | None, said: Sequence[Message]) -> Iterator[str | Answer]:
    """The answer of the model without memory, for comparison."""
    if llm is None:
        text = f"Without memory I cannot answer: {NO_MODEL}."
        yield text
        yield Answer(text=text, context=None, extractive=True, degraded=NO_MODEL)
        return
    pieces: list[str] = []
    for piece in llm.stream(said):
        pieces.append(piece)
        yield piece
    yield Answer(text="".join(pieces), context=None, model=llm.model)


def _chat_events(answer: Iterator[str | Answer], context: Context, request: Request) -> Iterator[bytes]:
    try:
        for piece in answer:
            context.require_still(request)
            yield event("token", {"text": piece}) if isinstance(piece, str) else event("answer", to_json(piece))
    except FovealError as error:
        yield event("problem", problem(error, request.state.request_id))


def event(kind: str, data: Any, number: str | None = None) -> bytes:
    """One server-sent event.

    >>> event("token", {"text": "tea"})
    b'event: token\\ndata: {"text":"tea"}\\n\\n'
    """
    # Compact JSON has no line breaks, so the data is one line.
    head = f"id: {number}\n" if number is not None else ""
    return f"{head}event: {kind}\ndata: {msgspec.json.encode(data).decode()}\n\n".encode()


LINES = "application/x-ndjson"


def file_routes(context: Context) -> list[Route]:
    """The routes of export and import."""

    async def export(request: Request) -> Response:
        arguments = asked(call_of("export"), {}, request.query_params.multi_items())
        path = await in_thread(_export, context, request, arguments)
        cleanup = BackgroundTask(_remove, path)
        return FileResponse(path, media_type=LINES, filename=path.name, background=cleanup)

    async def import_(request: Request) -> Response:
        arguments = asked(call_of("import_"), {}, request.query_params.multi_items())
        # Only who may import fills the disk.
        caller = await in_thread(context.caller, request)
        context.service.admitted(call_of("import_"), arguments, caller)
        with TemporaryDirectory(prefix="foveal-import-") as folder:
            path = Path(folder) / "memory.jsonl"
            await _spool(request, path)
            return await in_thread(_import, context, request, arguments, path)

    return [Route("/v1/export", export, methods=["GET"]), Route(IMPORT, import_, methods=["POST"])]


async def _spool(request: Request, path: Path) -> None:
    try:
        with path.open("wb") as file:
            async for part in request.stream():
                file.write(part)
    except OSError as error:
        raise StorageFull(f"the import cannot be kept on disk: {error.strerror}") from error


def _export(context: Context, request: Request, arguments: dict[str, Any]) -> Path:
    path = Path(mkdtemp(prefix="foveal-export-")) / "memory.jsonl"
    with ExitStack() as failed:
        failed.callback(_remove, path)
        context.answer(request, "export", arguments, here={"path": path})
        failed.pop_all()
    return path


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.parent.rmdir()


def _import(context: Context, request: Request, arguments: dict[str, Any], path: Path) -> Response:
    return written(request, context.answer(request, "import_", arguments, here={"path": path}))


# How often a stream checks its key and whether the server is stopping, and after how many silent checks it sends a
# comment.
SECONDS, SIGNS = 1.0, 15


class OpenStream(StreamingResponse):
    """A stream of events. It gives up what it `held` however it ends, even if its client left before it began."""

    def __init__(self, events: AsyncGenerator[bytes], held: ExitStack) -> None:
        super().__init__(events, media_type="text/event-stream", headers={"Cache-Control": "no-store"})
        self._held = held

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the events until the stream ends or the client leaves."""
        with self._held:
            await super().__call__(scope, receive, send)


def notice_routes(context: Context) -> list[Route]:
    """The route /v1/stream."""

    async def stream(request: Request) -> Response:
        caller = await in_thread(context.caller, request)
        query = request.query_params
        after = request.headers.get("last-event-id") or query.get("after")
        loop, ready = asyncio.get_running_loop(), asyncio.Event()

        def wake() -> None:
            loop.call_soon_threadsafe(ready.set)

        wanted = {name: query[name] for name in ("world", "actor_id") if name in query}
        with ExitStack() as opening:
            opening.enter_context(context.streams.taken(caller, wanted.get("actor_id")))
            # A bus between processes may have to ask its server for the starting position, which blocks.
            subscription = await in_thread(
                subscribe,
                context.service.memory.bus,
                caller,
                after=after,
                kinds=query.getlist("kinds"),
                wake=wake,
            )
            opening.enter_context(subscription)
            events = _events(context, request, subscription, ready=ready, wanted=wanted)
            return OpenStream(events, opening.pop_all())

    return [Route("/v1/stream", stream, methods=["GET"])]


async def _events(
    context: Context, request: Request, subscription: Subscription, *, ready: asyncio.Event, wanted: dict[str, str]
) -> AsyncGenerator[bytes]:
    silent = 0
    yield b": listening\n\n"
    try:
        while not context.stopping.is_set():
            ready.clear()
            await in_thread(context.require_still, request)
            while (notice := subscription.take()) is not None:
                if _is_wanted(notice, wanted):
                    silent = 0
                    yield event(notice.kind, to_json(notice), notice.id or None)
                    # Also while many wait: their client may be slow to take them.
                    await in_thread(context.require_still, request)
            with suppress(TimeoutError):
                await asyncio.wait_for(ready.wait(), SECONDS)
            silent = silent + 1 if not ready.is_set() else silent
            if silent >= SIGNS:
                silent = 0
                yield b": still here\n\n"
    except FovealError as error:
        yield event("problem", problem(error, request.state.request_id))


def _is_wanted(notice: Notice, wanted: dict[str, str]) -> bool:
    return all(getattr(notice, name) in (None, value) for name, value in wanted.items())
