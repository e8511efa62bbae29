"""The evaluation sets as memories: each case is written to one, and each question is asked of it."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.dates import moment_of
from foveal import Memory
from foveal.config import Settings
from foveal.engine.memory import View
from foveal.engine.records import recall
from foveal.model.search import CandidateTable, Floats
from foveal.rules.recall.features import Fine, Likeness, Meant, conditions, features
from foveal.rules.recall.question import Question
from foveal.rules.recall.ranking import Weights, looked_at, scored

ACTOR = "case"
SETS = ("ordinary-dev", "locomo-dev", "longmemeval-dev", "beam-dev", "prefeval-dev")
DATA = Path(__file__).parents[2] / "shared" / "data"
# LoCoMo's questions about the wrong person have evidence, but no answer.
WRONG_PERSON = ("locomo-dev", "5")

# Parts of ordinary chats, each a memory of a few turns: relevance is learned from them too.
FEW = "few turns"
SIZES = (1, 2, 3, 5, 8, 13)

# The copy of `ordinary-dev` that comes with the project, where no other data is.
OWN = Path(__file__).parents[1] / "tests" / "data" / "ordinary.jsonl.gz"

Turn = Mapping[str, Any]


def available(data: Path) -> list[str]:
    """The sets that a data folder has; `ordinary-dev` comes with the project."""
    return [name for name in SETS if _file(data, name).is_file()]


def cases(data: Path, name: str) -> list[Any]:
    """The cases of a set."""
    with gzip.open(_file(data, name), "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _file(data: Path, name: str) -> Path:
    own = data / name / "cases.jsonl.gz"
    return own if own.is_file() or name != "ordinary-dev" else OWN


def source_of(turn: Turn) -> str:
    """Who a turn comes from: its role, where the set tells it, else what a chat calls its speakers."""
    role = turn.get("role") or turn["speaker"].lower()
    return role if role in ("assistant", "tool") else "user"


def item_of(turn: Turn) -> dict[str, Any]:
    """What a memory is told of a turn."""
    return {
        "text": turn["text"],
        "speaker": turn["speaker"] or None,
        "source": source_of(turn),
        "session_id": str(turn["session"]),
        "occurred_at": moment_of(turn["date"]),
    }


class Turned:
    """A clock that stands where a question is asked."""

    def __init__(self) -> None:
        self.moment = datetime.now(UTC)

    def now(self) -> datetime:
        """The moment it was turned to."""
        return self.moment


class Chat:
    """A case in a memory of its own; each turn is a record."""

    def __init__(self, turns: Sequence[Turn], **models: Any) -> None:
        self.clock = Turned()
        options: dict[str, Any] = {"kept_rankings": 0, "recall_log": False}
        if "second_look" not in models:
            options["second_look"] = "off"
        # The same question may be asked twice, and is to be ranked twice.
        self._memory = Memory(":memory:", clock=self.clock, settings=Settings(**options), **models)
        self.view = self._memory.view(actor_id=ACTOR)
        dated = all("role" in turn for turn in turns)
        if dated:
            self.clock.moment = max(datetime.fromisoformat(turn["date"]) for turn in turns)
        written = self.view.write_many([item_of(turn) for turn in turns])
        refused = {one.index for one in written.rejected}
        kept = [turn["id"] for place, turn in enumerate(turns) if place not in refused]
        # A turn that was sent twice is one record, which stands for both.
        self.turns: dict[str, list[str]] = {}
        for record, turn in zip(written.ids, kept, strict=True):
            self.turns.setdefault(record, []).append(turn)
        second = self._memory.runtime.second_look
        if second is not None:
            for organism in self._memory.runtime.store.counts.organisms():
                for _ in second.catch_up(organism):
                    pass

    def at(self, moment: str | None) -> None:
        """Turn the clock to where a question is asked, if that is told."""
        if moment is not None:
            self.clock.moment = max(self.clock.moment, datetime.fromisoformat(moment))

    def close(self) -> None:
        """Let the memory go."""
        self._memory.close()


@dataclass(slots=True)
class Sample:
    """One question with its candidates: how they are told apart, which are evidence, and which are outdated."""

    data: str
    case: str
    category: str
    english: bool
    question: Question
    meant: Meant
    frame: CandidateTable
    likeness: Likeness
    fine: Fine | None
    turns: list[str]
    evidence: NDArray[np.bool_]
    older: NDArray[np.bool_]
    wanted: int
    cost: NDArray[np.int64]


def samples(data: Path, name: str, **models: Any) -> Iterator[Sample]:
    """Every question of a set, and of `ordinary-dev` also questions of other chats, which nobody here spoke of."""
    every = cases(data, name)
    for case in every:
        chat = Chat(case["turns"], **models)
        known = {turn["id"] for turn in case["turns"]}
        for asked in [*case["questions"], *foreign(every, case)]:
            if not asked["evidence"] or not known.isdisjoint(asked["evidence"]):
                yield _sample(name, case, chat, asked)
        chat.close()


def few_turns(data: Path, **models: Any) -> Iterator[Sample]:
    """Questions of ordinary chats, asked of a few turns around the evidence, and of a few turns elsewhere."""
    every = cases(data, "ordinary-dev")
    for case in every:
        places = {turn["id"]: place for place, turn in enumerate(case["turns"])}
        others = foreign(every, case)
        for number, asked in enumerate(question for question in case["questions"] if question["evidence"]):
            size = SIZES[number % len(SIZES)]
            first = max(0, places[asked["evidence"][-1]] - number % size)
            turns = case["turns"][first : first + size]
            away = {**asked, "evidence": (), "category": "unknown"}
            for part, question in (
                (turns, asked),
                (turns, others[number % len(others)] if others else away),
                (_elsewhere(case, asked, first, size), away),
            ):
                chat = Chat(part, **models)
                yield _sample(FEW, {**case, "turns": part}, chat, question)
                chat.close()


def _elsewhere(case: Any, asked: Any, first: int, size: int) -> list[Turn]:
    """A few turns that are no evidence, as far as can be from those that are."""
    held = {*asked["evidence"], *asked.get("older", ())}
    count = len(case["turns"])
    rest = [case["turns"][(first + count // 2 + place) % count] for place in range(count)]
    return sorted([turn for turn in rest if turn["id"] not in held][:size], key=lambda turn: turn["date"])


def _sample(name: str, case: Any, chat: Chat, asked: Any) -> Sample:
    if asked["category"] != "foreign":
        chat.at(asked.get("asked_at"))
    evidence = set(asked["evidence"]) & {turn["id"] for turn in case["turns"]}
    cost = {turn["id"]: -(-len(f"{turn['speaker']}: {turn['text']}") // 4) for turn in case["turns"]}
    question, meant, frame, likeness, fine = asked_of(chat.view, asked["question"])
    turns = [chat.turns[record_id] for record_id in frame.ids]
    return Sample(
        data=name,
        case=f"{'ordinary-dev' if name == FEW else name} {case['id']}",
        category=str(asked["category"]),
        english=case.get("language", "en") == "en",
        question=question,
        meant=meant,
        frame=frame,
        likeness=likeness,
        fine=fine,
        turns=[some[0] for some in turns],
        evidence=np.array([not evidence.isdisjoint(some) for some in turns], bool),
        older=np.array([not set(some).isdisjoint(asked.get("older", ())) for some in turns], bool),
        wanted=len(evidence),
        cost=np.array([cost[some[0]] for some in turns], np.int64),
    )


def foreign(every: Sequence[Any], case: Any) -> list[dict[str, Any]]:
    alike = [one for one in every if one.get("language") == case.get("language") and "role" in one["turns"][0]]
    if len(alike) < 2 or case not in alike:
        return []
    other = alike[(alike.index(case) + len(alike) // 2) % len(alike)]
    return [{"question": one["question"], "category": "foreign", "evidence": []} for one in other["questions"][::3]]


Asked = tuple[Question, Meant, CandidateTable, Likeness, Fine | None]


def asked_of(view: View, question: str) -> Asked:
    """What the ranking is given for a question, caught where it is called."""
    caught: list[Asked] = []
    original = recall.ranked

    def catching(
        asked: Question, meant: Meant, frame: CandidateTable, likeness: Likeness, weights: Weights, look: Any
    ) -> Any:
        fine = None
        if look is not None and len(frame.ids):
            found, given = features(asked, meant, frame), conditions(asked, frame)
            order = np.argsort(-scored(found, given, weights.first), kind="stable")
            fine = look(looked_at(frame, order))
            if fine is not None and not len(fine.rows):
                fine = None
        caught.append((asked, meant, frame, likeness, fine))
        return original(asked, meant, frame, likeness, weights, look)

    recall.ranked = catching
    try:
        view.search(question, k=1)
    finally:
        recall.ranked = original
    return caught[-1]


ARMS = ("words", "meaning", "second look")


def arms(frame: CandidateTable, fine: Fine | None) -> dict[str, Floats]:
    """The scores of the candidates by each arm alone: words, meaning, and the second look if there was one, which
    knows only the candidates that it was for."""
    count = len(frame.ids)
    found = {"words": frame.words[:count], "meaning": frame.cosine[:count]}
    if fine is not None:
        looked = np.full(len(frame.lengths), -1, np.float32)
        looked[fine.rows] = fine.asked
        found["second look"] = looked[:count]
    return found
