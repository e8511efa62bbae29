"""Addresses, and the rest of the acceptance list that begins with A, each on every store."""

import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest
from bench.episodes import answered, episode, moments, truncated

from foveal import Address, Memory
from foveal.compose import open_counter
from foveal.doors.cli.demo import conversation
from foveal.engine.memory import View
from foveal.errors import InvalidAddress, NotFound
from foveal.rules.addresses import address_of, adjoining, path_of

TURNS = conversation()


@pytest.fixture(params=["ram", "sqlite"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    with Memory(":memory:" if request.param == "ram" else tmp_path / "memory.db") as memory:
        yield memory


@pytest.fixture
def ada(memory: Memory) -> View:
    return memory.view(actor_id="ada")


def test_a1_a_read_never_fails_on_low_or_negative_likeness(ada: View) -> None:
    ada.write_many(["zzxq", "完全不同", "🙂", "The tide table for Rønne."])
    for question in ("quantum chromodynamics", "§§§", "🚀", "not about any of it", "не об этом"):
        assert ada.read(question, token_budget=500).tokens <= 500
        context = ada.read(question, token_budget=500, min_relevance=0)
        assert len(context.items) == 4
        assert all(0 <= item.relevance <= 1 for item in context.items)  # no NaN
        assert len(ada.search(question, k=4, min_relevance=0)) == 4


def test_on_the_tape_of_the_encoder_digits_depend_on_the_text_alone(ada: View) -> None:
    text = "The tide table for Rønne hangs in the hall."
    when = datetime(2019, 5, 4, 12, tzinfo=UTC)
    others: list[dict[str, Any]] = [
        {},
        {"speaker": "Bo"},
        {"occurred_at": when},
        {"kind": "knowledge", "metadata": {"file": "a.md"}},
    ]
    written = ada.write_many([{"text": text, **more} for more in others])
    assert not written.rejected
    assert len({address.digits for address in written.addresses}) == 1
    long = [f"{text} Entry {n} of the log says nothing else." for n in range(60)]
    assert ada.write(" ".join(long)).address.digits == ada.write(" ".join(long), speaker="Bo").address.digits


def test_a2_a_question_in_natural_language_finds_its_record(ada: View) -> None:
    ada.write_many(TURNS)
    wanted = ada.write("My sister keeps the spare key under the blue flower pot.").id
    for question in ("Where does my sister keep the spare key?", "So, uhm, where was that spare key again?"):
        assert wanted in {hit.id for hit in ada.search(question, k=3)}
        assert wanted in {item.id for item in ada.read(question, token_budget=256).items}


ADDRESSER = """
import sys
from foveal import Memory
with Memory(sys.argv[1]) as memory:
    ada = memory.view(actor_id="ada")
    for text in ("see you soon", "the blue boat", "東京の寿司"):
        print(ada.write(text, occurred_at="2026-01-05T00:00:00+00:00").address.digits)
"""


def test_a3_an_address_is_the_same_in_every_process_and_keeps_its_length(tmp_path: Path) -> None:
    printed = [
        subprocess.run(
            [sys.executable, "-c", ADDRESSER, where], capture_output=True, text=True, check=True
        ).stdout.split()
        for where in (":memory:", str(tmp_path / "a.db"), str(tmp_path / "b.db"))
    ]
    assert printed[0] == printed[1] == printed[2]
    with Memory(tmp_path / "a.db") as again:
        shown = [one.address.digits for one in again.view(actor_id="ada").timeline(newest_first=False)]
    assert sorted(shown) == sorted(printed[0])
    root, zero, zeros = (Address(world="w", region="r", digits=digits) for digits in ("", "0", "00"))
    assert len({str(root), str(zero), str(zeros)}) == 3
    for one in (root, zero, zeros):
        assert Address.parse(str(one)) == one
        assert msgspec.json.decode(msgspec.json.encode(one), type=Address) == one


def test_a5_a_read_is_never_worse_than_truncation_and_spends_its_budget_again(ada: View) -> None:
    count = open_counter("o200k_base").count
    for position in (0.0, 0.25, 0.5, 0.75):
        told = episode(7, position)
        mine = ada.view(actor_id=f"ada-{position}")
        days = moments(len(told.turns))
        mine.write_many([{"text": t, "occurred_at": d} for t, d in zip(told.turns, days, strict=True)])
        for budget in (128, 256, 512):
            context = mine.read(told.question, token_budget=budget)
            assert answered(context.text, told.answer) >= answered(
                truncated(told.turns, budget, count), told.answer
            )
            least = min(item.tokens for item in context.items)
            short = [one for one in context.receipt.cut if one.reason == "budget"]
            assert not short or context.tokens > budget - 3 * max(least, 16)


def test_a6_the_early_zone_holds_the_very_first_of_many(ada: View) -> None:
    first = ada.write("We set out from Svaneke in fog.", occurred_at="2025-01-01T00:00:00+00:00").id
    ada.write_many(
        [
            {
                "text": f"Log entry {n}, wind from the west.",
                "occurred_at": f"2025-02-01T00:{n // 60:02}:{n % 60:02}+00:00",
            }
            for n in range(700)
        ]
    )
    context = ada.read("what is the wind doing?", token_budget=512)
    early = [item for item in context.items if item.zone == "early"]
    assert [item.id for item in early] == [first]


def test_time_slices_increase_in_each_region_and_survive_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    for start in (0, 3):
        with Memory(path) as memory:
            ada = memory.view(actor_id="ada")
            for region in ("boats", "birds"):
                slices = [ada.write(f"{region} {start + n}", region=region).address.time_slice for n in range(3)]
                assert slices == [start, start + 1, start + 2]


def test_neighbours_are_those_of_the_cell_then_beside_it_then_under_its_prefixes(ada: View) -> None:
    ada.write_many(TURNS)
    ada.tape.build()
    record = ada.timeline(limit=1)[0]
    found = ada.tape.neighbours(record.address, limit=400)
    assert found == ada.tape.neighbours(str(record.address), limit=400)
    assert len(found) == len(TURNS) - 1
    assert record.id not in {one.record.id for one in found}
    order = {"cell": 0, "beside": 1, "prefix": 2}
    assert [order[one.relation] for one in found] == sorted(order[one.relation] for one in found)
    digits = record.address.digits
    for one in found:
        if one.relation == "cell":
            assert one.address.digits == digits
        elif one.relation == "beside":
            assert one.address.digits in adjoining(digits)
    shared = [one.shared for one in found if one.relation == "prefix"]
    assert shared == sorted(shared, reverse=True)
    assert len(ada.tape.neighbours(record.address, limit=5)) == 5


def test_a_cell_shows_what_lies_in_it_though_nothing_lies_at_it(ada: View) -> None:
    ids = ada.write_many(TURNS[:80]).ids
    ada.tape.build()
    place = ada.get(ids[7]).address
    cell = msgspec.structs.replace(place, digits=place.digits[:1], time_slice=4711)
    found = ada.tape.inspect(cell)
    assert (found.address, found.record) == (cell, None)
    assert found.records and all(one.address.digits.startswith(cell.digits) for one in found.records)
    assert [one.digits for one in found.cells] == ["", cell.digits]


def test_addresses_of_every_tape_stay_resolvable_and_carry_its_number(ada: View) -> None:
    ids = ada.write_many(TURNS[:80]).ids
    seen = [ada.get(ids[7]).address]
    for number in (1, 2):
        ada.tape.build()
        seen.append(ada.get(ids[7]).address)
        assert str(seen[-1]).endswith(f"~v{number}")
    assert seen[1].digits == seen[2].digits != seen[0].digits
    for one in seen:
        found = ada.tape.inspect(one)
        assert found.record is not None
        assert found.record.id == ids[7]
        assert found.address == one
    ada.tape.use(0)
    assert ada.get(ids[7]).address == seen[0]
    with pytest.raises(NotFound):
        ada.tape.inspect(msgspec.structs.replace(seen[1], time_slice=4711))
    with pytest.raises(NotFound):
        ada.tape.inspect(msgspec.structs.replace(seen[1], world="mars"))
    for bad in ("nonsense", f"default/agent:ada#{'0' * 40}@d2t0"):
        with pytest.raises(InvalidAddress):
            ada.tape.inspect(bad)


def test_a_prefix_means_a_cell_of_the_tape_in_use(ada: View) -> None:
    ada.write_many(TURNS[:80])
    ada.tape.build()
    late = ada.write("Something about boats was said much later.")
    for digit in "012":
        assert all(
            one.tape == 1 and one.digits.startswith(digit) for one in ada.browse.addresses(prefix=digit, limit=200)
        )
    assert sum(len(ada.browse.addresses(prefix=digit, limit=200)) for digit in "012") == 80
    ada.tape.update()
    assert sum(len(ada.browse.addresses(prefix=digit, limit=200)) for digit in "012") == 81
    assert ada.get(late.id).address.tape == 1


def test_the_path_of_a_record_leads_back_to_it(ada: View) -> None:
    record = ada.get(ada.write("The tape is the map.", region="a/b: maps?").id)
    path = path_of(record.address, record.id)
    assert path.startswith("/default/a%2Fb%3A maps%3F/")
    assert address_of(path) == (record.address, record.id)
