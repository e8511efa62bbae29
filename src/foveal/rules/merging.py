"""How what a branch has said comes back to the thread it left, however far that has gone since."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

import msgspec

from foveal.errors import Conflict, Invalid, TooLarge
from foveal.model.crystal import ContextWindow, Form, Grade, Role, Strategy, Turn, digest_of
from foveal.model.record import Linearity
from foveal.rules.compressing import units
from foveal.rules.condensing import Summarise, statements
from foveal.rules.splitting import sentences
from foveal.rules.windowing import Count, measured

STRATEGIES: tuple[str, ...] = get_args(Strategy)
BRIEF = 400


def own_turns(child: ContextWindow, base: ContextWindow, parent: ContextWindow) -> list[Turn]:
    """What the child has said since it left `base` and the parent has not: by name, not by place."""
    known = {one for window in (base, parent) for turn in window.turns for one in (turn.id, *turn.covers)}
    return [turn for turn in child.turns if turn.id not in known and not set(turn.covers or (turn.id,)) <= known]


def merged(
    parent: ContextWindow,
    child: ContextWindow,
    base: ContextWindow,
    *,
    count: Count,
    summarise: Summarise,
    strategy: str = "summarise",
    pick: Sequence[str] = (),
    budget: int | None = None,
    name: str = "branch",
) -> ContextWindow:
    """The parent with what the child brings at its end; nothing of either is lost, also if both have grown.

    "summarise" tells in one turn what it decided and what it was about, "squash" puts all it said into one turn,
    "rebase" replays every turn, "cherry_pick" those that `pick` names. PRESERVED turns always come word for word.
    """
    if strategy not in STRATEGIES:
        raise Invalid(f"strategy {strategy!r} is not one of {', '.join(STRATEGIES)}")
    own = own_turns(child, base, parent)
    if strategy == "cherry_pick":
        own = _picked(own, pick)
    if not own:
        raise Conflict(f"there is nothing in {name} to merge: it was merged before, or has said nothing")
    if strategy in ("rebase", "cherry_pick"):
        brought = own
    else:
        kept = [turn for turn in own if turn.linearity is Linearity.PRESERVED]
        rest = [turn for turn in own if turn.linearity is not Linearity.PRESERVED]
        room = (BRIEF if budget is None else budget) - sum(turn.tokens for turn in kept)
        brought = [*_single(rest, name, strategy, room, count, summarise), *kept]
    tokens = sum(turn.tokens for turn in brought)
    if budget is not None and tokens > budget:
        raise TooLarge(f"{name} may bring back {budget} tokens and brings {tokens}", budget=budget, tokens=tokens)
    number = parent.last_number
    placed = [msgspec.structs.replace(turn, number=number + n) for n, turn in enumerate(brought, 1)]
    return parent.with_turns([*parent.turns, *placed])


def _picked(own: list[Turn], pick: Sequence[str]) -> list[Turn]:
    """The named turns, each with the call or the results that belong to it."""
    missing = set(pick) - {turn.id for turn in own}
    if missing or not pick:
        raise Invalid(f"pick names of turns of the branch; it has {', '.join(turn.id for turn in own) or 'none'}")
    return [turn for unit in units(own) if any(one.id in pick for one in unit) for turn in unit]


def _single(
    rest: list[Turn], name: str, strategy: str, room: int, count: Count, summarise: Summarise
) -> list[Turn]:
    if not rest:
        return []
    head = f"[merged from {name}] Conclusion:"
    if strategy == "squash":
        told = "\n".join(f"{turn.role}: {turn.spoken}" for turn in rest)
    else:
        stated = [one for turn in rest if turn.linearity is Linearity.REQUIRED for one in _stated(turn)]
        others = [
            one
            for turn in rest
            if turn.form is not Form.MASKED
            for one in sentences(turn.spoken)
            if not any(one in told for told in stated)
        ]
        left = room - count("\n".join([head, *stated])) - 1
        told = "\n".join([*stated, summarise(others, left, count) if left > 0 else ""]).strip()
    covers = tuple(one for turn in rest for one in (turn.covers or (turn.id,)))
    return [
        measured(
            Turn(
                id=digest_of("merge", *covers),
                number=0,
                role=Role.ASSISTANT,
                content=f"{head}\n{told}",
                tokens=0,
                grade=Grade(linearity=Linearity.REQUIRED, rationale=f"what {name} found"),
                timestamp=rest[-1].timestamp,
                form=Form.CONDENSED,
                covers=covers,
            ),
            count,
        )
    ]


def _stated(turn: Turn) -> list[str]:
    """What a REQUIRED turn must not lose: its statements, or all of it when it was shortened to them before."""
    return (turn.form is Form.WHOLE and statements(turn.content)) or [turn.content]
