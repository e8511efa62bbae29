"""What the examinations of a file and of a database share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from foveal.config import Settings
    from foveal.model.server import Component

Look = Callable[[], str]
# The parts that outlast a process; how its cache, its bus and its clock are, only a server can say.
LASTING = ("store", "index", "embedder", "scheduler", "disk")


class Wrong(Exception):
    """A check that came out badly."""


def health_looks(url: str, settings: Settings) -> Iterator[tuple[str, Look]]:
    """How the parts of a memory are, as its server would say at `/api/memory/health`."""

    @cache
    def parts() -> dict[str, Component]:
        import msgspec

        from foveal.compose import Memory
        from foveal.doors.service.health import Physician

        # An index of vectors has a line of its own, and must not be made by looking.
        alone = msgspec.structs.replace(settings, vector_index=None)
        with Memory(url, settings=alone) as memory:
            health = Physician(memory, alone, url=url).health()
        return {one.name: one for one in health.components}

    for name in LASTING:
        yield name, partial(_told, parts, name)


def _told(parts: Callable[[], dict[str, Component]], name: str) -> str:
    from foveal.model.server import State

    part = parts()[name]
    figure = "" if part.figure is None else f", {part.figure:g} {part.unit}"
    if part.state is State.DOWN:
        raise Wrong(part.reason + figure)
    return f"{'degraded: ' if part.state is State.DEGRADED else ''}{part.reason}{figure}"


def matching_vectors(stored: str | None, settings: Settings) -> str:
    """Whose vectors these are, which must be those of the settings."""
    from foveal.compose import open_embedder

    wanted = open_embedder(None, settings).id
    if stored not in (None, wanted):
        raise Wrong(f"made by {stored}, the settings say {wanted}: run foveal reindex")
    return f"made by {stored}" if stored else "none yet"
