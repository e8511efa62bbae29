"""What it costs a node to look, in a small tree of agents and in a big one, each node holding as much."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.figure import MILLISECONDS, Figure
from bench.texts import Texts
from bench.timing import Task, interleaved, median
from foveal import Memory, Settings

PART = "nodes"
ACTOR = "ada"
FEW, MANY, DEPTH = 10, 1_000, 10
HELD = 20
ROUNDS = 40


def tree(count: int) -> list[str]:
    """As many nodes, in chains of `DEPTH` below the root.

    >>> tree(12)[9:]
    ['/c0/n1/n2/n3/n4/n5/n6/n7/n8/n9', '/c1', '/c1/n1']
    """
    return [_path(number // DEPTH, number % DEPTH) for number in range(count)]


def _path(chain: int, depth: int) -> str:
    return "".join([f"/c{chain}", *(f"/n{step}" for step in range(1, depth + 1))])


def figures(folder: Path, source: Texts, held: int = HELD, many: int = MANY) -> list[Figure]:
    """The same questions of the same node in both trees: the small one is the bound."""
    asked = tree(FEW)[FEW // 2]
    with (
        Memory(folder / "few-nodes.db", settings=Settings()) as few,
        Memory(folder / "many-nodes.db", settings=Settings()) as big,
    ):
        for memory, count in ((few, FEW), (big, many)):
            memory.write_many(_items(tree(count), source, held))
        some = [one.id for one in few.timeline(actor_id=ACTOR, node=asked, limit=10)]
        other = [one.id for one in big.timeline(actor_id=ACTOR, node=asked, limit=10)]
        tasks: dict[str, Task] = {}
        for name, memory, ids in (("few", few, some), ("many", big, other)):
            tasks |= {f"{verb} {name}": task for verb, task in _tasks(memory, asked, ids)}
        times = interleaved(tasks, ROUNDS)
    records = f"{many:,} nodes, {many * held:,} records"
    return [
        Figure(
            PART,
            f"{records}: {verb}",
            median(times[f"{verb} many"].wall) * 1000,
            MILLISECONDS,
            median(times[f"{verb} few"].wall) * 1000,
            f"the same node among {FEW}",
            ROUNDS,
        )
        for verb in ("timeline", "get_many", "stats", "regions", "search")
    ]


def _items(nodes: Sequence[str], source: Texts, held: int) -> Iterator[dict[str, str]]:
    for number, text in enumerate(source.take(len(nodes) * held)):
        # Every node holds mostly LOCAL records, and shares one in ten.
        scope = "shared" if number % 10 == 0 else "local"
        yield {"text": text, "actor_id": ACTOR, "node": nodes[number % len(nodes)], "scope": scope}


def _tasks(memory: Memory, node: str, ids: Sequence[str]) -> list[tuple[str, Task]]:
    view = memory.view(actor_id=ACTOR, node=node)
    return [
        ("timeline", lambda _: view.timeline(limit=50)),
        ("get_many", lambda _: view.get_many(ids)),
        ("stats", lambda _: view.stats()),
        ("regions", lambda _: view.browse.regions()),
        ("search", lambda n: view.search(f"what was said about {n}?")),
    ]
