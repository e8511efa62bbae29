"""Who is let in, and who is not."""

from __future__ import annotations

import hmac
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import pytest

from foveal import Memory, Settings
from foveal.backends.sqlite import SqliteStore
from foveal.doors.service import ANYONE, Authenticator, Caller, Keys, open_authenticator
from foveal.doors.service.auth import NOTED, REMEMBERED, new_pass
from foveal.errors import Conflict, Invalid, RateLimited, StoreUnavailable, Unauthenticated
from foveal.model.server import Right, Serving
from foveal.testing import ManualClock

LOCKED = Serving(auth="keys")
SECOND = timedelta(seconds=1)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def store() -> Iterator[SqliteStore]:
    made = SqliteStore(":memory:")
    yield made
    made.close()


@pytest.fixture
def keys(store: SqliteStore, clock: ManualClock) -> Keys:
    return Keys(store.server, clock=clock)


def _guard(store: SqliteStore, clock: ManualClock, serving: Serving = LOCKED) -> Authenticator:
    return Authenticator(store.server, serving, clock=clock, later=lambda work: work())


def _shown(token: str) -> str:
    return f"Bearer {token}"


def test_a_key_lets_its_holder_in_with_what_it_grants(store: SqliteStore, keys: Keys, clock: ManualClock) -> None:
    made = keys.add("ci", worlds=["home"], actors=["ada"], rights=["write", "read"], verbs=["read", "write"])
    assert _guard(store, clock).caller(_shown(made.token)) == Caller(
        name="ci",
        subject=made.key.prefix,
        worlds=("home",),
        actors=("ada",),
        rights=(Right.READ, Right.WRITE),
        verbs=("read", "write"),
    )
    assert _guard(store, clock).caller(f"bearer  {made.token} ").name == "ci"


@pytest.mark.parametrize(
    "header",
    [
        None,
        "",
        " ",
        "Bearer",
        "Bearer ",
        "Basic YWRhOnRlYQ==",
        "fov_000000000000_" + "a" * 64,
        "Bearer fov_",
        "Bearer fov_x_y",
        "Bearer fov_000000000000_" + "a" * 64,
        "Bearer fov_000000000000_" + "a" * 63 + "é",
        "Bearer fov_000000000000_" + "a" * 64 + " more",
        "Bearer " + "x" * 20_000,
        "Bearer \x00",
        "Bearer eyJhbGciOiJub25lIn0.e30.",
    ],
)
def test_what_is_no_key_is_told_what_to_send(store: SqliteStore, clock: ManualClock, header: str | None) -> None:
    with pytest.raises(Unauthenticated, match="Authorization: Bearer"):
        _guard(store, clock).caller(header)


def test_another_secret_or_another_id_opens_nothing(store: SqliteStore, keys: Keys, clock: ManualClock) -> None:
    one, two = keys.add("one").token, keys.add("two").token
    mixed = "_".join([*one.split("_")[:2], two.split("_")[2]])
    for wrong in (mixed, one[:-1] + ("0" if one[-1] != "0" else "1"), one.upper(), one + "0", one[:-2]):
        with pytest.raises(Unauthenticated) as refused:
            _guard(store, clock).caller(_shown(wrong))
        assert one.split("_")[2] not in str(refused.value)


def test_a_key_ends_at_its_moment(store: SqliteStore, keys: Keys, clock: ManualClock) -> None:
    made = keys.add("brief", expires_at=clock.now() + SECOND)
    guard = _guard(store, clock)
    assert guard.caller(_shown(made.token))
    clock.turn(SECOND)
    with pytest.raises(Unauthenticated, match="expired"):
        guard.caller(_shown(made.token))


def test_a_key_revoked_in_another_process_ends_within_the_bound(clock: ManualClock, tmp_path: object) -> None:
    here, there = SqliteStore(f"{tmp_path}/m.db"), SqliteStore(f"{tmp_path}/m.db")
    try:
        made = Keys(there.server, clock=clock).add("leaked")
        guard = _guard(here, clock)
        assert guard.caller(_shown(made.token))
        Keys(there.server, clock=clock).revoke(made.token)
        clock.turn(REMEMBERED)
        for _ in range(2):
            with pytest.raises(Unauthenticated, match="revoked"):
                guard.caller(_shown(made.token))
    finally:
        here.close()
        there.close()


def test_an_open_stream_is_checked_without_counting_and_ends_within_five_seconds(
    store: SqliteStore, clock: ManualClock
) -> None:
    made = Keys(store.server, clock=clock).add("listener", rate=1, burst=1)
    guard = _guard(store, clock)
    guard.caller(_shown(made.token))
    assert all(guard.recheck(_shown(made.token)).name == "listener" for _ in range(9))
    # Revoked elsewhere: this process learns of it only by looking again.
    Keys(store.server, clock=clock).revoke(made.key.id)
    # A stream looks once a second.
    clock.turn(REMEMBERED + SECOND)
    assert REMEMBERED + SECOND <= 5 * SECOND
    with pytest.raises(Unauthenticated, match="revoked"):
        guard.recheck(_shown(made.token))


