"""Context windows: grading and compressing turns, the markers that replace them, and the pulse of an agent."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from statistics import fmean, pstdev
from typing import Any, Literal, cast

import msgspec
from msgspec import Struct
from msgspec import field as struct_field

from foveal.errors import Invalid
from foveal.model.crystal import Call, Compressed, ContextWindow, Form, Grade, Role, Turn, digest_of
from foveal.model.record import Linearity
from foveal.rules.summaries import Summarise, condensed, gathered, states
from foveal.rules.text import gist
from foveal.rules.validation import encodable

_BY_ROLE = {Role.USER: Linearity.PRESERVED, Role.SYSTEM: Linearity.REQUIRED}
_FOCUS = re.compile(r"\[FOCUS:\s*+([^\]\n]{1,80}?)\s*+\]", re.IGNORECASE)

_SAYING = (Role.USER, Role.ASSISTANT, Role.SYSTEM)


def hinted(text: str, hints: Sequence[str] = ()) -> str:
    """The focus that a text is marked with, or the first hint that it contains, or "".

    >>> hinted("[FOCUS:error] disk full"), hinted("Disk full", ["disk"]), hinted("fine", ["disk"])
    ('error', 'disk', '')
    """
    marked = _FOCUS.search(text)
    if marked:
        return marked[1]
    lower = text.lower()
    return next((hint for hint in hints if hint.strip() and hint.lower() in lower), "")


def grade_of(role: Role, text: str, hints: Sequence[str] = ()) -> Grade:
    """The grade of a new turn: the highest linearity that its role, its markers and the hints give it.

    >>> grade_of(Role.ASSISTANT, "Decision: use SQLite.").linearity
    <Linearity.REQUIRED: 2>
    """
    grade = Grade(linearity=_BY_ROLE.get(role, Linearity.DROPPABLE), rationale=f"role {role}")
    for linearity in (Linearity.REQUIRED, Linearity.PRESERVED):
        marker = states(text, linearity, said=role in _SAYING)
        if marker:
            grade = promoted(grade, linearity, f"says {marker!r}")
    hint = hinted(text, hints)
    if hint:
        grade = promoted(grade, Linearity.PRESERVED, f"focus {hint!r}")
        grade = msgspec.structs.replace(grade, hint=hint)
    return grade


def promoted(grade: Grade, linearity: Linearity, rationale: str) -> Grade:
    """The grade raised to a higher linearity, with the reason added; an equal or lower one changes nothing.

    >>> promoted(Grade(rationale="role tool"), Linearity.REQUIRED, "asked").rationale
    'role tool -> required: asked'
    """
    if linearity <= grade.linearity:
        return grade
    reasons = f"{grade.rationale} -> {linearity.name.lower()}: {rationale}"
    return msgspec.structs.replace(grade, linearity=linearity, rationale=reasons.removeprefix(" -> "))


def focused(turn: Turn, hints: Sequence[str]) -> Turn:
    """The turn, promoted if it contains a hint. A turn that is no longer whole cannot be kept word for word."""
    hint = hinted(turn.content, hints)
    if not hint or turn.form != "whole":
        return turn
    grade = promoted(turn.grade, Linearity.PRESERVED, f"focus {hint!r}")
    return msgspec.structs.replace(turn, grade=msgspec.structs.replace(grade, hint=grade.hint or hint))


LONG_ARGUMENT = 200
_BEGINS = {Form.MASKED: "[masked: ", Form.FOLDED: "[folded: "}
_RESUMED = re.compile(r"\[Resumed from crystal (\S+)\]")
_SUMMARY = "\nPrevious context summary: "


def mask(turn: Turn, where: str) -> str:
    """The marker that replaces one turn.

    >>> from foveal.model.crystal import Role
    >>> turn = Turn(id="t", number=3, role=Role.TOOL, content="a long listing", tokens=900)
    >>> mask(turn, "foveal get obs_1")
    '[masked: tool turn 3, 900 tokens, "a long listing"; get it back: foveal get obs_1]'
    """
    excerpt = gist(turn.content, 60).replace('"', "'")
    head = f"{_BEGINS[Form.MASKED]}{_name(turn)} {turn.number}, {turn.tokens} tokens"
    return f'{head}, "{excerpt}"; get it back: {where}]'


def fold(turns: Sequence[Turn], where: str, told: str) -> str:
    """The marker that replaces several consecutive turns, with their gist below it."""
    kinds = Counter(_name(turn) for turn in turns if turn.form is not Form.FOLDED)
    listed = ", ".join(f"{kind} x{number}" for kind, number in kinds.most_common(5))
    first, last = span(turns)
    tokens = sum(turn.metadata.get("replaced", turn.tokens) for turn in turns)
    head = f"{_BEGINS[Form.FOLDED]}turns {first} to {last}, {tokens} tokens"
    return f"{head}{f' ({listed})' if listed else ''}; get them back: {where}]" + (f"\n{told}" if told else "")


def span(turns: Sequence[Turn]) -> tuple[int, int]:
    """The numbers of the first and the last turn that these turns cover."""
    return min(turn.metadata.get("first", turn.number) for turn in turns), max(turn.number for turn in turns)


def unfolded(text: str) -> str:
    """The gist below a marker, without the marker.

    >>> unfolded("[folded: turns 1 to 2, 9 tokens; get them back: ...]\\nThey met.")
    'They met.'
    """
    return text.partition("\n")[2] if text.startswith(_BEGINS[Form.FOLDED]) else text


def form_of(text: str) -> Form:
    """The form of a text from outside: one of our markers, or whole.

    >>> form_of("[masked: tool turn 3, ...]"), form_of("hello")
    (<Form.MASKED: 'masked'>, <Form.WHOLE: 'whole'>)
    """
    return next((form for form, begin in _BEGINS.items() if text.startswith(begin)), Form.WHOLE)


def masked_call(call: Call) -> Call:
    """The call with its long arguments replaced by markers; the arguments are still JSON.

    >>> masked_call(Call(id="c", name="write", arguments='{"path": "a", "text": "' + "x" * 900 + '"}')).arguments
    '{"path": "a", "text": "[masked: 900 characters]"}'
    """
    try:
        arguments = json.loads(call.arguments)
    except ValueError:
        return call
    if not isinstance(arguments, dict) or len(call.arguments) <= LONG_ARGUMENT:
        return call
    short = {name: _short(value) for name, value in cast(dict[str, Any], arguments).items()}
    return msgspec.structs.replace(call, arguments=json.dumps(short, ensure_ascii=False))


def resumed(crystal_id: str, state: str, summary: str) -> str:
    """The first turn of a resumed window: the crystal it comes from, the state, and the summary."""
    return f"[Resumed from crystal {crystal_id}]{state}{_SUMMARY}{summary or 'nothing but what follows.'}"


def resumed_from(text: str) -> tuple[str, str] | None:
    """The crystal id and the summary in the first turn of a resumed window; None for any other turn.

    >>> resumed_from(resumed("crystal_1", "", "They met."))
    ('crystal_1', 'They met.')
    """
    match = _RESUMED.match(text)
    if match is None:
        return None
    summary = text.partition(_SUMMARY)[2]
    return match[1], "" if summary == "nothing but what follows." else summary


def _name(turn: Turn) -> str:
    tool = turn.metadata.get("tool")
    return f"{turn.role} turn" if not tool else f"result of {tool}, turn"


def _short(value: Any) -> Any:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f"[masked: {len(text)} characters]" if len(text) > LONG_ARGUMENT else value


Level = Literal["ok", "warning", "critical"]

LOOP = (3, 5)
PRESSURE = (0.7, 0.9)
FEWEST_INTERVALS = 5
_LONGEST_CYCLE = 4


class Pulse(Struct, frozen=True, kw_only=True):
    """The health of a window in one line that costs no token.

    `repeats` is how often the agent has done the same thing in a row, alone or in a short cycle.
    """

    agent: str
    pressure: float
    phase: str
    hash: str
    turns: int
    ts: datetime
    repeats: int = 1
    erratic: bool = False

    @property
    def level(self) -> Level:
        """The worst level among repeats, pressure and timing."""
        worst = max(_rank(self.repeats, LOOP), _rank(self.pressure, PRESSURE), int(self.erratic))
        return ("ok", "warning", "critical")[worst]

    @property
    def looping(self) -> bool:
        """Whether the agent keeps doing the same thing."""
        return self.repeats >= LOOP[0]

    def __str__(self) -> str:
        return (
            f"PULSE|agent={self.agent}|pressure={self.pressure:.2f}|phase={self.phase}|hash={self.hash}"
            f"|turns={self.turns}|ts={self.ts.isoformat()}"
        )


def pulse_of(window: ContextWindow, *, agent: str, now: datetime, phase: str = "") -> Pulse:
    """The pulse of a window: its pressure, what the agent did last, and how often it repeats that."""
    done = actions(window)
    moments = [turn.timestamp for turn in window.turns if turn.timestamp is not None]
    return Pulse(
        agent=agent.replace("|", "/"),
        pressure=window.pressure,
        phase=(phase or "active").replace("|", "/"),
        hash=(done[-1] if done else digest_of(""))[:8],
        turns=len(window.turns),
        ts=now,
        repeats=repeats(done),
        erratic=erratic(moments),
    )


def parsed_pulse(line: str) -> Pulse:
    """Parse a pulse from its line; `Invalid` for any other line.

    >>> parsed_pulse("PULSE|agent=/|pressure=0.45|phase=work|hash=0a1b2c3d|turns=9|ts=2026-01-05T12:00Z").turns
    9
    """
    head, *parts = line.strip().split("|")
    fields = {name: value for name, _, value in (part.partition("=") for part in parts)}
    try:
        if head != "PULSE":
            raise ValueError(head)
        return Pulse(
            agent=fields["agent"],
            pressure=float(fields["pressure"]),
            phase=fields["phase"],
            hash=fields["hash"],
            turns=int(fields["turns"]),
            ts=datetime.fromisoformat(fields["ts"]),
        )
    except (KeyError, ValueError):
        raise Invalid(f"{line[:80]!r} is not a pulse") from None


def actions(window: ContextWindow) -> list[str]:
    """Digests of what the agent said and called, turn by turn; the ids of calls are ignored."""
    return [
        digest_of(turn.content, *(part for call in turn.calls for part in (call.name, call.arguments)))
        for turn in window.turns
        if turn.role is Role.ASSISTANT
    ]


def repeats(done: Sequence[str]) -> int:
    """How often the end of a sequence repeats, as a single action or as a cycle of up to four.

    >>> repeats(["a", "b", "b", "b"]), repeats(["x", "a", "b", "a", "b", "a", "b"]), repeats([])
    (3, 3, 1)
    """
    most = 1
    for size in range(1, _LONGEST_CYCLE + 1):
        cycle, times = list(done[-size:]), 0
        while len(cycle) == size and list(done[len(done) - size * (times + 1) : len(done) - size * times]) == cycle:
            times += 1
        most = max(most, times)
    return most


def erratic(moments: Sequence[datetime]) -> bool:
    """Whether the turns come in bursts: the intervals deviate by more than their mean."""
    spans = [(b - a).total_seconds() for a, b in zip(moments, moments[1:], strict=False)]
    if len(spans) < FEWEST_INTERVALS or fmean(spans) <= 0:
        return False
    return pstdev(spans) / fmean(spans) > 1


def _rank(value: float, limits: tuple[float, float]) -> int:
    return sum(value >= limit for limit in limits)


Count = Callable[[str], int]


class Spoken(Struct, frozen=True, kw_only=True):
    """A turn before it has a place in a window."""

    role: Role
    content: str
    timestamp: datetime | None = None
    calls: tuple[Call, ...] = ()
    answers: str | None = None
    metadata: Mapping[str, Any] = struct_field(default_factory=dict[str, Any])


def appended(
    window: ContextWindow, said: Iterable[Spoken], count: Count, hints: Sequence[str] = ()
) -> ContextWindow:
    """The window with new turns at its end.

    The id of a turn depends on its content and on how often that occurred before, so the same thread always gets
    the same ids.

    >>> window = appended(ContextWindow(), [Spoken(role=Role.USER, content="hi")], len)
    >>> window.turns[0].number, window.tokens, window.extract() == window.turns[0]
    (1, 2, True)
    """
    turns = list(window.turns)
    taken = {turn_id for turn in turns for turn_id in (turn.id, *turn.covers)}
    tools = {call.id: call.name for turn in turns for call in turn.calls}
    number = window.last_number
    for spoken in said:
        number += 1
        encodable(spoken.content, f"turn {number}")
        tools |= {call.id: call.name for call in spoken.calls}
        tool = tools.get(spoken.answers or "")
        metadata = {**spoken.metadata, **({"tool": tool} if tool else {})}
        turn = _turn(spoken, number, _new_id(spoken, taken), metadata, hints)
        taken.add(turn.id)
        turns.append(measured(turn, count))
    return window.with_turns(turns)


def measured(turn: Turn, count: Count) -> Turn:
    """The turn with its token count, calls included."""
    return msgspec.structs.replace(turn, tokens=count(turn.spoken) if turn.spoken else 0)


def _turn(spoken: Spoken, number: int, turn_id: str, metadata: Mapping[str, Any], hints: Sequence[str]) -> Turn:
    form = form_of(spoken.content)
    # One of our own markers that comes back is not new content and may be dropped.
    ours = form is not Form.WHOLE
    grade = (
        Grade(linearity=Linearity.DROPPABLE, rationale=f"a {form} turn")
        if ours
        else grade_of(spoken.role, spoken.content, hints)
    )
    return Turn(
        id=turn_id,
        number=number,
        role=Role.OTHER if form is Form.FOLDED else spoken.role,
        content=spoken.content,
        tokens=0,
        grade=grade,
        timestamp=spoken.timestamp,
        calls=spoken.calls,
        answers=spoken.answers,
        form=form,
        metadata=metadata,
    )


def _new_id(spoken: Spoken, taken: set[str]) -> str:
    calls = "\n".join(f"{call.id} {call.name} {call.arguments}" for call in spoken.calls)
    nth = 0
    while (turn_id := digest_of(spoken.role, spoken.content, calls, spoken.answers or "", str(nth))) in taken:
        nth += 1
    return turn_id


BASE = 0.7
TARGET = 0.5
LONG = 50
SHARE = 0.15
# A turn is masked only if the marker costs at most this share of it; other turns are folded.
WORTH = 0.5

Where = Callable[[Sequence[Turn]], str | None]


@dataclass(frozen=True)
class Means:
    """What compression needs: a counter, a summariser, and how to get turns back, or None if they must stay."""

    count: Count
    summarise: Summarise
    where: Where


@dataclass
class _Work:
    """A compression in progress: the turns so far, and how many tokens they may cost."""

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

    It is higher early in a task and when there are errors, and lower late in a task and when the agent loops.

    >>> threshold(), threshold(0.1), round(threshold(0.9), 2), round(threshold(error_rate=1, looping=True), 2)
    (0.7, 0.7999999999999999, 0.6, 0.7)
    """
    pressure = BASE
    if progress is not None:
        pressure += 0.1 if progress < 0.2 else -0.1 if progress > 0.8 else 0.0
    pressure += 0.15 * error_rate - (0.15 if looping else 0.0)
    return max(0.5, min(0.95, pressure))


