"""A memory in Postgres is the same memory as one in a file: the same answers, and seen at once by everyone."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from importlib import resources
from pathlib import Path

import pytest

from foveal import Hit, Memory, Settings
from foveal.model.server import Database
from foveal.testing import ManualClock
from foveal.testing.servers import Cluster

pytestmark = pytest.mark.server


def _spoken() -> list[dict[str, str]]:
    lines = resources.files("foveal.demo").joinpath("conversation.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip()]


@pytest.fixture
def pair(database: str, tmp_path: Path, clock: ManualClock) -> Iterator[tuple[Memory, Memory]]:
    # What is done in the background is done in each store at its own pace: fine vectors, promotion between writes.
    first = Settings(second_look="off", metabolism="off")
    with (
        Memory(tmp_path / "memory.db", clock=clock, settings=first) as file,
        Memory(database, clock=clock, settings=first) as base,
    ):
        yield file, base


def test_the_same_records_come_back_in_the_same_order(pair: tuple[Memory, Memory], clock: ManualClock) -> None:
    spoken = _spoken()
    for one in spoken:
        clock.turn(timedelta(minutes=1))
        for memory in pair:
            memory.write(one["text"], actor_id="ada", speaker=one.get("speaker"), session_id=one.get("session_id"))
    # Every turn is a question, too: names, dates, and words that hardly occur.
    for one in spoken:
        # A use is counted a moment later, and would count in one store before it does in the other.
        file, base = (memory.search(one["text"], actor_id="ada", k=10, touch=False) for memory in pair)
        _agree(base, file)
    shown = [memory.read("What is planned?", actor_id="ada", token_budget=400, touch=False).text for memory in pair]
    assert shown[0] == shown[1]


def _agree(some: Sequence[Hit], others: Sequence[Hit]) -> None:
    """The same texts, equally relevant: only what is alike may be ordered, or cut off, otherwise."""
    left, right = ({hit.text: hit.relevance for hit in hits} for hits in (some, others))
    assert len(left) == len(right)
    for text in left.keys() & right.keys():
        assert left[text] == pytest.approx(right[text], abs=0.001), text
    for hits in (left, right):
        assert list(hits.values()) == sorted(hits.values(), reverse=True)
        for text in hits.keys() - (left.keys() & right.keys()):
            assert hits[text] == pytest.approx(min(hits.values()), abs=0.001), text


def test_a_write_is_seen_by_another_memory_at_once(database: str) -> None:
    with Memory(database) as mine, Memory(database) as theirs:
        for number in range(20):
            written = mine.write(f"The code of locker {number} is {number * 37}.", actor_id="ada")
            assert theirs.search(f"code of locker {number}", actor_id="ada")[0].id == written.ids[0]
            theirs.forget(written.ids[0], actor_id="ada")
            assert mine.search(f"code of locker {number}", actor_id="ada") == []


def test_what_a_process_wrote_it_reads_although_its_replica_is_behind() -> None:
    with Cluster() as primary:
        url = primary.create()
        Memory(url).close()
        with primary.replica() as copy:
            near = Settings(second_look="off", postgres=Database(replica=copy.url("memory_1"), staleness=60.0))
            # How stale a replica is has nothing to do with the clocks of those who read it.
            early, late = (ManualClock(datetime.now(UTC) + timedelta(minutes=one)) for one in (-5, 5))
            with Memory(url, settings=near, clock=late) as memory, Memory(url, clock=early) as other:
                written = memory.write("The tea is in the tin.", actor_id="ada")
                assert memory.get(written.ids[0], actor_id="ada").text == "The tea is in the tin."
                copy.administer("select pg_wal_replay_pause()")
                later = memory.write("The tin is on the shelf.", actor_id="ada")
                assert [one.id for one in memory.timeline(actor_id="ada")] == [*later.ids, *written.ids]
                # Another's write may be missed for as long as was agreed.
                other.write("The shelf is in the kitchen.", actor_id="eve")
                assert len(list(other.timeline(actor_id="eve"))) == 1
            strict = Settings(second_look="off", postgres=Database(replica=copy.url("memory_1"), staleness=0.0))
            with Memory(url, settings=strict) as memory:
                assert len(list(memory.timeline(actor_id="eve"))) == 1
                copy.stop()
                assert len(list(memory.timeline(actor_id="eve"))) == 1
