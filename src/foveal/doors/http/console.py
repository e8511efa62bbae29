"""Routes of the web console, sign-in, keys, server status and the API page."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from foveal.doors.http.endpoint import Context, Endpoint, written
from foveal.doors.http.middleware import json_of, said_in
from foveal.doors.service.auth import Authenticator, Keys
from foveal.doors.service.metrics import MEDIA
from foveal.doors.service.observed import ObservedService
from foveal.doors.service.places import Places
from foveal.errors import Invalid, NotFound, Unsupported
from foveal.wire.codec import from_json
from foveal.wire.shapes import Integer, ListOf, Nullable, Number, Text, Timestamp

PATH = "/memory-console"
# How many threads answer whether the server is ready.
PROBES = 2
BUILT = Path(__file__).with_name("console_built")
KINDS = {
    ".js": "text/javascript",
    ".css": "text/css",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
    ".map": "application/json",
}
POLICY = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; "
    "img-src 'self' data: blob:; connect-src 'self'; worker-src 'self'; manifest-src 'self'; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    # The page names the files of one build: a cached page would ask for files that no longer exist.
    "Cache-Control": "no-cache",
}
# The name of an asset contains the hash of its content.
FOREVER = {"Cache-Control": "public, max-age=31536000, immutable"}
NOT_BUILT = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>The memory console is not built</title>
<meta name="viewport" content="width=device-width"></head>
<body><main><h1>The memory console is not built</h1>
<p>Every installation has the console, and this one has lost it. Install the package again, or, in a clone of the
source, get the files back or build them with Node 20 or later:</p>
<pre>git checkout src/foveal/doors/http/console_built
make console</pre>
<p>Then load this page again. The server needs no restart, and everything else works without the console:
<a href="/docs">the HTTP door</a> is described at /docs.</p></main></body></html>
"""


def require_console(built: Path = BUILT) -> None:
    """Check that the files of the console are there: `Unsupported` says how to get them if not."""
    if not (built / "index.html").is_file():
        raise Unsupported(
            f"this installation has no console: {built} is missing. Install foveal again; "
            "in a clone, run `git checkout src/foveal/doors/http/console_built` or `make console`"
        )


def console_routes(guard: Authenticator | None = None, built: Path = BUILT) -> list[Route]:
    """/memory-console and all paths below it: the assets, or the page, which picks the view from the path."""

    async def page(_: Request) -> Response:
        index = built / "index.html"
        if not index.is_file():
            return HTMLResponse(NOT_BUILT, 503, headers=POLICY)
        return FileResponse(index, media_type="text/html", headers=POLICY)

    async def file(request: Request) -> Response:
        name: str = request.path_params["name"]
        path = (built / "assets" / name).resolve()
        if path.parent != (built / "assets").resolve() or not path.is_file():
            raise NotFound(f"the console has no file {name[:80]!r}: load its page again")
        return FileResponse(path, media_type=KINDS.get(path.suffix, "application/octet-stream"), headers=FOREVER)

    async def redirect(_: Request) -> Response:
        return RedirectResponse(PATH)

    return [
        *(_session(guard) if guard is not None else ()),
        Route(f"{PATH}/assets/{{name}}", file, methods=["GET"]),
        Route(PATH, page, methods=["GET"]),
        Route(f"{PATH}/", redirect, methods=["GET"]),
        # A visitor who enters only the address of the server should get a page.
        Route("/", redirect, methods=["GET"]),
        Route(f"{PATH}/{{path:path}}", page, methods=["GET"]),
    ]


def _session(guard: Authenticator) -> list[Route]:
    """The routes where the page exchanges its one-time ticket for a session, and ends the session."""

    async def begin(request: Request) -> Response:
        ticket = json_of(await request.body()).get("ticket")
        if not isinstance(ticket, str):
            raise Invalid("send the one-time token as `ticket`")
        token, until = await run_in_threadpool(guard.session, ticket)
        session = {"token": token, "expires_at": until.isoformat()}
        return JSONResponse(session, headers={"Cache-Control": "no-store"})

    async def end(request: Request) -> Response:
        return JSONResponse({"ended": guard.leave(request.headers.get("authorization"))})

    path = f"{PATH}/session"
    return [Route(path, begin, methods=["POST"]), Route(path, end, methods=["DELETE"])]


SAID = {
    **{
        "name": Text(),
        "worlds": Nullable(ListOf(Text())),
        "actors": Nullable(ListOf(Text())),
        "rights": ListOf(Text()),
    },
    **{"verbs": Nullable(ListOf(Text())), "expires_at": Nullable(Timestamp()), "rate": Nullable(Number())},
    **{"burst": Nullable(Integer())},
}


