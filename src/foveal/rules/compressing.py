"""How a window is made smaller: observations are masked, then folded, then what is required is condensed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import msgspec

from foveal.model.crystal import Compressed, ContextWindow, Form, Grade, Role, Turn, digest_of
from foveal.model.record import Linearity
from foveal.rules.condensing import Summarise, condensed, gathered
from foveal.rules.marking import fold, mask, masked_call, span, unfolded
from foveal.rules.windowing import Count, measured

BASE = 0.7
TARGET = 0.5
LONG = 50
SHARE = 0.15
# A marker that is not much shorter than the turn costs more than it saves: such turns are folded.
WORTH = 0.5

Where = Callable[[Sequence[Turn]], str | None]


@dataclass(frozen=True)
class Means:
    """What compression works with: a counter, a summary, and how to get turns back (None: they cannot go)."""

    count: Count
    summarise: Summarise
    where: Where


@dataclass
class _Work:
    """The turns so far, and how many tokens they may cost."""

    turns: list[Turn]
    goal: float
    means: Means
    masked: list[str] = field(default_factory=list[str])
    folded: list[str] = field(default_factory=list[str])
    condensed: list[str] = field(default_factory=list[str])

    @property
    def over(self) -> float:
        return sum(turn.tokens for turn in self.turns) - self.goal


def threshold(progress: float | None = None, error_rate: float = 0.0, *, looping: bool = False) -> float:
    """The pressure above which a window is compressed.

    Early in a task there is more to come, so it waits; late, in a loop, it does not; errors make it keep more.

    >>> threshold(), threshold(0.1), round(threshold(0.9), 2), round(threshold(error_rate=1, looping=True), 2)
    (0.7, 0.7999999999999999, 0.6, 0.7)
    """
    found = BASE
    if progress is not None:
        found += 0.1 if progress < 0.2 else -0.1 if progress > 0.8 else 0.0
    found += 0.15 * error_rate - (0.15 if looping else 0.0)
    return max(0.5, min(0.95, found))


def compressed(window: ContextWindow, means: Means, *, above: float = BASE, target: float = TARGET) -> Compressed:
    """The window with a pressure of at most `target`, if it was above `above` and can get there.

    PRESERVED turns stay as they are. A REQUIRED turn keeps every statement. A call and its results stay or go
    together, and the last of them stays. What was masked, folded or condensed once is not made anew.
    """
    before = window.tokens
    work = _Work(list(window.turns), window.max_tokens * target, means)
    if before > window.max_tokens * above:
        for step in (_fold_stale, _mask, _fold, _condense):
            if work.over > 0:
                step(work)
    changed = bool(work.masked or work.folded or work.condensed)
    made = window.with_turns(work.turns) if changed else window
    return Compressed(
        window=msgspec.structs.replace(made, compressions=window.compressions + changed),
        before=before,
        after=made.tokens,
        threshold=above,
        masked=tuple(work.masked),
        folded=tuple(work.folded),
        condensed=tuple(work.condensed),
        reached=made.tokens <= window.max_tokens * (target if changed else above),
    )


def units(turns: Sequence[Turn]) -> list[list[Turn]]:
    """The turns, each call with its results: what must stay or go together.

    >>> from foveal.model.crystal import Call
    >>> ask = Turn(id="a", number=1, role=Role.ASSISTANT, content="", tokens=1, calls=(Call(id="c", name="ls"),))
    >>> answer = Turn(id="b", number=2, role=Role.TOOL, content="x", tokens=1, answers="c")
    >>> [len(unit) for unit in units([ask, answer, answer])]
    [2, 1]
    """
    found: list[list[Turn]] = []
    waiting: set[str] = set()
    for turn in turns:
        if turn.answers in waiting:
            found[-1].append(turn)
            waiting.discard(turn.answers or "")
        else:
            found.append([turn])
            waiting = {call.id for call in turn.calls}
    return found


def _mask(work: _Work) -> None:
    """Put a marker in the place of what was observed, oldest first, then of what was merely said."""
    last = {turn.id for turn in units(work.turns)[-1]}
    for observed in (True, False):
        for place, turn in enumerate(work.turns):
            if work.over <= 0:
                return
            free = turn.linearity is Linearity.DROPPABLE and turn.form is Form.WHOLE and turn.id not in last
            if not free or (turn.role in (Role.TOOL, Role.OTHER)) is not observed:
                continue
            where = work.means.where([turn])
            short = _masked(turn, where, work.means.count) if where is not None else turn
            if short.tokens <= turn.tokens * WORTH:
                work.turns[place] = short
                work.masked.append(turn.id)


def _masked(turn: Turn, where: str, count: Count) -> Turn:
    text = mask(turn, where)
    kept = {name: value for name, value in turn.metadata.items() if name in ("tool", "joined", "error")}
    made = msgspec.structs.replace(
        turn,
        content=text if count(text) < count(turn.content) else turn.content,
        calls=tuple(masked_call(call) for call in turn.calls),
        form=Form.MASKED,
        metadata={**kept, "replaced": turn.tokens, "source": digest_of(turn.spoken)},
    )
    return measured(made, count)


def _fold_stale(work: _Work) -> None:
    """Fold what was masked before: otherwise the markers of a long run would fill the window."""
    _fold(work, lambda unit: any(turn.form in (Form.MASKED, Form.FOLDED) for turn in unit))


def _fold(work: _Work, chosen: Callable[[list[Turn]], bool] = bool) -> None:
    """Put one marker, with a gist, in the place of many turns in a row, oldest first."""
    made: list[Turn] = []
    run: list[Turn] = []
    groups = units(work.turns)
    freed = 0.0
    goal = work.over
    for place, unit in enumerate(groups):
        free = place < len(groups) - 1 and all(turn.linearity is Linearity.DROPPABLE for turn in unit)
        free = free and chosen(unit)
        gain = sum(turn.tokens for turn in run) * (1 - SHARE)
        if free and freed + gain < goal and work.means.where(unit) is not None:
            run += unit
            continue
        folded = _folded(run, work)
        freed += sum(turn.tokens for turn in run) - sum(turn.tokens for turn in folded)
        made += [*folded, *unit]
        run = []
    work.turns = made


def _folded(run: list[Turn], work: _Work) -> list[Turn]:
    where = work.means.where(run) if len(run) > 1 else None
    if where is None:
        return run
    count = work.means.count
    tokens = sum(turn.tokens for turn in run)
    whole = [turn for turn in run if turn.form is not Form.MASKED]
    said = [_told(turn) for turn in whole if turn.role is not Role.TOOL]
    seen = [turn.content for turn in whole if turn.role is Role.TOOL]
    told = gathered(said, seen, int(tokens * SHARE), count, work.means.summarise)
    text = fold(run, where, told)
    covered = [one for turn in run for one in (turn.covers or (turn.id,))]
    made = Turn(
        id=digest_of("fold", *covered),
        number=run[-1].number,
        role=Role.OTHER,
        content=text,
        tokens=count(text),
        grade=Grade(rationale="a folded turn"),
        timestamp=run[0].timestamp,
        form=Form.FOLDED,
        covers=tuple(covered),
        metadata={
            "first": span(run)[0],
            "replaced": sum(turn.metadata.get("replaced", turn.tokens) for turn in run),
        },
    )
    if made.tokens >= tokens:
        return run
    work.folded += [turn.id for turn in run if turn.form is not Form.FOLDED]
    return [made]


def _told(turn: Turn) -> str:
    """What the gist of a turn is made of: of a folded one its gist, so that only what is new is read again."""
    return unfolded(turn.content) if turn.form is Form.FOLDED else turn.content


def _condense(work: _Work) -> None:
    """Shorten what is required, oldest first, the instructions of the system last."""
    for system in (False, True):
        for place, turn in enumerate(work.turns):
            if work.over <= 0:
                return
            free = turn.linearity is Linearity.REQUIRED and turn.form is Form.WHOLE and turn.tokens > LONG
            if free and (turn.role is Role.SYSTEM) is system:
                short = condensed_turn(turn, work.means.count, work.means.summarise)
                if short.tokens < turn.tokens:
                    work.turns[place] = short
                    work.condensed.append(turn.id)


def condensed_turn(turn: Turn, count: Count, summarise: Summarise) -> Turn:
    """A REQUIRED turn with all that it states, and the rest in a third of its length."""
    budget = max(LONG, turn.tokens // 3)
    text = condensed(turn.content, budget, count, summarise)
    kept = {name: value for name, value in turn.metadata.items() if name in ("tool", "joined", "error")}
    made = msgspec.structs.replace(
        turn, content=text, form=Form.CONDENSED, metadata={**kept, "source": digest_of(turn.content)}
    )
    return measured(made, count)
