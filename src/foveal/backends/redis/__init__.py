"""What several processes share through a Redis server: a bus and a cache, and neither is needed to be right."""

from foveal.backends.redis.bus import RedisBus
from foveal.backends.redis.cache import RedisCache

__all__ = ["RedisBus", "RedisCache"]
