"""A request that came under a key of its own, to be done once."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct


class Errand(Struct, frozen=True, kw_only=True):
    """What is done under a key, by whom, and what came of it.

    `place` is a digest of the key and of whoever uses it for what, `content` one of what is asked: the key itself
    is not kept. `holder` does it, and is known to be at it `until` then. `answer` is there once it is done; an
    empty one was erased since. `world` and `actor_id` say whose memory it is about, if it is about one.
    """

    place: bytes
    content: bytes
    holder: str
    begun_at: datetime
    until: datetime
    world: str | None = None
    actor_id: str | None = None
    answer: bytes | None = None
