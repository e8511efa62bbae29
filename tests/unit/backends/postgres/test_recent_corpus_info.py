"""What a process remembers of who speaks never changes what it finds."""

from datetime import UTC, datetime

import pytest

from foveal import Memory, Settings
from foveal.backends.postgres.search import RecentCorpusInfo
from foveal.model.query import Viewpoint
from foveal.model.search import CorpusInfo
from foveal.testing import ManualClock

pytestmark = pytest.mark.server

QUIET = Settings(second_look="off", metabolism="off", kept_rankings=0)
QUESTION = "What did Zoe see in 2019?"


def found(memory: Memory) -> list[object]:
    hits = memory.search(QUESTION, actor_id="ada", explain=True)
    assert all(hit.parts is not None and "speaker" in hit.parts and "time" in hit.parts for hit in hits)
    return [(hit.id, hit.parts) for hit in hits]


def test_who_speaks_for_the_first_time_in_another_process_is_known_at_once(database: str) -> None:
    clock = ManualClock()
    with (
        Memory(database, settings=QUIET, clock=clock) as one,
        Memory(database, settings=QUIET, clock=clock) as other,
    ):
        one.write_many([{"text": "Ships and maps", "speaker": "Ben"}] * 2, actor_id="ada")
        one.search(QUESTION, actor_id="ada")
        [first] = other.write("Ships, and old maps", speaker="Zoe", actor_id="ada").ids
        assert one.search(QUESTION, actor_id="ada")[0].id == first
        other.write("Maps", speaker="Zoe", occurred_at=datetime(2019, 5, 1, tzinfo=UTC), actor_id="ada")
        known = found(one)
        with Memory(database, settings=QUIET, clock=clock) as newcomer:
            assert known == found(newcomer) == found(one)


def test_nothing_of_an_erased_memory_is_remembered(database: str) -> None:
    with Memory(database, settings=QUIET) as memory:
        [only] = memory.write("Ships and maps", speaker="Ben", actor_id="ada").ids
        memory.search("What did Ben see?", actor_id="ada")
        memory.forget(only, hard=True, actor_id="ada")
        store, encoder = memory.runtime.store, memory.runtime.encoder
        assert store.search.corpus_info(Viewpoint(actor_id="ada"), encoder, lately=True) == CorpusInfo()


def test_only_so_many_are_remembered() -> None:
    lately = RecentCorpusInfo()
    for number in range(2000):
        lately.keep(("default", str(number)), CorpusInfo(speakers=(str(number),)))
    assert lately.of(("default", "0")) is None
    assert lately.of(("default", "1999")) == CorpusInfo(speakers=("1999",))
