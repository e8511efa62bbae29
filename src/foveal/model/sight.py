"""From where a call looks, and what it may see."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct

from foveal.model.filter import Filter


class Viewpoint(Struct, frozen=True, kw_only=True):
    """Who is asking: whose memory it is, and the node and session that speak.

    (world, actor) is one organism; the tree of nodes lives inside it.
    """

    world: str = "default"
    actor_id: str
    node: str = "/"
    session_id: str | None = None

    @property
    def organism(self) -> tuple[str, str]:
        """The memory that is looked at."""
        return (self.world, self.actor_id)


class Sight(Struct, frozen=True, kw_only=True):
    """What one call may see.

    `as_of` asks what was known then, `valid_at` what was true then; `where` narrows further.
    The owner of an organism sees all its nodes; with `hidden`, also what is forgotten or expired. A sight that
    is `recalling` does not see what is muted.
    """

    viewpoint: Viewpoint
    now: datetime
    as_of: datetime | None = None
    valid_at: datetime | None = None
    where: Filter | None = None
    owner: bool = False
    hidden: bool = False
    recalling: bool = False
