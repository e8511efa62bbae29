"""What comes under a key is done once."""

from datetime import timedelta
from typing import Any

import pytest

from foveal.backends.sqlite import SqliteStore
from foveal.doors.service import ANYONE, Caller, RequestKey, ServiceCall
from foveal.doors.service.service import IdempotentCalls
from foveal.errors import Invalid, NotFound, StoreUnavailable, UnderWay
from foveal.testing import ManualClock
from foveal.wire.calls import call_of


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def store() -> SqliteStore:
    return SqliteStore(":memory:")


@pytest.fixture
def repeats(store: SqliteStore, clock: ManualClock) -> IdempotentCalls:
    return IdempotentCalls(store.server, clock, "default")


def _asked(caller: Caller = ANYONE, **said: object) -> ServiceCall:
    return ServiceCall(
        call=call_of("unlink"), caller=caller, door="http", request_id="r", said={"actor_id": "ada", **said}
    )


def test_the_work_is_done_by_the_first_who_asks(repeats: IdempotentCalls) -> None:
    first, second = RequestKey(key="k"), RequestKey(key="k")
    assert repeats.done(_asked(), first, lambda: 7) == 7
    assert repeats.done(_asked(), second, lambda: 8) == 7
    assert (first.replayed, second.replayed) == (False, True)


def test_the_order_of_what_is_said_means_nothing(repeats: IdempotentCalls) -> None:
    assert repeats.done(_asked(a=1, b=2), RequestKey(key="k"), lambda: 7) == 7
    assert repeats.done(_asked(b=2, a=1), RequestKey(key="k"), lambda: 8) == 7
    with pytest.raises(Invalid, match="another body"):
        repeats.done(_asked(a=1, b=3), RequestKey(key="k"), lambda: 8)


@pytest.mark.parametrize("wrong", [{"world": {}}, {"world": 7}, {"actor_id": ["ada"]}, {"actor_id": ""}])
def test_a_wrong_world_or_actor_is_refused_before_anything_is_kept(
    repeats: IdempotentCalls, wrong: dict[str, Any]
) -> None:
    with pytest.raises(Invalid):
        repeats.done(_asked(**wrong), RequestKey(key="k"), lambda: 7)


def test_callers_worlds_and_actors_have_keys_of_their_own(repeats: IdempotentCalls) -> None:
    calls = (
        _asked(),
        _asked(Caller(name="ci", subject="fov_1")),
        _asked(Caller(name="ci", subject="fov_2")),
        _asked(world="w"),
        _asked(actor_id="ben"),
    )
    for number, asked in enumerate(calls):
        assert repeats.done(asked, RequestKey(key="k"), lambda number=number: number) == number


def test_what_failed_may_be_done_again(repeats: IdempotentCalls) -> None:
    def fail() -> None:
        raise NotFound("there is no such goal yet")

    with pytest.raises(NotFound):
        repeats.done(_asked(), RequestKey(key="k"), fail)
    assert repeats.done(_asked(), RequestKey(key="k"), lambda: 7) == 7


def test_what_is_under_way_for_long_does_not_count_as_cut_off(repeats: IdempotentCalls, clock: ManualClock) -> None:
    def long() -> int:
        for _ in range(9):
            clock.turn(timedelta(seconds=25))
            assert repeats.beat()
            with pytest.raises(UnderWay):
                repeats.done(_asked(), RequestKey(key="k"), lambda: 8)
        return 7

    assert repeats.done(_asked(), RequestKey(key="k"), long) == 7
    assert not repeats.beat()


def test_what_was_done_is_told_though_it_cannot_be_kept(repeats: IdempotentCalls, store: SqliteStore) -> None:
    def last() -> int:
        store.close()
        return 7

    assert repeats.done(_asked(), RequestKey(key="k"), last) == 7
    with pytest.raises(StoreUnavailable):
        repeats.done(_asked(), RequestKey(key="k"), lambda: 8)


@pytest.mark.parametrize("key", ["", "x" * 256])
def test_a_key_has_a_length(repeats: IdempotentCalls, key: str) -> None:
    with pytest.raises(Invalid, match="1 to 255"):
        repeats.done(_asked(), RequestKey(key=key), lambda: 7)
