"""Laws: whatever is asked, a caller gets no world, actor or verb outside its grant."""

from __future__ import annotations

from typing import Any, cast

from hypothesis import given
from hypothesis import strategies as st

from foveal.doors.service import Caller
from foveal.doors.service.auth import Bucket, drawn
from foveal.doors.service.oidc import granted
from foveal.errors import FovealError
from foveal.model.server import Right
from foveal.testing.builders import START
from foveal.wire.calls import call_of
from foveal.wire.verbs import VERBS

NAMES = st.sampled_from(["default", "home", "ada", "ben", ""])
SAID = st.one_of(
    st.none(), NAMES, st.lists(NAMES, max_size=2), st.dictionaries(NAMES, NAMES, max_size=1), st.just(0)
)
GRANT = st.none() | st.lists(NAMES, min_size=1, max_size=2).map(tuple)
CALLERS = st.builds(
    Caller,
    name=st.just("x"),
    worlds=GRANT,
    actors=GRANT,
    rights=st.lists(st.sampled_from(Right), unique=True).map(tuple),
    verbs=st.none() | st.lists(st.sampled_from(sorted(VERBS)), max_size=3).map(tuple),
)
PLACE = st.dictionaries(st.sampled_from(["world", "actor_id"]), SAID)
ITEMS = st.lists(st.dictionaries(st.sampled_from(["text", "world", "actor_id"]), NAMES, max_size=3), max_size=3)


@given(CALLERS, st.sampled_from(sorted(VERBS)), PLACE, st.none() | ITEMS)
def test_a_caller_gets_nothing_outside_its_grant(
    caller: Caller, name: str, place: dict[str, Any], items: list[Any] | None
) -> None:
    call = call_of(name)
    given = place if items is None else {**place, "items": items}
    try:
        admitted = caller.admitted(call, given, "default")
    except FovealError:
        return
    assert {*call.verb.rights} <= {*caller.rights}
    assert caller.verbs is None or name in (*caller.verbs, "invoke")
    if not call.placed:
        return
    for field, allowed, unsaid in (("world", caller.worlds, "default"), ("actor_id", caller.actors, None)):
        if allowed is not None:
            assert admitted.get(field, unsaid) in allowed
            named = [one[field] for one in cast(list[Any], admitted.get("items") or []) if field in one]
            assert all(one in allowed for one in named)


CLAIMS = st.fixed_dictionaries(
    {"sub": st.sampled_from(["ada", "ben"]), "iss": st.just("i")},
    optional={
        name: st.one_of(st.lists(NAMES | st.just("*"), max_size=3), NAMES, st.none(), st.integers())
        for name in ("foveal_worlds", "foveal_actors", "foveal_verbs", "foveal_rights", "scope", "scp")
    },
)


@given(CLAIMS, st.sampled_from([" foveal:read", " foveal:write foveal:x", ""]))
def test_a_token_grants_only_what_it_names(claims: dict[str, Any], scope: str) -> None:
    said = {**claims, "scope": scope} if scope else claims
    try:
        caller = granted(said, "default")
    except FovealError:
        return
    for name, got, unsaid in (
        ("foveal_worlds", caller.worlds, ("default",)),
        ("foveal_actors", caller.actors, (claims["sub"],)),
    ):
        named = said.get(name)
        words = cast(list[str], named.split() if isinstance(named, str) else named or [])
        if got is None:
            assert "*" in words
        else:
            assert set(got) <= ({*words} if name in said else {*unsaid})
    assert Right.ADMIN not in caller.rights or "admin" in str(said)


@given(
    st.floats(0.1, 100),
    st.integers(1, 50),
    st.lists(st.floats(-5, 5).map(lambda one: round(one, 3)), min_size=1, max_size=60),
)
def test_nobody_gets_more_than_the_burst_and_what_time_brings(rate: float, burst: int, waits: list[float]) -> None:
    from datetime import timedelta

    bucket: Bucket | None = None
    now, forward, allowed = START, 0.0, 0
    for wait in waits:
        now += timedelta(seconds=wait)
        forward += max(0.0, wait)
        bucket, pause = drawn(bucket, now, rate=rate, burst=burst)
        assert pause >= 0 and 0 <= bucket.free <= burst
        allowed += pause == 0
        if pause:
            later = now + timedelta(seconds=pause + 1e-5)
            assert drawn(bucket, later, rate=rate, burst=burst)[1] == 0
    assert allowed <= burst + forward * rate + 1e-6