def test_a_key_revoked_in_this_process_ends_at_once(store: SqliteStore, clock: ManualClock) -> None:
    guard = _guard(store, clock)
    keys = Keys(store.server, clock=clock, revoked=guard.forget)
    made = keys.add("leaked")
    guard.caller(_shown(made.token))
    keys.revoke(made.key.prefix)
    with pytest.raises(Unauthenticated, match="revoked"):
        guard.caller(_shown(made.token))


def test_no_plain_token_is_kept(clock: ManualClock, tmp_path: object) -> None:
    store = SqliteStore(f"{tmp_path}/m.db")
    token = Keys(store.server, clock=clock).add("ci").token
    store.close()
    with open(f"{tmp_path}/m.db", "rb") as file:
        content = file.read()
    secret = token.split("_")[2]
    assert secret.encode() not in content and bytes.fromhex(secret) not in content


def test_tokens_are_compared_in_constant_time(
    store: SqliteStore, keys: Keys, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[int] = []
    kept = hmac.compare_digest

    def compare(one: bytes, other: bytes) -> bool:
        compared.append(len(one))
        return kept(one, other)

    monkeypatch.setattr(hmac, "compare_digest", compare)
    token = keys.add("ci").token
    guard = _guard(store, clock)
    guard.caller(_shown(token))
    for wrong in ("fov_000000000000_" + "a" * 64, "fov_"):
        with pytest.raises(Unauthenticated):
            guard.caller(_shown(wrong))
    assert compared == [32, 32, 32]


def test_an_open_server_lets_anyone_in_and_still_heeds_a_key(
    store: SqliteStore, keys: Keys, clock: ManualClock
) -> None:
    guard = _guard(store, clock, Serving())
    assert guard.caller(None) == ANYONE
    assert guard.caller(_shown(keys.add("ci", worlds=["home"]).token)).worlds == ("home",)
    with pytest.raises(Unauthenticated):
        guard.caller(_shown("fov_000000000000_" + "a" * 64))


def test_a_ticket_opens_one_session_of_the_console_in_all_processes_of_a_server(
    store: SqliteStore, clock: ManualClock
) -> None:
    guard, twin, stranger = (_guard(store, clock) for _ in range(3))
    given = new_pass(clock.now())
    guard.admit(given)
    twin.admit(given)
    token, until = guard.session(given.ticket)
    assert until == clock.now() + timedelta(hours=12)
    assert guard.caller(_shown(token)).rights == twin.caller(_shown(token)).rights == tuple(Right)
    assert store.server.keys() == []
    for one in (guard, twin):
        with pytest.raises(Unauthenticated, match="was used already"):
            one.session(given.ticket)
        with pytest.raises(Unauthenticated):
            one.caller(_shown(given.ticket))
    with pytest.raises(Unauthenticated):
        stranger.caller(_shown(token))
    with pytest.raises(Unauthenticated, match="gave out no one-time token"):
        stranger.session(given.ticket)


def test_of_many_who_bring_a_ticket_at_once_one_gets_in(clock: ManualClock) -> None:
    given = new_pass(clock.now(), processes=True)

    def bring(_: int) -> bool:
        try:
            given.exchange(given.ticket, clock.now())
        except Unauthenticated:
            return False
        return True

    with ThreadPoolExecutor(8) as many:
        assert sum(many.map(bring, range(64))) == 1


def test_a_ticket_and_a_session_run_out(store: SqliteStore, clock: ManualClock) -> None:
    guard, late = _guard(store, clock), _guard(store, clock)
    given, missed = new_pass(clock.now()), new_pass(clock.now())
    guard.admit(given)
    late.admit(missed)
    with pytest.raises(Unauthenticated, match="no one-time token of this server"):
        guard.session(missed.ticket)
    token, _ = guard.session(given.ticket)
    clock.turn(timedelta(hours=1))
    with pytest.raises(Unauthenticated, match="has run out"):
        late.session(missed.ticket)
    clock.turn(timedelta(hours=11) - timedelta(seconds=1))
    assert guard.caller(_shown(token)).name == "console"
    clock.turn(timedelta(seconds=1))
    with pytest.raises(Unauthenticated, match="expired"):
        guard.caller(_shown(token))


def test_who_leaves_ends_the_session_and_no_key(store: SqliteStore, keys: Keys, clock: ManualClock) -> None:
    guard = _guard(store, clock)
    given, key = new_pass(clock.now()), keys.add("ci").token
    guard.admit(given)
    token, _ = guard.session(given.ticket)
    assert not guard.leave(_shown(key))
    assert not guard.leave(None)
    assert not guard.leave(_shown(token[:-1] + ("0" if token[-1] != "0" else "1")))
    assert guard.leave(_shown(token))
    with pytest.raises(Unauthenticated, match="not known here"):
        guard.caller(_shown(token))
    assert guard.caller(_shown(key)).name == "ci"


def test_a_key_has_its_own_rate_and_says_how_long_to_wait(
    store: SqliteStore, keys: Keys, clock: ManualClock
) -> None:
    slow, fast = keys.add("slow", rate=0.5, burst=2).token, keys.add("fast", rate=100).token
    guard = _guard(store, clock)
    for _ in range(2):
        guard.caller(_shown(slow))
    with pytest.raises(RateLimited) as refused:
        guard.caller(_shown(slow))
    assert refused.value.data["retry_after"] == 2
    for _ in range(99):
        guard.caller(_shown(fast))
    clock.turn(SECOND)
    with pytest.raises(RateLimited) as refused:
        guard.caller(_shown(slow))
    assert refused.value.data["retry_after"] == 1
    clock.turn(SECOND)
    assert guard.caller(_shown(slow))


def test_the_rate_of_the_server_is_for_keys_without_one(store: SqliteStore, keys: Keys, clock: ManualClock) -> None:
    guard = _guard(store, clock, Serving(rate=1, burst=1))
    one, two = keys.add("one").token, keys.add("two").token
    for header in (_shown(one), _shown(two)):
        guard.caller(header)
        with pytest.raises(RateLimited):
            guard.caller(header)
    unlimited = _guard(store, clock, Serving(rate=0))
    for _ in range(200):
        unlimited.caller(_shown(one))
        guard.caller(None)


def test_the_last_use_is_written_together_and_not_at_each_call(
    store: SqliteStore, keys: Keys, clock: ManualClock
) -> None:
    made = keys.add("ci")
    guard = _guard(store, clock)
    guard.caller(_shown(made.token))
    assert keys.list()[0].last_used_at is None
    clock.turn(NOTED)
    guard.caller(_shown(made.token))
    assert keys.list()[0].last_used_at == clock.now()
    last = clock.turn(SECOND)
    guard.caller(_shown(made.token))
    assert keys.list()[0].last_used_at != last
    guard.flush()
    assert keys.list()[0].last_used_at == last


def test_a_store_that_cannot_be_written_lets_callers_in(clock: ManualClock, tmp_path: object) -> None:
    store = SqliteStore(f"{tmp_path}/m.db")
    made = Keys(store.server, clock=clock).add("ci")
    store.close()
    read_only = SqliteStore(f"{tmp_path}/m.db", read_only=True)
    guard = _guard(read_only, clock)
    clock.turn(NOTED)
    assert guard.caller(_shown(made.token)).name == "ci"
    read_only.close()


def test_what_is_used_while_the_store_is_away_is_written_later(
    store: SqliteStore, keys: Keys, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = keys.add("ci")
    guard = _guard(store, clock)
    guard.caller(_shown(made.token))

    def away(used: Mapping[str, datetime], *, wait: bool = True) -> None:
        raise StoreUnavailable

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(store.server, "use_keys", away)
        guard.flush()
    guard.flush()
    assert keys.list()[0].last_used_at == clock.now()


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"rights": []}, "rights are read"),
        ({"rights": ["own"]}, "'own'"),
        ({"worlds": []}, "no worlds"),
        ({"worlds": ["a/b"]}, "may not contain"),
        ({"actors": [""]}, "empty"),
        ({"verbs": ["raed"]}, "did you mean read"),
        ({"verbs": ["write"]}, "needs the right write"),
        ({"rate": 0}, "above 0"),
        ({"rate": float("nan")}, "above 0"),
        ({"burst": 3}, "needs a rate"),
        ({"rate": 1, "burst": 0}, "at least 1"),
    ],
)
def test_a_key_that_makes_no_sense_is_not_made(keys: Keys, said: dict[str, object], told: str) -> None:
    with pytest.raises(Invalid, match=told):
        keys.add("ci", **said)  # pyright: ignore[reportArgumentType]
    assert keys.list() == []


