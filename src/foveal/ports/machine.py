"""The machine that the memory runs on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol


class Machine(Protocol):
    """Says how busy the machine is, and which processes are alive."""

    @property
    def owner(self) -> str:
        """The name of this process, never given to another."""
        ...

    def alive(self, owner: str) -> bool:
        """Whether a process of that name may still be running: false only when it surely is not."""
        ...

    def measured(self) -> Mapping[str, float]:
        """cpu.usage in percent, memory.used_mb, memory.total_mb, disk.used_gb and disk.total_gb."""
        ...
