"""What a cache promises."""

from __future__ import annotations

from datetime import timedelta

import pytest

from foveal.ports.system import Cache

HOUR = timedelta(hours=1)


class CacheContract:
    """Subclass it, and give it a fixture `cache`: an empty one."""

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
