"""What a token of an issuer grants."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from foveal.doors.service.caller import Caller
from foveal.errors import Forbidden, Unauthenticated
from foveal.model.server import Right

WORLDS, ACTORS, RIGHTS, VERBS = "foveal_worlds", "foveal_actors", "foveal_rights", "foveal_verbs"
ANY = "*"
_SCOPE = "foveal:"


def granted(claims: Mapping[str, Any], world: str) -> Caller:
    """The caller that a token speaks for. What a token does not say it does not grant.

    Without `foveal_worlds` it is for `world` only, without `foveal_actors` for the memory of its subject only;
    "*" is any. Rights come from `foveal_rights`, and from `foveal:read`, `foveal:write` and `foveal:admin` in the
    `scope` or `scp`.

    >>> granted({"iss": "https://id", "sub": "ada", "scope": "openid foveal:read"}, "default").actors
    ('ada',)
    """
    subject = claims.get("sub")
    if not isinstance(subject, str) or not subject:
        raise Unauthenticated("the token names no subject")
    scopes = [*_names(claims, "scope"), *_names(claims, "scp")]
    named = {*_names(claims, RIGHTS), *(one.removeprefix(_SCOPE) for one in scopes if one.startswith(_SCOPE))}
    rights = tuple(right for right in Right if right in named)
    if not rights:
        raise Forbidden(
            f"the token grants nothing here: it needs scope {_SCOPE}read, {_SCOPE}write or {_SCOPE}admin"
        )
    return Caller(
        name=subject,
        subject=f"{claims.get('iss')}#{subject}",
        worlds=_granted(claims, WORLDS, (world,)),
        actors=_granted(claims, ACTORS, (subject,)),
        rights=rights,
        verbs=_granted(claims, VERBS, None),
    )


def _granted(claims: Mapping[str, Any], name: str, unsaid: tuple[str, ...] | None) -> tuple[str, ...] | None:
    if name not in claims:
        return unsaid
    named = tuple(_names(claims, name))
    return None if ANY in named else named


def _names(claims: Mapping[str, Any], name: str) -> list[str]:
    """A claim as names: a list, or words with blanks between."""
    said = claims.get(name)
    if said is None:
        return []
    if isinstance(said, str):
        return said.split()
    if isinstance(said, list) and all(isinstance(one, str) for one in cast(list[Any], said)):
        return cast(list[str], said)
    raise Unauthenticated(f"the claim {name} of the token is not a list of names")
