"""Where errors end: said in one line, on standard error, with the exit code of their family."""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Mapping, Sequence
from typing import Any

import typer
from typer.core import TyperGroup

from foveal.doors.cli.exits import Code, exit_code
from foveal.errors import FovealError


class Boundary(TyperGroup):
    """The group of all commands; no error that has a name leaves it as a traceback."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run the command, and end the process with its exit code."""
        said = list(sys.argv[1:] if args is None else args)
        as_json = _asks_for_json(said)
        try:
            code = super().main(said, prog_name or "foveal", complete_var, False, windows_expand_args, **extra)
        except FovealError as error:
            _report(error.code, error.message, as_json, data=error.data, retry=error.retry)
            code = exit_code(type(error))
        except typer.TyperException as error:
            _report("usage", error.format_message(), as_json, hint=_hint(error))
            code = Code.INVALID
        except typer.Abort:
            _report("aborted", "nothing was done", as_json)
            code = Code.FAILED
        except Exception as error:
            # A fault of ours. People get the traceback; a program gets it inside the object it expects.
            if not as_json:
                raise
            trace = {"traceback": traceback.format_exc()}
            _report("internal", f"{type(error).__name__}: {error}", as_json, data=trace)
            code = Code.FAILED
        sys.exit(_flushed(int(code or 0)))

    def invoke(self, ctx: Any) -> Any:
        """Run the chosen command; a reader that went away ends it quietly."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise typer.Exit(_silenced()) from None


def _asks_for_json(said: Sequence[str]) -> bool:
    # Asked of the words, because a command that could not be parsed must answer in JSON, too.
    return "--json" in (said[: said.index("--")] if "--" in said else said)


def _hint(error: typer.TyperException) -> str:
    context = getattr(error, "ctx", None)
    return f"Try '{context.command_path} --help'." if context is not None else ""


def _report(
    code: str,
    message: str,
    as_json: bool,
    *,
    hint: str = "",
    data: Mapping[str, object] | None = None,
    retry: bool = False,
) -> None:
    if as_json:
        body = {"code": code, "message": message, "retry": retry, "data": data or {}}
        text = json.dumps(body, default=str)
    else:
        text = f"Error: {message}" + (f"\n{hint}" if hint else "")
    typer.echo(text, err=True)


def _flushed(code: int) -> int:
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        return _silenced()
    return code


def _silenced() -> int:
    """Send what is still buffered nowhere, so that the interpreter does not complain as it ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    return int(Code.BROKEN_PIPE)
