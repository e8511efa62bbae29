"""The command that serves a memory to others."""

from __future__ import annotations

from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated

import typer

from foveal.doors.cli.call import Call

if TYPE_CHECKING:
    from foveal.doors.cli.page import Page
    from foveal.model.server import Serving


def serve(
    call: Call,
    host: Annotated[str | None, typer.Option("--host", metavar="ADDRESS", help="Where to listen.")] = None,
    port: Annotated[int | None, typer.Option("--port", metavar="NUMBER", help="The port of HTTP.")] = None,
    grpc_port: Annotated[
        int | None, typer.Option("--grpc-port", metavar="NUMBER", help="The port of gRPC; 0 for none.")
    ] = None,
    certificate: Annotated[
        str | None, typer.Option("--certificate", metavar="FILE", help="Speak TLS with it; needs --private-key.")
    ] = None,
    private_key: Annotated[
        str | None, typer.Option("--private-key", metavar="FILE", help="The key of the certificate.")
    ] = None,
    workers: Annotated[int, typer.Option("--workers", metavar="N", min=1, help="How many processes.")] = 1,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say where it would listen.")] = False,
) -> None:
    """Serve the memory over HTTP, gRPC and MCP, until Ctrl-C.

    It listens on this machine only, unless keys are asked for: see the setting `server` and `foveal key`.
    """
    import msgspec

    from foveal.config import load_settings
    from foveal.doors.service.passing import new_pass
    from foveal.ports.system import SystemClock
    from foveal.rules.validation import checked_serving

    settings = load_settings()
    said = {
        **{"host": host, "port": port, "grpc_port": grpc_port},
        **{"certificate": certificate, "private_key": private_key},
    }
    server = checked_serving(
        msgspec.structs.replace(
            settings.server, **{name: value for name, value in said.items() if value is not None}
        )
    )
    if grpc_port is None and find_spec("grpc") is None:
        server = msgspec.structs.replace(server, grpc_port=0)
    settings = msgspec.structs.replace(settings, server=server)
    known = server.auth == "open" and not dry_run
    passed = new_pass(SystemClock().now(), processes=workers > 1) if known else None
    tell = partial(call.answer, _addresses(server), partial(_tell, server, passed and passed.ticket), [])
    if dry_run:
        tell()
        return
    # What cannot be served was not announced: packages and ports come first.
    from foveal.doors.serve.processes import serve_many, serve_one

    if workers > 1:
        serve_many(settings, call.options.url, workers, passed, tell=tell)
    else:
        serve_one(settings, call.options.url, passed, tell=tell)


def _addresses(server: Serving) -> dict[str, str]:
    base = f"{server.scheme}://{server.host}:{server.port}"
    return {
        "HTTP": f"{base}/v1",
        "description": f"{base}/docs",
        "MCP": f"{base}/mcp" if find_spec("mcp") else "off: pip install 'foveal[mcp]'",
        "gRPC": f"{server.host}:{server.grpc_port}" if server.grpc_port else _no_grpc(),
        "health": f"{base}/api/memory/health",
        "console": f"{base}/memory-console",
    }


def _no_grpc() -> str:
    return "off" if find_spec("grpc") else "off: pip install 'foveal[grpc]'"


def _tell(server: Serving, ticket: str | None, page: Page) -> None:
    page.line("foveal serves")
    for name, address in _addresses(server).items():
        page.line(f"{name:<12} {address}", indent=2)
    if ticket is not None:
        page.line(f"{'sign in once':<12} {ticket}", indent=2)
    who = {"open": "anyone on this machine may call", "keys": "callers need a key", "oidc": "callers need a token"}
    page.line(f"{who[server.auth]}; stop with Ctrl-C")
