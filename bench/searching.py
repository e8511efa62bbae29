"""How long a search takes, beside the parts no search can do without."""

from __future__ import annotations

from bench.bounds import Pass, WordIndex
from bench.figure import MILLISECONDS, Figure
from bench.stores import BIG, SMALL, Built
from bench.texts import Texts
from bench.timing import Spent, Task, interleaved, median, percentile
from foveal import Memory, Settings
from foveal.backends.models.static import StaticEmbedder
from foveal.rules.text import asked_terms

PART = "search"
ROUNDS = 60
WARM = 5


def figures(shared: Built, alone: Built, source: Texts) -> list[Figure]:
    """Search in one file: the big actor, and the small one here and in a file of its own."""
    words = WordIndex(shared.path.with_suffix(".words"), shared.texts)
    with Memory(shared.path, settings=Settings()) as memory, Memory(alone.path, settings=Settings()) as own:
        found = [
            *_measured(memory, None, words, shared, BIG, source),
            *_measured(memory, own, words, shared, SMALL, source),
        ]
    words.close()
    return found


def questions(built: Built, actor: str, source: Texts, count: int = ROUNDS + WARM) -> list[str]:
    """Questions about an actor's records, spread over all of them."""
    texts = built.texts[actor]
    return [source.question(texts[n * len(texts) // count]) for n in range(count)]


def _measured(
    memory: Memory, own: Memory | None, words: WordIndex, built: Built, actor: str, source: Texts
) -> list[Figure]:
    asked = questions(built, actor, source)
    embedder = StaticEmbedder()
    rarest = [words.rarest(actor, asked_terms(question)) for question in asked]
    passes = Pass(len(built.texts[actor]), embedder.dimension)
    tasks: dict[str, Task] = {
        "search": lambda n: memory.search(asked[n], actor_id=actor),
        "embed": lambda n: embedder.embed([asked[n]], asking=True),
        "pass": lambda _: passes.one(),
        "words": lambda n: words.one(rarest[n]),
    }
    if own is not None:
        tasks["own"] = lambda n: own.search(asked[n], actor_id=actor)
    times = interleaved(tasks, ROUNDS, warm=WARM)
    return _figures(times, f"{built.size:,} records, {actor_shown(built, actor)}")


def actor_shown(built: Built, actor: str) -> str:
    """Which of the two it is, and how much it has."""
    return f"{'big' if actor == BIG else 'small'} actor ({len(built.texts[actor]):,})"


def _figures(times: dict[str, Spent], who: str) -> list[Figure]:
    def figure(name: str, seconds: float, bound: float | None = None, against: str = "") -> Figure:
        best = None if bound is None else bound * 1000
        return Figure(PART, f"{who}: {name}", seconds * 1000, MILLISECONDS, best, against, ROUNDS)

    parts = [times[name] for name in ("embed", "pass", "words")]
    wall = [sum(spent) for spent in zip(*(part.wall for part in parts), strict=True)]
    processor = [sum(spent) for spent in zip(*(part.processor for part in parts), strict=True)]
    search = times["search"]
    against = "embedding + one pass + one word query"
    found = [
        figure("p50", percentile(search.wall, 50), percentile(wall, 50), against),
        figure("p95", percentile(search.wall, 95), percentile(wall, 95), against),
        figure("p50, processor time", median(search.processor), median(processor), "the same"),
    ]
    if "own" in times:
        own = median(times["own"].wall)
        found.append(figure("p50 beside others", median(search.wall), own, "the same in a file of its own"))
    bounds = {"embed": "bound: one embedding", "pass": "bound: one pass", "words": "bound: one word query"}
    return [*found, *(figure(name, median(times[task].wall)) for task, name in bounds.items())]
