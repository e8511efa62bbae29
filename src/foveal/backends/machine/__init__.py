"""The machine that the memory runs on, as psutil sees it."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import psutil

MEGABYTE, GIGABYTE = 1 << 20, 1 << 30
# Seconds by which two readings of the start of one process may differ.
SAME_START = 5.0


class ThisMachine:
    """The machine of this process. What it says of other machines' processes is that they may be alive."""

    def __init__(self) -> None:
        self._host = socket.gethostname()
        # The first call only starts the measuring.
        psutil.cpu_percent(None)

    @property
    def owner(self) -> str:
        """Host, number and start of this process: numbers are used again, starts are not."""
        return f"{self._host}:{os.getpid()}:{psutil.Process().create_time():.2f}"

    def alive(self, owner: str) -> bool:
        """Whether a process of that name may still be running."""
        host, _, process = owner.partition(":")
        number, _, start = process.partition(":")
        if host != self._host:
            return True
        try:
            begun = psutil.Process(int(number)).create_time()
        except (psutil.NoSuchProcess, ValueError):
            return False
        except psutil.AccessDenied:
            return True
        # The start is counted from that of the machine, which moves when its clock is set.
        return abs(begun - float(start)) < SAME_START

    def measured(self) -> dict[str, float]:
        """How busy the processor is since the last call, and how full memory and disk are."""
        memory, disk = psutil.virtual_memory(), psutil.disk_usage(Path.cwd().anchor)
        return {
            "cpu.usage": float(psutil.cpu_percent(None)),
            "memory.used_mb": float(memory.used // MEGABYTE),
            "memory.total_mb": float(memory.total // MEGABYTE),
            "disk.used_gb": round(disk.used / GIGABYTE, 1),
            "disk.total_gb": round(disk.total / GIGABYTE, 1),
        }
