"""Plots of decay curves and of the map of a tape, drawn with matplotlib."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from foveal.doors.cli.invocation import Invocation, argument, option
from foveal.doors.cli.output import Answer, counted
from foveal.doors.cli.tape import OfTape
from foveal.errors import Conflict, Invalid, NotFound, Unsupported

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from foveal.model.glyph import Landmark
    from foveal.model.record import Tier


INK, PALE = "#22262b", "#8a929c"
_START = datetime(2026, 1, 1, tzinfo=UTC)
_STEPS = 8


def sheet(width: float, height: float) -> tuple[Any, Axes]:
    """An empty figure in the house style."""
    try:
        from matplotlib import rcParams
        from matplotlib.figure import Figure
    except ImportError:
        raise Unsupported("drawing needs matplotlib: pip install 'foveal[plot]'") from None
    rcParams["svg.hashsalt"] = "foveal"
    figure = Figure(figsize=(width, height), dpi=150, layout="constrained")
    axes = figure.add_subplot()
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(PALE)
    axes.tick_params(colors=PALE, labelcolor=INK)
    return figure, axes


def save(figure: Any, path: Path) -> None:
    """Write a figure to a file; its suffix determines the format."""
    if path.suffix not in (".png", ".svg", ".pdf"):
        raise Invalid(f"a picture is a .png, .svg or .pdf, not {path.name!r}")
    if not path.parent.is_dir():
        raise Invalid(f"there is no folder {path.parent} to draw into")
    figure.savefig(path)


def draw_decay(path: Path, days: int, rates: Mapping[Tier, float]) -> None:
    """Plot strength over time in each tier for a record of importance 0.8, and for one with occasional use."""
    from foveal.model.record import Tier, Vitals
    from foveal.rules.decay import strength

    figure, axes = sheet(8, 4.5)
    hours = [n * 24 / _STEPS for n in range(days * _STEPS + 1)]
    beside = -0.05
    colours = {Tier.SESSION: "#c2553d", Tier.EPISODIC: "#b98a1d", Tier.SEMANTIC: "#2f6f8f"}
    for tier, colour in colours.items():
        vitals = Vitals(tier=tier, importance=0.8)
        curve = [strength(vitals, _START, _START + timedelta(hours=hour), rates) for hour in hours]
        axes.plot([hour / 24 for hour in hours], curve, color=colour, linewidth=2)
        name = "L1, L2" if tier is Tier.SESSION else f"L{int(tier)}"
        # Keep the labels of curves that end close together apart.
        beside = max(curve[-1], beside + 0.05)
        axes.annotate(f" {name}, −{rates[tier]:.0%} a day", (days, beside), color=colour, va="center", fontsize=9)
    axes.plot(*_used_now_and_then(hours, days, rates), color=INK, linewidth=1, linestyle=(0, (4, 2)))
    axes.annotate("L2, used every 10 days", (10.2, 0.88), color=INK, fontsize=9, va="bottom")
    axes.set(xlim=(0, days), ylim=(0, 1), xlabel="days since it was written", ylabel="strength")
    axes.set_title("How a memory of importance 0.8 fades", loc="left", color=INK, fontsize=11)
    axes.grid(axis="y", color=PALE, alpha=0.25, linewidth=0.6)
    save(figure, path)


def _used_now_and_then(
    hours: list[float], days: int, rates: Mapping[Tier, float]
) -> tuple[list[float], list[float]]:
    from foveal.model.record import Tier, Vitals
    from foveal.rules.decay import strength, used

    vitals, curve = Vitals(tier=Tier.SESSION, importance=0.8), list[float]()
    for hour in hours:
        now = _START + timedelta(hours=hour)
        curve.append(strength(vitals, _START, now, rates))
        if hour and hour % 240 == 0:
            vitals = used(vitals, now)
    return [hour / 24 for hour in hours], curve


LEVELS = 3
LONGEST = 34
# Labels are short, so more telling words than this do not improve one.
_ENOUGH = 2
_HEIGHT = math.sqrt(3) / 2
_SIDE = 11.0
_COLOURS = ("#1b6ca8", "#c8553d", "#4b8b3b")
# Labels have a darker shade of the colour of their dot, to show which belongs to which.
_INKS = ("#0d3f66", "#7d2c1b", "#2a5420")
_GREY, _GRID = "#777777", "#d5d5d5"
_CAPTION = (
    "A dot is a family of phrases, as large as it is used. Near dots mean alike. Grey numbers are cells of the map."
)

Point = tuple[float, float]


def point_of(x: float, y: float) -> Point:
    """The point of an equilateral triangle for a place on the map.

    >>> point_of(0, 0), point_of(1, 0)
    ((0.0, 0.0), (1.0, 0.0))
    """
    return (x + y / 2, y * _HEIGHT)


def shortened(label: str, longest: int = LONGEST) -> str:
    """A label on one line, cut at a word if it is long.

    >>> shortened("the linseed oil chart of the old house", 20)
    'the linseed oil …'
    """
    flat = " ".join(label.split())
    if len(flat) <= longest:
        return flat
    return (flat[: longest - 1].rpartition(" ")[0] or flat[: longest - 2]) + " …"


def draw_map(path: Path, landmarks: Sequence[Landmark], labels: int, title: str) -> None:
    """Draw families as dots sized by use, and label the most telling ones."""
    from foveal.rules.summaries import telling

    pyplot = _pyplot()
    figure, axes = pyplot.subplots(figsize=(_SIDE, _SIDE * _HEIGHT + 0.6), dpi=150)
    try:
        axes.set_aspect("equal")
        axes.axis("off")
        axes.set_xlim(-0.03, 1.03)
        axes.set_ylim(-0.07, _HEIGHT + 0.03)
        _grid(axes, (0.0, 0.0), 1.0, "", LEVELS)
        most = max(landmark.uses for landmark in landmarks)
        places = [point_of(landmark.x, landmark.y) for landmark in landmarks]
        axes.scatter(
            [place[0] for place in places],
            [place[1] for place in places],
            s=[_size(landmark, most) for landmark in landmarks],
            c=[_COLOURS[int(landmark.digits[:1] or 0)] for landmark in landmarks],
            alpha=0.55,
            linewidths=0,
            zorder=2,
        )
        axes.text(0.5, -0.045, _CAPTION, color=_GREY, fontsize=8, ha="center", va="top")
        axes.text(0.5, _HEIGHT + 0.03, title, color=_GREY, fontsize=10, ha="center", va="bottom")
        by_label = {mark.label: (mark, place) for mark, place in zip(landmarks, places, strict=True)}
        chosen = telling([(landmark.label, landmark.uses) for landmark in landmarks], labels, enough=_ENOUGH)
        _label(figure, axes, [by_label[label] for label in chosen], most)
        figure.savefig(path, bbox_inches="tight", facecolor="white")
    except OSError as error:
        raise Invalid(f"cannot write {path}: {error.strerror}", path=str(path)) from error
    finally:
        pyplot.close(figure)


def _size(landmark: Landmark, most: int) -> float:
    """The area of a dot, in square points."""
    return 14 + 150 * landmark.uses / most


def _grid(axes: Any, corner: Point, side: float, digits: str, levels: int) -> None:
    x, y = corner
    tip = (x + side / 2, y + side * _HEIGHT)
    axes.plot([x, x + side, tip[0], x], [y, y, tip[1], y], color=_GRID, linewidth=0.4 + 0.5 * levels, zorder=1)
    if levels == 0:
        middle = (x + side / 2, y + side * _HEIGHT / 3)
        axes.text(*middle, digits, color="#b5b5b5", fontsize=7, ha="center", va="center", zorder=1)
        return
    half = side / 2
    children = (corner, (x + half, y), (x + side / 4, y + half * _HEIGHT))
    for digit, child in enumerate(children):
        _grid(axes, child, half, f"{digits}{digit}", levels - 1)


def _label(figure: Any, axes: Any, marked: Sequence[tuple[Landmark, Point]], most: int) -> None:
    """Place each label where it fits: right of its dot, left of it, above or below; else leave it out.

    No label covers another, nor a dot that has one.
    """
    from matplotlib import patheffects
    from matplotlib.transforms import Bbox

    halo = [patheffects.withStroke(linewidth=2.5, foreground="white", alpha=0.85)]
    canvas = figure.canvas.get_renderer()
    frame = axes.get_window_extent(canvas)
    # The most telling come first; a dot that one of their labels covers gets no label.
    taken: list[Any] = []
    for landmark, place in marked:
        radius = math.sqrt(_size(landmark, most) / math.pi)
        x, y = axes.transData.transform(place)
        dot = Bbox.from_extents(x, y, x, y).padded(radius * figure.dpi / 72)
        if any(dot.overlaps(other) for other in taken):
            continue
        gap = radius + 3
        sides = ((gap, 0, "left", "center"), (-gap, 0, "right", "center"))
        sides += ((0, gap, "center", "bottom"), (0, -gap, "center", "top"))
        for right, up, across, down in sides:
            text = axes.annotate(
                shortened(landmark.label).replace("$", r"\$"),
                place,
                xytext=(right, up),
                textcoords="offset points",
                fontsize=8,
                color=_INKS[int(landmark.digits[:1] or 0)],
                ha=across,
                va=down,
                zorder=3,
                path_effects=halo,
            )
            box = text.get_window_extent(canvas).expanded(1.02, 1.1)
            inside = box.x0 >= frame.x0 - 40 and box.x1 <= frame.x1 + 40
            if inside and not any(box.overlaps(other) for other in taken):
                taken += (box, dot)
                break
            text.remove()


def _pyplot() -> Any:
    try:
        import matplotlib
        from matplotlib import font_manager, pyplot
    except ImportError:
        raise Unsupported("drawing needs matplotlib: pip install 'foveal[plot]'") from None
    matplotlib.use("Agg")
    # Labels may be in any script: add the fonts that this machine has to the one that is always available.
    installed = {font.name for font in font_manager.fontManager.ttflist}
    cjk = ("Noto Sans CJK JP", "Noto Sans CJK SC", "Source Han Sans", "PingFang SC", "Microsoft YaHei", "SimSun")
    others = ("Noto Sans Arabic", "Noto Sans Devanagari", "Noto Sans Thai", "Arial Unicode MS")
    pyplot.rcParams["font.family"] = ["DejaVu Sans", *(name for name in (*cjk, *others) if name in installed)]
    pyplot.rcParams["svg.hashsalt"] = "foveal"
    return pyplot


FORMATS = (".png", ".svg")


def decay(
    call: Invocation,
    out: Annotated[Path, option("--out -o", "FILE", "The picture: .png, .svg or .pdf.")] = Path("decay.png"),
    days: Annotated[int, option("--days", "N", "How many days to draw.")] = 60,
) -> Answer:
    """Plot how the strength of a record decays in each tier, and the effect of its use."""
    from foveal.config import load_settings
    from foveal.rules.decay import rates

    draw_decay(out, days, rates(load_settings().memory))
    return Answer({"path": str(out)}, f"drawn  {out}", [str(out)])


def map_(
    call: Invocation,
    file: Annotated[
        Path | None, argument("FILE", "A .png or .svg file that does not exist yet; map.png by default.")
    ] = None,
    out: Annotated[Path | None, option("--out -o", "FILE", "The same file, as an option.")] = None,
    limit: Annotated[int, option("--limit -n -k", "N", "At most this many families.")] = 500,
    labels: Annotated[int, option("--labels", "N", "How many of them get a label.")] = 40,
    tape: OfTape = None,
) -> Answer:
    """Draw the map of a tape: its families, their places and labels."""
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
        landmarks = memory.tape.map(limit=limit, tape=tape)
        tapes = memory.tape.list()
    if not landmarks:
        raise NotFound("there is no family to draw here")
    drawn = next(each for each in tapes if (each.active if tape is None else each.number == tape))
    few = f"the {len(landmarks):,} most used of " if len(landmarks) < drawn.families else ""
    families, records = counted(drawn.families, "family", "families"), counted(drawn.records, "record")
    draw_map(path, landmarks, labels, f"Tape {drawn.number}: {few}{families}, from {records}")
    done = {"path": str(path), "families": len(landmarks)}
    return Answer(done, f"drew {counted(len(landmarks), 'family', 'families')} to {path}", [str(path)])
