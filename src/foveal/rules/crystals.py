"""Crystals: making them from windows and back, comparing, merging and redacting them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast, get_args

import msgspec

from foveal.errors import BudgetTooSmall, Conflict, Invalid, TooLarge
from foveal.model.crystal import (
    ContextWindow,
    Difference,
    FocusFragment,
    Form,
    Grade,
    Lineage,
    Role,
    StateCrystal,
    Strategy,
    TaskState,
    Turn,
    digest_of,
)
from foveal.model.record import Linearity
from foveal.rules.summaries import Summarise, gathered, statements
from foveal.rules.text import sentences
from foveal.rules.windows import (
    LONG,
    Count,
    condensed_turn,
    focused,
    measured,
    resumed,
    resumed_from,
    unfolded,
    units,
)

BRIEF = 400


@dataclass(frozen=True)
class Parts:
    """A window taken apart for a crystal.

    `shortened` are the turns that are not kept whole, and `parent` is the crystal that the window was resumed from.
    """

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
    skip: Callable[[str], bool] = lambda _: False,
) -> Parts:
    """What a crystal keeps of a window: PRESERVED turns word for word, REQUIRED ones with every statement, and a
    summary of the rest, which continues the summary that the window was resumed with. `more` is summarised too, and
    sentences to `skip` are not.
    """
    fragments: list[FocusFragment] = []
    shortened: list[Turn] = []
    said: list[str] = []
    seen: list[str] = []
    parent: str | None = None
    tokens = 0
    for turn in (focused(turn, hints) for turn in window.turns):
        head = resumed_from(turn.content) if turn.role is Role.SYSTEM else None
        if head is not None:
            parent = head[0]
            said.append(head[1])
        elif turn.linearity is Linearity.DROPPABLE:
            shortened += [turn] if turn.form is Form.WHOLE else []
            texts = seen if turn.role is Role.TOOL else said
            texts += [unfolded(turn.content)] if turn.form is not Form.MASKED else []
        else:
            kept = _shortest(turn, count, summarise)
            shortened += [turn] if kept is not turn else []
            fragments.append(_fragment(kept))
            tokens += kept.tokens
    summary = gathered([*said, *more], seen, budget, count, summarise, skip=skip)
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
    """The window to continue with: the state and the summary first, then the fragments in order.

    Every turn keeps its id and its linearity, so that nothing is lost however often this is repeated.
    """
    turns = [_head(crystal, crystal.history_summary), *(_turn(fragment) for fragment in crystal.focus_fragments)]
    window = ContextWindow(max_tokens=max_tokens, id=crystal.session_id or crystal.crystal_id)
    return window.with_turns(measured(turn, count) for turn in turns)


def head_of(crystal: StateCrystal, summary: str, count: Count) -> Turn:
    """The first turn of a crystal's window, with this summary."""
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
        # Without its call, a tool result is just an observation.
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
        tokens=crystal.total_tokens(),
        fragments=len(crystal.focus_fragments),
        turns=crystal.turns,
        pinned=crystal.pinned,
        expires_at=crystal.expires_at,
        merged=crystal.merged,
        reaped_at=crystal.reaped_at,
    )


def difference(first: StateCrystal, second: StateCrystal, ancestor: str | None) -> Difference:
    """What changed from the first crystal to the second."""
    before = {(fragment.id, fragment.content): fragment for fragment in first.focus_fragments}
    after = {(fragment.id, fragment.content): fragment for fragment in second.focus_fragments}
    old, new = first.history_summary, second.history_summary
    return Difference(
        ancestor=ancestor,
        added=tuple(fragment for key, fragment in after.items() if key not in before),
        removed=tuple(fragment for key, fragment in before.items() if key not in after),
        kept=len(before.keys() & after.keys()),
        summary=(old, new) if old != new else None,
        working_memory=_changed_values(first.working_memory, second.working_memory),
        task_state=_changed_values(
            msgspec.structs.asdict(first.task_state), msgspec.structs.asdict(second.task_state)
        ),
        tokens=second.total_tokens() - first.total_tokens(),
    )


