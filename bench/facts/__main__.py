"""Print how well the rules draw, update and state facts: `make bench-facts`."""

from __future__ import annotations

import argparse
from datetime import datetime
from pathlib import Path
from typing import Any

from bench.samples import DATA, Turned, cases, item_of
from foveal import Memory
from foveal.config import Settings
from foveal.engine.memory import View
from foveal.model.results import Profile
from foveal.rules.facts import Verdict, drawn, reconciled

HERE = Path(__file__).parent
# Enough for every fact of a conversation of months.
BUDGET = 20_000


def _rows(name: str) -> list[list[str]]:
    return [line.split("\t") for line in (HERE / name).read_text(encoding="utf-8").splitlines()]


def pairs(name: str) -> str:
    """Precision and recall of `update` on pairs of statements, of which some only look alike."""
    right = wrong = missed = 0
    for wanted, old, new in _rows(name):
        older = drawn(old)
        verdicts = {reconciled(statement, older)[1].verdict for statement in drawn(new)}
        found = not verdicts.isdisjoint((Verdict.UPDATE, Verdict.CONTRADICTION))
        right += found and wanted == "update"
        wrong += found and wanted != "update"
        missed += wanted == "update" and not found
    precision, recall = right / max(1, right + wrong), right / max(1, right + missed)
    return f"| {name} | {right + missed} | {precision:.2f} | {recall:.2f} |"


def _opened(clock: Turned) -> View:
    settings = Settings(second_look="off", recall_log=False)
    return Memory(":memory:", clock=clock, settings=settings).view(actor_id="bench")


def half_year() -> str:
    """The share of planted and changed facts that the profile states, and of outdated ones that it still does.

    A statement counts as outdated only where it stands as true: what is shown as "before" is not.
    """
    clock = Turned()
    memory = _opened(clock)
    for day, text in _rows("half-year.tsv"):
        clock.moment = datetime.fromisoformat(f"{day}T19:00:00+00:00")
        memory.remember(text)
    profile = memory.profile(token_budget=BUDGET)
    now = [f"{fact.subject} {fact.attribute} {fact.value} {fact.text}".lower() for fact in profile.items]
    states = {
        (kind, about, value): any(value.lower() in line for line in now)
        for kind, about, value in _rows("half-year-wanted.tsv")
    }
    wanted = [found for (kind, *_), found in states.items() if kind == "true"]
    outdated = [found for (kind, *_), found in states.items() if kind == "false"]
    missing = [
        f"{about}: {value}" for (kind, about, value), found in states.items() if kind == "true" and not found
    ]
    false = [f"{about}: {value}" for (kind, about, value), found in states.items() if kind == "false" and found]
    return (
        f"half a year, {len(wanted)} facts: stated rightly {sum(wanted) / len(wanted):.2f}, "
        f"of {len(profile.items)} statements false {sum(outdated) / max(1, len(profile.items)):.2f}\n"
        f"missing: {'; '.join(missing) or 'none'}\nfalse: {'; '.join(false) or 'none'}"
    )


def _remembered(case: Any) -> tuple[View, dict[str, str]]:
    clock = Turned()
    memory = _opened(clock)
    turn_of: dict[str, str] = {}
    for turn in case["turns"]:
        clock.moment = datetime.fromisoformat(turn["date"])
        done = memory.remember([item_of(turn)])
        own: str = turn["id"]
        turn_of |= {record_id: own for record_id in done.ids}
        turn_of |= {fact.id: own for fact in done.facts if fact.verdict != Verdict.SAME}
    return memory, turn_of


def ordinary(data: Path) -> str:
    """Of the questions about what changed: how many newest statements are linked as updates, or in a profile."""
    linked = stated = asked = 0
    for case in cases(data, "ordinary-dev"):
        memory, turn_of = _remembered(case)
        profile: Profile = memory.profile(token_budget=BUDGET)
        in_profile = {turn_of.get(source) for fact in profile.items for source in fact.sources}
        for question in case["questions"]:
            if question["category"] == "changed":
                asked += 1
                newest, older = set(question["evidence"]), set(question.get("older", ()))
                pairs = {
                    (turn_of.get(link.source_id), turn_of.get(link.target_id))
                    for fact_id, turn in turn_of.items()
                    if turn in newest
                    for related in memory.related(fact_id, kind="updates")
                    for link in [related.link]
                }
                linked += any(one in newest and two in older for one, two in pairs)
                stated += not newest.isdisjoint(in_profile)
    shares = f"linked `updates` {linked / asked:.2f}, in the profile {stated / asked:.2f}"
    return f"ordinary-dev, changed ({asked}): {shares}"


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser("python -m bench.facts", description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="the folder with the data")
    parser.add_argument("--quick", action="store_true", help="leave the ordinary chats out")
    given = parser.parse_args()
    print("| pairs | updates | precision | recall |\n|---|---:|---:|---:|")
    print(pairs("pairs-fit.tsv"), pairs("pairs-held-out.tsv"), sep="\n")
    print(half_year())
    if not given.quick:
        print(ordinary(given.data))


if __name__ == "__main__":
    main()
