"""Whether folding what repeats shows more evidence: a store in which people say things again, read with few tokens.

Every remark of a person is said again, three times at later moments, with a filler before it. Hits are taken in the
order of a search until the budget is spent. Folded, a hit whose phrases have the same glyphs as those of one that
is shown costs nothing, and counts as shown: its words are there. Evidence counts as shown if any saying of it is.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

from foveal import Memory
from foveal.compose import open_counter
from foveal.config import Settings
from foveal.model.results import Hit

SET = "ordinary-dev"
BUDGETS = (128, 256, 512)
HITS, SAID = 100, 3
LONGEST = 160
START = datetime(2026, 1, 5, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Folded:
    """The evidence shown in a budget, as hits come and folded, and the hits that were folded for each question."""

    budget: int
    plain: float
    folded: float
    away: float


def folding(data: Path, cases: int, again: int = SAID) -> tuple[int, list[Folded]]:
    """How many questions were asked, and what was shown in each budget; `again` 0 takes the chats as they are."""
    shares: list[dict[int, tuple[float, float, int]]] = []
    with gzip.open(data / SET / "cases.jsonl.gz", "rt", encoding="utf-8") as lines:
        for case in map(json.loads, islice(lines, cases)):
            shares += _asked(case, again)
    rows: list[Folded] = []
    for budget in BUDGETS:
        plain, folded, away = (sum(share[budget][n] for share in shares) / max(1, len(shares)) for n in range(3))
        rows.append(Folded(budget, plain, folded, away))
    return len(shares), rows


def _asked(case: dict[str, Any], again: int) -> Iterator[dict[int, tuple[float, float, int]]]:
    with Memory(":memory:", settings=Settings(metabolism="off", second_look="off")) as memory:
        ada = memory.view(actor_id="ada")
        turns = _sayings(case["turns"], again)
        written = ada.write_many([item for item, _ in turns])
        of = dict(zip(written.ids, (turn for _, turn in turns), strict=True))
        ada.tape.build()
        for question in case["questions"]:
            wanted = set(question["evidence"]) & set(of.values())
            if not wanted:
                continue
            hits = ada.search(question["question"], k=HITS, min_relevance=0)
            glyphs = {hit.id: _signature(memory, hit) for hit in hits}
            found: dict[int, tuple[float, float, int]] = {}
            for budget in BUDGETS:
                plain, _ = _shown(hits, budget, None)
                folded, away = _shown(hits, budget, glyphs)
                shares = [len(wanted & {of[one] for one in ids}) / len(wanted) for ids in (plain, folded)]
                found[budget] = (shares[0], shares[1], away)
            yield found


def _sayings(turns: Sequence[dict[str, Any]], again: int) -> list[tuple[dict[str, Any], str]]:
    """Every turn, and those of people again, with the id of the turn."""
    said: list[tuple[dict[str, Any], str]] = []
    for number, turn in enumerate(turns):
        texts = [turn["text"]]
        if turn["role"] in ("user", "person") and len(turn["text"]) <= LONGEST:
            texts += [f"{filler}{turn['text']}" for filler in ("By the way, ", "Really, ", "So, ")[:again]]
        for time, text in enumerate(texts):
            moment = START + timedelta(minutes=number, days=time * 7)
            said.append(({"text": text, "speaker": turn["speaker"], "occurred_at": moment}, turn["id"]))
    return said


def _signature(memory: Memory, hit: Hit) -> tuple[str, ...]:
    """The glyphs that stand for all of a record; empty if they do not."""
    stream = memory.tape.encode(hit.text, actor_id="ada")
    return tuple(sign for sign in stream.stream if "\u4e00" <= sign <= "\u9fff") if stream.density == 1 else ()


def _shown(hits: Sequence[Hit], budget: int, glyphs: dict[str, tuple[str, ...]] | None) -> tuple[list[str], int]:
    """The ids that fit, and how many of them are folded into another."""
    count, left, shown = open_counter(Settings().tokenizer).count, budget, list[str]()
    there: set[tuple[str, ...]] = set()
    away = 0
    for hit in hits:
        sign = glyphs[hit.id] if glyphs else ()
        if sign and sign in there:
            shown.append(hit.id)
            away += 1
            continue
        cost = count(f"{hit.record.speaker}: {hit.text}\n")
        if cost > left:
            continue
        left -= cost
        shown.append(hit.id)
        there.add(sign)
    return shown, away
