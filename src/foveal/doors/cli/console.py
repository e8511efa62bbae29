"""The command that shows a memory in the browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from foveal.doors.cli.call import Call

if TYPE_CHECKING:
    from foveal.doors.cli.page import Page


def console(
    call: Call,
    port: Annotated[int | None, typer.Option("--port", metavar="NUMBER", help="The port of HTTP.")] = None,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Only print the address; open no browser.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say where it would be shown.")] = False,
) -> None:
    """Serve the memory, and show it in the browser, until Ctrl-C.

    The token in the address works once. What it opens ends with this command, or after twelve hours.
    """
    import msgspec

    from foveal.config import load_settings
    from foveal.doors.http.console import PATH
    from foveal.doors.service.passing import new_pass
    from foveal.ports.system import SystemClock
    from foveal.rules.validation import checked_serving

    settings = load_settings()
    chosen: dict[str, Any] = {} if port is None else {"port": port}
    serving = checked_serving(msgspec.structs.replace(settings.server, **chosen))
    settings = msgspec.structs.replace(settings, server=serving)
    page = f"http://{serving.host}:{serving.port}{PATH}{_whose(call)}"
    passed = None if dry_run else new_pass(SystemClock().now())
    # Behind the # it stays in the browser: it is in no request, no log, no Referer.
    address = page if passed is None else f"{page}#token={passed.ticket}"

    def tell(out: Page) -> None:
        out.line("The memory console is at")
        out.command(address)
        out.line("It is shown until Ctrl-C.")

    if dry_run:
        call.answer({"url": address}, tell, [address])
        return
    import threading
    import webbrowser

    from foveal.doors.serve import Server

    server = Server(settings, url=call.options.url, passed=passed, grpc=False)
    server.bind()
    call.answer({"url": address}, tell, [address])
    if not no_browser:
        opening = threading.Thread(target=lambda: server.ready() and webbrowser.open(address), daemon=True)
        opening.start()
    server.run()


def _whose(call: Call) -> str:
    """What was said of whose memory to show, as the console takes it."""
    from urllib.parse import urlencode

    said = call.options
    named = {"actor": said.actor_id, "world": said.world, "node": said.node}
    query = urlencode({name: value for name, value in named.items() if value is not None})
    return f"?{query}" if query else ""
