"""What a memory is told: written, corrected, forgotten."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Unpack

from foveal.engine import keep, write
from foveal.engine.dissolving import dissolve
from foveal.engine.facade.bound import Bound, Filters
from foveal.engine.facade.guarding import checking
from foveal.model.query import At, Details
from foveal.model.record import Record
from foveal.model.results import Forgotten, Written
from foveal.rules.drafts import viewpoint_of, writer_of


class Writing(Bound):
    """What a memory is told: written, corrected, forgotten."""

    def write(self, text: str, **details: Unpack[Details]) -> Written:
        """Store a text. When this returns, the next read finds it and a crash does not lose it."""
        return write.write(self._core, self._bound, text, details)

    def write_many(self, items: Iterable[str | Mapping[str, Any]], **details: Unpack[Details]) -> Written:
        """Store many texts: strings, or mappings with a text and details of their own.

        Each batch is one transaction. What cannot be taken is in `rejected` with its position.
        """
        return write.write_many(self._core, self._bound, items, details)

    def supersede(
        self, record_id: str, text: str, *, expected_version: int | None = None, **details: Unpack[Details]
    ) -> Record:
        """Add a version with a new text; the old one stays in `history`. What is not said, stays."""
        viewpoint = writer_of(self._bound, details)
        sight = self._core.sight(viewpoint)
        dissolve(self._core, sight, self._core.store.get(sight, [record_id]))
        return write.supersede(self._core, viewpoint, record_id, text, details, expected_version)

    @checking
    def forget(
        self,
        target: str | Sequence[str] | Filters,
        *,
        hard: bool = False,
        cascade: bool = False,
        **at: Unpack[At],
    ) -> Forgotten:
        """Take records out of sight: one id, several, or all that a filter finds.

        With `hard`, they are erased for good; with `cascade`, all that lies below them goes too. One pinned id is
        `Pinned`; several are skipped and reported, as are pinned ones below.
        """
        return keep.forget(self._core, viewpoint_of(self._bound, at), target, hard=hard, cascade=cascade)
