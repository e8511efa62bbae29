"""Which of the candidates go into the budget."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from foveal.model.context import Cut


class Candidate(Struct, frozen=True, kw_only=True):
    """A record that could be shown: its line, and its shorter line if it has one."""

    id: str
    score: float
    line: str
    short: str
    order: tuple[object, ...]


class Choice(Struct, frozen=True, kw_only=True):
    """A candidate that is shown, in full or short, and what its line costs."""

    candidate: Candidate
    full: bool
    tokens: int

    @property
    def line(self) -> str:
        """The line as shown."""
        return self.candidate.line if self.full else self.candidate.short


def fitted(
    candidates: Sequence[Candidate], budget: int, count: Callable[[str], int]
) -> tuple[list[Choice], list[Cut]]:
    """The best candidates that fit `budget`, in the order of time, and what was cut.

    Best first; one that does not fit is shown short, or skipped, and the rest goes on. What is already
    said is not said again.

    >>> rows = [Candidate(id=i, score=s, line=t, short=t[:3], order=(o,)) for i, s, t, o in
    ...         [("a", 0.9, "first line", 2), ("b", 0.8, "second line, long", 1), ("c", 0.1, "x", 3)]]
    >>> chosen, cut = fitted(rows, budget=14, count=len)
    >>> [(c.candidate.id, c.full) for c in chosen], [c.reason for c in cut]
    ([('b', False), ('a', True), ('c', True)], [])
    """
    chosen: list[Choice] = []
    cut: list[Cut] = []
    said: set[str] = set()
    left = budget
    for candidate in sorted(candidates, key=lambda one: -one.score):
        if candidate.line in said:
            cut.append(Cut(id=candidate.id, reason="duplicate", score=candidate.score))
            continue
        tokens = count(candidate.line)
        full = tokens <= left
        if not full and candidate.short != candidate.line:
            tokens = count(candidate.short)
        if tokens > left:
            cut.append(Cut(id=candidate.id, reason="budget", score=candidate.score, tokens=tokens))
            continue
        said.add(candidate.line)
        left -= tokens
        chosen.append(Choice(candidate=candidate, full=full, tokens=tokens))
    chosen.sort(key=lambda choice: choice.candidate.order)
    return chosen, cut
