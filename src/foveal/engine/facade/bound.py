"""A memory and the viewpoint that is bound to it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from foveal.engine.core import Core
from foveal.model.query import At, Sight
from foveal.rules.drafts import viewpoint_of
from foveal.rules.filters import parsed_filter
from foveal.rules.validation import checked_moment

Filters = Mapping[str, Any]
Moment = datetime | str


class Bound:
    """What every part of the facade stands on."""

    def __init__(self, core: Core, bound: At, as_of: datetime | None = None) -> None:
        self._given = core
        self._bound = bound
        self._as_of = as_of

    @property
    def _core(self) -> Core:
        """What the verbs work with; another encoder puts another in its place."""
        return self._given.newest

    def _sight(
        self,
        at: At,
        filters: Filters | None = None,
        as_of: Moment | None = None,
        valid_at: Moment | None = None,
    ) -> Sight:
        moments = [one for one in (checked_moment(as_of, "as_of"), self._as_of) if one is not None]
        return self._core.sight(
            viewpoint_of(self._bound, at),
            where=parsed_filter(filters),
            as_of=min(moments, default=None),
            valid_at=checked_moment(valid_at, "valid_at"),
        )
