"""Ordinary conversation: natural questions about natural chats, asked through the public API alone."""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bench.judged import mean
from bench.samples import ARMS, DATA, Chat, arms, asked_of, cases, foreign
from bench.stored import StoredVectors, stored_minilm
from foveal.backends.models.onnx import OnnxEmbedder

NAME = "ordinary-dev"
BUDGETS = (300, 512)
# The most that the whole may fall behind one of its arms, in a kind of question.
BEHIND = 0.05


@dataclass(frozen=True, slots=True)
class Asked:
    """One question and what came of it. `top` is the relevance of the best hit, 0 if there is none."""

    case: str
    category: str
    english: bool
    known: bool
    top: float
    empty: bool
    figures: Mapping[str, float]
    spent: Mapping[int, int]


def asked(data: Path, **settings: Any) -> Iterator[Asked]:
    """Ask every question of every chat, and some of another chat."""
    every = cases(data, NAME)
    for case in every:
        chat = Chat(case["turns"], **settings)
        texts = {turn["id"]: turn["text"] for turn in case["turns"]}
        for question in [*case["questions"], *foreign(every, case)]:
            if question["category"] != "foreign":
                chat.at(question.get("asked_at"))
            hits = chat.view.search(question["question"], k=10)
            ids = [chat.turns[hit.id][0] for hit in hits]
            for wanted, others in question.get("alternatives", {}).items():
                ids = [wanted if one in others and wanted not in ids else one for one in ids]
            evidence = set(question["evidence"])
            found = _judged(ids, evidence, question.get("older", ())) if evidence else {}
            spent: dict[int, int] = {}
            for budget in BUDGETS:
                context = chat.view.read(question["question"], token_budget=budget, touch=False)
                shown = {chat.turns[item.id][0]: item.text for item in context.items}
                spent[budget] = context.tokens
                if evidence:
                    inside = [_holds(shown.get(one, ""), texts[one], question.get("key")) for one in evidence]
                    found[f"in {budget}"] = sum(inside) / len(evidence)
            if evidence:
                found |= _arms(chat, question["question"], evidence)
            yield Asked(
                case=case["id"],
                category=question["category"],
                english=case.get("language", "en") == "en",
                known=bool(evidence),
                top=hits[0].relevance if hits else 0.0,
                empty=not hits,
                figures=found,
                spent=spent,
            )
        chat.close()


def _judged(ids: Sequence[str], evidence: set[str], older: Sequence[str]) -> dict[str, float]:
    found = {
        "hit@1": float(not evidence.isdisjoint(ids[:1])),
        "hit@3": float(not evidence.isdisjoint(ids[:3])),
        "R@10": len(evidence & set(ids)) / len(evidence),
    }
    if older:
        newest = min((ids.index(one) for one in evidence if one in ids), default=99)
        found["newest"] = float(newest < 99 and all(newest < ids.index(one) for one in older if one in ids))
    return found


def _holds(shown: str, text: str, key: Sequence[str] | None) -> bool:
    flat = " ".join(shown.lower().split())
    return all(" ".join(one.lower().split()) in flat for one in key or [text])


def _arms(chat: Chat, question: str, evidence: set[str]) -> dict[str, float]:
    """What each arm alone would have found."""
    _, _, frame, _, fine = asked_of(chat.view, question)
    turns = [chat.turns[one][0] for one in frame.ids]
    found: dict[str, float] = {}
    for name, scores in arms(frame, fine).items():
        best: list[int] = np.argsort(-scores, kind="stable")[:10].tolist()
        ids = [turns[place] for place in best]
        found |= {f"{name} {figure}": value for figure, value in _judged(ids, evidence, ()).items()}
    return found


def told_apart(some: Sequence[Asked], category: str) -> float:
    """How often the best hit is more relevant for a question with an answer than for one without, chat by chat."""
    known: dict[str, list[float]] = defaultdict(list)
    others: dict[str, list[float]] = defaultdict(list)
    for one in some:
        if one.known or one.category == category:
            (known if one.known else others)[one.case].append(one.top)
    wins = [(one > two) + 0.5 * (one == two) for case in known for one in known[case] for two in others[case]]
    return sum(wins) / len(wins) if wins else float("nan")


def report(found: Sequence[Asked]) -> str:
    """The figures as Markdown, for English and for other languages."""
    lines: list[str] = []
    for title, some in (
        ("English", [one for one in found if one.english]),
        ("other languages", [one for one in found if not one.english]),
    ):
        if some:
            lines += [
                f"\nordinary conversation, {title}: hit@1 / hit@3, and what each arm finds alone\n",
                *_table(some),
            ]
    return "\n".join(lines)


def _table(some: Sequence[Asked]) -> list[str]:
    groups: dict[str, list[Mapping[str, float]]] = defaultdict(list)
    for one in some:
        if one.known:
            groups[one.category].append(one.figures)
            groups["all"].append(one.figures)
    alone = [arm for arm in ARMS if all(f"{arm} hit@1" in one for one in groups["all"])]
    lines = [
        "| | n | hit@1 / hit@3 | R@10 | in 300 | in 512 | " + " | ".join(f"{arm} alone" for arm in alone) + " |",
        "|---|" + "---:|" * (5 + len(alone)),
    ]
    worse: list[str] = []
    for name in sorted(groups, key=lambda name: (name == "all", name)):
        part = groups[name]
        pair = f"{mean(part, 'hit@1'):.2f} / {mean(part, 'hit@3'):.2f}"
        others = " | ".join(f"{mean(part, f'{arm} hit@1'):.2f} / {mean(part, f'{arm} hit@3'):.2f}" for arm in alone)
        reads = " | ".join(f"{mean(part, f'in {budget}'):.2f}" for budget in BUDGETS)
        lines.append(f"| {name} | {len(part)} | {pair} | {mean(part, 'R@10'):.2f} | {reads} | {others} |")
        worse += [
            f"{name}: {arm} alone has {figure} {mean(part, f'{arm} {figure}'):.2f}, all {mean(part, figure):.2f}"
            for arm in alone
            for figure in ("hit@1", "hit@3", "R@10")
            if mean(part, f"{arm} {figure}") > mean(part, figure) + BEHIND
        ]
    lines.append(f"\nnewest above the older: {mean(groups['all'], 'newest'):.2f}")
    for category in ("unknown", "foreign"):
        part = [one for one in some if one.category == category]
        if part:
            spent = sum(one.spent[BUDGETS[0]] for one in part) / len(part)
            empty = sum(one.empty for one in part) / len(part)
            lines.append(
                f"{category} ({len(part)}): AUC {told_apart(some, category):.2f}, nothing found {empty:.2f}, "
                f"a read of {BUDGETS[0]} tokens spends {spent:.0f}"
            )
    lines.append("worse than an arm: " + ("; ".join(worse) or "nowhere"))
    return lines


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser("python -m bench.ordinary", description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="the folder with the data")
    parser.add_argument("--onnx", type=Path, help="a folder with an ONNX encoder for the first look, and no second")
    parser.add_argument("--second", type=Path, help="a folder with an ONNX encoder for the second look")
    parser.add_argument("--first", action="store_true", help="no second look")
    given = parser.parse_args()
    settings: dict[str, Any] = {}
    if given.onnx is not None:
        settings["embedder"] = OnnxEmbedder(given.onnx)
    elif given.second is not None:
        settings["second_look"] = StoredVectors(OnnxEmbedder(given.second))
    elif not given.first:
        settings["second_look"] = stored_minilm()
    print(report(list(asked(given.data, **settings))))


if __name__ == "__main__":
    main()
