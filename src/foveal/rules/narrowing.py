"""Which tiers and kinds a question is put to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from foveal.errors import Invalid
from foveal.model.query import AllOf, AnyOf, Compare, Filter, Op
from foveal.model.record import Tier
from foveal.rules.checking import checked_name

TierName = str | int | Tier
T = TypeVar("T")


def narrowed(
    where: Filter | None,
    *,
    tiers: Sequence[TierName] | None = None,
    kinds: Sequence[str] | None = None,
    session_id: str | None = None,
) -> Filter | None:
    """The filter, and beside it only these tiers and kinds.

    Tiers below the semantic one belong to a conversation: asked for by name from within a session, they mean the
    records of that session, or of none.

    >>> narrowed(None, kinds=["fact"])
    Compare(field='kind', op=<Op.IN: 'in'>, value=('fact',))
    """
    parts = [] if where is None else [where]
    if kinds is not None:
        parts.append(Compare("kind", Op.IN, tuple(checked_name(one, "kind") for one in _listed(kinds, "kinds"))))
    if tiers is not None:
        parts.append(_in_tiers({Tier.named(one) for one in _listed(tiers, "tiers")}, session_id))
    return parts[0] if len(parts) == 1 else AllOf(tuple(parts)) if parts else None


def working(where: Filter | None, session_id: str) -> Filter:
    """The filter, and beside it only what a session has in its working tier."""
    parts = (
        Compare("session_id", Op.EQ, session_id),
        Compare("tier", Op.EQ, int(Tier.WORKING)),
        Compare("archived", Op.EQ, False),
    )
    return AllOf(parts if where is None else (where, *parts))


def _in_tiers(tiers: set[Tier], session_id: str | None) -> Filter:
    wanted = Compare("tier", Op.IN, tuple(sorted(int(one) for one in tiers)))
    if session_id is None:
        return wanted
    here = AnyOf(
        (Compare("tier", Op.EQ, int(Tier.SEMANTIC)), Compare("session_id", Op.IN, (session_id, None))),
    )
    return AllOf((wanted, here))


def _listed(given: Sequence[T], what: str) -> Sequence[T]:
    if isinstance(given, str):
        raise Invalid(f"{what} must be a list; for one write [{given[:40]!r}]")
    if not given:
        raise Invalid(f"{what} is empty: leave it out to ask for all")
    return given
