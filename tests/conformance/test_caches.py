"""Every cache passes the exam of caches."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from uuid import uuid4

import pytest

from foveal.backends.in_process import LruCache
from foveal.backends.redis import RedisCache
from foveal.testing.ports import CacheContract
from foveal.testing.servers import Valkey


class TestLruCache(CacheContract):
    @pytest.fixture
    def cache(self) -> LruCache:
        return LruCache()


@pytest.mark.server
class TestRedisCache(CacheContract):
    @pytest.fixture
    def cache(self, valkey: Valkey) -> Iterator[RedisCache]:
        cache = RedisCache(valkey.url, prefix=uuid4().hex)
        yield cache
        cache.close()


def test_what_was_not_asked_for_longest_goes() -> None:
    cache = LruCache(2)
    cache.put({"a": b"1", "b": b"2"}, timedelta(hours=1))
    cache.get(["a"])
    cache.put({"c": b"3"}, timedelta(hours=1))
    assert cache.get(["a", "b", "c"]) == [b"1", None, b"3"]


@pytest.mark.server
def test_memories_with_another_prefix_share_nothing(valkey: Valkey) -> None:
    one, other = (RedisCache(valkey.url, prefix=uuid4().hex) for _ in range(2))
    one.put({"a": b"1"}, timedelta(hours=1))
    assert other.get(["a"]) == [None]
    one.close()
    other.close()
