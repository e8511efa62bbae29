"""Caches of one process."""

from foveal.backends.cache.lru import LruCache

__all__ = ["LruCache"]
