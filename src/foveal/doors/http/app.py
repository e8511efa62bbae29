"""The ASGI app: a route for each verb, and the paths that the first clients use."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Any

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

import foveal
from foveal.backends.in_process import LISTENERS
from foveal.doors.http import console, streams
from foveal.doors.http.endpoint import (
    QUICK,
    Context,
    Endpoint,
    WorkerSlots,
    answered,
    endpoint,
    from_headers,
    written,
)
from foveal.doors.http.middleware import CallerMiddleware, ErrorMiddleware, json_of, no_route, said_in
from foveal.doors.http.openapi import FILES, document
from foveal.doors.service import Caller, Service
from foveal.doors.service.auth import Authenticator, Keys
from foveal.doors.service.observed import ObservedService
from foveal.doors.service.stream_slots import StreamSlots
from foveal.model.results import Context as Shown
from foveal.model.results import Written
from foveal.model.server import Serving
from foveal.ports.models import LLM
from foveal.ports.store import Capability
from foveal.rules.drafts import without_extra
from foveal.wire.calls import call_of
from foveal.wire.codec import to_json
from foveal.wire.routes import asked, route
from foveal.wire.verbs import VERBS

Beside = Callable[[], AbstractAsyncContextManager[None]]


def create_app(
    service: Service,
    *,
    authenticate: Callable[[str | None], Caller],
    recheck: Callable[[str | None], Caller] | None = None,
    serving: Serving | None = None,
    llm: LLM | None = None,
    station: ObservedService | None = None,
    keys: Keys | None = None,
    guard: Authenticator | None = None,
    more: Sequence[BaseRoute] = (),
    beside: Sequence[Beside] = (),
) -> FastAPI:
    """The app that serves a memory.

    `recheck` authenticates a known caller again, as `Authenticator.recheck` does: after its body has arrived, and
    for every message of a stream. `station` adds health and metrics; `keys` lets callers of the whole store manage
    keys; `guard` lets the console sign in. `more` are routes of other doors on the same port; `beside` are contexts
    to hold open while it serves.
    """
    chosen = serving or Serving()
    remote = Capability.REMOTE in service.memory.runtime.store.capabilities
    context = Context(
        service=service,
        serving=chosen,
        authenticate=authenticate,
        recheck=recheck,
        streams=StreamSlots(LISTENERS, each=chosen.streams),
        places=WorkerSlots(chosen.threads, quick=0 if remote else QUICK),
        llm=llm,
        station=station,
    )
    app = FastAPI(title="Foveal", version=foveal.__version__, openapi_url=None, lifespan=_lifespan(context, beside))
    app.openapi = document  # pyright: ignore[reportAttributeAccessIssue]
    app.state.context = context
    app.router.routes[:] = [*_verbs(context), *_rest(context, keys), *console.console_routes(guard), *more]
    app.exception_handlers = {HTTPException: no_route}
    app.add_middleware(CallerMiddleware, authenticate=context.caller)
    if chosen.cors:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(chosen.cors),
            allow_methods=["GET", "POST", "PUT", "PATCH", "DELETE"],
            allow_headers=["Authorization", "Content-Type", "If-Match", "If-None-Match", "Idempotency-Key"],
            expose_headers=["ETag", "Link", "X-Request-Id", "Retry-After"],
        )
    refused = None if station is None else station.faults.refused
    app.add_middleware(ErrorMiddleware, serving=chosen, refused=refused)
    return app


def _lifespan(context: Context, beside: Sequence[Beside]) -> Callable[[FastAPI], Any]:
    @asynccontextmanager
    async def run(_: FastAPI) -> AsyncGenerator[None]:
        context.stopping.clear()
        async with AsyncExitStack() as running:
            for companion in beside:
                await running.enter_async_context(companion())
            yield
            context.stopping.set()

    return run


def _verbs(context: Context) -> list[Route]:
    calls = [call_of(name) for name, verb in VERBS.items() if verb.http is not None and name not in FILES]
    return [
        Route(path, endpoint(context, call), methods=[method], name=call.verb.name)
        for method, path, call in sorted(
            ((*route(call), call) for call in calls), key=lambda entry: "{" in entry[1]
        )
    ]


def _rest(context: Context, keys: Keys | None) -> list[BaseRoute]:
    async def description(_: Request) -> Response:
        return JSONResponse(document())

    async def forget(request: Request) -> Response:
        call = call_of("forget")
        arguments = asked(call, {}, request.query_params.multi_items())
        arguments["target"] = said_in(request.path_params)["record_id"]
        return await context.places.run(partial(answered, context, request, "forget", arguments))

    return [
        Route("/v1/records/{record_id}", forget, methods=["DELETE"]),
        Route("/openapi.json", description, methods=["GET"]),
        *streams.file_routes(context),
        *old_routes(context),
        *streams.chat_routes(context),
        *console.status_routes(context),
        *streams.notice_routes(context),
        *console.sign_in_routes(context, keys),
        *console.page_routes(),
    ]


# The verbs that the first clients call, with their methods.
PATHS = {"write": "POST", "read": "POST", "regions": "GET", "addresses": "GET", "stats": "GET"}


def old_routes(context: Context) -> list[Route]:
    """/api/memory/… for each verb of the first clients, and /memory/… for write and read."""
    return [
        *(Route(f"/api/memory/{name}", _serve(context, name), methods=[method]) for name, method in PATHS.items()),
        *(Route(f"/memory/{name}", _serve(context, name), methods=["POST"]) for name in ("write", "read")),
    ]


def _serve(context: Context, name: str) -> Endpoint:
    call = call_of(name)

    async def serve(request: Request) -> Response:
        body = json_of(await request.body()) if PATHS[name] == "POST" else {}
        arguments = asked(call, {}, request.query_params.multi_items(), body)
        if name == "write":
            arguments = without_extra(arguments)
        from_headers(call, request, arguments)
        return await context.places.run(partial(_answered, context, request, name, arguments))

    return serve


def _answered(context: Context, request: Request, name: str, arguments: dict[str, Any]) -> Response:
    return written(request, _legacy(context.answer(request, name, arguments)))


def _legacy(value: Any) -> Any:
    """The answer with the field names that the first clients expect."""
    match value:
        case Written():
            return {**to_json(value), "id": value.id, "address": str(value.address)} if value.ids else value
        case Shown():
            items = [{**to_json(item), "excerpt": item.excerpt} for item in value.items]
            return {**to_json(value), "context": items, "items": items}
        case _:
            return value
