"""Whether a server may listen where it was told to."""

from __future__ import annotations

from ipaddress import ip_address

from foveal.errors import Invalid
from foveal.model.server import Serving


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a host. A name that is not `localhost` is not trusted to be it.

    >>> [is_loopback(host) for host in ("127.0.0.1", "::1", "[::1]", "localhost", "0.0.0.0", "", "example.org")]
    [True, True, True, True, False, False, False]
    """
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host.removeprefix("[").removesuffix("]")).is_loopback
    except ValueError:
        return False


def checked_bind(host: str, auth: str) -> str:
    """`host`, if a server that lets callers in by `auth` may listen there: without keys, on this machine only.

    >>> checked_bind("127.0.0.1", "open"), checked_bind("0.0.0.0", "keys")
    ('127.0.0.1', '0.0.0.0')
    >>> checked_bind("0.0.0.0", "open")
    Traceback (most recent call last):
    foveal.errors.Invalid: a server on '0.0.0.0' would be open to everyone who reaches it: ...
    """
    if auth == "open" and not is_loopback(host):
        raise Invalid(
            f"a server on {host!r} would be open to everyone who reaches it: make a key with `foveal key add` and "
            "set auth of the server to keys (or oidc), or listen on 127.0.0.1",
            host=host,
        )
    return host


def checked_serving(serving: Serving) -> Serving:
    """`serving`, if a server may start with it: whatever came from files and variables fits together.

    >>> checked_serving(Serving(auth="oidc", issuer="https://id.example.org"))
    Traceback (most recent call last):
    foveal.errors.Invalid: auth oidc of the server needs an issuer and an audience
    """
    checked_bind(serving.host, serving.auth)
    if serving.auth == "oidc" and not (serving.issuer and serving.audience):
        raise Invalid("auth oidc of the server needs an issuer and an audience")
    if serving.auth == "open" and "*" in serving.cors:
        raise Invalid("cors of an open server may not be *: any web page could read the memory; name the pages")
    return serving
