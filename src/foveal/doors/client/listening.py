"""What a server tells as it happens, heard from elsewhere."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import TYPE_CHECKING

import msgspec

from foveal.doors.client.remote import checked_url, http_library, trusted
from foveal.errors import FovealError, StoreUnavailable, Unavailable
from foveal.model.notice import Notice
from foveal.wire.problems import raised

if TYPE_CHECKING:
    import httpx2

# The server gives a sign of life every 15 seconds: who is silent for longer is away.
SILENT = timedelta(seconds=40)
FIRST_WAIT, LONGEST_WAIT = timedelta(milliseconds=500), timedelta(seconds=10)


def _pause(span: timedelta) -> None:
    threading.Event().wait(span.total_seconds())


class Listening:
    """Hears the notices of a server, those it still has first.

    When the server goes away, `follow` comes back until it is there again, and goes on after the last notice heard:
    a gap says if some are lost.
    """

    def __init__(
        self,
        url: str,
        *,
        key: str | None = None,
        ca: str | None = None,
        kinds: tuple[str, ...] = (),
        wait: Callable[[timedelta], None] = _pause,
    ) -> None:
        self.url = checked_url(url)
        self._trust = True if ca is None else trusted(ca)
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._kinds = kinds
        self._wait = wait
        self._after = "0"
        self._pause = FIRST_WAIT

    def known(self, within: timedelta = timedelta(seconds=1)) -> list[Notice]:
        """What the server has to tell now: until it is silent for so long."""
        found: list[Notice] = []
        try:
            for one in self._heard(within):
                found.append(one)
        except StoreUnavailable as error:
            if not isinstance(error.__cause__, http_library().ReadTimeout):
                raise
        return found

    def follow(self, away: Callable[[FovealError], None]) -> Iterator[Notice]:
        """Every notice, without end. `away` is told when the server goes; what it refuses is raised."""
        while True:
            try:
                yield from self._heard(SILENT)
                error: FovealError = StoreUnavailable(f"the server at {self.url} ended the stream")
            except Unavailable as failed:
                error = failed
            away(error)
            self._wait(self._pause)
            self._pause = min(self._pause * 2, LONGEST_WAIT)

    def _heard(self, silent: timedelta) -> Iterator[Notice]:
        library = http_library()
        seconds = silent.total_seconds()
        headers = {**self._headers, "Last-Event-ID": self._after}
        query = [("kinds", one) for one in self._kinds]
        try:
            limits = library.Timeout(seconds, connect=min(seconds, 3.0))
            with library.Client(timeout=limits, verify=self._trust) as client:
                with client.stream("GET", f"{self.url}/v1/stream", params=query, headers=headers) as answer:
                    if not answer.is_success:
                        raise _refusal(self.url, answer)
                    for line in answer.iter_lines():
                        self._pause = FIRST_WAIT
                        notice = _notice(line)
                        if notice is not None:
                            self._after = notice.id or self._after
                            yield notice
        except library.RequestError as error:
            raise StoreUnavailable(f"the server at {self.url} does not answer") from error


def _notice(line: str) -> Notice | None:
    """The notice in a line of the stream; the kind and the id of an event are in its data, too."""
    if not line.startswith("data: "):
        return None
    return msgspec.json.decode(line.removeprefix("data: "), type=Notice)


def _refusal(url: str, answer: httpx2.Response) -> FovealError:
    content = answer.read()
    try:
        return raised(msgspec.json.decode(content, type=dict[str, object]))
    except msgspec.DecodeError:
        return StoreUnavailable(f"{url} answered {answer.status_code}")
