"""Pages of other sites, which a browser on this machine may show, are not let in."""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.datastructures import Headers

from foveal.errors import Forbidden
from foveal.model.server import Serving
from foveal.rules.validation import is_loopback


def refuse_foreign(headers: Headers, serving: Serving) -> None:
    """Raise for a request that a page of another site made a browser send.

    Its `Origin` is neither this server nor one that may call; or it calls this machine by a name of its own, which
    a server that listens here only never has.

    >>> refuse_foreign(Headers({"host": "127.0.0.1:8001", "origin": "http://evil.example"}), Serving())
    Traceback (most recent call last):
    ...
    foveal.errors.Forbidden: pages of 'http://evil.example' may not call: name it in the setting server.cors
    """
    host = headers.get("host", "")
    name = urlsplit(f"//{host}").hostname or ""
    if is_loopback(serving.host) and not is_loopback(name) and name not in serving.hosts:
        raise Forbidden(f"this server is not {name!r}: name it in the setting server.hosts")
    origin = headers.get("origin")
    if origin is None or origin in serving.cors or urlsplit(origin).netloc == host:
        return
    raise Forbidden(f"pages of {origin[:80]!r} may not call: name it in the setting server.cors")
