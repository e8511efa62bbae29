"""What turns a file into text."""

from __future__ import annotations

from collections.abc import Callable

Reader = Callable[[bytes], str]
"""From the bytes of a file to Markdown. It raises `Invalid` for a file that it cannot read."""
