"""Record ids, whose they are, and `Address`."""

from __future__ import annotations

import re
import secrets
import threading
from datetime import datetime
from typing import Self

from msgspec import Struct

from foveal.errors import InvalidAddress

_FORM = re.compile(r"([^/#]+)/([^#]+)#([012]*)@d(\d{1,18})t(\d{1,18})(?:~v(\d{1,18}))?")


class Address(Struct, frozen=True, kw_only=True, order=True):
    """A place on a tape.

    `digits` is a path down a ternary tree over meaning; its length is the level, so `0` is not
    the same place as the root. `depth` is how much is shown there: 0 summary, 1 key phrases,
    2 verbatim. `tape` is the number of the map that the digits refer to.

    >>> str(Address(world="earth", region="agent:ada", digits="0120", time_slice=17))
    'earth/agent:ada#0120@d2t17'
    >>> Address.parse("earth/agent:ada#0120@d2t17").digits
    '0120'
    """

    world: str
    region: str
    digits: str = ""
    depth: int = 2
    time_slice: int = 0
    tape: int = 0

    def __str__(self) -> str:
        tape = f"~v{self.tape}" if self.tape else ""
        return f"{self.world}/{self.region}#{self.digits}@d{self.depth}t{self.time_slice}{tape}"

    @property
    def tri_path(self) -> list[int]:
        """The digits as numbers, from the root down.

        >>> Address.parse("earth/agent:ada#0120@d2t17").tri_path
        [0, 1, 2, 0]
        """
        return [int(digit) for digit in self.digits]

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse an address; raise `InvalidAddress` for any other text."""
        match = _FORM.fullmatch(text)
        if match is None:
            raise InvalidAddress(f"{text[:80]!r} is not of the form world/region#digits@d<depth>t<slice>")
        world, region, digits, depth, time_slice, tape = match.groups(default="0")
        return cls(
            world=world,
            region=region,
            digits=digits,
            depth=int(depth),
            time_slice=int(time_slice),
            tape=int(tape),
        )


_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_PAIRS = [first + second for first in _ALPHABET for second in _ALPHABET]
_lock = threading.Lock()
_last = 0


def new_id(now: datetime) -> str:
    """A fresh id: 48 bits of milliseconds and 80 random bits, 26 characters of base 32.

    Ids made by one process within a millisecond count up, so they sort in the order they were made.

    >>> from datetime import UTC
    >>> early, late = new_id(datetime(2026, 1, 1, tzinfo=UTC)), new_id(datetime(2026, 1, 1, tzinfo=UTC))
    >>> len(early), early < late
    (26, True)
    """
    global _last
    moment = int(now.timestamp() * 1000) << 80
    with _lock:
        same = _last >> 80 << 80 == moment
        # The top random bit stays 0, so that counting up cannot run into the next millisecond.
        _last = _last + 1 + secrets.randbits(32) if same else moment | secrets.randbits(79)
        number = _last
    return "".join([_PAIRS[(number >> shift) & 1023] for shift in range(120, -1, -10)])


# An id that `new_id` made; the items of a batch that waits in an outbox have their number behind it.
_MADE = re.compile(r"[0-9a-hjkmnp-tv-z]{26}(?:[0-9]{4})?")


def is_made(record_id: str) -> bool:
    """Whether an id has the form of one that Foveal makes: nobody can guess it.

    >>> from datetime import UTC
    >>> is_made(new_id(datetime(2026, 1, 1, tzinfo=UTC))), is_made("offer")
    (True, False)
    """
    return _MADE.fullmatch(record_id) is not None


def own_id(node: str, chosen: str) -> str:
    """The id of what a node stores under an id of its choice.

    Each node has ids of its own, told apart by their end: whatever one node has stored, another that chooses the
    same id gets the same answer. The root has those without such an end.

    >>> own_id("/planner", "offer"), own_id("/planner", "offer@/planner"), own_id("/", "offer")
    ('offer@/planner', 'offer@/planner', 'offer')
    >>> own_id("/", "offer@/planner"), own_id("/", "/"), own_id("/x@/a", "offer")
    ('offer@/planner@/', '/', 'offer@/x%40/a')
    """
    # The last @ of an id begins the node, so a node may have none.
    end = f"@{node.replace('%', '%25').replace('@', '%40')}"
    if is_made(chosen) or chosen.endswith(end):
        return chosen
    _, mark, last = chosen.rpartition("@")
    names_node = mark and last.startswith("/")
    return chosen if node == "/" and not names_node else chosen + end
