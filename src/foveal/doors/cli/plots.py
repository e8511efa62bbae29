"""The commands that draw."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from foveal.doors.cli.call import Call

Out = Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The picture: .png, .svg or .pdf.")]
Days = Annotated[int, typer.Option("--days", metavar="N", help="How many days to draw.")]


def decay(call: Call, out: Out = Path("decay.png"), days: Days = 60) -> None:
    """Draw how the strength of a record fades with time in each tier, and what a use does to it."""
    from foveal.config import load_settings
    from foveal.doors.cli.drawing import draw_decay
    from foveal.rules.decay import rates

    draw_decay(out, days, rates(load_settings().memory))
    call.answer({"path": str(out)}, lambda page: page.line(f"drawn  {out}"), [str(out)])
