"""What of a window becomes a crystal, and what window a crystal becomes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from foveal.model.crystal import (
    ContextWindow,
    Difference,
    FocusFragment,
    Form,
    Grade,
    Lineage,
    Role,
    StateCrystal,
    TaskState,
    Turn,
    digest_of,
)
from foveal.model.record import Linearity
from foveal.rules.classing import focused
from foveal.rules.compressing import LONG, condensed_turn
from foveal.rules.condensing import Summarise, gathered
from foveal.rules.marking import resumed, resumed_from, unfolded
from foveal.rules.windowing import Count, measured

BRIEF = 400


@dataclass(frozen=True)
class Parts:
    """A window taken apart: what stays, the turns that go, what is summarised, and where it was resumed from."""

    fragments: tuple[FocusFragment, ...]
    shortened: tuple[Turn, ...]
    summary: str
    focus_tokens: int
    parent: str | None


def parts_of(
    window: ContextWindow,
    count: Count,
    summarise: Summarise,
    *,
    hints: Sequence[str] = (),
    more: Iterable[str] = (),
    budget: int = BRIEF,
) -> Parts:
    """What a crystal keeps of a window: PRESERVED turns word for word, REQUIRED ones with every statement, and a
    summary of the rest, which goes on from the summary that the window was resumed with. `more` is summarised, too.
    """
    fragments: list[FocusFragment] = []
    shortened: list[Turn] = []
    told: list[str] = []
    seen: list[str] = []
    parent: str | None = None
    tokens = 0
    for turn in (focused(one, hints) for one in window.turns):
        head = resumed_from(turn.content) if turn.role is Role.SYSTEM else None
        if head is not None:
            parent = head[0]
            told.append(head[1])
        elif turn.linearity is Linearity.DROPPABLE:
            shortened += [turn] if turn.form is Form.WHOLE else []
            texts = seen if turn.role is Role.TOOL else told
            texts += [unfolded(turn.content)] if turn.form is not Form.MASKED else []
        else:
            kept = _shortest(turn, count, summarise)
            shortened += [turn] if kept is not turn else []
            fragments.append(_fragment(kept))
            tokens += kept.tokens
    summary = gathered([*told, *more], seen, budget, count, summarise)
    return Parts(tuple(fragments), tuple(shortened), summary, tokens, parent)


def _shortest(turn: Turn, count: Count, summarise: Summarise) -> Turn:
    long = turn.linearity is Linearity.REQUIRED and turn.form is Form.WHOLE and turn.tokens > LONG
    short = condensed_turn(turn, count, summarise) if long else turn
    return short if short.tokens < turn.tokens else turn


def _fragment(turn: Turn) -> FocusFragment:
    return FocusFragment(
        hint=turn.grade.hint or turn.role.value,
        content=turn.spoken if turn.calls else turn.content,
        position=turn.number,
        linearity=turn.linearity,
        id=turn.id,
        role=turn.role,
        rationale=turn.grade.rationale,
        condensed=turn.form is not Form.WHOLE,
    )


def window_of(crystal: StateCrystal, count: Count, max_tokens: int) -> ContextWindow:
    """The window to go on with: the state and the summary at its head, then what was kept, in its order.

    Every turn has the name and the class it had, so that nothing is lost by doing this again and again.
    """
    turns = [_head(crystal, crystal.history_summary), *(_turn(one) for one in crystal.focus_fragments)]
    window = ContextWindow(max_tokens=max_tokens, id=crystal.session_id or crystal.crystal_id)
    return window.with_turns(measured(turn, count) for turn in turns)


def head_of(crystal: StateCrystal, summary: str, count: Count) -> Turn:
    """The head of the window of a crystal, with this summary."""
    return measured(_head(crystal, summary), count)


def _head(crystal: StateCrystal, summary: str) -> Turn:
    return Turn(
        id=digest_of("resumed", crystal.crystal_id),
        number=crystal.turns,
        role=Role.SYSTEM,
        content=resumed(crystal.crystal_id, _state(crystal), summary),
        tokens=0,
        grade=Grade(linearity=Linearity.REQUIRED, rationale="resumed"),
        timestamp=crystal.timestamp,
        form=Form.CONDENSED,
    )


def _turn(fragment: FocusFragment) -> Turn:
    hint = "" if fragment.hint == fragment.role.value else fragment.hint
    return Turn(
        id=fragment.id,
        number=fragment.position,
        # Without its call, a result is something that was observed.
        role=Role.OTHER if fragment.role is Role.TOOL else fragment.role,
        content=fragment.content,
        tokens=0,
        grade=Grade(linearity=fragment.linearity, rationale=fragment.rationale, hint=hint),
        form=Form.CONDENSED if fragment.condensed else Form.WHOLE,
    )


def _state(crystal: StateCrystal) -> str:
    task, lines = crystal.task_state, ""
    if task != TaskState():
        name = " ".join(f"{task.task_id} {task.description}".split())
        lines += f"\nTask: {name} ({task.status}, {task.progress:.0%})"
    if crystal.working_memory:
        lines += f"\nWorking memory: {json.dumps(crystal.working_memory, ensure_ascii=False, default=str)}"
    return lines


def lineage_of(crystal: StateCrystal) -> Lineage:
    """The crystal without its content."""
    return Lineage(
        crystal_id=crystal.crystal_id,
        agent=crystal.agent,
        session_id=crystal.session_id,
        timestamp=crystal.timestamp,
        parent_crystal=crystal.parent_crystal,
        branch_reason=crystal.branch_reason,
        branch_depth=crystal.branch_depth,
        history_summary=crystal.history_summary,
        tokens=crystal.total_tokens,
        fragments=len(crystal.focus_fragments),
        turns=crystal.turns,
        pinned=crystal.pinned,
        expires_at=crystal.expires_at,
        merged=crystal.merged,
        reaped_at=crystal.reaped_at,
    )


def difference(first: StateCrystal, second: StateCrystal, ancestor: str | None) -> Difference:
    """What the second crystal has that the first has not, and the other way round."""
    here = {(one.id, one.content): one for one in first.focus_fragments}
    there = {(one.id, one.content): one for one in second.focus_fragments}
    old, new = first.history_summary, second.history_summary
    return Difference(
        ancestor=ancestor,
        added=tuple(one for name, one in there.items() if name not in here),
        removed=tuple(one for name, one in here.items() if name not in there),
        kept=len(here.keys() & there.keys()),
        summary=(old, new) if old != new else None,
        working_memory=_unlike(first.working_memory, second.working_memory),
        task_state=_unlike(msgspec.structs.asdict(first.task_state), msgspec.structs.asdict(second.task_state)),
        tokens=second.total_tokens - first.total_tokens,
    )


def _unlike(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    names = dict.fromkeys([*first, *second])
    return {one: (first.get(one), second.get(one)) for one in names if first.get(one) != second.get(one)}
