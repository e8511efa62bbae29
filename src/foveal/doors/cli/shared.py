"""The examination of what the settings name beside the store."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from foveal.doors.cli.findings import Wrong
from foveal.model.server import State

if TYPE_CHECKING:
    from foveal.config import Settings

# The first with what a stream needs here.
OLDEST = (5, 0)


def redis_look(settings: Settings) -> str:
    """Whether the server answers, knows streams, and keeps them when it is full."""
    from foveal.compose import open_cache

    open_cache(settings)
    from foveal.backends.redis import FAILURES, connect, reason_of

    client = connect(str(settings.redis))
    try:
        start = time.perf_counter()
        client.ping()
        took = 1000 * (time.perf_counter() - start)
        told = client.info()
    except FAILURES as error:
        raise Wrong(f"{reason_of(error)}: is it running, and is the URL right?") from None
    finally:
        client.close()
    version = str(told.get("valkey_version") or told.get("redis_version", ""))
    if tuple(int(part) for part in version.split(".")[:2]) < OLDEST:
        raise Wrong(f"version {version}, and 5.0 is the first that knows streams")
    policy = str(told.get("maxmemory_policy", ""))
    if policy.startswith("allkeys"):
        raise Wrong(f"when it is full it drops notices, too ({policy}): set maxmemory-policy volatile-lru")
    return f"{told.get('server_name', 'redis')} {version} answers in {took:.1f} ms"


def index_look(url: str, settings: Settings) -> str:
    """Whether the index of vectors opens, and how much it lacks."""
    from foveal.compose import Memory, index_folder
    from foveal.engine.probing import probe_vectors

    folder = index_folder(str(settings.vector_index))
    if not folder.exists():
        raise Wrong(f"there is none at {folder} yet: run foveal reindex")
    with Memory(url, settings=settings) as memory:
        found = probe_vectors(memory.core)
    if found.state is not State.OK:
        raise Wrong(f"{folder}: {found.figure:,} records are not in it: run foveal reindex")
    return f"{folder} lacks {found.figure:,} records, which the store compares itself"
