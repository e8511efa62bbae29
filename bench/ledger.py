"""How fast the three tiers of the ledger answer, and how that grows with what they hold."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import perf_counter
from typing import cast

import psutil

from bench.figure import MILLISECONDS, RATE, Figure
from bench.texts import Texts
from bench.timing import Task as Timed
from bench.timing import interleaved, percentile
from foveal import Memory, Settings
from foveal.backends.sqlite import SqliteStore
from foveal.engine.memory import View
from foveal.engine.runtime.event_ring import Ring
from foveal.model.ledger import Event, Goal, Status, Task, ToolCall
from foveal.model.query import Viewpoint

PART = "ledger"
SIZES = (10_000, 100_000)
EVENTS = 1_000_000
# Filling a ledger stops after this long, and the figures say how far it came.
LONGEST_FILL = timedelta(minutes=10)
ROUNDS = 100
# What each tier should stay under, in milliseconds; assembling a context searches several times, and has no target.
TARGETS = {"operational": 1.0, "working": 5.0, "long-term": 50.0, "context": None}
MONDAY = datetime(2026, 1, 5, tzinfo=UTC)
OLDEST = "Chose Postgres for the billing service because invoices need transactions."
ASKED = "which database should hold the invoices?"


def figures(folder: Path, sizes: Sequence[int] = SIZES) -> list[Figure]:
    """The latency of every tier at each size, beside the targets of < 1, < 5 and < 50 ms."""
    found = _ring()
    for size in sizes:
        with Memory(folder / f"ledger-{size}.db", settings=Settings()) as memory:
            view = memory.view(actor_id="ada")
            source = Texts(seed=size)
            view.write(OLDEST, kind="decision", source="assistant")
            held = _filled(view, source, size)
            found.append(_oldest(view, held))
            found += _measured(view, source, held)
    return found


def _ring() -> list[Figure]:
    """A million events through one ring: how fast, and what memory they leave behind."""
    ring, process = Ring(), psutil.Process(os.getpid())
    for number in range(20_000):
        ring.push(_event(number), MONDAY)
    before, start = process.memory_info().rss, perf_counter()
    for number in range(20_000, EVENTS):
        ring.push(_event(number), MONDAY)
    seconds, grown = perf_counter() - start, process.memory_info().rss - before
    return [
        Figure(PART, f"{EVENTS:,} events through a ring", EVENTS / seconds, RATE),
        Figure(PART, f"memory grown by {EVENTS:,} events", max(0, grown) / (1 << 20), "MB"),
    ]


def _event(number: int) -> Event:
    return Event(id=str(number), timestamp=MONDAY, category=f"c{number % 20}", source=f"s{number % 7}")


def _filled(view: View, source: Texts, size: int) -> int:
    """Write goals with a task and a tool call each, and as many decisions. Gives how many of each there are."""
    # A transaction a row, as the verbs have it, would take most of the time.
    store, at = cast(SqliteStore, view._runtime.store), Viewpoint(actor_id="ada")
    end = perf_counter() + LONGEST_FILL.total_seconds()
    texts, held, batch = source.take(size), 0, 2_000
    while held < size and perf_counter() < end:
        some = texts[held : held + batch]
        view.write_many(
            [{"text": f"{text}\nDecided: option {held + n}"} for n, text in enumerate(some)],
            kind="decision",
            source="assistant",
        )
        with store._db.writing() as db:
            place = store.ledger._place_or_new(db, at)
            for row in _rows(some, held):
                store.ledger._write(db, place, row, "put_row")
        held += len(some)
    for number in range(12_000):
        view.operational.push_event(f"c{number % 20}", {"n": number}, source=f"s{number % 7}")
    for number in range(1_000):
        text = texts[number * held // 1_000]
        view.ledger.store_pattern(f"{text} {number}", "search → write", success_rate=0.9, uses=3)
    return held


def _rows(texts: Sequence[str], first: int) -> Iterator[Goal | Task | ToolCall]:
    for number, text in enumerate(texts, first):
        key, made = str(number), MONDAY + timedelta(seconds=number)
        ended = None if number % 10 == 0 else made
        status = Status.PENDING if ended is None else Status.COMPLETED
        yield Goal(id=key, description=text, status=status, created_at=made, completed_at=ended)
        yield Task(id=key, goal_id=key, description=text, created_at=made)
        yield ToolCall(id=key, task_id=key, tool_name=f"t{number % 50}", timestamp=made)


def _oldest(view: View, held: int) -> Figure:
    """At which place a question in other words finds the decision that was written before all others."""
    found = view.longterm.semantic_search(ASKED, n_results=20)
    place = next((n for n, one in enumerate(found, 1) if one.content == OLDEST), len(found) + 1)
    return Figure(PART, f"{held:,} rows: the oldest decision is found at place", place, "", 1, "the best place")


def _measured(view: View, source: Texts, held: int) -> list[Figure]:
    operational, ledger, longterm = view.operational, view.ledger, view.longterm
    asked, known = source.take(ROUNDS + 10), ledger.get_patterns(ROUNDS + 10)
    tasks: dict[str, Timed] = {
        "operational: push_event": lambda n: operational.push_event("c1", {"n": n}, source="s1"),
        "operational: push_event, critical": lambda n: operational.push_event("c1", {"n": n}, critical=True),
        "operational: get_recent": lambda n: operational.get_recent(20),
        "operational: get_recent by category and source": lambda n: operational.get_recent(20, "c3", "s2"),
        "operational: update_metric": lambda n: operational.update_metric("load", n),
        "working: store_goal": lambda n: ledger.store_goal(asked[n], goal_id=f"new-{n}"),
        "working: update_goal": lambda n: ledger.update_goal(str(n * 10), priority=n),
        "working: get_active_goals": lambda n: ledger.get_active_goals(20),
        "working: store_task": lambda n: ledger.store_task(str(n), "do it"),
        "working: get_tasks_for_goal": lambda n: ledger.get_tasks_for_goal(str(n * held // 200)),
        "working: store_tool_call": lambda n: ledger.store_tool_call(str(n), "t1", given={"n": n}, output="ok"),
        "working: store_decision": lambda n: ledger.store_decision(asked[n], "this", reasoning="that"),
        "working: find_pattern, the same words": lambda n: ledger.find_pattern(known[n].trigger),
        "working: store_agent_state": lambda n: ledger.store_agent_state("planner", {"n": n}),
        "long-term: semantic_search": lambda n: longterm.semantic_search(asked[n]),
        "long-term: find_similar_decisions": lambda n: ledger.find_similar_decisions(asked[n]),
        "long-term: find_pattern by meaning": lambda n: ledger.find_pattern(asked[n]),
        "long-term: store_incident": lambda n: longterm.store_incident(asked[n]),
        "context: assemble_context": lambda n: view.assemble_context(asked[n]),
    }
    # Tier by tier, so that what is slow does not cool the caches of what is fast.
    found: list[Figure] = []
    for tier, target in TARGETS.items():
        some = {name: task for name, task in tasks.items() if name.startswith(tier)}
        for name, spent in interleaved(some, ROUNDS).items():
            measured = {
                "p50": percentile(spent.wall, 50),
                "p95": percentile(spent.wall, 95),
                "p50, processor time": percentile(spent.processor, 50),
            }
            for label, seconds in measured.items():
                found.append(
                    Figure(
                        PART,
                        f"{held:,} rows: {name}, {label}",
                        seconds * 1000,
                        MILLISECONDS,
                        target,
                        "" if target is None else f"the target, {target:g} ms",
                        ROUNDS,
                    )  # fmt: skip
                )
    return found
