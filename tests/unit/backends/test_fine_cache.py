"""The cache of fine vectors: bounded, and empty of what was erased."""

from __future__ import annotations

from foveal.backends.sql.caches import FineCache

ADA, EVE = (None, 1), (None, 2)


def test_it_returns_what_was_added_and_nothing_of_other_encoders_or_organisms() -> None:
    cache = FineCache()
    cache.add(ADA, "fine-1", {1: b"one", 3: b"three"})
    assert cache.get(ADA, "fine-1", [1, 2, 3]) == [b"one", None, b"three"]
    assert cache.get(ADA, "fine-2", [1]) == cache.get(EVE, "fine-1", [1]) == [None]


def test_it_takes_no_more_than_its_room_and_lets_go_of_the_oldest_organism_first() -> None:
    cache = FineCache(room=20_000)
    cache.add(EVE, "fine-1", {key: bytes(50) for key in range(20)})
    for start in range(0, 500, 50):
        cache.add(ADA, "fine-1", {key: bytes(50) for key in range(start, start + 50)})
    kept = [key for key, data in enumerate(cache.get(ADA, "fine-1", range(500))) if data]
    assert 50 <= len(kept) <= 100
    assert kept[-1] == 499
    assert not any(cache.get(EVE, "fine-1", range(20)))


def test_adding_the_same_again_takes_no_more_room() -> None:
    cache = FineCache(room=20_000)
    for _ in range(10):
        cache.add(ADA, "fine-1", {key: bytes(50) for key in range(60)})
    assert all(cache.get(ADA, "fine-1", range(60)))


def test_a_dropped_organism_leaves_nothing_and_makes_room() -> None:
    cache = FineCache(room=20_000)
    for number in range(5):
        cache.add(ADA, f"fine-{number}", {key: bytes(50) for key in range(20)})
    cache.drop(ADA)
    assert not any(cache.get(ADA, "fine-0", range(20)))
    cache.add(EVE, "fine-0", {key: bytes(50) for key in range(90)})
    assert all(cache.get(EVE, "fine-0", range(90)))
