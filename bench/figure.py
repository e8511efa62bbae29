"""One measured figure beside its bound."""

from __future__ import annotations

from dataclasses import dataclass

RATE, MILLISECONDS, MICROSECONDS, SECONDS, BYTES, SHARE = "/s", "ms", "µs", "s", "B", "of 1"
_MORE_IS_BETTER = (RATE, SHARE)


@dataclass(frozen=True, slots=True)
class Figure:
    """What was measured, and the same work at its physical best, both from one run.

    `n` is how many measurements stand behind the figure. A figure without a bound is there to be known.
    """

    part: str
    name: str
    value: float
    unit: str
    bound: float | None = None
    against: str = ""
    n: int = 1

    @property
    def ratio(self) -> float | None:
        """How many times worse than the bound, 1 being the bound itself.

        >>> Figure("writes", "write", 2000, RATE, bound=6000).ratio
        3.0
        >>> Figure("search", "p50", 6.0, MILLISECONDS, bound=3.0).ratio
        2.0
        """
        if self.bound is None or not self.value or not self.bound:
            return None
        return self.bound / self.value if self.unit in _MORE_IS_BETTER else self.value / self.bound


def shown(value: float, unit: str) -> str:
    """A value as people read it: three telling digits, with its unit.

    >>> shown(12345.6, RATE), shown(0.01234, MILLISECONDS), shown(3.14159, SECONDS), shown(0.9987, SHARE)
    ('12,346 /s', '0.0123 ms', '3.14 s', '0.999')
    """
    if unit == SHARE:
        return f"{value:.3f}"
    digits = f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
    return f"{digits} {unit}"
