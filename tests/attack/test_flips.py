"""A flipped byte of a memory, of its log or of an export raises only named errors, and shows no other actor."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from pathlib import Path

from tests.attack.effort import Effort
from tests.support.every_verb import SECRET
from tests.support.filled_file import build, opened, verbs

from foveal import repair
from foveal.errors import FovealError

FLIPS = 30


def _flipped(data: bytes, chance: random.Random, *, texts: bool) -> bytes:
    """The bytes of a file with one of them changed, for `texts` one in the text of a record or close to it."""
    places = [place for place in range(len(data)) if data.startswith(b"spare", place)]
    place = chance.choice(places) + chance.randrange(-90, 60) if texts and places else chance.randrange(len(data))
    place = min(max(place, 0), len(data) - 1)
    bits = chance.choice([0xFF, 0x80] if texts else [0xFF, 0x80, 1, 0x40])
    return data[:place] + bytes([data[place] ^ bits]) + data[place + 1 :]


def _named(calls: Iterable[Callable[[], object]]) -> int:
    """Run calls. Returns how many failed, each with an error of its own; any other error is raised."""
    failed = 0
    for call in calls:
        try:
            told = call()
        except FovealError as error:
            assert error.code != "error"
            failed += 1
        else:
            assert SECRET not in repr(told)
    return failed


def test_a_flipped_byte_raises_nothing_but_named_errors(tmp_path: Path, effort: Effort) -> None:
    path = tmp_path / "memory.db"
    ids = build(path)
    with opened(path) as memory:
        memory.write(f"Bob's word is {SECRET}.", actor_id="bob")
    data, harm = path.read_bytes(), list[int]()
    for number in effort.times(FLIPS):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "memory.db").write_bytes(_flipped(data, effort.chance, texts=number % 2 == 0))

        def look(folder: Path = folder) -> None:
            with opened(folder / "memory.db") as memory:
                harm.append(_named(verbs(memory.view(actor_id="ada"), ids, folder)))

        harm.append(_named([look]))
        if number % 5 == 0:
            harm.append(_named([lambda folder=folder: repair(folder / "memory.db", folder / "repaired.db")]))
        effort.count("flipped bytes")
    assert sum(harm), "some of them do harm"


def test_a_flipped_byte_of_the_log_or_of_an_export_raises_nothing_but_named_errors(
    tmp_path: Path, effort: Effort
) -> None:
    path, lines = tmp_path / "memory.db", tmp_path / "ada.jsonl"
    ids = build(path)
    with opened(path) as memory:
        ada = memory.view(actor_id="ada")
        ada.write_many([f"Late note {number} about the spare key." for number in range(20)])
        ada.admin.export(lines)
        # The log is taken while the memory is open: it is gone once that is closed.
        log = path.with_name("memory.db-wal").read_bytes()
        kept = path.read_bytes()
    for number in effort.times(FLIPS // 3):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "memory.db").write_bytes(kept)
        (folder / "memory.db-wal").write_bytes(_flipped(log, effort.chance, texts=False))
        (folder / "flipped.jsonl").write_bytes(_flipped(lines.read_bytes(), effort.chance, texts=number % 2 == 0))

        def look(folder: Path = folder) -> None:
            with opened(folder / "memory.db") as memory:
                _named([lambda: memory.admin.import_(folder / "flipped.jsonl", actor_id="cat")])
                _named(verbs(memory.view(actor_id="ada"), ids, folder))

        _named([look])
        effort.count("flipped bytes", 2)
