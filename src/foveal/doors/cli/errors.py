"""The command that shows what went wrong."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from foveal.doors.cli.call import Call

if TYPE_CHECKING:
    from foveal.doors.cli.page import Page
    from foveal.model.notice import Notice

SECONDS = 0.5

Follow = Annotated[bool, typer.Option("--follow", "-f", help="Wait for more, until interrupted.")]
Limit = Annotated[int, typer.Option("--limit", "-n", metavar="N", help="How many of the latest.")]


def errors(call: Call, follow: Follow = False, limit: Limit = 20) -> None:
    """Show what went wrong, here or at a server, newest last.

    The errors of servers, workers and commands: where, what, how bad.

    What a caller did wrong is not shown, nor anything of what a memory holds. With --follow and --json, each is one
    line. A server tells what it still knows, to a key for all worlds and actors; when it is away, --follow waits
    until it is back, and goes on where it was.
    """
    if call.server is not None:
        _of_server(call, call.server, follow, limit)
        return
    from foveal.backends.in_process import filed
    from foveal.doors.filing import errors_file
    from foveal.rules.validation import checked_count

    path = errors_file(call.settings)
    end = path.stat().st_size if path.exists() else 0
    found = list(filed(path))[-checked_count(limit, "limit") :]
    if follow:
        for one in found:
            _say(call, one)
        for one in _later(path, end):
            _say(call, one)

    _answer(call, found)


def _answer(call: Call, found: list[Notice]) -> None:
    def tell(page: Page) -> None:
        for one in found:
            page.line(_line(one))
        if not found:
            page.line("no errors")

    call.answer(found, tell, [one.id for one in found])


def _of_server(call: Call, url: str, follow: bool, limit: int) -> None:
    from foveal.doors.client.listening import Listening
    from foveal.errors import FovealError, Unavailable
    from foveal.rules.validation import checked_count

    def away(error: FovealError) -> None:
        call.note(f"{error.message}: waiting for it")

    count, found = checked_count(limit, "limit"), list["Notice"]()
    listening = Listening(url, key=call.settings.api_key, ca=call.settings.api_ca, kinds=("error",))
    try:
        found = [one for one in listening.known() if _matters(one)][-count:]
    except Unavailable as error:
        if not follow:
            raise
        away(error)
    if not follow:
        _answer(call, found)
        return
    for one in chain(found, filter(_matters, listening.follow(away))):
        _say(call, one)


def _matters(notice: Notice) -> bool:
    """Whether it is more than a mistake of a caller; also that some are lost."""
    return notice.fault is None or notice.fault.severity != "info"


def _later(path: Path, end: int) -> Iterator[Notice]:
    """What is added to the file from now on."""
    from foveal.backends.in_process import notice_of

    waiting, rest = threading.Event(), b""
    while not waiting.wait(SECONDS):
        size = path.stat().st_size if path.exists() else 0
        # A file that shrank is a new one.
        end = 0 if size < end else end
        if size > end:
            with path.open("rb") as file:
                file.seek(end)
                rest += file.read(size - end)
            end = size
            *lines, rest = rest.split(b"\n")
            yield from (one for one in map(notice_of, lines) if one is not None)


def _say(call: Call, notice: Notice) -> None:
    if call.options.json:
        from foveal.wire.codec import document

        typer.echo(document(notice, indent=False).encode())
    else:
        typer.echo(_line(notice))


def _line(notice: Notice) -> str:
    fault = notice.fault
    if fault is None:
        lost = "some" if notice.missed is None else notice.missed
        return f"{notice.at:%Y-%m-%d %H:%M:%S}  {lost} were missed"
    request = f"  [{fault.request_id}]" if fault.request_id else ""
    where = f"{fault.component} {fault.code}"
    return f"{notice.at:%Y-%m-%d %H:%M:%S}  {fault.severity:<8}  {where}  {fault.message}{request}"
