"""What sessions need of a store."""

from __future__ import annotations

from typing import Protocol

from foveal.model.query import Sight, Viewpoint
from foveal.model.record import Session


class Sessions(Protocol):
    """Sessions belong to an organism; what is counted of them is what the sight may see."""

    def put_session(self, viewpoint: Viewpoint, session: Session) -> None:
        """Keep a session, or what has changed about it."""
        ...

    def sessions(self, sight: Sight, session_id: str | None = None, limit: int | None = None) -> list[Session]:
        """Those that were created and those that visible records name, the latest first; or the one of this id."""
        ...
