"""Notices in a Redis stream: how they are put there and read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

import msgspec
from redis import Redis

from foveal.model.notice import Kind, Mark, Notice, mark_of

NOWHERE = "0-0"
# So many the stream holds for those who are slow to read it: more than anybody keeps.
HELD = 10_000

# Ids are the server's time, and grow also when its clock is set back or it has lost everything: they come after
# what the sender knows. Each entry names the one before it, so that who reads knows whether something is missing.
_ADD = """
local function mark(id)
  local ms, number = string.match(id, '(%d+)-(%d+)')
  return tonumber(ms), tonumber(number)
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local before, ms, number = '0-0', mark(ARGV[1])
for place, key in ipairs(KEYS) do
  local newest = redis.call('XREVRANGE', key, '+', '-', 'COUNT', 1)
  if newest[1] then
    local its_ms, its_number = mark(newest[1][1])
    if place == 1 then before = newest[1][1] end
    if its_ms > ms or (its_ms == ms and its_number > number) then ms, number = its_ms, its_number end
  end
end
for place = 4, #ARGV, 3 do
  if now > ms then ms, number = now, 0 else number = number + 1 end
  local id = string.format('%.0f-%.0f', ms, number)
  local keys = {KEYS[1]}
  if ARGV[place + 2] == '1' then keys[2] = KEYS[2] end
  for _, key in ipairs(keys) do
    redis.call('XADD', key, 'MAXLEN', '~', ARGV[2], id, 'before', before, 'origin', ARGV[3],
      'number', ARGV[place], 'notice', ARGV[place + 1])
  end
  before = id
end
return before
"""


class Sent(NamedTuple):
    """A notice of one process, with its number there."""

    number: int
    notice: Notice


class Entry(NamedTuple):
    """A notice in the stream: where it is, what is before it, and who sent it."""

    id: str
    before: str
    origin: str
    number: int
    notice: Notice | None


class History(NamedTuple):
    """What a stream holds, where it ends, and from where on nothing is lost: of errors, and of the rest."""

    entries: list[Entry]
    end: str
    since: dict[bool, Mark]


class Stream:
    """The last notices, and beside them the last errors, which traffic does not drive out."""

    def __init__(self, client: Redis, prefix: str, room: int) -> None:
        self._client = client
        # The braces keep both in one part of a cluster.
        self._keys = (f"{{{prefix}}}:notices", f"{{{prefix}}}:errors")
        self._room = room
        self._add = client.register_script(_ADD)

    def add(self, sent: Sequence[Sent], *, origin: str, after: str) -> None:
        """Put notices at the end, all or none, with ids after this one."""
        told: list[Any] = [after, max(self._room, HELD), origin]
        for one in sent:
            told += [one.number, msgspec.json.encode(one.notice), int(one.notice.kind is Kind.ERROR)]
        self._add(keys=self._keys, args=told)

    def after(self, last: str, wait_ms: int) -> list[Entry]:
        """The entries after one, waiting for the first of them."""
        found = cast(
            "Sequence[Any] | dict[Any, Any] | None",
            self._client.xread({self._keys[0]: last}, count=500, block=wait_ms),
        )
        if not found:
            return []
        rows = next(iter(found.values()))[0] if isinstance(found, dict) else found[0][1]
        return [_entry(*row) for row in rows]

    def history(self) -> History:
        """What is kept now, in its order."""
        with self._client.pipeline(transaction=True) as line:
            for key in self._keys:
                line.xrevrange(key, count=self._room)
            line.time()
            rest, errors, (seconds, micros) = cast(Any, line.execute())
        # Just before what may be told from now on.
        now: Mark = (seconds * 1000 + micros // 1000 - 1, 0)
        every = {one.id: one for one in (_entry(*row) for row in (*errors, *rest))}
        first = mark_of(rest[-1][0].decode()) if rest else now
        oldest = mark_of(errors[-1][0].decode()) if errors else first
        return History(
            entries=sorted(every.values(), key=lambda one: mark_of(one.id)),
            end=rest[0][0].decode() if rest else NOWHERE,
            since={False: first, True: oldest if len(errors) >= self._room else min(first, oldest)},
        )


def _entry(place: bytes, fields: dict[bytes, bytes]) -> Entry:
    try:
        notice = msgspec.json.decode(fields[b"notice"], type=Notice)
    except (KeyError, msgspec.DecodeError):
        # Of a release that knows other notices: to this one it is a gap.
        notice = None
    return Entry(
        id=place.decode(),
        before=fields.get(b"before", b"").decode(),
        origin=fields.get(b"origin", b"").decode(),
        number=int(fields.get(b"number", b"0")),
        notice=None if notice is None else msgspec.structs.replace(notice, id=place.decode()),
    )
