"""What a recall and a read return."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from foveal.model.address import Address
from foveal.model.record import Record
from foveal.model.rendition import Rendition


class Hit(Struct, frozen=True, kw_only=True):
    """A record found, its score, and with `explain=True` the parts the score is made of.

    `cosine` says how near its meaning is to the question's, whatever else was found; 0 when the encoder is away.
    """

    record: Record
    score: float
    parts: Mapping[str, float] | None = None
    encoder: str | None
    cosine: float = 0.0

    @property
    def id(self) -> str:
        """The id of the record."""
        return self.record.id

    @property
    def text(self) -> str:
        """The text of the record."""
        return self.record.text


class Item(Struct, frozen=True, kw_only=True):
    """A record as it is shown in a context: at a depth, for a number of tokens."""

    record: Record
    address: Address
    text: str
    summary: str
    depth: int
    zone: str
    tokens: int
    score: float
    parts: Mapping[str, float] | None = None

    @property
    def id(self) -> str:
        """The id of the record."""
        return self.record.id

    @property
    def excerpt(self) -> str | None:
        """The whole text, if it is shown whole."""
        return self.record.text if self.depth == 2 else None


class Cut(Struct, frozen=True, kw_only=True):
    """A record that was considered and left out, and why.

    `reason` is "budget", "duplicate", "below threshold", "superseded" or "scope". Of a superseded record it is one
    `version` that was left out, and `successor` is the version that took its place.
    """

    id: str
    reason: str
    score: float
    version: int | None = None
    successor: int | None = None


class Receipt(Struct, frozen=True, kw_only=True):
    """What a read did: how much it looked at, what it chose and what it left out.

    `zones` says how many tokens each zone took. `hidden` counts what matched and was not a choice: older versions
    whose successor you see ("superseded"), and what your own filter, tiers or kinds left out ("scope").
    """

    query: str
    considered: int
    chosen: int
    cut: tuple[Cut, ...]
    tokens: int
    token_budget: int
    zones: Mapping[str, int]
    counter: str
    encoder: str | None
    policy: str
    degraded: tuple[str, ...] = ()
    hidden: Mapping[str, int] = field(default_factory=dict[str, int])


class Context(Struct, frozen=True, kw_only=True):
    """What to put before the model: items inside a budget, their text, and the receipt.

    `periphery` are the summaries of what is not quoted, which stand before the items in the text.
    """

    items: tuple[Item, ...]
    text: str
    tokens: int
    receipt: Receipt
    periphery: tuple[Rendition, ...] = ()

    @property
    def context(self) -> tuple[Item, ...]:
        """The items, under the name clients know them by."""
        return self.items
