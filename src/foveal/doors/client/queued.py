"""A remote whose writes wait while the server is away."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any, cast
from uuid import uuid4

from foveal.doors.client.outbox import Outbox
from foveal.doors.client.remote import Remote, away
from foveal.errors import FovealError, Invalid
from foveal.model.ids import new_id
from foveal.model.query import Details
from foveal.model.results import Rejected, Written
from foveal.ports.system import Clock, SystemClock
from foveal.rules.drafts import drafted, writer_of

WAITING = frozenset({"write", "write_many"})
# What a text that is sent again has in common with the first time.
RESENT = ("world", "actor_id", "node", "session_id", "speaker", "source", "occurred_at", "text")


class Queued:
    """Lets `write` and `write_many` wait in an outbox, and sends them in order, once each, when the server is back.

    What waits is checked first, has its id and its time already, and is sent before anything else is asked.
    """

    def __init__(self, remote: Remote, outbox: Outbox, *, clock: Clock | None = None) -> None:
        self._remote = remote
        self.outbox = outbox
        self._clock = clock or SystemClock()

    def call(self, name: str, arguments: Mapping[str, Any], *, key: str | None = None) -> Any:
        """The answer of the remote; a write that cannot be sent is `queued`."""
        if name not in WAITING:
            if len(self.outbox):
                self.flush()
            return self._remote.call(name, arguments, key=key)
        key = key or uuid4().hex
        arguments = _named(name, arguments, key, new_id(self._clock.now()))
        if len(self.outbox) and self.flush():
            # Behind those that wait already, or the order would be another.
            return self._queue(name, arguments, key)
        # Its id is settled before it is sent: whoever asked is told the same one, sent or queued.
        try:
            return self._remote.call(name, arguments, key=key)
        except FovealError as error:
            if not away(error):
                raise
            return self._queue(name, arguments, key)

    def flush(self) -> int:
        """Send what waits, as far as the server takes it. Gives how many still wait."""
        with self.outbox.replaying() as mine:
            while mine and (one := self.outbox.first()) is not None:
                try:
                    self._remote.call(one.verb, one.arguments, key=one.key)
                except FovealError as error:
                    if away(error) or error.retry:
                        break
                    self.outbox.refuse(one, error)
                else:
                    self.outbox.done(one)
        return len(self.outbox)

    def close(self) -> None:
        """Let go of what the remote holds; what waits stays on the disk."""
        self._remote.close()

    def _queue(self, name: str, arguments: Mapping[str, Any], key: str) -> Written:
        now = self._clock.now()
        if name == "write":
            said = self._complete(arguments)
            self.outbox.add(key, name, said, now)
            return _queued([said["id"]])
        shared = {one: value for one, value in arguments.items() if one != "items"}
        items: list[dict[str, Any]] = []
        rejected: list[Rejected] = []
        for index, item in enumerate(arguments["items"]):
            try:
                if not isinstance(item, Mapping):
                    raise Invalid("each item must be a string, or a mapping with a text")
                items.append(self._complete({**shared, **cast(Mapping[str, Any], item)}))
            except Invalid as error:
                rejected.append(Rejected(index=index, code=error.code, message=error.message))
        if items:
            self.outbox.add(key, name, {"items": items}, now)
        return _queued([one["id"] for one in items], rejected)

    def _complete(self, said: Mapping[str, Any]) -> dict[str, Any]:
        """A write as it will be sent, whenever that is, refused now if it is wrong: someone is there to hear it."""
        now = self._clock.now()
        whole = {"occurred_at": now.isoformat(), **said}
        details = cast(Details, {name: value for name, value in whole.items() if name != "text"})
        # A key for one actor need not name it.
        drafted(whole.get("text", ""), details, writer_of({"actor_id": "anyone"}, details), now, whole["id"])
        return whole


def _named(name: str, arguments: Mapping[str, Any], key: str, fresh: str) -> dict[str, Any]:
    """A write with its id and its key."""
    if name == "write":
        if arguments.get("occurred_at") is not None and not {"id", "idempotency_key"} & set(arguments):
            # A resend is known by its time and its words: both times it gets the same id and key.
            said = [str(arguments.get(one)) for one in RESENT]
            fresh = blake2b("\n".join(said).encode("utf-8", "replace"), digest_size=13).hexdigest()
            key = f"resend:{fresh}"
        return {"id": fresh, "idempotency_key": key, **arguments}
    items: list[Any] = []
    for index, item in enumerate(arguments.get("items", ())):
        own = {"text": item} if isinstance(item, str) else item
        if isinstance(own, Mapping):
            own = {"id": f"{fresh}{index:04d}", "idempotency_key": f"{key}.{index}", **own}
        items.append(own)
    return {**arguments, "items": items}


def _queued(ids: list[str], rejected: list[Rejected] | None = None) -> Written:
    return Written(ids=tuple(ids), addresses=(), encoder="", queued=tuple(ids), rejected=tuple(rejected or ()))
