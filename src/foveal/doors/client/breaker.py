"""A server behind a circuit breaker."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from foveal.backends.breaker import Breaker
from foveal.doors.client.remote import Remote, away
from foveal.errors import FovealError


class Guarded:
    """A remote behind a breaker. Only a server that is away counts; one that refuses is there."""

    def __init__(self, remote: Remote, breaker: Breaker) -> None:
        self._remote = remote
        self.breaker = breaker

    def call(self, name: str, arguments: Mapping[str, Any], *, key: str | None = None) -> Any:
        """The answer of the remote, if it is tried."""
        epoch = self.breaker.enter()
        known = False
        try:
            answer = self._remote.call(name, arguments, key=key)
            known = True
        except FovealError as error:
            known = True
            if away(error):
                self.breaker.failed(epoch)
            else:
                self.breaker.succeeded(epoch)
            raise
        finally:
            if not known:
                self.breaker.abandoned(epoch)
        self.breaker.succeeded(epoch)
        return answer

    def close(self) -> None:
        """Let go of what the remote holds."""
        self._remote.close()
