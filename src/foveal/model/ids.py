"""Ids of records: short, unique, and sorted by the order they were made in."""

from __future__ import annotations

import secrets
import threading
from datetime import datetime

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_PAIRS = [first + second for first in _ALPHABET for second in _ALPHABET]
_making = threading.Lock()
_last = 0


def new_id(now: datetime) -> str:
    """A fresh id: 48 bits of milliseconds and 80 random bits, 26 characters of base 32.

    Ids made by one process in one millisecond count up, so that they keep their order.

    >>> from datetime import UTC
    >>> early, late = new_id(datetime(2026, 1, 1, tzinfo=UTC)), new_id(datetime(2026, 1, 1, tzinfo=UTC))
    >>> len(early), early < late
    (26, True)
    """
    global _last
    moment = int(now.timestamp() * 1000) << 80
    with _making:
        same = _last >> 80 << 80 == moment
        # The top random bit stays 0, so that counting up cannot run into the next millisecond.
        _last = _last + 1 + secrets.randbits(32) if same else moment | secrets.randbits(79)
        number = _last
    return "".join([_PAIRS[(number >> shift) & 1023] for shift in range(120, -1, -10)])
