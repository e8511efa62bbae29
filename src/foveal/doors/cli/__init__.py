"""The command line: every verb of a memory as a command."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command that the arguments of this process name."""
    from foveal.doors.cli.app import app

    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot write a letter shows its number, rather than ending the command.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # pyright: ignore[reportAttributeAccessIssue]
    app()
