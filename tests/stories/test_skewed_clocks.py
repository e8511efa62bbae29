"""Two servers of one database whose clocks are five minutes apart are still one memory."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from foveal import Memory, Settings
from foveal.doors.service import ANYONE, RequestKey, ServiceCall
from foveal.doors.service.auth import Keys, open_authenticator
from foveal.doors.service.service import IdempotentCalls
from foveal.errors import Unauthenticated, UnderWay
from foveal.testing import ManualClock
from foveal.testing.servers import Valkey
from foveal.wire.calls import call_of

pytestmark = pytest.mark.server

SKEW = timedelta(minutes=5)
Servers = tuple[Memory, Memory]


@pytest.fixture
def clocks() -> tuple[ManualClock, ManualClock]:
    """One that is right, as that of the database, and one that is ahead."""
    now = datetime.now(UTC)
    return ManualClock(now), ManualClock(now + SKEW)


@pytest.fixture(params=["the second is ahead", "the first is ahead"])
def servers(
    request: pytest.FixtureRequest, database: str, valkey: Valkey, clocks: tuple[ManualClock, ManualClock]
) -> Iterator[Servers]:
    """Two that share a cache of rankings, and do nothing by themselves."""
    settings = Settings(
        second_look="off", metabolism="worker", redis=valkey.url, redis_prefix=database, kept_rankings=100
    )
    first, second = clocks if request.param == "the second is ahead" else clocks[::-1]
    with (
        Memory(database, clock=first, settings=settings) as one,
        Memory(database, clock=second, settings=settings) as other,
    ):
        yield one, other


def test_what_either_wrote_both_show_at_once_and_in_one_order(servers: Servers) -> None:
    written: list[str] = []
    for number in range(6):
        at = servers[number % 2]
        written += at.write(f"The code of locker {number} is {number * 37}.", actor_id="ada").ids
        shown = [[one.id for one in each.timeline(actor_id="ada")] for each in servers]
        assert shown[0] == shown[1] and set(shown[0]) == set(written)
        found = [[hit.id for hit in each.search("code of a locker", actor_id="ada")] for each in servers]
        assert found[0] == found[1] and set(found[0]) == set(written)


def test_what_one_forgets_the_other_does_not_rank_any_more(servers: Servers) -> None:
    one, other = servers
    [gone] = one.write("The tea is in the tin.", actor_id="ada").ids
    [kept] = other.write("The tin with the tea is red.", actor_id="ada").ids
    assert {hit.id for hit in other.search("Where is the tea?", actor_id="ada")} == {gone, kept}
    one.forget(gone, actor_id="ada")
    assert [hit.id for hit in other.search("Where is the tea?", actor_id="ada")] == [kept]


def test_a_later_version_is_not_dated_before_an_earlier_one(servers: Servers) -> None:
    one, other = servers
    [name] = one.write("The release is on Monday.", actor_id="ada").ids
    for number, at in enumerate((other, one, other)):
        at.supersede(name, f"The release is on day {number}.", actor_id="ada")
    versions = one.history(name, actor_id="ada")
    assert [version.version for version in versions] == [1, 2, 3, 4]
    moments = [version.recorded_at for version in versions]
    assert moments == sorted(moments)
    assert [version.superseded_at for version in versions] == [*moments[1:], None]
    last = max(moments) + timedelta(seconds=1)
    for each in servers:
        assert each.get(name, actor_id="ada").text == "The release is on day 2."
        [known] = each.search("release", actor_id="ada", as_of=last, valid_at=last)
        assert known.text == "The release is on day 2."


def test_a_snapshot_parts_what_was_from_what_came(servers: Servers) -> None:
    one, other = servers
    before = one.write("Before.", actor_id="ada").ids
    taken = other.snapshots.take("a point", actor_id="ada")
    after = one.write("After.", actor_id="ada").ids
    for each in servers:
        told = each.snapshots.changes(taken, datetime.now(UTC) + 2 * SKEW, actor_id="ada")
        assert told.added == after
        assert tuple(record.id for record in each.snapshots.at(taken, actor_id="ada").timeline()) == before


def test_a_pass_is_made_once_in_its_time(servers: Servers) -> None:
    one, other = servers
    one.write("dear", importance=0.9, actor_id="ada")
    first, second = one.scheduler(), other.scheduler()
    assert first.tick()["migration"] == 1
    first.stop()
    assert second.tick() == {}, "the other clock does not make it due again"
    second.stop()
    assert first.tick() == {}
    assert [len(each.lifecycle.journal(actor_id="ada")) for each in servers] == [1, 1]


def test_what_is_under_way_at_one_is_not_cut_off_for_the_other(servers: Servers) -> None:
    one, other = (IdempotentCalls(each.runtime.store.server, each.runtime.clock, "default") for each in servers)

    def work() -> int:
        for _ in range(2):
            with pytest.raises(UnderWay):
                other.done(_asked(), RequestKey(key="k"), lambda: 8)
            assert one.beat()
        return 7

    assert one.done(_asked(), RequestKey(key="k"), work) == 7
    again = RequestKey(key="k")
    assert other.done(_asked(), again, lambda: 8) == 7
    assert again.replayed


def test_a_key_that_one_revoked_opens_nothing_at_the_other(servers: Servers) -> None:
    one, other = servers
    made = Keys(one.keys, clock=one.runtime.clock).add("me")
    guard = open_authenticator(other, Settings(second_look="off"), clock=other.runtime.clock)
    assert guard.caller(f"Bearer {made.token}").name == "me"
    guard.forget(made.key.id)
    Keys(one.keys, clock=one.runtime.clock).revoke(made.key.id)
    with pytest.raises(Unauthenticated, match="revoked"):
        guard.caller(f"Bearer {made.token}")


def _asked() -> ServiceCall:
    return ServiceCall(call=call_of("unlink"), caller=ANYONE, door="http", request_id="r", said={"actor_id": "ada"})