def _changed_values(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    names = dict.fromkeys([*first, *second])
    return {name: (first.get(name), second.get(name)) for name in names if first.get(name) != second.get(name)}


STRATEGIES: tuple[str, ...] = get_args(Strategy)


def own_turns(child: ContextWindow, base: ContextWindow, parent: ContextWindow) -> list[Turn]:
    """The turns that the child added since `base` and that the parent does not have, compared by id."""
    known = {turn_id for window in (base, parent) for turn in window.turns for turn_id in (turn.id, *turn.covers)}
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
    """The parent with the child's own turns at its end; nothing of either is lost, even if both have grown.

    "summarise" adds one turn with the child's decisions and a summary, "squash" puts everything it said into one
    turn, "rebase" replays every turn, and "cherry_pick" those that `pick` names. PRESERVED turns always come word
    for word.
    """
    if strategy not in STRATEGIES:
        raise Invalid(f"strategy {strategy!r} is not one of {', '.join(STRATEGIES)}")
    own = own_turns(child, base, parent)
    if strategy == "cherry_pick":
        own = _picked(own, pick)
    if not own:
        raise Conflict(f"there is nothing in {name} to merge: it was merged before, or has no new turns")
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
    """The picked turns, each with the call or the results that belong to it."""
    missing = set(pick) - {turn.id for turn in own}
    if missing or not pick:
        raise Invalid(f"pick ids of turns of the branch; it has {', '.join(turn.id for turn in own) or 'none'}")
    return [turn for unit in units(own) if any(member.id in pick for member in unit) for turn in unit]


def _single(
    rest: list[Turn], name: str, strategy: str, room: int, count: Count, summarise: Summarise
) -> list[Turn]:
    if not rest:
        return []
    head = f"[merged from {name}] Conclusion:"
    if strategy == "squash":
        body = "\n".join(f"{turn.role}: {turn.spoken}" for turn in rest)
    else:
        stated = [statement for turn in rest if turn.linearity is Linearity.REQUIRED for statement in _stated(turn)]
        others = [
            sentence
            for turn in rest
            if turn.form is not Form.MASKED
            for sentence in sentences(turn.spoken)
            if not any(sentence in statement for statement in stated)
        ]
        left = room - count("\n".join([head, *stated])) - 1
        body = "\n".join([*stated, summarise(others, left, count) if left > 0 else ""]).strip()
    covers = tuple(turn_id for turn in rest for turn_id in (turn.covers or (turn.id,)))
    return [
        measured(
            Turn(
                id=digest_of("merge", *covers),
                number=0,
                role=Role.ASSISTANT,
                content=f"{head}\n{body}",
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
    """What a REQUIRED turn must not lose: its statements, or all of it if it was condensed to them before."""
    return (turn.form is Form.WHOLE and statements(turn.content)) or [turn.content]


ERASED = "[erased]"
# A shorter sentence may occur anywhere by chance: it is removed only where it is the whole text.
TELLING = 20


def telling(texts: Iterable[str]) -> tuple[str, ...]:
    """The strings to search for when texts are erased, longest first: each whole text, and its sentences.

    >>> telling(["The vault opens with 4711 only. Yes."])
    ('The vault opens with 4711 only. Yes.', 'The vault opens with 4711 only.')
    """
    whole = [text.strip() for text in texts]
    parts = [sentence.strip() for text in whole for sentence in sentences(text)]
    # Blanks are compared as one, however many there are.
    wanted = {" ".join(part.split()) for part in (*whole, *(part for part in parts if len(part) >= TELLING))}
    return tuple(sorted(wanted - {""}, key=lambda text: (-len(text), text)))


def redacted(crystal: StateCrystal, told: Sequence[str]) -> StateCrystal | None:
    """The crystal with the strings in `told` replaced by a marker; None if it contains none of them.

    >>> from datetime import UTC, datetime
    >>> crystal = StateCrystal(crystal_id="c", agent="/", timestamp=datetime(2026, 1, 5, tzinfo=UTC),
    ...     history_summary="They met. The vault opens with 4711 only.")
    >>> changed = redacted(crystal, telling(["The vault opens with 4711 only."]))
    >>> changed.history_summary if changed else None
    'They met. [erased]'
    """
    changed = msgspec.structs.replace(
        crystal,
        history_summary=_without(crystal.history_summary, told),
        branch_reason=crystal.branch_reason and _without(crystal.branch_reason, told),
        focus_fragments=tuple(
            msgspec.structs.replace(
                fragment, content=_without(fragment.content, told), hint=_without(fragment.hint, told)
            )
            for fragment in crystal.focus_fragments
        ),
        working_memory=_redacted_value(dict(crystal.working_memory), told),
        task_state=msgspec.convert(
            _redacted_value(msgspec.to_builtins(crystal.task_state), told), type(crystal.task_state)
        ),
    )
    return None if changed == crystal else changed


def quotes(text: str, told: Sequence[str]) -> bool:
    """Whether a text quotes one of the strings in `told`, with any blanks between its words, or is a part of one.

    >>> told = telling(["The vault opens with 4711 only."])
    >>> quotes("Is it true that the  vault opens with 4711 only.", told), quotes("opens with 4711", told)
    (True, True)
    >>> quotes("Where do we eat?", told)
    False
    """
    own = _spaced(text)
    return any(part in own or (own and own in part) for part in map(_spaced, told))


def _spaced(text: str) -> str:
    return " ".join(text.casefold().split())


def _without(text: str, erased: Sequence[str]) -> str:
    if " ".join(text.split()) in erased:
        return ERASED
    for part in erased:
        if len(part) >= TELLING:
            text = _blanks(part).sub(ERASED, text)
    return text


@lru_cache(maxsize=256)
def _blanks(part: str) -> re.Pattern[str]:
    """A pattern for a text with any blanks between its words."""
    return re.compile(r"\s+".join(map(re.escape, part.split())))


def _redacted_value(value: Any, erased: Sequence[str]) -> Any:
    if isinstance(value, str):
        return _without(value, erased)
    if isinstance(value, Mapping):
        return {name: _redacted_value(item, erased) for name, item in cast(Mapping[str, Any], value).items()}
    if isinstance(value, list):
        return [_redacted_value(item, erased) for item in cast(list[Any], value)]
    return value


def fitted(crystal: StateCrystal, count: Count, max_tokens: int) -> tuple[ContextWindow, tuple[str, ...]]:
    """The window of a crystal within `max_tokens`, and the ids of the fragments that it leaves out.

    The state and every PRESERVED turn come first, then REQUIRED turns from the newest back, then as many sentences
    of the summary as fit. `BudgetTooSmall` if not even the state and the PRESERVED turns fit.
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
            f"{max_tokens} tokens are too few for what {crystal.crystal_id} must keep: it needs {spent}",
            needed=spent,
        )
    for turn in reversed(turns):
        if turn.id not in chosen and spent + turn.tokens <= max_tokens:
            chosen.add(turn.id)
            spent += turn.tokens
    head = _fitted_head(crystal, count, bare, max_tokens - spent)
    left = tuple(turn.id for turn in turns if turn.id not in chosen)
    return whole.with_turns([head, *(turn for turn in turns if turn.id in chosen)]), left


def _fitted_head(crystal: StateCrystal, count: Count, bare: Turn, room: int) -> Turn:
    """The first turn with as much of the summary as fits."""
    parts = sentences(crystal.history_summary)
    while parts:
        head = head_of(crystal, " ".join(sentence.strip() for sentence in parts), count)
        if head.tokens <= bare.tokens + room:
            return head
        parts = parts[:-1]
    return bare
