"""A caller that leaves before its request or its answer is whole is no error of the server."""

import asyncio
import logging

import pytest
from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from foveal.doors.http.middleware import ErrorMiddleware
from foveal.model.server import Serving

SCOPE: Scope = {
    **{"type": "http", "method": "POST", "path": "/v1/records", "raw_path": b"/v1/records", "query_string": b""},
    "headers": [(b"host", b"localhost"), (b"content-length", b"9")],
}


def _served(app: ASGIApp, send: Send) -> None:
    async def receive() -> Message:
        return {"type": "http.disconnect"}

    middleware = ErrorMiddleware(app, serving=Serving())
    asyncio.run(middleware(dict(SCOPE), receive, send))  # pyright: ignore[reportArgumentType]


async def _leaves(scope: Scope, receive: Receive, send: Send) -> None:
    raise ClientDisconnect


async def _answers(scope: Scope, receive: Receive, send: Send) -> None:
    await PlainTextResponse("hello")(scope, receive, send)


async def _closed(message: Message) -> None:
    raise RuntimeError("unable to perform operation on <TCPTransport closed=True>; the handler is closed")


async def _broken(message: Message) -> None:
    raise RuntimeError("something else")


@pytest.mark.parametrize(("app", "send"), [(_leaves, _broken), (_answers, _closed)])
def test_nothing_is_logged_when_the_caller_has_left(
    app: ASGIApp, send: Send, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        _served(app, send)
    assert caplog.records == []


def test_another_failure_to_send_is_an_error(caplog: pytest.LogCaptureFixture) -> None:
    _served(_answers, _broken)
    assert [record.getMessage() for record in caplog.records] == ["a request failed"]
