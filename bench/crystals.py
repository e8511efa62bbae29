"""What compression saves and what it keeps, beside truncation and beside a summary of the first turns."""

from __future__ import annotations

import argparse
import gzip
import json
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
from rich import box
from rich.console import Console
from rich.table import Table

from bench.recall import DATA
from foveal import Memory
from foveal.engine.memory import View
from foveal.model.crystal import ContextWindow, Turn
from foveal.rules.text import sentences
from foveal.rules.windows import BASE, TARGET

Message = dict[str, Any]
Shrink = Callable[[View, ContextWindow], ContextWindow]

_PLACES = "harbour gate crane sluice depot mast quay beacon dredger pilot".split()


@dataclass
class Story:
    """A thread, step by step, and what must be found in it at the end, by kind: the words, and a question."""

    steps: list[list[Message]]
    facts: dict[str, list[tuple[str, str]]] = field(default_factory=dict[str, "list[tuple[str, str]]"])


@dataclass
class Score:
    """How a method did over all stories."""

    before: int = 0
    after: int = 0
    kept: dict[str, list[bool]] = field(default_factory=dict[str, "list[bool]"])
    found: dict[str, list[bool]] = field(default_factory=dict[str, "list[bool]"])


def transcript(seed: int, steps: int = 150) -> Story:
    """An agent that calls tools, with instructions, decisions and observed facts planted through the run."""
    rng = random.Random(seed)
    story = Story([], {"instructions": [], "decisions": [], "observations": []})
    for number in range(steps):
        place, code = rng.choice(_PLACES), rng.randrange(10_000, 99_999)
        called = {"name": "inspect", "arguments": json.dumps({"place": place, "step": number})}
        rows = [f"{rng.choice(_PLACES)} {rng.randrange(999)}: nothing unusual, checked twice" for _ in range(30)]
        rows[rng.randrange(30)] = f"{place} {number}: serial {code} reported pressure loss"
        asked = f"which serial reported pressure loss at {place} {number}"
        story.facts["observations"].append((f"serial {code}", asked))
        step: list[Message] = [
            {
                "role": "assistant",
                "content": f"Step {number}: I look at the {place} now.",
                "tool_calls": [{"id": f"c{number}", "type": "function", "function": called}],
            },
            {"role": "tool", "tool_call_id": f"c{number}", "content": "\n".join(rows)},
        ]
        if number % 10 == 3:
            said = f"Decision: close {place} {number} until part {code + 1} arrives because the seal is worn."
            talk = " ".join(f"The {rng.choice(_PLACES)} looked fine on the way." for _ in range(12))
            step.append({"role": "assistant", "content": f"{talk} {said} {talk}"})
            story.facts["decisions"].append((said, f"what was decided about {place} {number}"))
        if number % 25 == 7:
            said = f"Report {place} {number} to desk {code + 2} before noon."
            step.append({"role": "user", "content": said})
            story.facts["instructions"].append((said, f"to which desk is {place} {number} reported"))
        story.steps.append(step)
    return story


def conversation(case: Any) -> Story:
    """Two people who talk for months, overheard: the turns that answer questions are the facts."""
    texts = {turn["id"]: f"{turn['speaker']} ({turn['date']}): {turn['text']}" for turn in case["turns"]}
    steps = [[{"role": "other", "content": text}] for text in texts.values()]
    facts = [
        (texts[one], str(asked["question"]))
        for asked in case["questions"]
        for one in asked["evidence"]
        if one in texts
    ]
    return Story(steps, {"evidence": facts})


def _full(window: ContextWindow) -> bool:
    return window.tokens > window.max_tokens * BASE


def ours(memory: View, window: ContextWindow) -> ContextWindow:
    """Mask, fold, condense; what leaves is written to memory."""
    return memory.crystals.compress(window).window


def truncated(memory: View, window: ContextWindow) -> ContextWindow:
    """The newest turns that fit."""
    return window.with_turns(_newest(window.turns, window.max_tokens * TARGET)) if _full(window) else window


def summarised(memory: View, window: ContextWindow) -> ContextWindow:
    """The first twenty turns, cut to a hundred characters each, and the newest turns that fit."""
    if not _full(window):
        return window
    head = [turn for turn in window.turns if turn.metadata.get("summary")]
    kept = _newest([turn for turn in window.turns if turn not in head], window.max_tokens * TARGET)
    if not head:
        text = "\n".join(turn.content[:100] for turn in window.turns[:20])
        made = memory.crystals.window([{"role": "system", "content": f"Summary: {text}"}]).turns[0]
        head = [_marked(made)]
    room = window.max_tokens * TARGET - sum(turn.tokens for turn in head)
    return window.with_turns([*head, *_newest(kept, room)])


