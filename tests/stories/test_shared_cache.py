"""A cache that processes share changes what a read costs, and never what it answers."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from datetime import timedelta
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from foveal import Memory
from foveal.backends.models.adapters import CachingEmbedder
from foveal.backends.redis import RedisCache
from foveal.rules.addresses import Plane, generic_plane
from foveal.testing import ManualClock
from foveal.testing.servers import Valkey

pytestmark = pytest.mark.server

WORDS = st.sampled_from(["tea", "ships", "maps", "tea and ships", "the old harbour"])
STEPS = st.one_of(
    st.tuples(st.just("write"), st.integers(0, 1), WORDS),
    st.tuples(st.just("read"), st.integers(0, 1), WORDS),
    st.tuples(st.just("forget"), st.integers(0, 1), st.integers(0, 9).map(str)),
    st.tuples(st.just("flush"), st.just(0), st.just("")),
)


class Slow:
    """An encoder that counts how often it is asked."""

    id, dimension = "slow", 16

    def __init__(self) -> None:
        self.asked: list[str] = []

    @property
    def plane(self) -> Plane:
        return generic_plane(self.dimension)

    def embed(self, texts: Sequence[str], *, asking: bool = False) -> NDArray[np.float32]:
        self.asked += texts
        rows = [np.frombuffer(blake2b(text.encode(), digest_size=16).digest(), np.uint8) for text in texts]
        made = np.stack(rows).astype(np.float32) - 127.5
        return made / np.linalg.norm(made, axis=1, keepdims=True)


def pair(path: Path, cache: RedisCache | None, clock: ManualClock) -> tuple[Memory, Memory]:
    """Two processes on one file, which share the cache, if there is one."""
    first, second = (
        Memory(path, embedder=CachingEmbedder(Slow(), room=1, shared=cache), clock=clock) for _ in range(2)
    )
    return first, second


def story(memories: tuple[Memory, Memory], steps: Sequence[tuple[str, int, str]], server: Valkey) -> list[object]:
    answers: list[object] = []
    known: list[str] = []
    for what, who, text in steps:
        at = memories[who].view(actor_id="ada")
        if what == "write":
            # What is said twice at one moment is one record.
            known += [one for one in at.write(text).ids if one not in known]
        elif what == "read":
            answers.append([(one.text, round(one.relevance, 9)) for one in at.search(text)])
            answers.append([one.summary for one in at.read(text).items])
        elif what == "forget" and known:
            answers.append(len(at.forget(known.pop(int(text) % len(known)), hard=True).ids))
        elif what == "flush":
            server.flush()
    return answers


@settings(max_examples=15)
@given(steps=st.lists(STEPS, max_size=12))
def test_with_the_cache_and_without_it_the_answers_are_the_same(
    valkey: Valkey, steps: list[tuple[str, int, str]]
) -> None:
    told: list[list[object]] = []
    for cache in (None, RedisCache(valkey.url, prefix=uuid4().hex)):
        with TemporaryDirectory() as folder:
            one, other = pair(Path(folder, "m.db"), cache, ManualClock())
            with one, other:
                told.append(story((one, other), steps, valkey))
    assert told[0] == told[1]


def test_a_question_that_another_process_asked_is_not_encoded_again(valkey: Valkey, tmp_path: Path) -> None:
    cache = RedisCache(valkey.url, prefix=uuid4().hex)
    models = [Slow(), Slow()]
    memories = [Memory(tmp_path / "m.db", embedder=CachingEmbedder(one, shared=cache)) for one in models]
    with memories[0], memories[1]:
        memories[0].write("Ada drinks tea", actor_id="ada")
        for memory in memories:
            assert memory.search("What does Ada drink?", actor_id="ada")
    assert [one.asked.count("What does Ada drink?") for one in models] == [1, 0]


def test_nothing_that_records_say_is_in_the_cache(valkey: Valkey, tmp_path: Path) -> None:
    cache = RedisCache(valkey.url, prefix=uuid4().hex)
    one, other = (CachingEmbedder(Slow(), shared=cache) for _ in range(2))
    one.embed(["a secret"])
    other.embed(["a secret"])
    assert (one.misses, other.misses) == (1, 1)
    cache.close()


def test_a_value_that_was_damaged_is_not_taken_for_a_vector(valkey: Valkey) -> None:
    class Spoilt(RedisCache):
        def get(self, keys: Sequence[str]) -> list[bytes | None]:
            return [b"\x00" * 12 if one is not None else None for one in super().get(keys)]

    cache = RedisCache(valkey.url, prefix="spoilt")
    spoilt = Spoilt(valkey.url, prefix="spoilt")
    good = CachingEmbedder(Slow(), shared=cache).embed(["tea"], asking=True)
    assert (CachingEmbedder(Slow(), shared=spoilt).embed(["tea"], asking=True) == good).all()
    cache.close()
    spoilt.close()


def test_many_threads_get_the_same_vectors(valkey: Valkey) -> None:
    cache = RedisCache(valkey.url, prefix=uuid4().hex)
    embedders = [CachingEmbedder(Slow(), room=2, shared=cache) for _ in range(4)]
    wanted = Slow().embed([f"question {number}" for number in range(20)])
    wrong: list[int] = []

    def ask(embedder: CachingEmbedder) -> None:
        for number in range(20):
            row = embedder.embed([f"question {number}"], asking=True)[0]
            if not np.array_equal(row, wanted[number]):
                wrong.append(number)

    threads = [threading.Thread(target=ask, args=(one,)) for one in embedders]
    for one in threads:
        one.start()
    cache.put({"x": b"y"}, timedelta(seconds=1))
    for one in threads:
        one.join()
    assert not wrong
    cache.close()
