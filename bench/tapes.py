"""How long a tape takes to build, how it grows, and how fast cells are found in a large memory."""

from __future__ import annotations

import gzip
import json
import resource
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from time import perf_counter, process_time

import apsw

from bench.recall import available
from bench.texts import Texts
from foveal import Memory
from foveal.rules.glyphs import key, phrases

ACTOR = "ada"


@dataclass(frozen=True, slots=True)
class Built:
    """One build: what it held, and the processor time each step took, which a busy machine does not change.

    Of the build, also the time by the clock, and the most room that the process has taken so far.
    """

    records: int
    phrases: int
    families: int
    write_seconds: float
    build_seconds: float
    clock_seconds: float
    most_bytes: int
    use_seconds: float
    update_ms: float
    before_bytes: int
    after_bytes: int


@dataclass(frozen=True, slots=True)
class Looked:
    """A prefix of some digits: how many records lie there, and the milliseconds of processor time of one look."""

    digits: int
    records: int
    milliseconds: float


def texts_of(data: Path, count: int) -> list[str]:
    """Texts with about `count` distinct phrases, of the evaluation data as far as it goes, then made up."""
    said: set[int] = set()
    kept: list[str] = []
    for text in chain(_all(data), _made_up()):
        kept.append(text)
        said.update(key(text[one.start : one.end]) for one in phrases(text))
        if len(said) >= count:
            break
    return kept


def _all(data: Path) -> list[str]:
    found: list[str] = []
    for name in available(data):
        with gzip.open(data / name / "cases.jsonl.gz", "rt", encoding="utf-8") as lines:
            found += [turn["text"] for line in lines for turn in json.loads(line)["turns"]]
    return found


def _made_up() -> Iterator[str]:
    source = Texts(seed=5)
    while True:
        yield from source.take(1_000)


def built(path: Path, texts: list[str]) -> Built:
    """Write texts into a new file and build a tape of them."""
    with Memory(path) as memory:
        ada = memory.view(actor_id=ACTOR)
        start = process_time()
        ada.write_many([one for one in texts if one.strip()])
        wrote = process_time() - start
        before = _bytes(path)
        start, clock = process_time(), perf_counter()
        tape = ada.tape.build(use=False)
        took, clock = process_time() - start, perf_counter() - clock
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        start = process_time()
        ada.tape.use(tape.number)
        used = process_time() - start
        held = _bytes(path)
        ada.write_many([f"And again: {one}" for one in texts[:200] if one.strip()])
        start = process_time()
        after = ada.tape.update()
        update = (process_time() - start) / max(1, after.records - tape.records)
        counts = (tape.records, tape.phrases, tape.families)
        return Built(*counts, wrote, took, clock, most, used, update * 1000, before, held)


def looked(path: Path) -> list[Looked]:
    """Look for the addresses under prefixes of one to nine digits."""
    found: list[Looked] = []
    with Memory(path) as memory:
        ada = memory.view(actor_id=ACTOR)
        digits = ada.browse.addresses(limit=300)[-1].digits
        for length in (1, 3, 5, 7, 9):
            count = len(ada.browse.addresses(prefix=digits[:length], limit=1_000_000))
            start = process_time()
            for _ in range(5):
                ada.browse.addresses(prefix=digits[:length], limit=100)
            found.append(Looked(length, count, (process_time() - start) / 5 * 1000))
    return found


def _bytes(path: Path) -> int:
    """The pages of the file that hold something."""
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        held = int(db.pragma("page_count")) - int(db.pragma("freelist_count"))
        return held * int(db.pragma("page_size"))
    finally:
        db.close()
