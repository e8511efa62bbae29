"""The keys of the server, and who the caller is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from foveal.doors.http.answering import Endpoint, written
from foveal.doors.http.boundary import body_of, json_of
from foveal.doors.http.context import Context
from foveal.doors.http.slashes import said_in
from foveal.doors.service.keys import Keys
from foveal.errors import Invalid
from foveal.wire.codec import built
from foveal.wire.shapes import Listed, Maybe, Moment, Number, Text, Whole

SAID = {
    **{"name": Text(), "worlds": Maybe(Listed(Text())), "actors": Maybe(Listed(Text())), "rights": Listed(Text())},
    **{"verbs": Maybe(Listed(Text())), "expires_at": Maybe(Moment()), "rate": Maybe(Number())},
    **{"burst": Maybe(Whole())},
}


def routes(context: Context, keys: Keys | None) -> list[Route]:
    """/v1/whoami; and /v1/keys for callers of the whole store."""

    def whoami(request: Request, _: dict[str, Any]) -> Any:
        told = msgspec.to_builtins(context.caller(request))
        return {**told, "auth": context.serving.auth, "world": context.service.world}

    made = [Route("/v1/whoami", _serve(context, whoami), methods=["GET"])]
    if keys is None:
        return made

    def listed(request: Request, _: dict[str, Any]) -> Any:
        context.whole(request)
        return keys.list()

    def add(request: Request, said: dict[str, Any]) -> Any:
        context.whole(request)
        unknown = [name for name in said if name not in SAID]
        if unknown or "name" not in said:
            raise Invalid(f"a key takes {', '.join(SAID)}, and needs a name")
        return keys.add(**{name: built(SAID[name], value, name) for name, value in said.items()})

    def revoke(request: Request, _: dict[str, Any]) -> Any:
        context.whole(request)
        return keys.revoke(said_in(request.path_params)["key_id"])

    return [
        *made,
        Route("/v1/keys", _serve(context, listed), methods=["GET"]),
        Route("/v1/keys", _serve(context, add), methods=["POST"]),
        Route("/v1/keys/{key_id}", _serve(context, revoke), methods=["DELETE"]),
    ]


def _serve(context: Context, work: Callable[[Request, dict[str, Any]], Any]) -> Endpoint:
    async def serve(request: Request) -> Response:
        body = await body_of(request, context.serving.body_limit) if request.method == "POST" else b""
        value = await run_in_threadpool(work, request, json_of(body))
        return written(request, value)

    return serve
