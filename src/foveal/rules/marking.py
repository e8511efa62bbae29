"""What stands in a window for what was there: markers that say what it was and how to get it back."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, cast

import msgspec

from foveal.model.crystal import Call, Form, Turn
from foveal.rules.splitting import gist

LONG_ARGUMENT = 200
_BEGINS = {Form.MASKED: "[masked: ", Form.FOLDED: "[folded: "}
_RESUMED = re.compile(r"\[Resumed from crystal (\S+)\]")
_SUMMARY = "\nPrevious context summary: "


def mask(turn: Turn, where: str) -> str:
    """What stands for one turn.

    >>> from foveal.model.crystal import Role
    >>> turn = Turn(id="t", number=3, role=Role.TOOL, content="a long listing", tokens=900)
    >>> mask(turn, "foveal get obs_1")
    '[masked: tool turn 3, 900 tokens, "a long listing"; get it back: foveal get obs_1]'
    """
    told = gist(turn.content, 60).replace('"', "'")
    return (
        f'{_BEGINS[Form.MASKED]}{_name(turn)} {turn.number}, {turn.tokens} tokens, "{told}"; get it back: {where}]'
    )


def fold(turns: Sequence[Turn], where: str, told: str) -> str:
    """What stands for several turns in a row, with the gist of them below it."""
    kinds = Counter(_name(turn) for turn in turns if turn.form is not Form.FOLDED)
    listed = ", ".join(f"{kind} x{number}" for kind, number in kinds.most_common(5))
    first, last = span(turns)
    tokens = sum(turn.metadata.get("replaced", turn.tokens) for turn in turns)
    head = f"{_BEGINS[Form.FOLDED]}turns {first} to {last}, {tokens} tokens"
    return f"{head}{f' ({listed})' if listed else ''}; get them back: {where}]" + (f"\n{told}" if told else "")


def span(turns: Sequence[Turn]) -> tuple[int, int]:
    """The numbers of the first and the last turn that these stand for."""
    return min(turn.metadata.get("first", turn.number) for turn in turns), max(turn.number for turn in turns)


def unfolded(text: str) -> str:
    """The gist below a marker, without the marker.

    >>> unfolded("[folded: turns 1 to 2, 9 tokens; get them back: ...]\\nThey met.")
    'They met.'
    """
    return text.partition("\n")[2] if text.startswith(_BEGINS[Form.FOLDED]) else text


def form_of(text: str) -> Form:
    """What a text that comes back from elsewhere is: a marker of ours, or something whole.

    >>> form_of("[masked: tool turn 3, ...]"), form_of("hello")
    (<Form.MASKED: 'masked'>, <Form.WHOLE: 'whole'>)
    """
    return next((form for form, begin in _BEGINS.items() if text.startswith(begin)), Form.WHOLE)


def masked_call(call: Call) -> Call:
    """The call with its long arguments taken out; what is left is JSON still.

    >>> masked_call(Call(id="c", name="write", arguments='{"path": "a", "text": "' + "x" * 900 + '"}')).arguments
    '{"path": "a", "text": "[masked: 900 characters]"}'
    """
    try:
        given = json.loads(call.arguments)
    except ValueError:
        return call
    if not isinstance(given, dict) or len(call.arguments) <= LONG_ARGUMENT:
        return call
    short = {name: _short(value) for name, value in cast(dict[str, Any], given).items()}
    return msgspec.structs.replace(call, arguments=json.dumps(short, ensure_ascii=False))


def resumed(crystal_id: str, state: str, summary: str) -> str:
    """The head of a resumed window: where it comes from, the state, and what happened before."""
    return f"[Resumed from crystal {crystal_id}]{state}{_SUMMARY}{summary or 'nothing but what follows.'}"


def resumed_from(text: str) -> tuple[str, str] | None:
    """The crystal that a turn says it was resumed from, and the summary it gives; None for any other turn.

    >>> resumed_from(resumed("crystal_1", "", "They met."))
    ('crystal_1', 'They met.')
    """
    found = _RESUMED.match(text)
    if found is None:
        return None
    summary = text.partition(_SUMMARY)[2]
    return found[1], "" if summary == "nothing but what follows." else summary


def _name(turn: Turn) -> str:
    tool = turn.metadata.get("tool")
    return f"{turn.role} turn" if not tool else f"result of {tool}, turn"


def _short(value: Any) -> Any:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f"[masked: {len(text)} characters]" if len(text) > LONG_ARGUMENT else value