def compressed(window: ContextWindow, means: Means, *, above: float = BASE, target: float = TARGET) -> Compressed:
    """Compress a window to a pressure of at most `target`, if its pressure is above `above`.

    PRESERVED turns stay unchanged. A REQUIRED turn keeps every statement. A call and its results stay or go
    together, and the last such unit stays. Turns that were masked, folded or condensed before are not done again.
    """
    before = window.tokens
    work = _Work(list(window.turns), window.max_tokens * target, means)
    if before > window.max_tokens * above:
        for step in (_fold_stale, _mask, _fold, _condense):
            if work.over > 0:
                step(work)
    changed = bool(work.masked or work.folded or work.condensed)
    result = window.with_turns(work.turns) if changed else window
    return Compressed(
        window=msgspec.structs.replace(result, compressions=window.compressions + changed),
        before=before,
        after=result.tokens,
        threshold=above,
        masked=tuple(work.masked),
        folded=tuple(work.folded),
        condensed=tuple(work.condensed),
        reached=result.tokens <= window.max_tokens * (target if changed else above),
    )


def units(turns: Sequence[Turn]) -> list[list[Turn]]:
    """The turns in groups that must stay or go together: each call with its results.

    >>> from foveal.model.crystal import Call
    >>> ask = Turn(id="a", number=1, role=Role.ASSISTANT, content="", tokens=1, calls=(Call(id="c", name="ls"),))
    >>> answer = Turn(id="b", number=2, role=Role.TOOL, content="x", tokens=1, answers="c")
    >>> [len(unit) for unit in units([ask, answer, answer])]
    [2, 1]
    """
    groups: list[list[Turn]] = []
    waiting: set[str] = set()
    for turn in turns:
        if turn.answers in waiting:
            groups[-1].append(turn)
            waiting.discard(turn.answers or "")
        else:
            groups.append([turn])
            waiting = {call.id for call in turn.calls}
    return groups


