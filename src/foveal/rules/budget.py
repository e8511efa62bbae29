"""Choosing what fits a token budget, and at which depth."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import datetime
from functools import partial

import msgspec
from msgspec import Struct

from foveal.errors import Invalid
from foveal.model.policy import MemoryPolicyConfig
from foveal.model.results import Cut

Place = tuple[datetime, str]

# Records that are only recent take at most this share of a budget, and half of it in a budget below this size.
MOST_RECENT, SMALL_BUDGET = 0.3, 512

# Standing instructions and preferences take at most this share.
STANDING = 0.25

# Longer lines do not fit and are not even counted: no ordinary text has so many characters per token.
MOST_CHARACTERS_A_TOKEN = 16
# Shortening is slow: after this many long candidates in a row that do not fit even shortened, a zone gives up.
LONG, MOST_MISSED = 240, 4


class Candidate(Struct, frozen=True, kw_only=True):
    """A record that could be shown: its whole line, the heading of its day, and how to shorten it to a depth.

    `place` orders candidates by time. `earlier` is true for records of another session, `working` for those in the
    working tier of this one, or without a session of the actor. `question` is the id of the turn it answers, if
    that is a candidate too. `told` is the whole line including what it replaced. `deepest` is the greatest depth
    allowed. A `faint` candidate is not relevant enough. A `standing` one states an instruction or a preference that
    the question touches; the number is how much, and 0 for all others.
    """

    id: str
    relevance: float
    whole: str
    shorter: Callable[[int], str]
    heading: str
    place: Place
    earlier: bool = False
    question: str | None = None
    told: str | None = None
    working: bool = False
    deepest: int = 2
    faint: bool = False
    standing: float = 0.0

    def line(self, depth: int) -> str:
        """The line at a depth; 2 is the whole line."""
        return self.whole if depth == 2 else self.shorter(depth)

    def forms(self) -> Iterator[tuple[int, str]]:
        """Every line that may be shown, with its depth, deepest first."""
        if self.told is not None and self.deepest == 2:
            yield 2, self.told
        for depth in range(self.deepest, -1, -1):
            yield depth, self.line(depth)


class Choice(Struct, frozen=True, kw_only=True):
    """A candidate that is shown: its line and heading, the depth, the zone that paid for it, and its cost."""

    candidate: Candidate
    heading: str
    depth: int
    zone: str
    line: str
    tokens: int


class Zone(Struct, frozen=True):
    """A part of the budget reserved for some candidates, in an order of its own, for at most `most` of them.

    The share is a minimum: what a zone does not spend, the others may. Only a zone with a `wall` never exceeds its
    share, not even for its best candidate; it counts what the zone it is `within` has spent as its own. A budget
    below `least` skips the zone. `deep` is the share of the budget after which candidates that can be shortened are
    no longer shown whole. The `rest` zone takes what is left at the end, unless a candidate is faint. A zone that
    `ends` stops at the first candidate that does not fit whole, because a later zone has more room for it. The
    `label` says in the heading why something is shown that the question did not ask for.
    """

    name: str
    share: float
    order: Callable[[Sequence[Candidate]], list[Candidate]]
    most: int | None = None
    least: int = 0
    wall: bool = False
    ends: bool = False
    deep: float = 1.0
    rest: bool = False
    label: str = ""
    within: str = ""

    def heading(self, of: str) -> str:
        """The heading of a day, with the label of the zone.

        >>> Zone("recent", 1.0, _newest, label="recent").heading("[2026-05-01]")
        '[2026-05-01, recent]'
        """
        return f"{of[:-1]}, {self.label}]" if self.label and of.endswith("]") else of


def _by_relevance(candidates: Sequence[Candidate]) -> list[Candidate]:
    relevant = (candidate for candidate in candidates if candidate.relevance > 0 and not candidate.faint)
    return sorted(relevant, key=lambda candidate: (-candidate.relevance, candidate.place))


def _earlier(candidates: Sequence[Candidate]) -> list[Candidate]:
    return [candidate for candidate in _by_relevance(candidates) if candidate.earlier]


def _working(candidates: Sequence[Candidate]) -> list[Candidate]:
    return [candidate for candidate in _newest(candidates) if candidate.working]


def _standing(candidates: Sequence[Candidate]) -> list[Candidate]:
    stated = (candidate for candidate in candidates if candidate.standing > 0)
    return sorted(stated, key=lambda candidate: (-candidate.standing, candidate.place))


def _newest(candidates: Sequence[Candidate]) -> list[Candidate]:
    return sorted(candidates, key=lambda candidate: candidate.place, reverse=True)


def _oldest(candidates: Sequence[Candidate]) -> list[Candidate]:
    return sorted(candidates, key=lambda candidate: candidate.place)


def _blended(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Ordered by relevance and recency together, weighted 7 to 3."""
    top = max((candidate.relevance for candidate in candidates), default=0.0) or 1.0
    fresh = {candidate.id: number / len(candidates) for number, candidate in enumerate(_oldest(candidates), 1)}
    return sorted(candidates, key=lambda candidate: -(0.7 * candidate.relevance / top + 0.3 * fresh[candidate.id]))


