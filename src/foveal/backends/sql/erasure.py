"""Removes records and whole memories for good, with everything that is derived from them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from foveal.backends.sql.session import Organism, Transaction
from foveal.backends.sql.visibility import Part
from foveal.ports.tables import OWNED
from foveal.rules.crystals import quotes, telling

# What an erasure looks at, in the order of the receipt: the columns of `count_erased`, then the steps below.
COUNTED = ("versions", "index_entries", "vectors", "links", "memberships")
_FIRST = {
    "answers": "empty_answers",
    "summaries": "remove_renditions_of",
    "reads": "remove_recollections_of",
}
_LAST = {"groups": "remove_empty_groups", "sessions": "remove_empty_sessions", "regions": "remove_empty_regions"}


class Eraser(Part):
    """The erasures of a store. Each runs inside a transaction of its caller, and returns how much was removed."""

    def records(self, db: Transaction, organism: Organism, ids: Sequence[str], at: int) -> dict[str, int]:
        """Remove records, the questions that quote them, and the groups, sessions and regions they leave empty."""
        values = {**organism, "ids": self._dialect.array(dict.fromkeys(ids)), "at": at}
        [counts] = db.run("count_erased", values)
        removed = dict[str, int](zip(COUNTED, counts, strict=True))
        told = telling(text for (text,) in db.run("erased_texts", values))
        places = db.run("erased_places", values)
        left: dict[str, Any] = {
            **organism,
            "regions": self._dialect.array({region for region, _ in places}),
            "sessions": self._dialect.array({session for _, session in places if session is not None}),
            "groups": self._dialect.array(group for (group,) in db.run("erased_groups", values)),
        }
        # The log of reads contains questions, which may quote an erased record.
        for name, step in _FIRST.items():
            removed[name] = db.change(step, values)
        removed["reads"] += self._remove_quoting(db, organism, told)
        db.change("remove_records", values)
        db.change("bury", values)
        for name, step in _LAST.items():
            removed[name] = db.change(step, left)
        for step in ("forget_logged_sessions", "forget_unsummarised"):
            db.change(step, left)
        return removed

    def _remove_quoting(self, db: Transaction, organism: Organism, told: Sequence[str]) -> int:
        """Remove the logged reads whose question quotes an erased text."""
        numbers = [number for number, query in db.run("logged_questions", organism) if quotes(query, told)]
        if not numbers:
            return 0
        return db.change("remove_recollections", {**organism, "numbers": self._dialect.array(numbers)})

    def organism(self, db: Transaction, organism: Organism) -> dict[str, int]:
        """Remove everything of an organism, its name included."""
        removed = {"answers": db.change("remove_answers", organism)}
        # Triggers write to the `kept` tables when rows of the others are deleted, so those come last.
        for table in sorted(reversed(OWNED), key=lambda table: table.kept):
            name = table.name
            # Other processes learn from it that what they have in memory is gone.
            if name != "seen_until":
                parts = {"table": self._dialect.table(name), "owned": self._dialect.owned(table.by)}
                removed[name] = db.change("clear_table", organism, **parts)
        for step in self._dialect.forget_organism:
            db.change(step, organism)
        return removed
