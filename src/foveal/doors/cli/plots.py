"""The commands that draw."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from foveal.doors.cli.call import Call
from foveal.doors.cli.glyph import OfTape
from foveal.errors import Conflict, Invalid, NotFound

FORMATS = (".png", ".svg")
Out = Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The picture: .png, .svg or .pdf.")]
Days = Annotated[int, typer.Option("--days", metavar="N", help="How many days to draw.")]


def decay(call: Call, out: Out = Path("decay.png"), days: Days = 60) -> None:
    """Draw how the strength of a record fades with time in each tier, and what a use does to it."""
    from foveal.config import load_settings
    from foveal.doors.cli.drawing import draw_decay
    from foveal.rules.decay import rates

    draw_decay(out, days, rates(load_settings().memory))
    call.answer({"path": str(out)}, lambda page: page.line(f"drawn  {out}"), [str(out)])


def map_(
    call: Call,
    file: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", help="A .png or .svg file that does not exist yet; map.png if not said."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="The file, said this way.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", metavar="N", help="How many families at most.")] = 500,
    labels: Annotated[int, typer.Option("--labels", metavar="N", help="How many of them get a label.")] = 40,
    tape: OfTape = None,
) -> None:
    """Draw the map of a tape: its families, where they lie, and what they are called."""
    from foveal.doors.cli.cards import counted
    from foveal.doors.cli.mapping import draw_map
    from foveal.rules.validation import checked_count

    checked_count(labels, "labels", least=0)
    if file is not None and out is not None:
        raise Invalid(f"two files are named, {file} and {out}: name one")
    path = file or out or Path("map.png")
    if path.suffix.lower() not in FORMATS:
        raise Invalid(f"{path} is neither a .png nor a .svg file", path=str(path))
    if path.exists():
        raise Conflict(f"{path} exists already", path=str(path))
    with call.memory() as memory:
        found = memory.tape.map(limit=limit, tape=tape)
        tapes = memory.tape.list()
    if not found:
        raise NotFound("there is no family to draw here")
    drawn = next(one for one in tapes if (one.active if tape is None else one.number == tape))
    few = f"the {len(found):,} most used of " if len(found) < drawn.families else ""
    families, records = counted(drawn.families, "family", "families"), counted(drawn.records, "record")
    draw_map(path, found, labels, f"Tape {drawn.number}: {few}{families}, from {records}")
    done = {"path": str(path), "families": len(found)}
    call.answer(
        done, lambda page: page.line(f"drew {counted(len(found), 'family', 'families')} to {path}"), [str(path)]
    )
