"""How long a search takes, beside the parts no search can do without."""

from __future__ import annotations

from bench.bounds import Pass, WordQuery
from bench.figure import MILLISECONDS, Figure
from bench.stores import BIG, SMALL, Built
from bench.texts import Texts
from bench.timing import Times, interleaved, median, percentile
from foveal import Memory, Settings
from foveal.backends.embedders.static import StaticEmbedder
from foveal.rules.words import asked_terms

PART = "search"
ROUNDS = 100
WARM = 5


def figures(shared: Built, alone: Built, source: Texts) -> list[Figure]:
    """Search in one file: the big actor, and the small one here and in a file of its own."""
    with Memory(shared.path, settings=Settings()) as memory:
        with Memory(alone.path, settings=Settings()) as own:
            return [*_big(memory, shared, source), *_small(memory, own, shared, source)]


def questions(built: Built, actor: str, source: Texts, count: int = ROUNDS + WARM) -> list[str]:
    """Questions about an actor's records, spread over all of them."""
    texts = built.texts[actor]
    return [source.question(texts[n * len(texts) // count]) for n in range(count)]


def _big(memory: Memory, built: Built, source: Texts) -> list[Figure]:
    return _measured(memory, None, built, BIG, source)


def _small(memory: Memory, own: Memory, built: Built, source: Texts) -> list[Figure]:
    return _measured(memory, own, built, SMALL, source)


def _measured(memory: Memory, own: Memory | None, built: Built, actor: str, source: Texts) -> list[Figure]:
    asked = questions(built, actor, source)
    embedder = StaticEmbedder()
    words = WordQuery(built.path)
    rarest = [words.rarest(asked_terms(question)) for question in asked]
    passes = Pass(len(built.texts[actor]), embedder.dimension)
    tasks = {
        "search": lambda n: memory.search(asked[n], actor_id=actor),
        "embed": lambda n: embedder.embed([asked[n]], asking=True),
        "pass": lambda _: passes.one(),
        "words": lambda n: words.one(actor, rarest[n]),
    }
    if own is not None:
        tasks["own"] = lambda n: own.search(asked[n], actor_id=actor)
    times = interleaved(tasks, ROUNDS, warm=WARM)
    words.close()
    return _figures(times, f"{built.size:,}", actor, len(built.texts[actor]))


def _figures(times: dict[str, Times], size: str, actor: str, records: int) -> list[Figure]:
    bound = times["embed"] + times["pass"] + times["words"]
    who = f"{size} records, {'big' if actor == BIG else 'small'} actor ({records:,})"
    against = "embedding + one pass + one word query"

    def milliseconds(name: str, seconds: float) -> Figure:
        return Figure(PART, f"{who}: {name}", seconds * 1000, MILLISECONDS, n=ROUNDS)

    found = [
        Figure(
            PART,
            f"{who}: search p{share}",
            percentile(times["search"], share) * 1000,
            MILLISECONDS,
            percentile(bound, share) * 1000,
            against,
            ROUNDS,
        )
        for share in (50, 95)
    ]
    if "own" in times:
        found.append(
            Figure(
                PART,
                f"{who}: search p50 beside others",
                median(times["search"]) * 1000,
                MILLISECONDS,
                median(times["own"]) * 1000,
                "the same in a file of its own",
                ROUNDS,
            )
        )
    parts = {"embed": "bound: one embedding", "pass": "bound: one pass", "words": "bound: one word query"}
    return [*found, *(milliseconds(name, median(times[task])) for task, name in parts.items())]