def test_a_key_that_is_over_is_not_made(keys: Keys, clock: ManualClock) -> None:
    with pytest.raises(Invalid, match="later moment"):
        keys.add("late", expires_at=clock.now())


@pytest.mark.parametrize(
    ("serving", "told"),
    [
        (Serving(host="0.0.0.0"), "foveal key add"),
        (Serving(host="example.org"), "foveal key add"),
        (Serving(auth="oidc", issuer="https://id"), "audience"),
        (Serving(cors=("*",)), "any web page"),
    ],
)
def test_a_server_that_would_be_open_to_all_does_not_start(serving: Serving, told: str) -> None:
    with Memory(":memory:") as memory, pytest.raises(Invalid, match=told):
        open_authenticator(memory, Settings(second_look="off", server=serving))


def test_a_guard_of_a_memory_knows_its_keys() -> None:
    with Memory(":memory:") as memory:
        guard = open_authenticator(memory, Settings(second_look="off", server=Serving(auth="keys", host="0.0.0.0")))
        assert guard.caller(_shown(Keys(memory.keys).add("ci").token)).name == "ci"


def test_two_keys_never_share_an_id(store: SqliteStore, keys: Keys) -> None:
    made = keys.add("ci")
    with pytest.raises(Conflict):
        store.server.put_key(made.key, bytes(32))
