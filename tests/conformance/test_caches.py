"""Every cache passes the exam of caches."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from uuid import uuid4

import pytest

from foveal.backends.in_process import LruCache
from foveal.backends.redis import RedisCache
from foveal.ports.system import Cache
from foveal.testing.servers import Valkey

HOUR = timedelta(hours=1)


class CacheContract:
    """The contract of a cache. A subclass supplies `cache`, an empty one."""

    @pytest.fixture
    def cache(self) -> Cache:
        raise NotImplementedError

    def test_what_was_put_is_known_key_by_key(self, cache: Cache) -> None:
        cache.put({"a": b"1", "b": b"\x00\xff", "empty": b""}, HOUR)
        assert cache.get(["b", "nothing", "a", "empty"]) == [b"\x00\xff", None, b"1", b""]
        assert not cache.away

    def test_the_last_that_was_put_counts(self, cache: Cache) -> None:
        cache.put({"a": b"1"}, HOUR)
        cache.put({"a": b"2"}, HOUR)
        assert cache.get(["a", "a"]) == [b"2", b"2"]

    def test_nothing_asked_is_nothing_answered(self, cache: Cache) -> None:
        cache.put({}, HOUR)
        assert cache.get([]) == []

    def test_what_is_kept_for_a_while_goes(self, cache: Cache) -> None:
        cache.put({"a": b"1"}, timedelta(milliseconds=1))
        cache.put({"b": b"2"}, HOUR)
        while cache.get(["a"]) != [None]:
            pass
        assert cache.get(["b"]) == [b"2"]


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
    cache.put({"a": b"1", "b": b"2"}, HOUR)
    cache.get(["a"])
    cache.put({"c": b"3"}, HOUR)
    assert cache.get(["a", "b", "c"]) == [b"1", None, b"3"]


@pytest.mark.server
def test_memories_with_another_prefix_share_nothing(valkey: Valkey) -> None:
    one, other = (RedisCache(valkey.url, prefix=uuid4().hex) for _ in range(2))
    one.put({"a": b"1"}, HOUR)
    assert other.get(["a"]) == [None]
    one.close()
    other.close()
