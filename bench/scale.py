"""Measure SQLite, Postgres and many servers as a memory grows, beside plain pgvector and others, in one run."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from math import log10
from pathlib import Path
from time import perf_counter, perf_counter_ns

from bench import served, subject
from bench.filling import ACTOR
from bench.plain import TENANTS, Plain
from bench.printing import machine
from bench.rivals import chroma, mem0
from bench.stocks import QUIET, Stocks, stocked
from bench.subject import BATCH, QUESTIONS, ROUNDS, Measured, Subject
from bench.texts import Texts
from bench.timing import Task, interleaved, percentile
from foveal import Memory
from foveal.engine.memory import View

SIZES = "1000,10000"
SERVERS = "1,2,4"
RIVALS_UP_TO = 100_000
_PAIR = ("Postgres", "plain pgvector")


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a line for each store and size: writes a second, searches, bytes a record, growth per tenfold."""
    parser = argparse.ArgumentParser("python -m bench.scale", description=__doc__)
    parser.add_argument("--sizes", default=SIZES, help=f"records of the actor (default {SIZES})")
    parser.add_argument("--servers", default=SERVERS, help=f"how many processes serve (default {SERVERS}; 0: none)")
    parser.add_argument(
        "--keep", type=Path, metavar="DIR", help="keep the filled stores here, and use those there are"
    )
    parser.add_argument("--fill", action="store_true", help="only fill the stores; what was begun is gone on with")
    parser.add_argument("--mem0", type=Path, metavar="DIR", help="where mem0 is: pip install --target DIR mem0ai")
    parser.add_argument("--rivals", type=int, default=RIVALS_UP_TO, help=f"sizes of others (to {RIVALS_UP_TO:,})")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"batches of each that are timed ({ROUNDS})")
    given = parser.parse_args(arguments)
    sizes = sorted(int(one) for one in given.sizes.split(","))
    numbers = [int(one) for one in given.servers.split(",") if int(one)]
    began = perf_counter()
    with stocked(given.keep) as stocks:
        for records in sizes:
            stocks.fill(records)
            print(f"{records:,} records are there after {perf_counter() - began:.0f} s", flush=True)
        if given.fill:
            return
        print(f"\n{machine()}\none actor, batches of {BATCH}, {QUESTIONS} questions, each asked of all in turn\n")
        found: list[Measured] = []
        for records in sizes:
            with ExitStack() as stack:
                subjects = _subjects(stocks, records, stack)
                if records <= given.rivals:
                    subjects += _rivals(stocks, records, stack, given.mem0)
                found += subject.measured(subjects, records, seed=perf_counter_ns(), rounds=given.rounds)
        _tell(found)
        _tell_both(stocks, sizes)
        _tell_tenants(stocks, sizes)
        _tell_served(stocks, sizes, numbers)
    print(f"\n{perf_counter() - began:.0f} s")


def _subjects(stocks: Stocks, records: int, stack: ExitStack) -> list[Subject]:
    file, url = stocks.file(records), stocks.database("memory", records)
    lite, post = (stack.enter_context(Memory(where, settings=QUIET)) for where in (file, url))
    plain = stack.enter_context(Plain(stocks.database("plain", records)))
    return [
        _memory("SQLite", lite, lambda: file.stat().st_size),
        _memory("Postgres", post, lambda: stocks.size("memory", records)),
        Subject("plain pgvector", plain.write_many, plain.search, size=lambda: plain.bytes),
    ]


def _memory(name: str, memory: Memory, size: Callable[[], int]) -> Subject:
    view = memory.view(actor_id=ACTOR)
    return Subject(name, view.write_many, view.search, size=size)


def _rivals(stocks: Stocks, records: int, stack: ExitStack, packages: Path | None) -> list[Subject]:
    found = [stack.enter_context(chroma(stocks.folder / "chroma", records))]
    if packages is not None:
        found.append(mem0(packages, stocks.folder / "mem0", stocks.database("mem0", records), records))
    return found


