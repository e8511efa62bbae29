"""A cache that processes share: in a Redis server, which may be away or lose everything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, cast

from foveal.backends.breaker import Breaker
from foveal.backends.redis.connection import FAILURES, PAUSE, connect, reason_of
from foveal.errors import CircuitOpen


class RedisCache:
    """Values in a Redis server. When it does not answer, nothing is known, and for a second it is not asked."""

    def __init__(self, url: str, *, prefix: str = "foveal") -> None:
        self._client = connect(url)
        self._prefix = f"{{{prefix}}}:cache:"
        self._reason = ""
        # It costs a quarter of a second to find out that it is away, and it is never needed: one failure is enough.
        self.breaker = Breaker(failures=1, reset=PAUSE)

    def get(self, keys: Sequence[str]) -> list[bytes | None]:
        """What is known for each key: nothing while the server is away."""
        unknown: list[bytes | None] = [None] * len(keys)
        epoch = self._entered() if keys else None
        if epoch is None:
            return unknown
        try:
            found = cast(Any, self._client.mget([self._prefix + key for key in keys]))
        except FAILURES as error:
            self._fail(epoch, error)
            return unknown
        self._work(epoch)
        return list(found)

    def put(self, values: Mapping[str, bytes], ttl: timedelta) -> None:
        """Keep values, so long at most, unless the server is away."""
        epoch = self._entered() if values else None
        if epoch is None:
            return
        try:
            if len(values) == 1:
                [(key, value)] = values.items()
                self._client.set(self._prefix + key, value, px=ttl)
            else:
                with self._client.pipeline(transaction=False) as line:
                    for key, value in values.items():
                        line.set(self._prefix + key, value, px=ttl)
                    line.execute()
        except FAILURES as error:
            self._fail(epoch, error)
        else:
            self._work(epoch)

    def _entered(self) -> int | None:
        try:
            return self.breaker.enter()
        except CircuitOpen:
            return None

    def _work(self, epoch: int) -> None:
        self._reason = ""
        self.breaker.succeeded(epoch)

    def _fail(self, epoch: int, error: BaseException) -> None:
        self._reason = reason_of(error)
        self.breaker.failed(epoch)

    @property
    def away(self) -> str:
        """Why the server does not answer; asked again if that was a while ago."""
        if self._reason and not self.breaker.waiting:
            self.get(["away"])
        return self._reason

    def close(self) -> None:
        """Close the connections."""
        self._client.close()
