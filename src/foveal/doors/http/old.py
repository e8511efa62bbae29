"""The paths that the first clients knew, answered as they expect."""

from __future__ import annotations

from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from foveal.doors.http.answering import Endpoint, from_headers, written
from foveal.doors.http.boundary import body_of, json_of
from foveal.doors.http.context import Context
from foveal.model.results import Context as Shown
from foveal.model.results import Written
from foveal.wire.calls import call_of
from foveal.wire.codec import plain
from foveal.wire.routes import asked

PATHS = {"write": "POST", "read": "POST", "regions": "GET", "addresses": "GET"}


def routes(context: Context) -> list[Route]:
    """/api/memory/… for each of them, and /memory/… for the two that had it."""
    made = [Route(f"/api/memory/{name}", _serve(context, name), methods=[method]) for name, method in PATHS.items()]
    return [
        *made,
        *(Route(f"/memory/{name}", _serve(context, name), methods=["POST"]) for name in ("write", "read")),
    ]


def _serve(context: Context, name: str) -> Endpoint:
    call = call_of(name)

    async def serve(request: Request) -> Response:
        body = json_of(await body_of(request, context.serving.body_limit)) if PATHS[name] == "POST" else {}
        given = asked(call, {}, request.query_params.multi_items(), body)
        from_headers(call, request, given)
        return await run_in_threadpool(_answered, context, request, name, given)

    return serve


def _answered(context: Context, request: Request, name: str, given: dict[str, Any]) -> Response:
    return written(request, _known(context.answer(request, name, given)))


def _known(value: Any) -> Any:
    """The answer with the names that those clients look for."""
    match value:
        case Written():
            return {**plain(value), "id": value.id, "address": str(value.address)} if value.ids else value
        case Shown():
            items = [{**plain(one), "excerpt": one.excerpt} for one in value.items]
            return {**plain(value), "context": items, "items": items}
        case _:
            return value
