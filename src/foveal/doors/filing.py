"""The file in which the processes of this machine keep errors."""

from __future__ import annotations

from pathlib import Path

from foveal import compose
from foveal.backends.in_process import FilingBus
from foveal.config import Settings, own_folder
from foveal.ports.system import Bus


def errors_file(settings: Settings) -> Path:
    """Where errors are kept: as the settings say, else in the user's state folder."""
    if settings.logging.errors is not None:
        return Path(settings.logging.errors).expanduser()
    return own_folder("state") / "errors.jsonl"


def open_bus(settings: Settings) -> Bus:
    """The bus of a process that is a door: what goes wrong is also in the file."""
    return FilingBus(compose.open_bus(settings), errors_file(settings))
