"""The command line: every verb of a memory as a command."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command named by the arguments of this process."""
    from foveal.doors.cli.app import app

    for stream in (sys.stdout, sys.stderr):
        # A character that the terminal cannot encode is shown as an escape, instead of ending the command.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # pyright: ignore[reportAttributeAccessIssue]
    app()
