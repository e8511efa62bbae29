"""What was ranked for a question is kept for who asks it again, and never changes what he is answered."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.conftest import Databases

from foveal import Memory, Settings
from foveal.backends.models.static import StaticEmbedder
from foveal.doors.service.health import HealthMonitor, hit_rate
from foveal.errors import NotFound, Pinned
from foveal.model.server import State
from foveal.rules.addresses import Plane
from foveal.testing import ManualClock
from foveal.testing.servers import Valkey

pytestmark = pytest.mark.server

OFF = Settings(second_look="off")
QUESTION = "What does Ada drink in the harbour?"
WORDS = st.sampled_from(["Ada drinks tea", "ships in the harbour", "old maps", "tea on ships", QUESTION])
NUMBER = st.integers(0, 9).map(str)
STEPS = st.one_of(
    st.tuples(st.sampled_from(["write", "brief", "node"]), st.integers(0, 1), WORDS),
    st.tuples(st.sampled_from(["search", "search", "read"]), st.integers(0, 1), st.just(QUESTION)),
    st.tuples(
        st.sampled_from(["forget", "erase", "mute", "unmute", "pin", "supersede"]), st.integers(0, 1), NUMBER
    ),
    st.tuples(st.sampled_from(["flush", "kill", "wait"]), st.just(0), st.just("")),
)
Step = tuple[str, int, str]


def memory(url: str | Path, redis: Valkey | None, clock: ManualClock, prefix: str, kept: int = 200) -> Memory:
    said = Settings(
        second_look="off", metabolism="off", kept_rankings=kept, redis=redis and redis.url, redis_prefix=prefix
    )
    return Memory(url, settings=said, clock=clock)


class Story:
    """Two processes of one memory, and what they answered."""

    def __init__(self, url: str | Path, redis: Valkey | None, prefix: str, server: Valkey, kept: int = 200) -> None:
        self._clock = ManualClock()
        self.memories = [memory(url, redis, self._clock, prefix, kept) for _ in range(2)]
        self._server = server
        self._known: list[str] = []
        self.answers: list[object] = []

    def tell(self, steps: Sequence[Step]) -> None:
        with self.memories[0], self.memories[1]:
            for what, who, text in steps:
                self._step(what, self.memories[who], text)

    def _step(self, what: str, memory: Memory, text: str) -> None:
        at = memory.view(actor_id="ada")
        if what in ("write", "brief"):
            self._known += at.write(text, ttl=timedelta(minutes=1) if what == "brief" else None).ids
        elif what == "node":
            self._known += at.write(text, node="/cook", scope="shared").ids
            self.answers.append([one.text for one in at.search(text, node="/cook")])
        elif what == "search":
            self.answers.append([(one.record, one.relevance, one.replaced_by) for one in at.search(text, k=3)])
        elif what == "read":
            self.answers.append(at.read(text, token_budget=64).items)
        elif what == "wait":
            self._clock.turn(timedelta(seconds=45))
        elif what == "flush":
            self._server.flush()
        elif what == "kill":
            self._server.kill()
            self._server.start()
        elif self._known:
            self._change(what, memory, self._known[int(text) % len(self._known)])

    def _change(self, what: str, memory: Memory, one: str) -> None:
        at = memory.view(actor_id="ada")
        done: dict[str, Callable[[], object]] = {
            "forget": lambda: at.forget(one),
            "erase": lambda: at.forget(one, hard=True),
            "mute": lambda: at.mute(one),
            "unmute": lambda: at.unmute(one),
            "pin": lambda: at.pin(one),
            "supersede": lambda: at.supersede(one, "Ada drinks coffee now"),
        }
        try:
            done[what]()
        except (NotFound, Pinned) as error:
            self.answers.append(error.code)


def compared(url: Callable[[], str | Path], steps: Sequence[Step], server: Valkey) -> list[int]:
    """Tell a story to memories that keep no rankings, keep their own, and share them: they answer alike."""
    none = Story(url(), None, "none", server, kept=0)
    own = Story(url(), None, "none", server)
    shared = Story(url(), server, uuid4().hex, server)
    for story in (none, own, shared):
        story.tell(steps)
    # Ids and addresses are made anew; which is which is told by the order they were written in.
    assert _plain(shared) == _plain(own) == _plain(none)
    return [one.runtime.rankings.hits for one in shared.memories]


def _plain(story: Story) -> str:
    told = repr(story.answers)
    for number, one in enumerate(dict.fromkeys(story._known)):  # pyright: ignore[reportPrivateUsage]
        told = told.replace(one, f"id-{number}")
    return told


@contextmanager
def paths() -> Generator[Callable[[], Path]]:
    with TemporaryDirectory() as folder:
        numbers = iter(range(9))
        yield lambda: Path(folder, f"{next(numbers)}.db")


@pytest.fixture(scope="module")
def own() -> Iterator[Valkey]:
    """A server to break."""
    with Valkey() as running:
        yield running


@settings(max_examples=25)
@given(steps=st.lists(STEPS, min_size=2, max_size=14))
def test_answers_are_the_same_with_rankings_kept_and_without(own: Valkey, steps: list[Step]) -> None:
    with paths() as path:
        compared(path, steps, own)


SEARCHES: list[Step] = [("search", 0, QUESTION), ("search", 1, QUESTION), ("read", 1, QUESTION)]
LIFE: list[Step] = [
    ("write", 0, "Ada drinks tea"),
    ("brief", 1, "ships in the harbour"),
    *SEARCHES,
    ("wait", 0, ""),
    *SEARCHES,
    ("wait", 0, ""),
    *SEARCHES,
    ("supersede", 1, "0"),
    *SEARCHES,
    ("write", 0, "tea on ships"),
    ("mute", 0, "2"),
    *SEARCHES,
    ("unmute", 1, "2"),
    *SEARCHES,
    ("kill", 0, ""),
    *SEARCHES,
    ("erase", 0, "0"),
    *SEARCHES,
]


def test_on_postgres_they_are_the_same_too_and_rankings_are_used(
    own: Valkey, databases: Databases, tmp_path: Path
) -> None:
    numbers = iter(range(9))
    hits = compared(lambda: databases.at(tmp_path / str(next(numbers))), LIFE, own)
    assert sum(hits) >= 6, hits


@pytest.fixture
def prefix() -> str:
    return uuid4().hex


@pytest.fixture
def two(valkey: Valkey, tmp_path: Path, prefix: str) -> Iterator[tuple[Memory, Memory]]:
    clock = ManualClock()
    with ExitStack() as closing:
        one, other = (closing.enter_context(memory(tmp_path / "m.db", valkey, clock, prefix)) for _ in range(2))
        yield one, other


def texts(memory: Memory) -> list[str]:
    return [one.text for one in memory.search(QUESTION, actor_id="ada")]


def counted(*memories: Memory) -> list[tuple[int, int]]:
    return [(one.runtime.rankings.hits, one.runtime.rankings.misses) for one in memories]


def test_a_question_is_ranked_once_by_all_until_somebody_writes(two: tuple[Memory, Memory]) -> None:
    one, other = two
    [tea] = one.write("Ada drinks tea", actor_id="ada").ids
    assert texts(one) == texts(other) == texts(one) == ["Ada drinks tea"]
    assert counted(one, other) == [(1, 1), (1, 0)], "the first missed, and nobody else"
    other.supersede(tea, "Ada drinks coffee", actor_id="ada")
    assert texts(one) == texts(other) == ["Ada drinks coffee"]
    one.forget(tea, hard=True, actor_id="ada")
    assert texts(other) == texts(one) == []
    with pytest.raises(NotFound):
        other.get(tea, actor_id="ada")


def test_where_hardly_anything_is_asked_again_hardly_anything_is_looked_for(two: tuple[Memory, Memory]) -> None:
    one, other = two
    one.write("Ada drinks tea", actor_id="ada")
    for number in range(400):
        one.search(f"question {number}", actor_id="ada")
    looked = counted(one)[0][1]
    assert looked < 250, "most of the later ones were not"
    for number in range(100):
        other.search(f"question {number}", actor_id="ada")
    assert counted(other) == [(100, 0)], "another process asks the same again"


def test_what_changes_about_a_life_is_in_the_answer_though_the_ranking_is_kept(two: tuple[Memory, Memory]) -> None:
    one, other = two
    [tea] = one.write("Ada drinks tea", actor_id="ada").ids
    texts(one)
    other.pin(tea, actor_id="ada")
    [hit] = one.search(QUESTION, actor_id="ada")
    assert hit.record.vitals.pinned
    assert counted(one)[0][0] == 1


class Interrupted:
    """An encoder during whose work something happens, once."""

    def __init__(self) -> None:
        self._own = StaticEmbedder()
        self.meanwhile: Callable[[], object] | None = None

    @property
    def id(self) -> str:
        return self._own.id

    @property
    def dimension(self) -> int:
        return self._own.dimension

    @property
    def plane(self) -> Plane:
        return self._own.plane

    def embed(self, texts: Sequence[str], *, asking: bool = False) -> NDArray[np.float32]:
        meanwhile, self.meanwhile = (self.meanwhile, None) if asking else (None, self.meanwhile)
        if meanwhile:
            meanwhile()
        return self._own.embed(texts, asking=asking)


def test_what_was_ranked_while_somebody_wrote_is_not_kept(valkey: Valkey, tmp_path: Path) -> None:
    said = Settings(second_look="off", metabolism="off", redis=valkey.url, redis_prefix=uuid4().hex)
    encoder = Interrupted()
    with (
        Memory(tmp_path / "m.db", settings=said, embedder=encoder) as one,
        Memory(tmp_path / "m.db", settings=said) as other,
    ):
        one.write("Ada drinks tea", actor_id="ada")
        encoder.meanwhile = lambda: other.write("ships in the harbour", actor_id="ada")
        assert len(texts(one)) == 2
        assert counted(one) == [(0, 1)]
        assert len(texts(other)) == 2 and counted(other) == [(0, 1)], "nothing was kept of the first"
        assert len(texts(one)) == 2 and counted(one) == [(1, 1)]


def held(valkey: Valkey, prefix: str) -> dict[bytes, bytes]:
    """What the server holds of a memory."""
    client: Any = valkey.client()
    return {key: client.get(key) for key in client.scan_iter(f"{{{prefix}}}:cache:*")}


def test_what_was_damaged_is_not_taken_for_a_ranking(
    two: tuple[Memory, Memory], valkey: Valkey, prefix: str
) -> None:
    one, other = two
    one.write("Ada drinks tea", actor_id="ada")
    expected = texts(one)
    [key] = held(valkey, prefix)
    valkey.client().set(key, b"\x00" * 40)
    assert texts(other) == expected and counted(other) == [(0, 1)]


def test_neither_words_nor_answers_are_in_the_cache(
    two: tuple[Memory, Memory], valkey: Valkey, prefix: str
) -> None:
    two[0].write("Ada drinks tea", actor_id="ada")
    texts(two[0])
    [(key, value)] = held(valkey, prefix).items()
    assert not any(word in key + value for word in (b"tea", b"Ada", b"ada", b"harbour"))


def test_memories_that_are_not_the_same_share_no_ranking(valkey: Valkey, tmp_path: Path) -> None:
    prefix, clock = uuid4().hex, ManualClock()
    for number in range(2):
        with memory(tmp_path / f"{number}.db", valkey, clock, prefix) as one:
            one.write(f"Ada drinks {('tea', 'milk')[number]}", actor_id="ada")
            assert texts(one) == [f"Ada drinks {('tea', 'milk')[number]}"]
            assert counted(one) == [(0, 1)]


def test_health_tells_how_often_the_caches_knew(two: tuple[Memory, Memory], tmp_path: Path) -> None:
    one, other = two
    one.write("Ada drinks tea", actor_id="ada")
    for _ in range(3):
        texts(other)
    component = next(
        part
        for part in HealthMonitor(other, OFF, url=tmp_path / "m.db").health().components
        if part.name == "cache"
    )
    assert component.state is State.OK
    assert component.figure == hit_rate(other) == 0.5, "two of three rankings, and not the one vector"


def test_without_redis_each_process_keeps_its_own(tmp_path: Path) -> None:
    with Memory(tmp_path / "m.db") as one, Memory(tmp_path / "m.db") as other:
        one.write("Ada drinks tea", actor_id="ada")
        assert texts(one) == texts(one) == texts(other) == ["Ada drinks tea"]
        assert counted(one, other) == [(1, 1), (0, 1)]


def test_nothing_is_kept_by_who_wants_none(tmp_path: Path) -> None:
    with Memory(tmp_path / "m.db", settings=Settings(second_look="off", kept_rankings=0)) as one:
        one.write("Ada drinks tea", actor_id="ada")
        assert texts(one) == texts(one) == ["Ada drinks tea"]
        assert counted(one) == [(0, 0)]


def test_a_cache_of_a_server_that_is_away_is_known(tmp_path: Path) -> None:
    with Valkey() as server:
        said = Settings(second_look="off", metabolism="off", redis=server.url)
        with Memory(tmp_path / "m.db", settings=said) as one:
            one.write("Ada drinks tea", actor_id="ada")
            server.kill()
            assert texts(one) == ["Ada drinks tea"]
            assert "does not answer" in one.runtime.rankings.away
