"""How the server is, and whom it takes a caller for."""

from __future__ import annotations

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from foveal.doors.http.context import Context


def routes(context: Context) -> list[Route]:
    """/livez, /readyz and /v1/whoami."""

    async def live(_: Request) -> Response:
        return JSONResponse({"status": "ok"})

    async def ready(_: Request) -> Response:
        if context.stopping.is_set():
            return JSONResponse({"status": "stopping"}, 503)
        return JSONResponse({"status": "ok"})

    async def whoami(request: Request) -> Response:
        caller = await run_in_threadpool(context.caller, request)
        told = {**msgspec.to_builtins(caller), "auth": context.serving.auth, "world": context.service.world}
        return JSONResponse(told, headers={"Cache-Control": "no-store"})

    return [
        Route("/v1/whoami", whoami, methods=["GET"]),
        Route("/livez", live, methods=["GET"]),
        Route("/readyz", ready, methods=["GET"]),
    ]
