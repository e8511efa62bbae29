"""No token opens a server but those that it, or the issuer it trusts, gave out."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import httpx2
from joserfc import jwt
from joserfc.jwk import KeySet, RSAKey
from tests.attack.conftest import Place
from tests.attack.effort import Effort
from tests.attack.served import served
from tests.stories.waiting import MOST
from tests.support.every_verb import SECRET

from foveal.model.server import Serving
from foveal.wire.messages import SERVICE

ISSUER, AUDIENCE = "https://id.example.org", "foveal"
GOOD, OTHER = (RSAKey.generate_key(2048, parameters={"kid": "one"}, private=True) for _ in range(2))
LETTERS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_."
TOKENS = 40


def _part(value: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def _claims(**changed: Any) -> dict[str, Any]:
    now = int(time.time())
    claims = {"iss": ISSUER, "aud": AUDIENCE, "sub": "ada", "iat": now, "exp": now + 600, "scope": "foveal:read"}
    return {name: value for name, value in {**claims, **changed}.items() if value is not None}


def _signed(key: RSAKey = GOOD, **changed: Any) -> str:
    return jwt.encode({"alg": "RS256", "kid": "one"}, _claims(**changed), key, algorithms=["RS256"])


def _by_shared_secret() -> str:
    """Signed with the public key of the issuer as if it were a secret."""
    head = f"{_part({'alg': 'HS256', 'kid': 'one'})}.{_part(_claims())}"
    secret = json.dumps(GOOD.as_dict(private=False)).encode()
    signature = hmac.new(secret, head.encode(), hashlib.sha256).digest()
    return f"{head}.{base64.urlsafe_b64encode(signature).rstrip(b'=').decode()}"


def _other_claims(**changed: Any) -> str:
    head, _, signature = _signed().split(".")
    return f"{head}.{_part(_claims(**changed))}.{signature}"


@dataclass
class Forger:
    """Makes tokens that look like those of a server."""

    chance: random.Random
    key: str
    others: tuple[str, ...]

    def tokens(self) -> Iterator[str]:
        """Tokens without end, none of which the server may accept."""
        ways: list[Callable[[], str]] = [
            lambda: self._mutated(self.key),
            lambda: self._mutated(_signed()),
            lambda: self.key[: self.chance.randrange(len(self.key))],
            lambda: self._mixed(),
            lambda: self.key.upper(),
            lambda: self.key + self.chance.choice(LETTERS),
            lambda: "fov_" + "".join(self.chance.choices("0123456789abcdef_", k=self.chance.randrange(90))),
            lambda: "".join(self.chance.choices(LETTERS, k=self.chance.randrange(1, 400))),
            lambda: self.chance.choice(self.others),
            lambda: _signed(OTHER),
            lambda: _signed(exp=int(time.time()) - 3600),
            lambda: _signed(aud="other"),
            lambda: _signed(iss=self.chance.choice([None, "https://evil.example.org", ISSUER + "/", [ISSUER]])),
            lambda: (
                f"{_part({'alg': self.chance.choice(['none', 'None', '', 7]), 'kid': 'one'})}.{_part(_claims())}."
            ),
            lambda: _signed().rpartition(".")[0] + ".",
            lambda: _other_claims(scope="foveal:read foveal:write foveal:admin"),
            lambda: _other_claims(sub="eve"),
            _by_shared_secret,
        ]
        while True:
            token = self.chance.choice(ways)()
            if token != self.key:
                yield token

    def _mutated(self, token: str) -> str:
        while True:
            place = self.chance.randrange(len(token))
            mutated = token[:place] + self.chance.choice(LETTERS) + token[place + 1 :]
            if mutated.count(".") != token.count(".") or _spelled(mutated) != _spelled(token):
                return mutated

    def _mixed(self) -> str:
        mark, key_id, _ = self.key.split("_")
        return f"{mark}_{key_id}_{self.chance.choice(self.others).split('_')[-1]}"


def _spelled(token: str) -> str:
    """A token in the usual spelling: the last bits of a signature can be spelled in several ways."""
    head, dot, signature = token.rpartition(".")
    if not dot:
        return token
    data = base64.urlsafe_b64decode(signature + "=" * (-len(signature) % 4))
    return f"{head}.{base64.urlsafe_b64encode(data).rstrip(b'=').decode()}"


def _refused_over_http(client: httpx2.Client, token: str, path: str) -> None:
    headers = {"Authorization": f"Bearer {token}", "Accept": "application/json, text/event-stream"}
    method = "GET" if path.startswith("/v1/s") else "POST"
    answer = client.request(method, path, headers=headers, json=None if method == "GET" else {"actor_id": "ada"})
    assert (answer.status_code, answer.json()["code"]) == (401, "unauthenticated"), token
    assert SECRET not in answer.text


def _refused_over_grpc(channel: grpc.Channel, token: str, data: bytes) -> None:
    ask = channel.unary_unary(f"/{SERVICE}/Stats", bytes, bytes)
    try:
        ask(data, metadata=(("authorization", f"Bearer {token}"),), timeout=MOST)
    except grpc.RpcError as error:
        assert isinstance(error, grpc.Call)
        assert error.code() is grpc.StatusCode.UNAUTHENTICATED, token
    else:
        raise AssertionError(token)


def test_forged_tokens_open_no_door(place: Place, effort: Effort, tmp_path: Path) -> None:
    jwks = tmp_path / "jwks.json"
    jwks.write_text(json.dumps(KeySet([GOOD]).as_dict(private=False)))
    serving = Serving(
        port=0,
        grpc_port=0,
        rate=0,
        auth="oidc",
        issuer=ISSUER,
        audience=AUDIENCE,
        jwks=str(jwks),
        request_timeout=MOST,
    )
    paths = ("/v1/stats?actor_id=ada", "/v1/records", "/v1/read", "/v1/import", "/mcp", "/api/memory/read")
    with served(place, serving) as target, httpx2.Client(base_url=target.server.url, timeout=MOST) as client:
        assert target.server.grpc is not None
        good = {"Authorization": f"Bearer {_signed()}"}
        assert client.get(paths[0], headers=good).status_code == 200, "a good token is accepted"
        forger = Forger(effort.chance, target.key, (target.revoked, f"fov_{'0' * 12}_{'0' * 64}"))
        with grpc.insecure_channel(target.server.grpc.address.removeprefix("grpc://")) as channel:
            for _, token in zip(effort.times(TOKENS), forger.tokens(), strict=False):
                if token.strip() and token.isascii():
                    _refused_over_http(client, token, effort.chance.choice(paths))
                    _refused_over_grpc(channel, token, b"")
                    effort.count("forged tokens")
