"""Where a record lies: `world/region#<base-3 digits>@d<depth>t<slice>`."""

from __future__ import annotations

import re
from typing import Self

from msgspec import Struct

from foveal.errors import InvalidAddress

_FORM = re.compile(r"([^/#]+)/([^#]+)#([012]*)@d(\d+)t(\d+)(?:~v(\d+))?")


class Address(Struct, frozen=True, kw_only=True, order=True):
    """A place on the tape.

    `digits` is a path down a ternary tree over meaning; its length is the level, so `0` is not
    the same place as the root. `depth` is how much is shown there: 0 summary, 1 key phrases,
    2 verbatim. `tape` numbers the map the digits were read from.

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

    @classmethod
    def parse(cls, text: str) -> Self:
        """The address that `text` writes; `InvalidAddress` for any other text."""
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