POLICIES = ("foveated", "relevant", "recent", "mixed")


def zones_of(
    policy: str, values: MemoryPolicyConfig, budget: int = SMALL_BUDGET, *, in_session: bool = False
) -> tuple[Zone, ...]:
    """The zones of a policy, in the order they are filled. In a small budget the recent zone shrinks.

    A context first needs what is relevant to the question, then the working tier of the session or the actor, the
    newest records and the beginning. What is left is spent again, first on relevant records.

    >>> [(zone.name, zone.share) for zone in zones_of("recent", MemoryPolicyConfig())]
    [('recent', 1.0)]
    """
    if policy not in POLICIES:
        raise Invalid(f"there is no policy {policy!r}: use {', '.join(POLICIES)}")
    if policy == "relevant":
        return (Zone("relevant", 1.0, _by_relevance),)
    if policy == "recent":
        return (Zone("recent", 1.0, _newest),)
    if policy == "mixed":
        return (Zone("mixed", 1.0, _blended),)
    earlier = values.earlier_sessions_ratio if in_session else 0.0
    return (
        Zone("relevant", values.relevant_ratio - earlier, _by_relevance, ends=True),
        Zone("earlier", earlier, _earlier, ends=True),
        Zone("standing", STANDING, _standing, wall=True, label="standing"),
        *_lately(values, budget, in_session=in_session),
        Zone(
            *("early", values.early_ratio, _oldest),
            most=values.early_records,
            least=values.early_from_tokens,
            label="beginning",
        ),
        Zone("relevant", 1.0, _by_relevance, deep=values.deep_budget_ratio),
        Zone("relevant", 1.0, _by_relevance),
        Zone("recent", 1.0, _newest, rest=True),
    )


def _lately(values: MemoryPolicyConfig, budget: int, *, in_session: bool) -> tuple[Zone, Zone]:
    """The zones of the working tier and of the newest records.

    They have walls, so that recent records never displace relevant ones. Without a session, the working tier of the
    actor has no share of its own: both zones together stay within that of the recent one.
    """
    small = budget < SMALL_BUDGET
    share = min(values.recent_ratio, MOST_RECENT) / (2 if small else 1)
    most = min(1, values.recent_records) if small else values.recent_records
    recent = Zone("recent", share, _newest, most=most, wall=True, label="recent", within="working")
    if in_session:
        return Zone("working", values.working_ratio, _working, wall=True), msgspec.structs.replace(
            recent, within=""
        )
    held = min(share, values.working_ratio)
    return Zone("working", held, _working, most=1 if small else None, wall=True, label="recent"), recent


