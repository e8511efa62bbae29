"""Connections to a Redis server that are given up soon."""

from __future__ import annotations

from datetime import timedelta

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from foveal.errors import Invalid

# How long anybody waits for the server.
PATIENCE = timedelta(milliseconds=250)
# How long one that was away is let alone.
PAUSE = timedelta(seconds=1)
# What a call to the server may raise.
FAILURES = (RedisError, OSError)


def connect(url: str, patience: timedelta | None = None) -> Redis:
    """A client of the server at a URL, redis://, rediss:// or unix://. It asks once, and not for long."""
    seconds = (patience or PATIENCE).total_seconds()
    try:
        return Redis.from_url(
            url,
            socket_connect_timeout=PATIENCE.total_seconds(),
            socket_timeout=seconds,
            retry=Retry(NoBackoff(), 0),
            client_name="foveal",
        )
    except ValueError:
        # The reason may quote a part of the password.
        raise Invalid("the setting redis must be redis://host:port/number, rediss://… or unix://…") from None


def reason_of(error: BaseException) -> str:
    """Why a server did not answer, in a few words and without its password.

    >>> reason_of(TimeoutError("x"))
    'Redis does not answer (TimeoutError)'
    """
    return f"Redis does not answer ({type(error).__name__})"
