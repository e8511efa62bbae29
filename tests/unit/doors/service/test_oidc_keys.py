"""The keys of an issuer come from where it says, and from nowhere that others could change."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from foveal.doors.service.oidc import key_source
from foveal.errors import Invalid, Unavailable

ISSUER = "https://id.example.org"
CONTENT = b'{"keys": []}'


class _Site(BaseHTTPRequestHandler):
    pages: dict[str, tuple[int, bytes]]

    def do_GET(self) -> None:
        status, content = self.pages.get(self.path, (404, b""))
        self.send_response(status)
        if status == 302:
            self.send_header("Location", content.decode())
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing."""


@pytest.fixture
def site() -> Iterator[tuple[str, dict[str, tuple[int, bytes]]]]:
    pages: dict[str, tuple[int, bytes]] = {}
    server = HTTPServer(("127.0.0.1", 0), type("Site", (_Site,), {"pages": pages}))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", pages
    server.shutdown()
    server.server_close()
    thread.join()


def test_keys_come_from_a_url_and_from_the_discovery_document(
    site: tuple[str, dict[str, tuple[int, bytes]]],
) -> None:
    url, pages = site
    content = CONTENT
    pages["/keys"] = (200, content)
    assert key_source(ISSUER, f"{url}/keys")() == content
    discovery = {"issuer": url, "jwks_uri": f"{url}/keys"}
    pages["/.well-known/openid-configuration"] = (200, json.dumps(discovery).encode())
    assert key_source(url, None)() == content
    for wrong in (b"not json", b'{"issuer": "\xff"}', b"{}", json.dumps({**discovery, "issuer": ISSUER}).encode()):
        pages["/.well-known/openid-configuration"] = (200, wrong)
        with pytest.raises(Unavailable):
            key_source(url, None)()


def test_a_key_set_is_not_followed_elsewhere_nor_read_without_end(
    site: tuple[str, dict[str, tuple[int, bytes]]],
) -> None:
    url, pages = site
    pages["/keys"] = (200, CONTENT)
    pages["/moved"] = (302, f"{url}/keys".encode())
    pages["/huge"] = (200, b" " * 2_000_000)
    for path in ("/moved", "/huge", "/absent"):
        with pytest.raises(Unavailable):
            key_source(ISSUER, f"{url}{path}")()
    with pytest.raises(Unavailable):
        key_source(ISSUER, "http://127.0.0.1:1/keys")()


@pytest.mark.parametrize("url", ["http://id.example.org/keys", "ftp://id.example.org/keys", "http://10.0.0.1/keys"])
def test_keys_that_anyone_on_the_way_could_change_are_not_fetched(url: str) -> None:
    with pytest.raises(Invalid, match="https"):
        key_source(ISSUER, url)
    with pytest.raises(Invalid, match="https"):
        key_source(url, None)
