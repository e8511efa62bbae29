"""One tape of an organism, in memory."""

from __future__ import annotations

from dataclasses import dataclass, field

from foveal.model.glyph import Tape
from foveal.ports.tapes import Found, Kin, Whole
from foveal.rules.placement import Plane

Span = tuple[int, int, int]


@dataclass
class Joined:
    """A phrase of a tape, and which member of which family it is."""

    found: Found
    family: int | None = None
    member: int | None = None
    likeness: float = 0.0


@dataclass
class Reel:
    """What a tape holds: phrases by key, where versions mention them, families, and the places of versions."""

    tape: Tape
    followed: int = 0
    phrases: dict[int, Joined] = field(default_factory=dict[int, Joined])
    mentions: dict[int, list[Span]] = field(default_factory=dict[int, list[Span]])
    speakers: dict[int, list[tuple[int, int, int]]] = field(default_factory=dict[int, list[tuple[int, int, int]]])
    families: dict[int, Kin] = field(default_factory=dict[int, Kin])
    next_member: dict[int, int] = field(default_factory=dict[int, int])
    waiting: dict[int, Whole] = field(default_factory=dict[int, Whole])
    digits: dict[int, str] = field(default_factory=dict[int, str])
    plane: Plane | None = None

    def mention(self, seq: int, spans: list[Span]) -> None:
        """File where a version says which phrases."""
        self.mentions[seq] = spans
        for start, length, key in spans:
            self.speakers.setdefault(key, []).append((seq, start, length))

    def drop(self, seq: int) -> None:
        """Take a version out, with the phrases that only it had, and the families that had only those."""
        self.waiting.pop(seq, None)
        self.digits.pop(seq, None)
        for _, _, key in self.mentions.pop(seq, []):
            left = [one for one in self.speakers.get(key, []) if one[0] != seq]
            if left:
                self.speakers[key] = left
                continue
            self.speakers.pop(key, None)
            gone = self.phrases.pop(key, None)
            if gone is not None and gone.family is not None:
                if not any(one.family == gone.family for one in self.phrases.values()):
                    self.families.pop(gone.family, None)
