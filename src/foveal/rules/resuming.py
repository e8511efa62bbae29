"""What of a crystal is put back when there is not room for all of it."""

from __future__ import annotations

from foveal.errors import BudgetTooSmall
from foveal.model.crystal import ContextWindow, StateCrystal, Turn
from foveal.model.record import Linearity
from foveal.rules.crystallizing import head_of, window_of
from foveal.rules.splitting import sentences
from foveal.rules.windowing import Count


def fitted(crystal: StateCrystal, count: Count, max_tokens: int) -> tuple[ContextWindow, tuple[str, ...]]:
    """The window of a crystal within `max_tokens`, and the ids of the fragments that it leaves out.

    The state and every PRESERVED turn come first, then REQUIRED ones from the newest back, then as many sentences
    of the summary as there is room for. `BudgetTooSmall` if not even the first fit.
    """
    whole = window_of(crystal, count, max_tokens)
    if whole.tokens <= max_tokens:
        return whole, ()
    bare = head_of(crystal, "", count)
    turns = whole.turns[1:]
    chosen = {turn.id for turn in turns if turn.linearity is Linearity.PRESERVED}
    spent = bare.tokens + sum(turn.tokens for turn in turns if turn.id in chosen)
    if spent > max_tokens:
        raise BudgetTooSmall(
            f"{max_tokens} tokens do not hold what {crystal.crystal_id} must keep: it needs {spent}", needed=spent
        )
    for turn in reversed(turns):
        if turn.id not in chosen and spent + turn.tokens <= max_tokens:
            chosen.add(turn.id)
            spent += turn.tokens
    head = _head(crystal, count, bare, max_tokens - spent)
    left = tuple(turn.id for turn in turns if turn.id not in chosen)
    return whole.with_turns([head, *(turn for turn in turns if turn.id in chosen)]), left


def _head(crystal: StateCrystal, count: Count, bare: Turn, room: int) -> Turn:
    """The head with as much of the summary as fits."""
    told = sentences(crystal.history_summary)
    while told:
        head = head_of(crystal, " ".join(one.strip() for one in told), count)
        if head.tokens <= bare.tokens + room:
            return head
        told = told[:-1]
    return bare