def _mask(work: _Work) -> None:
    """Replace observations with markers, oldest first, and then other droppable turns."""
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
    masked = msgspec.structs.replace(
        turn,
        content=text if count(text) < count(turn.content) else turn.content,
        calls=tuple(masked_call(call) for call in turn.calls),
        form=Form.MASKED,
        metadata={**kept, "replaced": turn.tokens, "source": digest_of(turn.spoken)},
    )
    return measured(masked, count)


def _fold_stale(work: _Work) -> None:
    """Fold turns that were masked before; otherwise the markers of a long run would fill the window."""
    _fold(work, lambda unit: any(turn.form in (Form.MASKED, Form.FOLDED) for turn in unit))


def _fold(work: _Work, chosen: Callable[[list[Turn]], bool] = bool) -> None:
    """Replace runs of consecutive turns with one marker and a gist each, oldest first."""
    result: list[Turn] = []
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
        result += [*folded, *unit]
        run = []
    work.turns = result


def _folded(run: list[Turn], work: _Work) -> list[Turn]:
    where = work.means.where(run) if len(run) > 1 else None
    if where is None:
        return run
    count = work.means.count
    tokens = sum(turn.tokens for turn in run)
    whole = [turn for turn in run if turn.form is not Form.MASKED]
    said = [_content(turn) for turn in whole if turn.role is not Role.TOOL]
    seen = [turn.content for turn in whole if turn.role is Role.TOOL]
    summary = gathered(said, seen, int(tokens * SHARE), count, work.means.summarise)
    text = fold(run, where, summary)
    covered = [turn_id for turn in run for turn_id in (turn.covers or (turn.id,))]
    folded = Turn(
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
    if folded.tokens >= tokens:
        return run
    work.folded += [turn.id for turn in run if turn.form is not Form.FOLDED]
    return [folded]


def _content(turn: Turn) -> str:
    """The text of a turn for a summary; of a folded turn only its gist, without the marker."""
    return unfolded(turn.content) if turn.form is Form.FOLDED else turn.content


def _condense(work: _Work) -> None:
    """Shorten REQUIRED turns, oldest first, system instructions last."""
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
    """A REQUIRED turn with all its statements, and the rest summarised to about a third of its length."""
    budget = max(LONG, turn.tokens // 3)
    text = condensed(turn.content, budget, count, summarise)
    kept = {name: value for name, value in turn.metadata.items() if name in ("tool", "joined", "error")}
    short = msgspec.structs.replace(
        turn, content=text, form=Form.CONDENSED, metadata={**kept, "source": digest_of(turn.content)}
    )
    return measured(short, count)
