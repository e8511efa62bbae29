"""The commands that serve a memory or configure its servers: serve, console, keys, errors."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from foveal.doors.cli import parsing
from foveal.doors.cli.invocation import Invocation, argument, flag, option
from foveal.doors.cli.output import Answer, Printer, moment, table
from foveal.errors import FovealError, Invalid, Unavailable

if TYPE_CHECKING:
    from datetime import datetime

    from foveal.config import Settings
    from foveal.model.notice import Notice
    from foveal.model.server import Key, Serving


Port = Annotated[int | None, option("--port", "NUMBER", "The HTTP port.")]


def console(
    call: Invocation,
    port: Port = None,
    no_browser: Annotated[bool, flag("--no-browser", "Only print the address; open no browser.")] = False,
    dry_run: Annotated[bool, flag("--dry-run", "Only print the address it would have.")] = False,
) -> Answer | None:
    """Serve the memory and show it in the browser, until Ctrl-C.

    The token in the address works once. The session it opens ends with this command, or after twelve hours.
    """
    from foveal.doors.http.console import PATH, require_console
    from foveal.doors.service.auth import new_pass
    from foveal.ports.system import SystemClock

    require_console()
    settings = _served(call.settings, port=port)
    path = f"{PATH}{_console_query(call)}"
    if dry_run:
        return _console_at(settings.server, path)
    import webbrowser

    from foveal.doors.server import Server

    passed = new_pass(SystemClock().now())
    server = Server(settings, url=call.options.url, passed=passed, grpc=False)
    server.bind()
    # After the # it stays in the browser: it appears in no request, log or Referer header.
    answer = _console_at(_at_port(settings.server, server.port), f"{path}#token={passed.ticket}")
    address = answer.ids[0]
    call.show(answer)
    if not no_browser:
        opening = threading.Thread(target=lambda: server.ready() and webbrowser.open(address), daemon=True)
        opening.start()
    server.run()
    return None


def _console_at(serving: Serving, path: str) -> Answer:
    address = f"http://{serving.host}:{serving.port}{path}"

    def tell(out: Printer) -> None:
        out.line("The memory console is at")
        out.command(address)
        out.line("It is shown until Ctrl-C.")

    return Answer({"url": address}, tell, [address])


def _console_query(call: Invocation) -> str:
    """The viewpoint options of the call, as a query for the console."""
    from urllib.parse import urlencode

    options = call.options
    viewpoint = {"actor": options.actor_id, "world": options.world, "node": options.node}
    query = urlencode({name: value for name, value in viewpoint.items() if value is not None})
    return f"?{query}" if query else ""


# How often the file of errors is checked for new lines.
SECONDS = 0.5


def errors(
    call: Invocation,
    follow: Annotated[bool, flag("--follow", "Wait for more, until interrupted.")] = False,
    limit: Annotated[int, option("--limit -n -k", "N", "How many of the latest.")] = 20,
) -> Answer | None:
    """Show errors of this machine or of a server, newest last.

    The errors of servers, workers and commands: component, code and severity.

    Mistakes of callers are not shown, nor any content of a memory. With --follow and --json, each error is one
    line. A server shows the errors it still has to a key for all worlds and actors; when it is away, --follow waits
    until it is back, and continues where it stopped.
    """
    if call.server is not None:
        return _server_errors(call, call.server, follow, limit)
    from foveal.backends.in_process import filed
    from foveal.doors.service.logs import errors_file
    from foveal.rules.validation import checked_count

    path = errors_file(call.settings)
    end = path.stat().st_size if path.exists() else 0
    notices = list(filed(path))[-checked_count(limit, "limit") :]
    if follow:
        for notice in chain(notices, _appended(path, end)):
            _print_notice(call, notice)
    return _errors(notices)


def _errors(notices: list[Notice]) -> Answer:
    lines = [_line(notice) for notice in notices] or ["no errors"]
    return Answer(notices, lines, [notice.id for notice in notices])


def _server_errors(call: Invocation, url: str, follow: bool, limit: int) -> Answer | None:
    from foveal.doors.client.remote import Listening
    from foveal.rules.validation import checked_count

    def away(error: FovealError) -> None:
        call.note(f"{error.message}: waiting for it")

    count, notices = checked_count(limit, "limit"), list["Notice"]()
    listening = Listening(url, key=call.settings.api_key, ca=call.settings.api_ca, kinds=("error",))
    try:
        notices = [notice for notice in listening.known() if _matters(notice)][-count:]
    except Unavailable as error:
        if not follow:
            raise
        away(error)
    if not follow:
        return _errors(notices)
    for notice in chain(notices, filter(_matters, listening.follow(away))):
        _print_notice(call, notice)
    return None


def _matters(notice: Notice) -> bool:
    """Whether a notice is more than a mistake of a caller; a gap, which has no fault, matters too."""
    return notice.fault is None or notice.fault.severity != "info"


def _appended(path: Path, end: int) -> Iterator[Notice]:
    """The notices that are added to the file from now on."""
    from foveal.backends.in_process import notice_of

    waiting, rest = threading.Event(), b""
    while not waiting.wait(SECONDS):
        size = path.stat().st_size if path.exists() else 0
        # A file that became shorter is a new one.
        end = 0 if size < end else end
        if size > end:
            with path.open("rb") as file:
                file.seek(end)
                rest += file.read(size - end)
            end = size
            *lines, rest = rest.split(b"\n")
            yield from (notice for notice in map(notice_of, lines) if notice is not None)


def _print_notice(call: Invocation, notice: Notice) -> None:
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


def add(
    call: Invocation,
    name: Annotated[str, argument("NAME", "The holder of the key, or its purpose.")],
    worlds: Annotated[list[str] | None, option("--world", "NAME", "Only in this world. Repeatable.")] = None,
    actors: Annotated[
        list[str] | None, option("--actor-id -a", "NAME", "Only the memory of this actor. Repeatable.")
    ] = None,
    rights: Annotated[
        list[str] | None, option("--right", "NAME", "read, write or admin; read by default. Repeatable.")
    ] = None,
    verbs: Annotated[list[str] | None, option("--verb", "NAME", "Only this verb. Repeatable.")] = None,
    expires: Annotated[str | None, option("--expires", "WHEN", "A date, or a span like 12h or 90d.")] = None,
    rate: Annotated[float | None, option("--rate", "N", "Calls per second; by default the server's limit.")] = None,
    burst: Annotated[int | None, option("--burst", "N", "Calls at once; by default those of two seconds.")] = None,
) -> Answer:
    """Create a key for a server, and show its token once."""
    from foveal.doors.service.auth import Keys

    options = call.options
    with call.opened(fresh=True) as memory:
        issued = Keys(memory.keys).add(
            name,
            worlds=worlds or ([options.world] if options.world else None),
            actors=actors or ([options.actor_id] if options.actor_id else None),
            rights=rights or ["read"],
            verbs=verbs or None,
            expires_at=_expiry(expires),
            rate=rate,
            burst=burst,
        )
    note = f"{issued.key.name} may {_permissions(issued.key)}. Keep the token: it is not shown again."
    return Answer(issued, issued.token, [issued.token], notes=[note])


def ls(call: Invocation) -> Answer:
    """List the keys, oldest first, with what they allow."""
    from foveal.doors.service.auth import Keys
    from foveal.ports.system import SystemClock

    now = SystemClock().now()
    with call.opened() as memory:
        return table(
            Keys(memory.keys).list(),
            ("key", "name", "state", "may", "made", "used"),
            lambda key: (
                *(key.id, key.name, _state(key, now), _permissions(key)),
                *(key.created_at, key.last_used_at or "never"),
            ),
        )


def revoke(call: Invocation, key_id: Annotated[str, argument("ID", "The id of a key, or its token.")]) -> Answer:
    """Revoke a key; servers refuse it within 5 seconds."""
    from foveal.doors.service.auth import Keys

    with call.opened() as memory:
        key = Keys(memory.keys).revoke(key_id)
    return Answer(key, f"revoked {key.id}  {key.name}", [key.id])


def _expiry(text: str | None) -> datetime | None:
    """The moment that `text` denotes, either as a date or as a span from now."""
    from foveal.ports.system import SystemClock

    if text is None:
        return None
    try:
        span = parsing.span(text, "--expires")
        return None if span is None else SystemClock().now() + span
    except (Invalid, OverflowError):
        return parsing.moment(text, "--expires")


def _permissions(key: Key) -> str:
    """What a key allows, in words."""
    what = " or ".join(key.verbs or key.rights)
    whose = "on any memory" if key.actors is None else f"on the memory of {' or '.join(key.actors)}"
    where = "in any world" if key.worlds is None else f"in the world {' or '.join(key.worlds)}"
    rate = "" if key.rate is None else f", {key.rate:g} times a second"
    return f"{what} {whose} {where}{rate}"


def _state(key: Key, now: datetime) -> str:
    if key.revoked_at is not None:
        return "revoked"
    if key.expires_at is None:
        return "good"
    return "expired" if key.expires_at <= now else f"until {moment(key.expires_at)}"


def serve(
    call: Invocation,
    host: Annotated[str | None, option("--host", "ADDRESS", "The address to listen on.")] = None,
    port: Port = None,
    grpc_port: Annotated[int | None, option("--grpc-port", "NUMBER", "The gRPC port; 0 for none.")] = None,
    certificate: Annotated[
        str | None, option("--certificate", "FILE", "Use TLS with this certificate; needs --private-key.")
    ] = None,
    private_key: Annotated[str | None, option("--private-key", "FILE", "The key of the certificate.")] = None,
    workers: Annotated[int, option("--workers", "N", "The number of processes.", min=1)] = 1,
    dry_run: Annotated[bool, flag("--dry-run", "Only print where it would listen.")] = False,
) -> Answer | None:
    """Serve the memory over HTTP, gRPC and MCP, until Ctrl-C.

    It listens on this machine only, unless callers need keys: see the setting `server` and `foveal key`.
    """
    from foveal.doors.service.auth import new_pass
    from foveal.ports.system import SystemClock

    tls = {"certificate": certificate, "private_key": private_key}
    settings = _served(call.settings, host=host, port=port, grpc_port=grpc_port, **tls)
    server = settings.server
    needs_ticket = server.auth == "open" and not dry_run
    passed = new_pass(SystemClock().now(), processes=workers > 1) if needs_ticket else None

    def told(port: int) -> Answer:
        bound = _at_port(server, port)
        return Answer(_addresses(bound), partial(_tell_addresses, bound, passed and passed.ticket))

    if dry_run:
        return told(server.port)
    # Imported before anything is announced, because packages may be missing or ports taken.
    from foveal.doors.server import serve_many, serve_one

    def tell(port: int) -> None:
        call.show(told(port))

    if workers > 1:
        serve_many(settings, call.options.url, workers, passed, tell=tell)
    else:
        serve_one(settings, call.options.url, passed, tell=tell)
    return None


def _served(settings: Settings, **options: Any) -> Settings:
    """The settings with the options of the command, where they were given, in place of those of the server."""
    from msgspec.structs import replace

    from foveal.rules.validation import checked_serving

    given = {name: value for name, value in options.items() if value is not None}
    server = checked_serving(replace(settings.server, **given))
    if "grpc_port" not in given and find_spec("grpc") is None:
        server = replace(server, grpc_port=0)
    return replace(settings, server=server)


def _at_port(server: Serving, port: int) -> Serving:
    """The server with the port that it got: with port 0 the system chooses one."""
    from msgspec.structs import replace

    return replace(server, port=port)


def _addresses(server: Serving) -> dict[str, str]:
    no_grpc = "off" if find_spec("grpc") else "off: pip install 'foveal[grpc]'"
    base = f"{server.scheme}://{server.host}:{server.port}"
    return {
        "HTTP": f"{base}/v1",
        "description": f"{base}/docs",
        "MCP": f"{base}/mcp" if find_spec("mcp") else "off: pip install 'foveal[mcp]'",
        "gRPC": f"{server.host}:{server.grpc_port}" if server.grpc_port else no_grpc,
        "health": f"{base}/api/memory/health",
        "console": f"{base}/memory-console",
    }


def _tell_addresses(server: Serving, ticket: str | None, page: Printer) -> None:
    page.line("foveal serves")
    for name, address in _addresses(server).items():
        page.line(f"{name:<12} {address}", indent=2)
    if ticket is not None:
        page.line(f"{'sign in once':<12} {ticket}", indent=2)
    who = {"open": "anyone on this machine may call", "keys": "callers need a key", "oidc": "callers need a token"}
    page.line(f"{who[server.auth]}; stop with Ctrl-C")
