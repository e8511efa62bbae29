"""What a recall and a read return."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from foveal.model.address import Address
from foveal.model.record import Record
from foveal.model.rendition import Rendition


class Hit(Struct, frozen=True, kw_only=True):
    """A record found, and how likely it is to help with the question: its relevance, from 0 to 1.

    With `explain=True`, `parts` say what the relevance is made of; they add up to its log odds. `replaced_by` is
    the id of a later record that seems to say anew what this one says.
    """

    record: Record
    relevance: float
    parts: Mapping[str, float] | None = None
    encoder: str | None
    replaced_by: str | None = None

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
    relevance: float
    parts: Mapping[str, float] | None = None
    replaced_by: str | None = None

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

    `reason` is "budget", "duplicate", "irrelevant", "superseded" or "scope". Of a superseded record it is one
    `version` that was left out, and `successor` is the version that took its place.
    """

    id: str
    reason: str
    relevance: float
    version: int | None = None
    successor: int | None = None


class Receipt(Struct, frozen=True, kw_only=True):
    """What a read did: how much it looked at, what it chose and what it left out.

    `zones` says how many tokens each zone took. `nothing_relevant` is true when nothing was found that is likely to
    help: what a context then holds is there for another reason, such as being recent. `hidden` counts what matched
    and was not a choice: older versions whose successor you see ("superseded"), and what your own filter, tiers or
    kinds left out ("scope").
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
    nothing_relevant: bool = False
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
