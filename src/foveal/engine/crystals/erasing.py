"""Erased texts leave the crystals that hold them."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from foveal.engine.core import Core
from foveal.model.query import Sight, Viewpoint
from foveal.rules.crystals import redacted, telling


def texts_of(core: Core, sight: Sight, ids: Iterable[str]) -> list[str]:
    """What all versions of these records say, also those that do not reach the node that erases them."""
    wide = msgspec.structs.replace(sight, where=None, owner=True, hidden=True)
    return [version.text for one in ids for version in core.store.history(wide, one)]


def redact(core: Core, viewpoint: Viewpoint, texts: Iterable[str]) -> tuple[str, ...]:
    """Take texts out of every crystal of an organism, cherished ones too. Gives the ids of those that held them."""
    told = telling(texts)
    # What is erased is erased for every node.
    root = msgspec.structs.replace(viewpoint, node="/")
    found: list[str] = []
    for line in core.store.lineages(root) if told else ():
        left = redacted(core.store.crystal(root, line.crystal_id), told)
        if left is not None:
            core.store.put_crystal(root, left, instead=True)
            found.append(line.crystal_id)
    return tuple(found)
