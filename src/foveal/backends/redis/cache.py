"""A cache that processes share: in a Redis server, which may be away or lose everything."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, cast

from foveal.backends.redis.connection import FAILURES, PAUSE, connect, reason_of


class RedisCache:
    """Values in a Redis server. When it does not answer, nothing is known, and for a second it is not asked."""

    def __init__(self, url: str, *, prefix: str = "foveal") -> None:
        self._client = connect(url)
        self._prefix = f"{{{prefix}}}:cache:"
        self._reason = ""
        self._until = 0.0

    def get(self, keys: Sequence[str]) -> list[bytes | None]:
        """What is known for each key: nothing while the server is away."""
        unknown: list[bytes | None] = [None] * len(keys)
        if not keys or self._resting():
            return unknown
        try:
            found = cast(Any, self._client.mget([self._prefix + key for key in keys]))
        except FAILURES as error:
            self._fail(error)
            return unknown
        self._reason = ""
        return list(found)

    def put(self, values: Mapping[str, bytes], ttl: timedelta) -> None:
        """Keep values, so long at most, unless the server is away."""
        if not values or self._resting():
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
            self._fail(error)
        else:
            self._reason = ""

    def _resting(self) -> bool:
        return bool(self._reason) and time.monotonic() < self._until

    def _fail(self, error: BaseException) -> None:
        self._reason, self._until = reason_of(error), time.monotonic() + PAUSE.total_seconds()

    @property
    def away(self) -> str:
        """Why the server does not answer; asked again if that was a while ago."""
        if self._reason and not self._resting():
            self.get(["away"])
        return self._reason

    def close(self) -> None:
        """Close the connections."""
        self._client.close()
