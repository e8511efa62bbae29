"""What the processes of one memory share, when the settings name a Redis server."""

from __future__ import annotations

from foveal.config import Settings
from foveal.errors import Unsupported
from foveal.ports.bus import Bus
from foveal.ports.cache import Cache
from foveal.ports.clock import Clock


def open_bus(settings: Settings, clock: Clock | None = None) -> Bus:
    """What carries notices: between processes, or inside this one."""
    if settings.redis is None:
        from foveal.backends.bus import RingBus

        return RingBus(clock=clock)
    try:
        from foveal.backends.redis import RedisBus
    except ModuleNotFoundError as error:
        raise _missing(error) from None
    return RedisBus(settings.redis, prefix=settings.redis_prefix, clock=clock)


def open_cache(settings: Settings) -> Cache | None:
    """The cache that processes share, if any."""
    if settings.redis is None:
        return None
    try:
        from foveal.backends.redis import RedisCache
    except ModuleNotFoundError as error:
        raise _missing(error) from None
    return RedisCache(settings.redis, prefix=settings.redis_prefix)


def _missing(error: ModuleNotFoundError) -> Unsupported:
    return Unsupported(f"the setting redis needs the package redis: pip install 'foveal[redis]' ({error})")
