"""How the server is, and whom it takes a caller for."""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from foveal.doors.http.answering import written
from foveal.doors.http.context import Context
from foveal.doors.service.meters import MEDIA
from foveal.doors.service.station import Station
from foveal.errors import Unsupported


def routes(context: Context) -> list[Route]:
    """/livez and /readyz; and of a server that is watched, its health and its figures."""
    station = context.station

    async def live(_: Request) -> Response:
        return JSONResponse({"status": "ok"})

    async def ready(_: Request) -> Response:
        if context.stopping.is_set():
            return JSONResponse({"status": "stopping"}, 503)
        if station is None:
            return JSONResponse({"status": "ok"})
        health = await run_in_threadpool(station.physician.health)
        return JSONResponse({"status": str(health.state)}, 200 if health.ready else 503)

    made = [Route("/livez", live, methods=["GET"]), Route("/readyz", ready, methods=["GET"])]
    return made if station is None else [*made, *_watched(context, station)]


def _watched(context: Context, station: Station) -> list[Route]:
    def looked(request: Request) -> Response:
        context.caller(request)
        health = station.physician.health()
        return written(request, health, status="ok" if health.state == "ok" else str(health.state))

    async def health(request: Request) -> Response:
        return await run_in_threadpool(looked, request)

    def counted(request: Request) -> Response:
        context.whole(request)
        if station.meters is None:
            raise Unsupported("figures need prometheus-client: pip install 'foveal[server]'")
        figures = station.meters.exposition()
        return Response(figures, media_type=MEDIA)

    async def metrics(request: Request) -> Response:
        return await run_in_threadpool(counted, request)

    return [
        Route("/api/memory/health", health, methods=["GET"]),
        Route("/metrics", metrics, methods=["GET"]),
    ]
