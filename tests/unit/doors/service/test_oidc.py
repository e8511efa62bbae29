"""Tokens of another server are believed only when its key, its name, its audience and its time are right."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import threading
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from joserfc import jwt
from joserfc.jwk import ECKey, KeySet, OKPKey, RSAKey

from foveal import Memory, Settings
from foveal.backends.sqlite import SqliteStore
from foveal.doors.service import Authenticator, Caller, open_authenticator
from foveal.doors.service.oidc import AGAIN, GOOD, STALE, Issuer, key_source
from foveal.errors import Forbidden, Invalid, RateLimited, Unauthenticated, Unavailable
from foveal.model.server import Right, Serving
from foveal.testing import ManualClock

ISSUER, AUDIENCE = "https://id.example.org", "foveal"
SERVING = Serving(auth="oidc", issuer=ISSUER, audience=AUDIENCE, rate=100)
ONE = RSAKey.generate_key(2048, parameters={"kid": "one"}, private=True)
TWO = ECKey.generate_key("P-256", parameters={"kid": "two"}, private=True)


class Shelf:
    """Where the issuer keeps its keys; it counts who asks."""

    def __init__(self, *keys: Any) -> None:
        self.keys, self.asked, self.away = keys, 0, False

    def __call__(self) -> bytes:
        self.asked += 1
        if self.away:
            raise Unavailable("away")
        return json.dumps(KeySet(list(self.keys)).as_dict(private=False)).encode()


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def shelf() -> Shelf:
    return Shelf(ONE)


@pytest.fixture
def guard(shelf: Shelf, clock: ManualClock) -> Authenticator:
    return Authenticator(SqliteStore(":memory:").server, SERVING, issuer=Issuer(SERVING, shelf), clock=clock)


def _claims(clock: ManualClock, **said: Any) -> dict[str, Any]:
    now = int(clock.now().timestamp())
    usual = {"iss": ISSUER, "aud": AUDIENCE, "sub": "ada", "iat": now, "exp": now + 600, "scope": "foveal:read"}
    return {name: value for name, value in {**usual, **said}.items() if value is not None}


def _signed(claims: dict[str, Any], key: Any = ONE, alg: str = "RS256", **header: Any) -> str:
    said = {"alg": alg, "kid": key.kid, **header}
    return jwt.encode({k: v for k, v in said.items() if v is not None}, claims, key, algorithms=[alg])


def _part(value: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def test_a_good_token_grants_what_it_says_and_no_more(guard: Authenticator, clock: ManualClock) -> None:
    plain = guard.caller(f"Bearer {_signed(_claims(clock))}")
    assert plain == Caller(
        name="ada", subject=f"{ISSUER}#ada", worlds=("default",), actors=("ada",), rights=(Right.READ,)
    )
    wide = _claims(
        clock,
        scope="openid foveal:write",
        foveal_worlds=["home", "work"],
        foveal_actors="*",
        foveal_rights=["read"],
        foveal_verbs="read write",
        aud=["other", AUDIENCE],
    )
    assert guard.caller(f"Bearer {_signed(wide)}") == Caller(
        name="ada",
        subject=f"{ISSUER}#ada",
        worlds=("home", "work"),
        actors=None,
        rights=(Right.READ, Right.WRITE),
        verbs=("read", "write"),
    )


def test_a_token_without_a_right_is_forbidden(guard: Authenticator, clock: ManualClock) -> None:
    for scope in (None, "openid", "read", "foveal:own"):
        with pytest.raises(Forbidden, match="foveal:read"):
            guard.caller(f"Bearer {_signed(_claims(clock, scope=scope))}")


@pytest.mark.parametrize(
    "wrong",
    [
        {"iss": "https://evil.example.org"},
        {"iss": None},
        {"iss": [ISSUER]},
        {"aud": "another"},
        {"aud": None},
        {"aud": []},
        {"exp": None},
        {"exp": 0},
        {"exp": "tomorrow"},
        {"exp": float("nan")},
        {"nbf": 1e12},
        {"iat": 1e12},
        {"sub": None},
        {"sub": ""},
        {"sub": 7},
        {"foveal_actors": {"ada": True}},
        {"foveal_worlds": [1]},
        {"scope": 5},
    ],
)
def test_a_token_with_a_wrong_claim_is_refused(
    guard: Authenticator, clock: ManualClock, wrong: dict[str, Any]
) -> None:
    with pytest.raises(Unauthenticated):
        guard.caller(f"Bearer {_signed(_claims(clock, **wrong))}")


def test_a_token_ends_and_the_leeway_is_all_it_gets(guard: Authenticator, clock: ManualClock) -> None:
    token = _signed(_claims(clock))
    clock.turn(timedelta(seconds=600 + SERVING.leeway - 1))
    assert guard.caller(f"Bearer {token}")
    clock.turn(timedelta(seconds=1))
    with pytest.raises(Unauthenticated, match="over"):
        guard.caller(f"Bearer {token}")


def test_a_token_that_is_not_signed_is_refused(guard: Authenticator, clock: ManualClock) -> None:
    body = _part(_claims(clock))
    for alg in ("none", "None", "NONE", "", None, 7, ["RS256"]):
        for header in ({"alg": alg, "kid": "one"}, {"alg": alg}, {"kid": "one"}):
            for signature in ("", "AAAA"):
                with pytest.raises(Unauthenticated):
                    guard.caller(f"Bearer {_part(header)}.{body}.{signature}")


def test_a_public_key_is_no_shared_secret(guard: Authenticator, clock: ManualClock) -> None:
    public = ONE.as_pem(private=False)
    told = json.dumps(ONE.as_dict(private=False)).encode()
    for secret in (public, public.strip(), told):
        for alg in ("HS256", "HS512"):
            head = f"{_part({'alg': alg, 'kid': 'one', 'typ': 'JWT'})}.{_part(_claims(clock))}"
            made = hmac.new(secret, head.encode(), {"HS256": hashlib.sha256, "HS512": hashlib.sha512}[alg]).digest()
            signature = base64.urlsafe_b64encode(made).rstrip(b"=").decode()
            with pytest.raises(Unauthenticated):
                guard.caller(f"Bearer {head}.{signature}")


def test_a_key_that_the_token_brings_along_is_not_used(guard: Authenticator, clock: ManualClock) -> None:
    evil = RSAKey.generate_key(2048, parameters={"kid": "one"}, private=True)
    headers: list[dict[str, Any]] = [
        {},
        {"jwk": evil.as_dict(private=False)},
        {"jku": "https://evil.example.org/jwks"},
    ]
    for header in headers:
        with pytest.raises(Unauthenticated):
            guard.caller(f"Bearer {_signed(_claims(clock), evil, **header)}")


@pytest.mark.parametrize("token", ["a.b", "a.b.c", "a.b.c.d.e", "....", "e30.e30.e30", "eyJ.eyJ.eyJ", "x" * 9000])
def test_garbage_is_refused(guard: Authenticator, token: str) -> None:
    with pytest.raises(Unauthenticated):
        guard.caller(f"Bearer {token}")


def test_a_tampered_token_is_refused(guard: Authenticator, clock: ManualClock) -> None:
    head, _, signature = _signed(_claims(clock)).split(".")
    with pytest.raises(Unauthenticated):
        guard.caller(f"Bearer {head}.{_part(_claims(clock, foveal_actors='*'))}.{signature}")


def test_an_algorithm_that_is_not_accepted_is_refused(shelf: Shelf, clock: ManualClock) -> None:
    said = Serving(auth="oidc", issuer=ISSUER, audience=AUDIENCE, algorithms=("ES256",))
    with pytest.raises(Unauthenticated):
        Issuer(said, shelf).caller(_signed(_claims(clock)), clock.now())
    with pytest.raises(Invalid, match="HS256"):
        Serving(algorithms=("HS256",))
    with pytest.raises(Invalid, match="none"):
        Serving(algorithms=("none",))


def test_a_new_key_of_the_issuer_is_found_and_an_old_one_ends(
    guard: Authenticator, shelf: Shelf, clock: ManualClock
) -> None:
    old, new = _signed(_claims(clock)), _signed(_claims(clock), TWO, "ES256")
    guard.caller(f"Bearer {old}")
    assert shelf.asked == 1
    shelf.keys = (TWO,)
    clock.turn(AGAIN)
    assert guard.caller(f"Bearer {new}").name == "ada"
    assert shelf.asked == 2
    with pytest.raises(Unauthenticated):
        guard.caller(f"Bearer {old}")


def test_made_up_key_ids_do_not_make_us_ask_again_and_again(
    guard: Authenticator, shelf: Shelf, clock: ManualClock
) -> None:
    guard.caller(f"Bearer {_signed(_claims(clock))}")
    clock.turn(AGAIN)
    for number in range(20):
        with pytest.raises(Unauthenticated):
            guard.caller(f"Bearer {_signed(_claims(clock), kid=f'made-up-{number}')}")
    assert shelf.asked == 2


def test_known_keys_serve_while_the_issuer_is_away_for_a_day(
    guard: Authenticator, shelf: Shelf, clock: ManualClock
) -> None:
    guard.caller(f"Bearer {_signed(_claims(clock))}")
    shelf.away = True
    clock.turn(GOOD)
    assert guard.caller(f"Bearer {_signed(_claims(clock))}")
    clock.turn(STALE)
    with pytest.raises(Unavailable):
        guard.caller(f"Bearer {_signed(_claims(clock))}")


def test_an_issuer_that_was_away_from_the_start_is_asked_again_soon_and_not_at_once(clock: ManualClock) -> None:
    shelf = Shelf(ONE)
    shelf.away = True
    issuer = Issuer(SERVING, shelf)
    for _ in range(3):
        with pytest.raises(Unavailable):
            issuer.caller(_signed(_claims(clock)), clock.now())
    assert shelf.asked == 1
    shelf.away = False
    clock.turn(AGAIN)
    assert issuer.caller(_signed(_claims(clock)), clock.now()).name == "ada"


def test_a_slow_issuer_holds_up_nobody_whose_key_is_known(clock: ManualClock) -> None:
    shelf, entered, leave = Shelf(ONE), threading.Event(), threading.Event()

    def fetch() -> bytes:
        if shelf.asked:
            entered.set()
            assert leave.wait(240)
        return shelf()

    issuer = Issuer(SERVING, fetch)
    issuer.caller(_signed(_claims(clock)), clock.now())
    now = clock.turn(GOOD)
    token = _signed(_claims(clock))
    waiting = threading.Thread(target=issuer.caller, args=(token, now))
    waiting.start()
    assert entered.wait(240)
    assert issuer.caller(token, now).name == "ada"
    leave.set()
    waiting.join()
    assert shelf.asked == 2


def test_without_keys_of_the_issuer_the_server_is_not_available(clock: ManualClock) -> None:
    for content in (b"", b"[]", b"{}", b'{"keys": []}', b'{"keys": [1]}', b'{"keys": [{"kty": "RSA"}]}'):
        issuer = Issuer(SERVING, lambda content=content: content)
        with pytest.raises(Unavailable):
            issuer.caller(_signed(_claims(clock)), clock.now())


def test_a_key_set_may_hold_what_we_do_not_know(clock: ManualClock) -> None:
    keys: list[Any] = [{"kty": "NEW", "kid": "x"}, ONE.as_dict(private=False)]
    issuer = Issuer(SERVING, lambda: json.dumps({"keys": keys}).encode())
    assert issuer.caller(_signed(_claims(clock)), clock.now()).name == "ada"


# The older name is deprecated, and still what most issuers write.
@pytest.mark.filterwarnings("ignore:EdDSA is deprecated")
@pytest.mark.parametrize("alg", ["Ed25519", "EdDSA"])
def test_modern_signatures_are_accepted(clock: ManualClock, alg: str) -> None:
    key = OKPKey.generate_key("Ed25519", parameters={"kid": "ed"}, private=True)
    issuer = Issuer(SERVING, Shelf(key))
    assert issuer.caller(_signed(_claims(clock), key, alg), clock.now()).name == "ada"


def test_a_subject_has_a_rate_of_its_own(shelf: Shelf, clock: ManualClock) -> None:
    said = Serving(auth="oidc", issuer=ISSUER, audience=AUDIENCE, rate=1, burst=1)
    guard = Authenticator(SqliteStore(":memory:").server, said, issuer=Issuer(said, shelf), clock=clock)
    for subject in ("ada", "ben"):
        token = _signed(_claims(clock, sub=subject))
        guard.caller(f"Bearer {token}")
        with pytest.raises(RateLimited):
            guard.caller(f"Bearer {token}")


def test_keys_come_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "jwks.json"
    file.write_bytes(Shelf(ONE)())
    clock = ManualClock()
    said = Serving(auth="oidc", issuer=ISSUER, audience=AUDIENCE, jwks=str(file))
    with Memory(":memory:") as memory:
        guard = open_authenticator(memory, Settings(second_look="off", server=said), clock=clock)
        assert guard.caller(f"Bearer {_signed(_claims(clock))}").name == "ada"
        with pytest.raises(Unauthenticated):
            guard.caller(None)
    with pytest.raises(Unavailable, match="cannot be read"):
        key_source(ISSUER, str(tmp_path / "nothing.json"))()
