"""A memory as a file that travels: out by export, in by import."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import Any

from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from foveal.doors.http.answering import written
from foveal.doors.http.context import Context
from foveal.errors import TooLarge
from foveal.wire.calls import call_of
from foveal.wire.routes import asked

# An import is read into a file on disk before anything is stored.
LARGEST = 1 << 30
LINES = "application/x-ndjson"


def routes(context: Context) -> list[Route]:
    """Export and import."""

    async def export(request: Request) -> Response:
        given = asked(call_of("export"), {}, request.query_params.multi_items())
        path = await run_in_threadpool(_export, context, request, given)
        gone = BackgroundTask(_remove, path)
        return FileResponse(path, media_type=LINES, filename=path.name, background=gone)

    async def import_(request: Request) -> Response:
        given = asked(call_of("import_"), {}, request.query_params.multi_items())
        with TemporaryDirectory(prefix="foveal-import-") as folder:
            path = Path(folder) / "memory.jsonl"
            size = 0
            with path.open("wb") as file:
                async for part in request.stream():
                    size += len(part)
                    if size > LARGEST:
                        raise TooLarge(f"an import has at most {LARGEST} bytes: bring it in parts", limit=LARGEST)
                    file.write(part)
            return await run_in_threadpool(_import, context, request, given, path)

    return [Route("/v1/export", export, methods=["GET"]), Route("/v1/import", import_, methods=["POST"])]


def _export(context: Context, request: Request, given: dict[str, Any]) -> Path:
    path = Path(mkdtemp(prefix="foveal-export-")) / "memory.jsonl"
    try:
        context.answer(request, "export", given, here={"path": path})
    except BaseException:
        _remove(path)
        raise
    return path


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.parent.rmdir()


def _import(context: Context, request: Request, given: dict[str, Any], path: Path) -> Response:
    return written(request, context.answer(request, "import_", given, here={"path": path}))