class Fit:
    """A budget that is being filled with candidates."""

    def __init__(self, budget: int, count: Callable[[str], int]) -> None:
        self._count = count
        self._left = budget
        self._deep = 0
        self._days: set[str] = set()
        self._shown: set[tuple[str, str]] = set()
        self._least: dict[str, int] = {}
        self.chosen: dict[str, Choice] = {}
        self.duplicates: set[str] = set()

    def fill(self, zone: Zone, candidates: Sequence[Candidate], known: dict[str, Candidate], budget: int) -> None:
        """Spend a zone's share on its candidates. One that does not fit is shortened, or skipped."""
        room, taken, deep = int(zone.share * budget), 0, int(zone.deep * budget)
        room -= sum(choice.tokens for choice in self.chosen.values() if zone.within and choice.zone == zone.within)
        missed = 0
        if zone.share == 0:
            return
        for candidate in zone.order(candidates):
            if taken == zone.most or self._left < 4:
                return
            if candidate.id in self.chosen:
                taken += 1
                room -= self._take_question(candidate, zone, known, min(room, self._left), deep)
                continue
            # The best candidate of a zone may exceed its share: otherwise a small share might show nothing at all.
            most = self._left if taken == 0 and not zone.wall else min(room, self._left)
            whole = zone.ends and taken > 0
            spent = self._take(candidate, zone, most, deep, whole=whole)
            if whole and not spent and candidate.id not in self.duplicates:
                return
            if spent:
                missed, taken = 0, taken + 1
                room -= spent
                room -= self._take_question(candidate, zone, known, min(room, self._left), deep)
                continue
            missed += len(candidate.whole) > LONG and candidate.id not in self.duplicates
            if missed == MOST_MISSED:
                return

    def _take_question(
        self, candidate: Candidate, zone: Zone, known: dict[str, Candidate], room: int, deep: int
    ) -> int:
        """Show the turn that a candidate answers as well, if there is room. Returns the tokens spent."""
        if candidate.question not in known:
            return 0
        return self._take(known[candidate.question], zone, room, deep, whole=zone.ends)

    def _take(self, candidate: Candidate, zone: Zone, room: int, deep: int, *, whole: bool = False) -> int:
        if candidate.id in self.chosen:
            return 0
        content = (candidate.heading, candidate.whole)
        if content in self._shown:
            self.duplicates.add(candidate.id)
            return 0
        # Zones retry what earlier ones left over: a candidate that cannot fit is not rendered and counted again.
        if room < self._least.get(candidate.id, 0):
            return 0
        heading = zone.heading(candidate.heading)
        above = 0 if heading in self._days else self._count(heading + "\n")
        least = room + 1
        last = ""
        for depth, line in candidate.forms():
            if whole and depth < candidate.deepest:
                return 0
            if line == last:
                continue
            if len(line) > MOST_CHARACTERS_A_TOKEN * room:
                least = min(least, len(line) // MOST_CHARACTERS_A_TOKEN)
                continue
            last = line
            own = self._count(line + "\n")
            least = min(least, own)
            tokens = above + own
            shortens = depth == 2 and candidate.line(1) != line
            if tokens <= room and not (shortens and self._deep + tokens > deep):
                self._deep += tokens if shortens else 0
                self.chosen[candidate.id] = Choice(
                    candidate=candidate, heading=heading, depth=depth, zone=zone.name, line=line, tokens=tokens
                )
                self._days.add(heading)
                self._shown.add(content)
                self._left -= tokens
                return tokens
        self._least[candidate.id] = least
        return 0

    def retell(self, candidates: Sequence[Candidate]) -> None:
        """Spend what is left on showing what the chosen records replaced, most relevant first."""
        for candidate in (candidate for candidate in _by_relevance(candidates) if candidate.told is not None):
            choice, line = self.chosen.get(candidate.id), candidate.told or ""
            if choice is None or choice.depth < 2:
                continue
            more = self._count(line + "\n") - self._count(choice.line + "\n")
            if more <= self._left:
                self._left -= more
                self.chosen[candidate.id] = msgspec.structs.replace(choice, line=line, tokens=choice.tokens + more)


def fit(
    candidates: Sequence[Candidate],
    budget: int,
    count: Callable[[str], int],
    zones: Sequence[Zone],
) -> tuple[list[Choice], list[Cut]]:
    """The choices that fit `budget`, in time order, and the candidates that were cut.

    If all candidates fit whole and none is faint, all are shown whole.

    >>> rows = [Candidate(id=i, relevance=s, whole=t, shorter=lambda _, t=t: t[:6], heading="",
    ...                   place=(datetime.min, i))
    ...         for i, s, t in [("a", 0.9, "first line"), ("b", 0.8, "second line, long"), ("c", 0.1, "x")]]
    >>> chosen, cut = fit(rows, budget=24, count=len, zones=zones_of("relevant", MemoryPolicyConfig()))
    >>> [(choice.candidate.id, choice.depth) for choice in chosen], [(item.id, item.reason) for item in cut]
    ([('a', 2), ('b', 1), ('c', 2)], [])
    """
    fit = _whole(candidates, budget, count)
    if fit is None:
        fit = Fit(budget, count)
        faint = any(candidate.faint for candidate in candidates)
        known = {candidate.id: candidate for candidate in candidates}
        for zone in zones:
            if budget >= zone.least and not (zone.rest and faint):
                fit.fill(zone, candidates, known, budget)
    cut = [
        Cut(id=candidate.id, reason=_reason(candidate, fit.duplicates), relevance=candidate.relevance)
        for candidate in sorted(candidates, key=lambda candidate: -candidate.relevance)
        if candidate.id not in fit.chosen
    ]
    return sorted(fit.chosen.values(), key=lambda choice: choice.candidate.place), cut


def _whole(candidates: Sequence[Candidate], budget: int, count: Callable[[str], int]) -> Fit | None:
    """The budget filled with all candidates, whole; None if they do not fit, or one is faint."""
    if any(candidate.faint for candidate in candidates) or _too_many(candidates, budget, count):
        return None
    fit = Fit(budget, count)
    plain = [
        msgspec.structs.replace(candidate, told=None) if candidate.told else candidate for candidate in candidates
    ]
    fit.fill(Zone("whole", 1.0, _oldest, ends=True), plain, {}, budget)
    fit.retell(candidates)
    shallow = any(choice.depth < choice.candidate.deepest for choice in fit.chosen.values())
    return None if shallow or len(fit.chosen) + len(fit.duplicates) < len(candidates) else fit


def _too_many(candidates: Sequence[Candidate], budget: int, count: Callable[[str], int]) -> bool:
    """Whether the lines alone exceed the budget. A line that occurs twice on a day counts once."""
    left = budget
    for _, line in {(candidate.heading, candidate.line(candidate.deepest)) for candidate in candidates}:
        if len(line) > MOST_CHARACTERS_A_TOKEN * left:
            return True
        left -= count(line + "\n")
    return left < 0


def _reason(candidate: Candidate, duplicates: Collection[str]) -> str:
    if candidate.id in duplicates:
        return "duplicate"
    return "irrelevant" if candidate.faint else "budget"


TIERS: tuple[str, ...] = ("operational", "working", "longterm", "knowledge")
_NAMES = {
    **{name: name for name in TIERS},
    **{"long_term": "longterm", "long": "longterm", "semantic": "longterm", "l4": "longterm"},
}
# The system snapshot takes at most this many tokens, and at most one part in this many of a short budget.
SNAPSHOT_TOKENS, SNAPSHOT_SHARE, SNAPSHOT = 500, 4, "snapshot"
# The share of the budget that is reserved for each tier, and how many of its chunks come before all others.
SHARES = {"operational": (0.2, 3), "working": (0.4, 5), "longterm": (0.3, 3), "knowledge": (0.3, 2)}


class Offer(Struct, frozen=True, kw_only=True):
    """A chunk that could be shown, and the tier it comes from."""

    tier: str
    candidate: Candidate


def named_tiers(tiers: Sequence[str]) -> tuple[str, ...]:
    """The tiers with these names, each once, in the order they are shown.

    >>> named_tiers(["long_term", "operational", "longterm"])
    ('operational', 'longterm')
    """
    if isinstance(tiers, str):
        raise Invalid(f"tiers must be a list of names; for one write [{tiers!r}]")
    for name in tiers:
        if str(name).lower() not in _NAMES:
            raise Invalid(f"{name!r} is not a tier to assemble from; use one of {', '.join(_NAMES)}")
    wanted = {_NAMES[str(name).lower()] for name in tiers}
    return tuple(tier for tier in TIERS if tier in wanted)


def snapshot_room(budget: int) -> int:
    """How many tokens the system snapshot may take.

    >>> snapshot_room(4000), snapshot_room(400)
    (500, 100)
    """
    return min(SNAPSHOT_TOKENS, budget // SNAPSHOT_SHARE)


def shared_out(offers: Sequence[Offer], budget: int, count: Callable[[str], int]) -> list[Choice]:
    """The choices that fit the budget: the snapshot, then the best of each tier, then the most relevant others.

    A share is a minimum. A chunk that does not fit is shortened or skipped.
    """
    candidates = [offer.candidate for offer in offers]
    tiers = {offer.candidate.id: offer.tier for offer in offers}
    fit = Fit(budget, count)
    first = [Zone("operational", 1.0, _snapshot, most=1)]
    each = [
        Zone(tier, share, partial(_of, tiers, tier), most=most)
        for tier, (share, most) in SHARES.items()
        if tier in tiers.values()
    ]
    for zone in [*first, *each, Zone("rest", 1.0, partial(_of, tiers, None))]:
        fit.fill(zone, candidates, {}, budget)
    order = list(TIERS)
    return sorted(
        fit.chosen.values(),
        key=lambda choice: (
            order.index(tiers[choice.candidate.id]),
            choice.candidate.id != SNAPSHOT,
            -choice.candidate.relevance,
            choice.candidate.id,
        ),
    )


def _snapshot(candidates: Sequence[Candidate]) -> list[Candidate]:
    return [candidate for candidate in candidates if candidate.id == SNAPSHOT]


def _of(tiers: dict[str, str], tier: str | None, candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates of a tier, or of all, best first."""
    chosen = [
        candidate for candidate in candidates if candidate.id != SNAPSHOT and tier in (None, tiers[candidate.id])
    ]
    return sorted(chosen, key=lambda candidate: (-candidate.relevance, candidate.id))


# The zones that are filled by relevance.
POINTED = ("relevant", "earlier", "mixed")
# Where everything is shown, records with at least this share of the best relevance count as relevant.
NEAR_BEST = 0.5


def is_use(zone: str, depth: int, share: float) -> bool:
    """Whether showing a record counts as a use: more than its gist was shown, and because it is relevant.

    `share` is its relevance relative to the best.

    >>> is_use("relevant", 2, 0.3), is_use("recent", 2, 0.3), is_use("relevant", 0, 1.0), is_use("whole", 2, 0.9)
    (True, False, False, True)
    """
    return depth >= 1 and (zone in POINTED or (zone == "whole" and share >= NEAR_BEST))
