"""A tape is built like everything else here: the same each time, after a kill, and for nobody else's eyes."""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from foveal import AsyncMemory, Memory
from foveal.config import Settings
from foveal.doors.cli.demo import conversation
from foveal.errors import Conflict, FovealError, NotFound
from foveal.model.glyph import Tape
from foveal.model.ids import Address

TURNS = conversation()


@pytest.fixture(params=["ram", "sqlite"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    with Memory(":memory:" if request.param == "ram" else tmp_path / "memory.db") as memory:
        yield memory


def _rows(path: Path, tape: int) -> list[list[object]]:
    db = apsw.Connection(str(path))
    found = [
        list(db.execute(query, (tape,)))
        for query in (
            "select number, hex(centre), digits, x, y, next_member from family where tape = ? order by number",
            "select key, language, family, member, likeness from phrase where tape = ? order by key",
            "select seq, start, length, key from mention where tape = ? order by seq, start, length",
            "select seq, digits from place where tape = ? order by seq",
            "select hex(plane), digest, encoder from tape where number = ?",
        )
    ]
    db.close()
    return found


def test_a_tape_built_twice_from_the_same_file_is_the_same_byte_for_byte(tmp_path: Path) -> None:
    path, copy = tmp_path / "m.db", tmp_path / "copy.db"
    with Memory(path) as memory:
        memory.write_many(TURNS, actor_id="ada")
        memory.admin.backup(copy)
        memory.tape.build(actor_id="ada")
        memory.tape.build(actor_id="ada")
    script = "import sys; from foveal import Memory; Memory(sys.argv[1]).tape.build(actor_id='ada')"
    for threads in ("1", "2"):
        again = tmp_path / f"again-{threads}.db"
        shutil.copy(copy, again)
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": threads, "PYTHONHASHSEED": threads}
        subprocess.run([sys.executable, "-c", script, str(again)], check=True, env=environment)
        assert _rows(again, 1) == _rows(path, 1)
    assert _rows(path, 1) == _rows(path, 2)


BUILDER = """
import sys
from foveal import Memory
from foveal.config import Settings
with Memory(sys.argv[1]) as memory:
    memory.tape.build(actor_id="ada", progress=lambda done, total: print(done, total, flush=True))
"""


@pytest.mark.parametrize("share", [0.1, 0.7])
def test_a_build_that_was_killed_goes_on_where_it_was(tmp_path: Path, share: float) -> None:
    path, whole = tmp_path / "m.db", tmp_path / "whole.db"
    with Memory(path, settings=Settings(metabolism="off")) as memory:
        for n in range(4):
            memory.write_many([{**one, "text": f"{one['text']} ({n})"} for one in TURNS], actor_id="ada")
        memory.admin.backup(whole)
    with subprocess.Popen([sys.executable, "-c", BUILDER, str(path)], stdout=subprocess.PIPE) as builder:
        assert builder.stdout is not None
        for line in builder.stdout:
            done, total = (int(one) for one in line.split())
            if done >= share * total:
                os.kill(builder.pid, signal.SIGKILL)
                break
    with Memory(path) as memory, Memory(whole) as other:
        assert memory.admin.check() == []
        ada = memory.view(actor_id="ada")
        assert len(ada.search("the roof")) == 10
        [begun] = ada.tape.list()
        assert begun.records >= share * len(TURNS)
        assert not begun.active
        told: list[int] = []
        done = ada.tape.build(progress=lambda now, total: told.append(now))
        assert (done.number, done.active, len(ada.tape.list())) == (1, True, 1)
        assert min(told) >= begun.records or begun.records == 4 * len(TURNS)
        assert done.digest == other.tape.build(actor_id="ada").digest


def test_readers_see_the_old_tape_until_the_new_one_is_whole(memory: Memory) -> None:
    ada = memory.view(actor_id="ada")
    first = ada.write_many(TURNS[:100]).ids[0]
    ada.tape.build()
    shown: set[int] = set()
    made = ada.tape.build(progress=lambda done, total: shown.add(ada.get(first).address.tape))
    assert shown == {1, 2}  # the last step is told when it is in use
    assert ada.get(first).address.tape == made.number == 2
    beside = ada.tape.build(use=False)
    assert (beside.number, beside.active, ada.get(first).address.tape) == (3, False, 2)


def test_what_is_written_while_a_tape_is_built_is_on_it(memory: Memory) -> None:
    ada = memory.view(actor_id="ada")
    ada.write_many(TURNS[:60])
    late: list[str] = []

    def write(done: int, total: int) -> None:
        if done > total / 2 and not late:
            late.append(ada.write("This came while the tape was made.").id)

    tape = ada.tape.build(progress=write)
    assert tape.records == 61
    assert ada.get(late[0]).address.tape == tape.number


def test_an_old_tape_is_dropped_and_its_addresses_lead_nowhere(memory: Memory) -> None:
    ada = memory.view(actor_id="ada")
    ada.write_many(TURNS[:40])
    ada.tape.build()
    old = ada.timeline(limit=1)[0].address
    ada.tape.build()
    ada.tape.drop(1)
    assert [one.number for one in ada.tape.list()] == [2]
    with pytest.raises(NotFound):
        ada.tape.inspect(old)
    with pytest.raises(Conflict):
        ada.tape.drop(2)
    ada.tape.use(0)
    ada.tape.drop(2)
    assert ada.stats().records == 40
    # An address of the tape that is gone never means a place of a new one.
    assert ada.tape.build().number == 3


ODD: tuple[Any, ...] = (
    *(None, -1, 2**70, True, 1.5, "", b"x", "x", [None], {}, "\ud800", "a\x00"),
    *("default/r#0@d2t" + "9" * 30, "default/r#0@d2t1~v" + "9" * 30, "default/r#000000000000@d2t1"),
    *(Address(world="default", region="r", digits="9"), Address(world="default", region="r", time_slice=-1)),
)
ODD_CALLS: dict[str, Callable[[Any, Any], object]] = {
    "build": lambda tape, odd: tape.build(progress=odd or "x"),
    "use": lambda tape, odd: tape.use(odd),
    "drop": lambda tape, odd: tape.drop(odd),
    "families under": lambda tape, odd: tape.families(prefix=odd or "3"),
    "families of": lambda tape, odd: tape.families(tape=odd or "x"),
    "glyphs": lambda tape, odd: tape.glyphs("x", tape=odd or -1),
    "density": lambda tape, odd: tape.density(odd or 7),
    "cells under": lambda tape, odd: tape.cells(odd or "3"),
    "cells of": lambda tape, odd: tape.cells(tape=odd or -1),
    "neighbours": lambda tape, odd: tape.neighbours(odd),
    "inspect": lambda tape, odd: tape.inspect(odd),
    "decode": lambda tape, odd: tape.decode("亍", tape=odd or -1),
    "map": lambda tape, odd: tape.map(limit=odd),
}


@pytest.mark.parametrize("verb", ODD_CALLS)
def test_what_means_nothing_to_a_tape_is_refused_by_name(memory: Memory, verb: str) -> None:
    ada = memory.view(actor_id="ada")
    ada.write("we met at the old harbour")
    ada.tape.build()
    for odd in ODD:
        with pytest.raises(FovealError):
            ODD_CALLS[verb](ada.tape, odd)


def test_nobody_learns_the_words_of_another_from_a_tape(memory: Memory) -> None:
    ada, eve = memory.view(actor_id="ada"), memory.view(actor_id="eve")
    ada.write_many(TURNS[:60])
    secret = ada.view(node="/vault").write("The vault code is seven zero nine two.")
    tape = ada.tape.build()
    stream = ada.view(node="/vault").tape.encode("The vault code is seven zero nine two.").stream
    assert len(stream) < 20
    with pytest.raises(NotFound):
        ada.tape.decode(stream)
    assert "vault code" not in repr(ada.tape.families(limit=1000))
    assert "vault code" not in repr(ada.tape.map())
    # Not even by trying: a guess that is right looks like one that is wrong.
    assert ada.tape.glyphs("The vault code is seven zero nine two.") == []
    assert secret.id not in repr(ada.tape.neighbours(ada.timeline(limit=1)[0].address, limit=500))
    eve.write("See you at the harbour tomorrow.")
    assert eve.tape.list() == []
    for call in (
        lambda: eve.tape.use(tape.number),
        lambda: eve.tape.families(tape=1),
        lambda: eve.tape.decode(stream),
    ):
        with pytest.raises(NotFound):
            call()


def test_an_erased_text_leaves_nothing_on_the_tapes(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with Memory(path) as memory:
        ada = memory.view(actor_id="ada")
        ada.write_many(TURNS[:60])
        secret = ada.write("The launch word is xylophonistic, said the old captain.")
        tape = ada.tape.build()
        ada.tape.build()
        made = ada.tape.encode("The launch word is xylophonistic, said the old captain.")
        assert made.density == 1
        ada.forget(secret.id, hard=True)
        assert b"xylophonist" not in b"".join(file.read_bytes() for file in tmp_path.iterdir())
        with pytest.raises(NotFound):
            ada.tape.decode(made.stream)
        after = ada.tape.list()
        assert [one.records for one in after] == [tape.records - 1] * 2
        assert all(one.phrases < tape.phrases for one in after)
        assert memory.admin.check() == []


def test_an_export_of_a_memory_with_a_tape_imports_with_addresses_of_its_own(
    memory: Memory, tmp_path: Path
) -> None:
    ada = memory.view(actor_id="ada")
    first = ada.write_many(TURNS[:30]).ids[0]
    before = ada.get(first).address
    ada.tape.build()
    ada.admin.export(tmp_path / "out.jsonl")
    copy = memory.view(actor_id="copy")
    assert copy.admin.import_(tmp_path / "out.jsonl").rejected == ()
    assert copy.get(first).address == before


async def _told(path: Path, text: str) -> tuple[list[Tape], str, str]:
    async with AsyncMemory(path) as memory:
        ada = memory.view(actor_id="ada")
        await ada.tape.build()
        stream = (await ada.tape.encode(text)).stream
        return await memory.tape.list(actor_id="ada"), stream, (await ada.tape.decode(stream)).text


def test_the_asynchronous_tape_is_the_same_tape(tmp_path: Path) -> None:
    path, text = tmp_path / "m.db", "see you at the old harbour"
    with Memory(path) as memory:
        memory.write(text, actor_id="ada")
    tapes, stream, read = asyncio.run(_told(path, text))
    assert read == text != stream
    with Memory(path) as memory:
        assert memory.tape.list(actor_id="ada") == tapes
        assert memory.tape.encode(text, actor_id="ada").stream == stream
        assert memory.tape.build(actor_id="ada").digest == tapes[0].digest
