"""The description of the door as a page, with nothing from elsewhere."""

from __future__ import annotations

from importlib.resources import files

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Foveal: the HTTP door</title>
<meta name="viewport" content="width=device-width"><link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="icon" href="/docs/favicon-32x32.png"></head>
<body><div id="swagger-ui"></div><script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script></body></html>
"""
START = 'SwaggerUIBundle({url: "/openapi.json", dom_id: "#swagger-ui", deepLinking: true});\n'
KINDS = {
    "swagger-ui.css": "text/css",
    "swagger-ui-bundle.js": "text/javascript",
    "favicon-32x32.png": "image/png",
}
# The page sets styles on its elements while it runs.
POLICY = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'"
}


def routes() -> list[Route]:
    """/docs, and what it is made of."""

    async def page(_: Request) -> Response:
        return HTMLResponse(PAGE, headers=POLICY)

    async def start(_: Request) -> Response:
        return Response(START, media_type="text/javascript")

    async def part(request: Request) -> Response:
        name = request.url.path.rpartition("/")[2]
        data = (files("fastapi_swagger") / "resources" / name).read_bytes()
        return Response(data, media_type=KINDS[name], headers={"Cache-Control": "max-age=86400"})

    parts = [Route(f"/docs/{name}", part, methods=["GET"]) for name in KINDS]
    return [Route("/docs", page, methods=["GET"]), Route("/docs/start.js", start, methods=["GET"]), *parts]
