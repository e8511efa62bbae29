"""Which of the candidates go into the budget, and how sharp each is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime

import msgspec
from msgspec import Struct

from foveal.errors import Invalid
from foveal.model.context import Cut

Place = tuple[datetime, str]

# Longer lines are not even counted: no ordinary text has so many characters to a token.
MOST_CHARACTERS_A_TOKEN = 16


class Candidate(Struct, frozen=True, kw_only=True):
    """A record that could be shown: its whole line under the heading of its day, and how to shorten it to a depth.

    `place` orders candidates by time; `earlier` is true for what another session said; `question` is the id of the
    turn it answers, if that is a candidate too; `told` is the whole line with what it replaced.
    """

    id: str
    score: float
    whole: str
    shorter: Callable[[int], str]
    heading: str
    place: Place
    earlier: bool = False
    question: str | None = None
    told: str | None = None

    def line(self, depth: int) -> str:
        """The line at a depth: 2 is the whole."""
        return self.whole if depth == 2 else self.shorter(depth)

    def forms(self) -> Iterator[tuple[int, str]]:
        """Every line that may be shown with its depth, the sharpest first."""
        if self.told is not None:
            yield 2, self.told
        for depth in (2, 1, 0):
            yield depth, self.line(depth)


class Choice(Struct, frozen=True, kw_only=True):
    """A candidate that is shown: at which depth, for which zone, as which line, and what it costs."""

    candidate: Candidate
    depth: int
    zone: str
    line: str
    tokens: int


class Zone(Struct, frozen=True):
    """A part of the budget kept for some candidates: in their own order, at most so many of them.

    The share is a floor, not a wall: what a zone does not spend, the others may. A budget below `least` is too
    short for the zone.
    """

    name: str
    share: float
    order: Callable[[Sequence[Candidate]], list[Candidate]]
    most: int | None = None
    least: int = 0


def _by_score(candidates: Sequence[Candidate]) -> list[Candidate]:
    return sorted((one for one in candidates if one.score > 0), key=lambda one: (-one.score, one.place))


def _earlier(candidates: Sequence[Candidate]) -> list[Candidate]:
    return [one for one in _by_score(candidates) if one.earlier]


def _newest(candidates: Sequence[Candidate]) -> list[Candidate]:
    return sorted(candidates, key=lambda one: one.place, reverse=True)


def _oldest(candidates: Sequence[Candidate]) -> list[Candidate]:
    return sorted(candidates, key=lambda one: one.place)


def _blended(candidates: Sequence[Candidate]) -> list[Candidate]:
    """By score and recency together, 7 to 3."""
    top = max((one.score for one in candidates), default=0.0) or 1.0
    fresh = {one.id: number / len(candidates) for number, one in enumerate(_oldest(candidates), 1)}
    return sorted(candidates, key=lambda one: -(0.7 * one.score / top + 0.3 * fresh[one.id]))


# The first thing a context needs is what the question points at; then how it began, and where it stands now.
POLICIES: dict[str, tuple[Zone, ...]] = {
    "foveated": (
        Zone("relevant", 0.5, _by_score),
        Zone("earlier", 0.1, _earlier),
        Zone("recent", 0.4, _newest, most=2),
        Zone("early", 0.3, _oldest, most=1, least=200),
        Zone("relevant", 1.0, _by_score),
        Zone("recent", 1.0, _newest),
    ),
    "relevant": (Zone("relevant", 1.0, _by_score),),
    "recent": (Zone("recent", 1.0, _newest),),
    "mixed": (Zone("mixed", 1.0, _blended),),
}


class Fit:
    """A budget being filled."""

    def __init__(self, budget: int, count: Callable[[str], int]) -> None:
        self._count = count
        self._left = budget
        self._days: set[str] = set()
        self._said: set[str] = set()
        self.chosen: dict[str, Choice] = {}
        self.duplicates: set[str] = set()

    def fill(self, zone: Zone, candidates: Sequence[Candidate], known: dict[str, Candidate], budget: int) -> None:
        """Spend a zone's share on its candidates: one that does not fit is shown shallower, or passed over."""
        room, taken = int(zone.share * budget), 0
        for candidate in zone.order(candidates):
            if taken == zone.most or self._left < 4:
                return
            if candidate.id in self.chosen:
                taken += 1
                continue
            # The best of a zone may take more than its share: a share that holds nothing helps nobody.
            spent = self._take(candidate, zone.name, self._left if taken == 0 else min(room, self._left))
            if spent:
                taken += 1
                room -= spent
                if candidate.question in known:
                    room -= self._take(known[candidate.question], zone.name, min(room, self._left))

    def _take(self, candidate: Candidate, zone: str, room: int) -> int:
        if candidate.id in self.chosen:
            return 0
        said = f"{candidate.heading} {candidate.whole}"
        if said in self._said:
            self.duplicates.add(candidate.id)
            return 0
        above = 0 if candidate.heading in self._days else self._count(candidate.heading + "\n")
        last = ""
        for depth, line in candidate.forms():
            if line == last or len(line) > MOST_CHARACTERS_A_TOKEN * room:
                continue
            last = line
            tokens = above + self._count(line + "\n")
            if tokens <= room:
                self.chosen[candidate.id] = Choice(
                    candidate=candidate, depth=depth, zone=zone, line=line, tokens=tokens
                )
                self._days.add(candidate.heading)
                self._said.add(said)
                self._left -= tokens
                return tokens
        return 0

    def retell(self, candidates: Sequence[Candidate]) -> None:
        """Spend what is left on saying what the chosen replaced, the most relevant first."""
        for candidate in (one for one in _by_score(candidates) if one.told is not None):
            choice, line = self.chosen.get(candidate.id), candidate.told or ""
            if choice is None or choice.depth < 2:
                continue
            more = self._count(line + "\n") - self._count(choice.line + "\n")
            if more <= self._left:
                self._left -= more
                self.chosen[candidate.id] = msgspec.structs.replace(choice, line=line, tokens=choice.tokens + more)


