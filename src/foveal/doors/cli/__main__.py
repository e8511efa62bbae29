"""`python -m foveal.doors.cli` is `foveal`."""

from __future__ import annotations

from foveal.doors.cli import main

main()
