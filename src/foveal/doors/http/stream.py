"""What happens in a memory, as a stream of events."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from foveal.doors.http.chat import event
from foveal.doors.http.context import Context
from foveal.doors.service.hearing import listen
from foveal.model.notice import Notice
from foveal.ports.system import Subscription
from foveal.wire.codec import plain

# How often it is looked whether the server stops, and after how many looks a silent stream gives a sign of life.
SECONDS, SIGNS = 1.0, 15


def routes(context: Context) -> list[Route]:
    """/v1/stream."""

    async def stream(request: Request) -> Response:
        caller = await run_in_threadpool(context.caller, request)
        said = request.query_params
        after = request.headers.get("last-event-id") or said.get("after")
        loop, ready = asyncio.get_running_loop(), asyncio.Event()

        def wake() -> None:
            loop.call_soon_threadsafe(ready.set)

        # A bus between processes may ask its server before it knows from where on to listen.
        heard = await run_in_threadpool(
            listen,
            context.service.memory.bus,
            caller,
            after=after,
            kinds=said.getlist("kinds"),
            wake=wake,
        )
        wanted = {name: said[name] for name in ("world", "actor_id") if name in said}
        events = _events(context, heard, ready, wanted)
        return StreamingResponse(events, media_type="text/event-stream", headers={"Cache-Control": "no-store"})

    return [Route("/v1/stream", stream, methods=["GET"])]


async def _events(
    context: Context, heard: Subscription, ready: asyncio.Event, wanted: dict[str, str]
) -> AsyncGenerator[bytes]:
    silent = 0
    with heard:
        yield b": listening\n\n"
        while not context.stopping.is_set():
            ready.clear()
            while (notice := heard.take()) is not None:
                if _is_wanted(notice, wanted):
                    silent = 0
                    yield event(notice.kind, plain(notice), notice.id or None)
            try:
                await asyncio.wait_for(ready.wait(), SECONDS)
            except TimeoutError:
                silent += 1
            if silent >= SIGNS:
                silent = 0
                yield b": still here\n\n"


def _is_wanted(notice: Notice, wanted: dict[str, str]) -> bool:
    return all(getattr(notice, name) in (None, value) for name, value in wanted.items())