def _marked(turn: Turn) -> Turn:
    return msgspec.structs.replace(turn, metadata={"summary": True})


def _newest(turns: Sequence[Turn], room: float) -> list[Turn]:
    kept: list[Turn] = []
    for turn in reversed(turns):
        room -= turn.tokens
        if room < 0:
            break
        kept.append(turn)
    return kept[::-1]


def measured(story: Story, shrink: Shrink, room: int, score: Score, *, asked: int) -> None:
    """Run a story through a window, and count what is still there at the end, or found in memory."""
    with Memory(":memory:") as opened:
        memory = opened.view(actor_id="bench", session_id="story")
        window = memory.crystals.window([], max_tokens=room)
        for step in story.steps:
            window = shrink(memory, memory.crystals.add(window, step))
        whole = memory.crystals.window([one for step in story.steps for one in step])
        score.before += whole.tokens
        score.after += window.tokens
        text = "\n".join(turn.content for turn in window.turns)
        records = memory.stats().records
        for kind, facts in story.facts.items():
            for place, (words, question) in enumerate(facts):
                there = _told(words, text)
                score.kept.setdefault(kind, []).append(there)
                if place % max(1, len(facts) // asked) == 0:
                    hits = memory.search(question, k=10) if records and not there else []
                    back = there or any(words in hit.text for hit in hits)
                    score.found.setdefault(kind, []).append(back)


def _told(words: str, text: str) -> bool:
    """Whether a fact stands in the window: all of it, or of a long turn one whole sentence."""
    parts = [one for one in sentences(words.partition("): ")[2]) if len(one.split()) >= 4]
    return words in text or any(one in text for one in parts)


def rows(stories: Iterable[Story], room: int, asked: int) -> dict[str, Score]:
    """Every method on the same stories."""
    listed = list(stories)
    methods = {"Foveal": ours, "truncation": truncated, "summary of the first turns": summarised}
    scores = {name: Score() for name in methods}
    for name, shrink in methods.items():
        for story in listed:
            measured(story, shrink, room, scores[name], asked=asked)
    return scores


def shown(title: str, scores: dict[str, Score]) -> None:
    """One table: what was saved, what is still in the window, and what is in the window or found in memory."""
    console = Console(highlight=False, width=220)
    kinds = list(next(iter(scores.values())).kept)
    table = Table(box=box.MARKDOWN)
    for head in ("method", "tokens", "left", "saved", *kinds, *(f"{kind}, or recalled" for kind in kinds)):
        table.add_column(head, justify="left" if head == "method" else "right")
    for name, one in scores.items():
        table.add_row(
            name,
            f"{one.before:,}",
            f"{one.after:,}",
            f"{1 - one.after / one.before:.1%}",
            *(_share(one.kept[kind]) for kind in kinds),
            *(_share(one.found[kind]) for kind in kinds),
        )
    console.print(f"\n**{title}**\n", markup=False)
    console.print(table)


def _share(found: Sequence[bool]) -> str:
    return f"{sum(found) / len(found):.1%} of {len(found)}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser("python -m bench.crystals", description=__doc__)
    parser.add_argument("--runs", type=int, default=5, help="how many generated transcripts (default 5)")
    parser.add_argument("--room", type=int, default=16_000, help="tokens of a window (default 16,000)")
    parser.add_argument("--asked", type=int, default=40, help="questions of a kind in a story (default 40)")
    parser.add_argument("--data", type=Path, default=DATA, help="the folder with the evaluation data")
    given = parser.parse_args(arguments)
    made = [transcript(seed) for seed in range(given.runs)]
    shown(f"{given.runs} generated runs, window {given.room:,}", rows(made, given.room, given.asked))
    file = given.data / "locomo-dev" / "cases.jsonl.gz"
    if not file.exists():
        print(f"\nThere is no {file}: pass --data for LoCoMo.")
        return
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        cases = [conversation(json.loads(line)) for line in lines]
    room = given.room // 2
    shown(f"LoCoMo, {len(cases)} conversations, window {room:,}", rows(cases, room, given.asked))


if __name__ == "__main__":
    main()
