"""A memory file with something in most tables, and calls that look at all of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from foveal import Memory, Settings
from foveal.engine.memory import View

QUIET = Settings(metabolism="off", second_look="off")


def opened(path: Path | str) -> Memory:
    """A memory that moves nothing by itself."""
    return Memory(path, settings=QUIET)


def build(path: Path) -> list[str]:
    """A memory with something in most tables, closed. Returns the ids of its records."""
    with opened(path) as memory:
        ada = memory.view(actor_id="ada")
        ids = [
            ada.write(
                f"Note {number}: the spare key {number} hangs behind the boiler in Zürich.",
                tags=["keys"],
                metadata={"number": number},
                session_id=f"s{number % 3}",
            ).id
            for number in range(20)
        ]
        ada.supersede(ids[0], "The spare key moved to the shed.")
        ada.links.add(ids[1], ids[2], kind="follows")
        ada.groups.add("keys", ids[3:6])
        ada.sessions.start(session_id="call", metadata={"where": "Köln"})
        ada.ledger.store_goal("Find every key")
        ada.crystals.crystallize([{"role": "user", "content": "Where is the key? Behind the boiler."}])
        ada.snapshots.take("before the move")
        ada.read("Where is the key?")
    return ids


def verbs(ada: View, ids: list[str], folder: Path) -> Iterator[Callable[[], object]]:
    """Calls of all kinds; the last ones change something, and export to a folder."""
    yield lambda: ada.get(ids[0])
    yield lambda: ada.get_many(ids)
    yield ada.timeline
    yield ada.browse.page
    yield lambda: ada.search("Where is the spare key?", k=30)
    yield lambda: ada.search("key", filters={"metadata.number": 3})
    yield lambda: ada.read("Where is the spare key?")
    yield lambda: ada.history(ids[0])
    yield ada.sessions.list
    yield lambda: [ada.groups.members(group.id) for group in ada.groups.list()]
    yield lambda: ada.links.related(ids[1])
    yield ada.stats
    yield ada.browse.regions
    yield ada.nodes.list
    yield ada.lifecycle.journal
    yield ada.browse.recalls
    yield ada.ledger.get_goals
    yield lambda: [ada.crystals.get(line.crystal_id) for line in ada.crystals.lineages()]
    yield lambda: ada.snapshots.changes("before the move")
    yield ada.admin.check
    yield lambda: ada.write("One more note about the key.")
    yield lambda: ada.supersede(ids[7], "It moved.")
    yield lambda: ada.forget(ids[8])
    yield lambda: ada.forget(ids[9], hard=True)
    yield ada.lifecycle.run
    yield lambda: ada.admin.export(folder / "ada.jsonl")
