"""Requests that are sent twice with one key, and done once."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from hashlib import blake2b
from typing import NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from foveal.errors import Conflict, Invalid

MOST = 10_000
LONGEST = 255


class _Told(NamedTuple):
    body: bytes
    answer: Response | None


class Repeats:
    """The last answers by key, of this process: the same request again gets the same answer.

    Another body under the same key is refused, and so is a second one while the first is under way. What failed is
    not kept. The key of a `write` needs none of this: the store keeps it with the record.
    """

    def __init__(self) -> None:
        self._told: OrderedDict[bytes, _Told] = OrderedDict()

    async def once(self, request: Request, key: str, body: bytes, work: Callable[[], Response]) -> Response:
        """The answer to a request: done now, or when it was first asked."""
        if not 0 < len(key) <= LONGEST:
            raise Invalid(f"Idempotency-Key must have 1 to {LONGEST} characters")
        place = _digest(request.headers.get("authorization", ""), request.method, str(request.url), key)
        content = _digest(body)
        known = self._told.get(place)
        if known is not None:
            if known.body != content:
                raise Invalid("this Idempotency-Key was used with another body: take a new one")
            if known.answer is None:
                raise Conflict("the first request with this Idempotency-Key is not done yet: try again")
            known.answer.headers["Idempotency-Replayed"] = "true"
            return known.answer
        self._told[place] = _Told(content, None)
        under_way = asyncio.ensure_future(run_in_threadpool(work))
        under_way.add_done_callback(partial(self._keep, place, content))
        # Who asked may give up waiting: the work goes on, and its answer is kept.
        return await asyncio.shield(under_way)

    def _keep(self, place: bytes, content: bytes, done: asyncio.Future[Response]) -> None:
        if done.cancelled() or done.exception() is not None:
            del self._told[place]
            return
        self._told[place] = _Told(content, done.result())
        while len(self._told) > MOST:
            self._told.popitem(last=False)


def _digest(*parts: str | bytes) -> bytes:
    digest = blake2b(digest_size=16)
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8))
        digest.update(data)
    return digest.digest()
