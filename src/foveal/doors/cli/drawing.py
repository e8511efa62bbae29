"""Pictures, by matplotlib if it is installed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from foveal.errors import Invalid, Unsupported
from foveal.model.record import Tier, Vitals
from foveal.rules.decay import strength, used

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK, PALE = "#22262b", "#8a929c"
COLOURS = {Tier.SESSION: "#c2553d", Tier.EPISODIC: "#b98a1d", Tier.SEMANTIC: "#2f6f8f"}
_START = datetime(2026, 1, 1, tzinfo=UTC)
_STEPS = 8


def sheet(width: float, height: float) -> tuple[Any, Axes]:
    """An empty picture in the house style."""
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
    """Write a picture to a file whose ending says its kind."""
    if path.suffix not in (".png", ".svg", ".pdf"):
        raise Invalid(f"a picture is a .png, .svg or .pdf, not {path.name!r}")
    if not path.parent.is_dir():
        raise Invalid(f"there is no folder {path.parent} to draw into")
    figure.savefig(path)


def draw_decay(path: Path, days: int, rates: Mapping[Tier, float]) -> None:
    """Strength against time in each tier for a record of importance .8, and for one that is used now and then."""
    figure, axes = sheet(8, 4.5)
    hours = [n * 24 / _STEPS for n in range(days * _STEPS + 1)]
    beside = -0.05
    for tier, colour in COLOURS.items():
        vitals = Vitals(tier=tier, importance=0.8)
        curve = [strength(vitals, _START, _START + timedelta(hours=hour), rates) for hour in hours]
        axes.plot([hour / 24 for hour in hours], curve, color=colour, linewidth=2)
        name = "L1, L2" if tier is Tier.SESSION else f"L{int(tier)}"
        # The labels of curves that end close together are kept apart.
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
    vitals, curve = Vitals(tier=Tier.SESSION, importance=0.8), list[float]()
    for hour in hours:
        now = _START + timedelta(hours=hour)
        curve.append(strength(vitals, _START, now, rates))
        if hour and hour % 240 == 0:
            vitals = used(vitals, now)
    return [hour / 24 for hour in hours], curve
