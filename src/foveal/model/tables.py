"""The tables that make a store, in the order in which one needs the other."""

from __future__ import annotations

import msgspec

Row = tuple[object, ...]


class Table(msgspec.Struct, frozen=True):
    """A table of every durable store.

    Its rows belong to whom their column `by` says: an organism, or a ledger or crystal of one; to nobody if it is
    empty. What is `kept` by the store itself, as other rows come and go, is made once more when those are copied.
    """

    name: str
    by: str = "organism"
    kept: bool = False


class Organism(msgspec.Struct, frozen=True):
    """One actor of a world, and the number that stands for both in the tables."""

    number: int
    world: str
    actor: str


class Sum(msgspec.Struct, frozen=True):
    """How many rows a table has, and their checksum, in whatever order they come."""

    rows: int
    checksum: str


# Vectors refer to them, so they come first.
ENCODERS = (Table("encoder", by=""),)
OWNED = (
    *(Table("region"), Table("vitals"), Table("record")),
    *(Table(name, kept=True) for name in ("standing", "arrival", "unsummarised", "seen_until")),
    *(Table(name) for name in ("sent", "tombstone", "link", "context_group", "member", "session")),
    *(Table(name) for name in ("vector", "trace", "journal", "rendition", "rendition_source")),
    *(Table(name) for name in ("recollection", "recollected")),
    *(Table(name) for name in ("tape", "dropped_tape", "family", "phrase", "mention", "place")),
    *(Table(name) for name in ("phrase_point", "version_point", "ledger")),
    *(Table(name, by="ledger") for name in ("goal", "task", "tool_call", "decision", "pattern")),
    *(Table(name, by="ledger") for name in ("agent_state", "event", "event_hour", "metric", "metric_hour")),
    *(Table("crystal_blob"), Table("crystal"), Table("crystal_fragment", by="crystal")),
    *(Table("snapshot"), Table("oblivion")),
)
SHARED = (Table("job", by=""), Table("api_key", by=""), Table("errand", by=""), Table("override", by=""))
# Who does a job now: that ends with the process that does it.
LEFT = frozenset({"lease"})
# What a database gathers of large actors, to search them. It is gathered anew when they are first searched.
GATHERED = frozenset({"segment", "posting", "speaker"})


class Copied(msgspec.Struct, frozen=True, kw_only=True):
    """What was copied from one store to another, and found to be the same there.

    `known` of the actors were there already. `tables` says how many rows each table has.
    """

    source: str
    target: str
    actors: int
    known: int
    rows: int
    tables: dict[str, int]
