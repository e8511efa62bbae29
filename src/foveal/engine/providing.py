"""Another encoder for a memory that is open."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from foveal.engine.core import Core
from foveal.engine.reindexing import reindex
from foveal.model.results import Reindexed


def provide(core: Core, given: Any) -> Reindexed:
    """Encode everything anew with what was given, then work with it. If that fails, the encoder before it stays.

    What is under way meanwhile ends with the encoder it began with.
    """
    with core.succession.lock:
        new = replace(core.newest, embedder=core.encoder_of(given))
        done = reindex(new)
        core.succession.core = new
    return done
