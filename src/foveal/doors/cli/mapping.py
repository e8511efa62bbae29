"""The picture of a map: a triangle of cells, a dot for each family, and labels that do not cover each other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from foveal.errors import Invalid, Unsupported
from foveal.model.glyph import Landmark
from foveal.rules.summaries import telling

LEVELS = 3
LONGEST = 34
# There is room for short labels only: more telling words than this make one no better.
_ENOUGH = 2
_HEIGHT = math.sqrt(3) / 2
_SIDE = 11.0
_COLOURS = ("#1b6ca8", "#c8553d", "#4b8b3b")
# Labels have the colour of their dots, darker, so that one sees which belongs to which.
_INKS = ("#0d3f66", "#7d2c1b", "#2a5420")
_GREY, _GRID = "#777777", "#d5d5d5"
_CAPTION = (
    "A dot is a family of phrases, as large as it is used. Near dots mean alike. Grey numbers are cells of the map."
)

Point = tuple[float, float]


def point_of(x: float, y: float) -> Point:
    """Where a place of the map lies in a triangle with three equal sides.

    >>> point_of(0, 0), point_of(1, 0)
    ((0.0, 0.0), (1.0, 0.0))
    """
    return (x + y / 2, y * _HEIGHT)


def shortened(label: str, longest: int = LONGEST) -> str:
    """A label of one line, cut at a word if it is long.

    >>> shortened("the linseed oil chart of the old house", 20)
    'the linseed oil …'
    """
    flat = " ".join(label.split())
    if len(flat) <= longest:
        return flat
    return (flat[: longest - 1].rpartition(" ")[0] or flat[: longest - 2]) + " …"


def draw_map(path: Path, landmarks: Sequence[Landmark], labels: int, title: str) -> None:
    """Draw families as dots as large as they are used, and write beside them the labels that say most."""
    pyplot = _pyplot()
    figure, axes = pyplot.subplots(figsize=(_SIDE, _SIDE * _HEIGHT + 0.6), dpi=150)
    try:
        axes.set_aspect("equal")
        axes.axis("off")
        axes.set_xlim(-0.03, 1.03)
        axes.set_ylim(-0.07, _HEIGHT + 0.03)
        _grid(axes, (0.0, 0.0), 1.0, "", LEVELS)
        most = max(one.uses for one in landmarks)
        places = [point_of(one.x, one.y) for one in landmarks]
        axes.scatter(
            [place[0] for place in places],
            [place[1] for place in places],
            s=[_size(one, most) for one in landmarks],
            c=[_COLOURS[int(one.digits[:1] or 0)] for one in landmarks],
            alpha=0.55,
            linewidths=0,
            zorder=2,
        )
        axes.text(0.5, -0.045, _CAPTION, color=_GREY, fontsize=8, ha="center", va="top")
        axes.text(0.5, _HEIGHT + 0.03, title, color=_GREY, fontsize=10, ha="center", va="bottom")
        at = {one.label: (one, place) for one, place in zip(landmarks, places, strict=True)}
        said = telling([(one.label, one.uses) for one in landmarks], labels, enough=_ENOUGH)
        _label(figure, axes, [at[label] for label in said], most)
        figure.savefig(path, bbox_inches="tight", facecolor="white")
    except OSError as error:
        raise Invalid(f"cannot write {path}: {error.strerror}", path=str(path)) from error
    finally:
        pyplot.close(figure)


def _size(one: Landmark, most: int) -> float:
    """The area of a dot, in square points."""
    return 14 + 150 * one.uses / most


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
    """Write labels where there is room: right of the dot, left of it, above or below; else not at all.

    No label covers another, nor a dot that has one.
    """
    from matplotlib import patheffects
    from matplotlib.transforms import Bbox

    halo = [patheffects.withStroke(linewidth=2.5, foreground="white", alpha=0.85)]
    canvas = figure.canvas.get_renderer()
    frame = axes.get_window_extent(canvas)
    # Those that say most come first: what is covered by the label of one of them gets none.
    taken: list[Any] = []
    for one, place in marked:
        radius = math.sqrt(_size(one, most) / math.pi)
        x, y = axes.transData.transform(place)
        dot = Bbox.from_extents(x, y, x, y).padded(radius * figure.dpi / 72)
        if any(dot.overlaps(other) for other in taken):
            continue
        gap = radius + 3
        sides = ((gap, 0, "left", "center"), (-gap, 0, "right", "center"))
        sides += ((0, gap, "center", "bottom"), (0, -gap, "center", "top"))
        for right, up, across, down in sides:
            text = axes.annotate(
                shortened(one.label).replace("$", r"\$"),
                place,
                xytext=(right, up),
                textcoords="offset points",
                fontsize=8,
                color=_INKS[int(one.digits[:1] or 0)],
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
    # Labels may be in any script: take what the machine has for them, after the font that is always there.
    known = {font.name for font in font_manager.fontManager.ttflist}
    wanted = ("Noto Sans CJK JP", "Noto Sans CJK SC", "Source Han Sans", "PingFang SC", "Microsoft YaHei", "SimSun")
    others = ("Noto Sans Arabic", "Noto Sans Devanagari", "Noto Sans Thai", "Arial Unicode MS")
    pyplot.rcParams["font.family"] = ["DejaVu Sans", *(name for name in (*wanted, *others) if name in known)]
    pyplot.rcParams["svg.hashsalt"] = "foveal"
    return pyplot
