"""A bus that also keeps errors in a file, where they are found when no server runs."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

import msgspec

from foveal.model.notice import Kind, Notice, Severity
from foveal.ports.system import Bus, Heard, Subscription, Traffic

LOG = logging.getLogger("foveal.errors")
# When the file is as large, it becomes the old one, and a new one begins.
BYTES = 1 << 20


class FilingBus:
    """The bus behind it, and a file with one JSON object for each error that is not just the caller's."""

    def __init__(self, bus: Bus, path: Path) -> None:
        self._bus = bus
        self._path = path
        self._lock = threading.Lock()

    def publish(self, notice: Notice) -> None:
        """Tell a notice, and keep it if it is an error to look after; if it cannot be kept, that is logged."""
        self._bus.publish(notice)
        if notice.fault is not None and notice.fault.severity is not Severity.INFO:
            try:
                with self._lock:
                    self._file(msgspec.json.encode(notice) + b"\n")
            except OSError as error:
                LOG.warning("%s cannot be written: %s", self._path, error.strerror)

    def _file(self, line: bytes) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        if self._path.exists() and self._path.stat().st_size + len(line) > BYTES:
            self._path.replace(old_of(self._path))
        # One write of a whole line: processes that share the file do not mix theirs.
        handle = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(handle, line)
        finally:
            os.close(handle)

    def subscribe(
        self,
        after: str | None = None,
        *,
        kinds: Collection[Kind] = (),
        heard: Heard | None = None,
        wake: Callable[[], None] | None = None,
        here: bool = False,
    ) -> Subscription:
        """Listen, as to the bus behind it."""
        return self._bus.subscribe(after, kinds=kinds, heard=heard, wake=wake, here=here)

    def traffic(self) -> Traffic:
        """How much it carries."""
        return self._bus.traffic()

    def close(self) -> None:
        """End every subscription."""
        self._bus.close()


def old_of(path: Path) -> Path:
    """Where the errors before those of the file are."""
    return path.with_suffix(path.suffix + ".1")


def filed(path: Path) -> Iterator[Notice]:
    """The errors that a file keeps, oldest first; a line that was cut short is left out."""
    for one in (old_of(path), path):
        if one.exists():
            for line in one.read_bytes().splitlines():
                found = notice_of(line)
                if found is not None:
                    yield found


def notice_of(line: bytes) -> Notice | None:
    """The notice of a line, if it is whole."""
    try:
        return msgspec.json.decode(line, type=Notice)
    except msgspec.DecodeError:
        return None