def fitted(
    candidates: Sequence[Candidate], budget: int, count: Callable[[str], int], policy: str = "foveated"
) -> tuple[list[Choice], list[Cut]]:
    """What fits `budget`, in the order of time, and what was cut.

    When everything fits, everything comes, whole.

    >>> rows = [Candidate(id=i, score=s, whole=t, shorter=lambda _, t=t: t[:6], heading="", place=(datetime.min, i))
    ...         for i, s, t in [("a", 0.9, "first line"), ("b", 0.8, "second line, long"), ("c", 0.1, "x")]]
    >>> chosen, cut = fitted(rows, budget=24, count=len, policy="relevant")
    >>> [(one.candidate.id, one.depth) for one in chosen], [(one.id, one.reason) for one in cut]
    ([('a', 2), ('b', 1), ('c', 2)], [])
    """
    if policy not in POLICIES:
        raise Invalid(f"there is no policy {policy!r}: use {', '.join(POLICIES)}")
    whole = Fit(budget, count)
    plain = [msgspec.structs.replace(one, told=None) if one.told else one for one in candidates]
    whole.fill(Zone("whole", 1.0, _oldest), plain, {}, budget)
    fit = whole
    fit.retell(candidates)
    if len(whole.chosen) + len(whole.duplicates) < len(candidates) or _shallow(whole.chosen.values()):
        fit = Fit(budget, count)
        known = {one.id: one for one in candidates}
        for zone in POLICIES[policy]:
            if budget >= zone.least:
                fit.fill(zone, candidates, known, budget)
    cut = [
        Cut(id=one.id, reason="duplicate" if one.id in fit.duplicates else "budget", score=one.score)
        for one in sorted(candidates, key=lambda one: -one.score)
        if one.id not in fit.chosen
    ]
    return sorted(fit.chosen.values(), key=lambda one: one.candidate.place), cut


def _shallow(chosen: Iterable[Choice]) -> bool:
    return any(one.depth < 2 for one in chosen)