def _tell(found: Sequence[Measured]) -> None:
    print(
        f"{'':<18}{'records':>10}{'writes/s':>10}{'one by one':>12}{'first ms':>10}{'p50 ms':>9}{'p95 ms':>9}"
        f"{'bytes each':>12}{'writes x10':>12}{'p95 x10':>9}"
    )
    for name in dict.fromkeys(one.name for one in found):
        before: Measured | None = None
        for one in (one for one in found if one.name == name):
            grown = [f"{_tenfold(before, one, what):.2f}x" if before else "" for what in ("many", "most")]
            room = f"{one.bytes:,.0f}" if one.bytes else ""
            print(
                f"{name:<18}{one.records:>10,}{one.many:>10,.0f}{one.one:>12,.0f}{one.first:>10,.0f}{one.half:>9.1f}"
                f"{one.most:>9.1f}{room:>12}{grown[0]:>12}{grown[1]:>9}"
            )
            before = one
    print("\nas many times plain pgvector's")
    for records in dict.fromkeys(one.records for one in found):
        own, plain = (next(x for x in found if (x.name, x.records) == (name, records)) for name in _PAIR)
        print(
            f"{records:>10,}: batches take {plain.many / own.many:.2f}x, one by one {plain.one / own.one:.2f}x, "
            f"a search {own.half / plain.half:.2f}x in the middle and {own.most / plain.most:.2f}x at p95"
        )


def _tenfold(before: Measured, now: Measured, what: str) -> float:
    """How a figure grows when the records grow tenfold."""
    return (getattr(now, what) / getattr(before, what)) ** (1 / log10(now.records / before.records))


def _tell_both(stocks: Stocks, sizes: Sequence[int]) -> None:
    """Beside a query by hand that ranks as a search of ours does: by words and by meaning."""
    print("\nbeside SQL by hand that ranks by words and by vectors together, asked in turn\n")
    print(f"{'records':>10}{'ours p50':>12}{'p95 ms':>9}{'by hand p50':>14}{'p95 ms':>9}{'p50':>9}{'p95':>8}")
    for records in sizes:
        with (
            Memory(stocks.database("memory", records), settings=QUIET) as memory,
            Plain(stocks.database("plain", records)) as plain,
        ):
            plain.index_words()
            ours, hand = _both(memory.view(actor_id=ACTOR), plain)
        print(
            f"{records:>10,}{ours[0]:>12.1f}{ours[1]:>9.1f}{hand[0]:>14.1f}{hand[1]:>9.1f}"
            f"{ours[0] / hand[0]:>8.2f}x{ours[1] / hand[1]:>7.2f}x",
            flush=True,
        )


def _both(view: View, plain: Plain) -> list[list[float]]:
    """The milliseconds that half of the searches, and 95 of 100, stay under: ours, then by hand."""
    texts = Texts(seed=perf_counter_ns())
    asked = [texts.question(one) for one in texts.take(QUESTIONS + 2)]
    tasks: dict[str, Task] = {
        "ours": lambda number: view.search(asked[number]),
        "by hand": lambda number: plain.search_both(asked[number]),
    }
    spent = interleaved(tasks, QUESTIONS)
    return [[1000 * percentile(spent[one].wall, share) for share in (50, 95)] for one in tasks]


def _tell_tenants(stocks: Stocks, sizes: Sequence[int]) -> None:
    """Plain pgvector with a filter: how much of the ten nearest of a tenant it finds, and what that takes."""
    print(f"\nplain pgvector, the nearest ten of one of {TENANTS} tenants\n")
    print(f"{'records':>10}{'':>4}{'found':>7}{'p95 ms':>9}{'':>6}{'found, iterative':>18}{'p95 ms':>9}")
    texts = Texts(seed=7)
    asked = [texts.question(one) for one in texts.take(30)]
    for records in sizes:
        with Plain(stocks.database("plain", records)) as plain:
            line = f"{records:>10,}"
            right = [set(plain.exact(one, tenant)) for tenant, one in enumerate(asked)]
            for iterative in (False, True):
                times, hits = list[float](), 0
                for tenant, one in enumerate(asked):
                    began = perf_counter()
                    hits += len(right[tenant].intersection(plain.search_tenant(one, tenant, iterative=iterative)))
                    times.append(1000 * (perf_counter() - began))
                share = hits / sum(len(one) for one in right)
                line += f"{share:>{24 if iterative else 11}.2f}{percentile(times, 95):>9.1f}"
            print(line)


def _tell_served(stocks: Stocks, sizes: Sequence[int], numbers: Sequence[int]) -> None:
    """Several servers on one Postgres, asked over HTTP by eight connections."""
    if not numbers:
        return
    print(f"\nservers on one Postgres, over HTTP, {served.CONNECTIONS} connections, batches of {served.BATCH}\n")
    print(
        f"{'servers':>8}{'records':>10}{'first s':>9}{'searches/s':>12}{'p95 ms':>9}{'writes/s':>10}{'p95 ms':>9}"
    )
    for records in sizes:
        for number in numbers:
            one = served.measured(stocks.database("memory", records), number, seed=perf_counter_ns())
            print(
                f"{number:>8}{records:>10,}{one.first:>9.1f}{one.searches:>12.1f}{one.most:>9.0f}{one.writes:>10,.0f}"
                f"{one.writes_most:>9.0f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
