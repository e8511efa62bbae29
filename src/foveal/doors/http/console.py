"""The memory console: the pages that were built from `console/`, as files of this package, and its session."""

from __future__ import annotations

from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from foveal.doors.http.boundary import body_of, json_of
from foveal.doors.service.guard import Guard
from foveal.errors import Invalid, NotFound

PATH = "/memory-console"
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
    # The page names the files of one build: an old one would ask for files that are gone.
    "Cache-Control": "no-cache",
}
# The name of such a file has the hash of what is in it.
FOREVER = {"Cache-Control": "public, max-age=31536000, immutable"}
NOT_BUILT = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>The memory console is not built</title>
<meta name="viewport" content="width=device-width"></head>
<body><main><h1>The memory console is not built</h1>
<p>This installation has no built console: it comes with the released package, or is built from the source with
Node 20 or later. In the folder of the source, run:</p>
<pre>make console</pre>
<p>Then load this page again. The server needs no restart, and everything else works without the console:
<a href="/docs">the HTTP door</a> is described at /docs.</p></main></body></html>
"""


# A ticket is a short text.
_BODY_LIMIT = 1_024


def routes(guard: Guard | None = None, built: Path = BUILT) -> list[Route]:
    """/memory-console and all below it: a file of the build, or the page, which finds the view by its path."""

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

    async def slashed(_: Request) -> Response:
        return RedirectResponse(PATH)

    return [
        *(_session(guard) if guard is not None else ()),
        Route(f"{PATH}/assets/{{name}}", file, methods=["GET"]),
        Route(PATH, page, methods=["GET"]),
        Route(f"{PATH}/", slashed, methods=["GET"]),
        # Whoever types only the address of the server wants to see something.
        Route("/", slashed, methods=["GET"]),
        Route(f"{PATH}/{{path:path}}", page, methods=["GET"]),
    ]


def _session(guard: Guard) -> list[Route]:
    """Where the page exchanges its one-time ticket for a session, and ends that."""

    async def begin(request: Request) -> Response:
        ticket = json_of(await body_of(request, _BODY_LIMIT)).get("ticket")
        if not isinstance(ticket, str):
            raise Invalid("say the one-time token as `ticket`")
        token, until = await run_in_threadpool(guard.session, ticket)
        told = {"token": token, "expires_at": until.isoformat()}
        return JSONResponse(told, headers={"Cache-Control": "no-store"})

    async def end(request: Request) -> Response:
        return JSONResponse({"ended": guard.leave(request.headers.get("authorization"))})

    path = f"{PATH}/session"
    return [Route(path, begin, methods=["POST"]), Route(path, end, methods=["DELETE"])]
