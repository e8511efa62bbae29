"""How the server is, for those who watch over it."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from foveal.doors.http.context import Context


def routes(context: Context) -> list[Route]:
    """/livez and /readyz."""

    async def live(_: Request) -> Response:
        return JSONResponse({"status": "ok"})

    async def ready(_: Request) -> Response:
        if context.stopping.is_set():
            return JSONResponse({"status": "stopping"}, 503)
        return JSONResponse({"status": "ok"})

    return [Route("/livez", live, methods=["GET"]), Route("/readyz", ready, methods=["GET"])]
