"""The command line that every script of this folder has."""

import argparse
from collections.abc import Callable
from pathlib import Path


def run(write: Callable[[Path, Path], None], *, description: str | None, output: str) -> None:
    """Read the command line, and write from the folder of packages to the output, which is described."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--wheels", type=Path, required=True, help="folder for the downloaded packages")
    parser.add_argument("--output", type=Path, required=True, help=output)
    options = parser.parse_args()
    options.wheels.mkdir(parents=True, exist_ok=True)
    write(options.wheels, options.output)