def sign_in_routes(context: Context, keys: Keys | None) -> list[Route]:
    """/v1/whoami, and /v1/keys for callers of the whole store."""

    def whoami(request: Request, _: dict[str, Any]) -> Any:
        caller = msgspec.to_builtins(context.caller(request))
        return {**caller, "auth": context.serving.auth, "world": context.service.world}

    routes = [Route("/v1/whoami", _serve(context, whoami), methods=["GET"])]
    if keys is None:
        return routes

    def list_keys(request: Request, _: dict[str, Any]) -> Any:
        context.whole(request)
        return keys.list()

    def add(request: Request, body: dict[str, Any]) -> Any:
        context.whole(request)
        unknown = [name for name in body if name not in SAID]
        if unknown or "name" not in body:
            raise Invalid(f"a key takes {', '.join(SAID)}, and needs a name")
        issued = keys.add(**{name: from_json(SAID[name], value, name) for name, value in body.items()})
        _audit(context, request, "keys.add", issued.key.prefix)
        return issued

    def revoke(request: Request, _: dict[str, Any]) -> Any:
        context.whole(request)
        key = keys.revoke(said_in(request.path_params)["key_id"])
        _audit(context, request, "keys.revoke", key.prefix)
        return key

    return [
        *routes,
        Route("/v1/keys", _serve(context, list_keys), methods=["GET"]),
        Route("/v1/keys", _serve(context, add), methods=["POST"]),
        Route("/v1/keys/{key_id}", _serve(context, revoke), methods=["DELETE"]),
    ]


def _audit(context: Context, request: Request, verb: str, prefix: str) -> None:
    if context.station is not None:
        context.station.audit.note(
            verb,
            context.caller(request),
            code="ok",
            door="http",
            request_id=request.state.request_id,
            about=prefix,
        )


def _serve(context: Context, work: Callable[[Request, dict[str, Any]], Any]) -> Endpoint:
    async def serve(request: Request) -> Response:
        body = await request.body() if request.method == "POST" else b""
        value = await run_in_threadpool(work, request, json_of(body))
        return written(request, value)

    return serve


PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Foveal: the HTTP door</title>
<meta name="viewport" content="width=device-width"><link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="icon" href="/docs/favicon-32x32.png"></head>
<body><div id="swagger-ui"></div><script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script></body></html>
"""
START = 'SwaggerUIBundle({url: "/openapi.json", dom_id: "#swagger-ui", deepLinking: true});\n'
PAGE_KINDS = {
    "swagger-ui.css": "text/css",
    "swagger-ui-bundle.js": "text/javascript",
    "favicon-32x32.png": "image/png",
}
# Swagger UI sets inline styles.
PAGE_POLICY = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'"
}


def page_routes() -> list[Route]:
    """/docs and its files."""

    async def page(_: Request) -> Response:
        return HTMLResponse(PAGE, headers=PAGE_POLICY)

    async def start(_: Request) -> Response:
        return Response(START, media_type="text/javascript")

    async def part(request: Request) -> Response:
        name = request.url.path.rpartition("/")[2]
        data = (files("fastapi_swagger") / "resources" / name).read_bytes()
        return Response(data, media_type=PAGE_KINDS[name], headers={"Cache-Control": "max-age=86400"})

    parts = [Route(f"/docs/{name}", part, methods=["GET"]) for name in PAGE_KINDS]
    return [Route("/docs", page, methods=["GET"]), Route("/docs/start.js", start, methods=["GET"]), *parts]


def status_routes(context: Context) -> list[Route]:
    """/livez and /readyz; with a station, also the health and the metrics."""
    station = context.station
    # Its own threads: it must answer when calls that wait for the store hold all others.
    places = Places(PROBES)

    async def live(_: Request) -> Response:
        return JSONResponse({"status": "ok"})

    async def ready(_: Request) -> Response:
        if context.stopping.is_set():
            return JSONResponse({"status": "stopping"}, 503)
        if station is None:
            return JSONResponse({"status": "ok"})
        health = await places.run(station.health.health)
        return JSONResponse({"status": str(health.state)}, 200 if health.ready else 503)

    routes = [Route("/livez", live, methods=["GET"]), Route("/readyz", ready, methods=["GET"])]
    return routes if station is None else [*routes, *_station_routes(context, station)]


def _station_routes(context: Context, station: ObservedService) -> list[Route]:
    def report(request: Request) -> Response:
        context.caller(request)
        health = station.health.health()
        return written(request, health, status="ok" if health.state == "ok" else str(health.state))

    async def health(request: Request) -> Response:
        return await run_in_threadpool(report, request)

    def exposition(request: Request) -> Response:
        context.whole(request)
        if station.metrics is None:
            raise Unsupported("metrics need prometheus-client: pip install 'foveal[server]'")
        return Response(station.metrics.exposition(), media_type=MEDIA)

    async def metrics(request: Request) -> Response:
        return await run_in_threadpool(exposition, request)

    return [
        Route("/api/memory/health", health, methods=["GET"]),
        Route("/metrics", metrics, methods=["GET"]),
    ]
