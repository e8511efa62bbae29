"""The classes of `engine/async_verbs.py`, made from the facades, which do not import that module."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

from foveal.engine.admin import Admin
from foveal.engine.crystals.crystals import Crystals
from foveal.engine.entries import Nodes
from foveal.engine.ledger.ledger import Ledger
from foveal.engine.ledger.longterm import LongTerm
from foveal.engine.ledger.operational import Operational
from foveal.engine.lifecycle.lifecycle import Lifecycle
from foveal.engine.memory import View
from foveal.engine.past import Fork, Past, Snapshots
from foveal.engine.records.relations import Groups, Links, Sessions
from foveal.engine.records.verbs import Browse
from foveal.engine.tape.tape import TapeVerbs

CLASSES = {
    "AsyncOperational": Operational,
    "AsyncLedger": Ledger,
    "AsyncLongTerm": LongTerm,
    "AsyncCrystals": Crystals,
    "AsyncBrowse": Browse,
    "AsyncLinks": Links,
    "AsyncGroups": Groups,
    "AsyncSessions": Sessions,
    "AsyncSnapshotVerbs": Snapshots,
    "AsyncLifecycle": Lifecycle,
    "AsyncNodes": Nodes,
    "AsyncAdmin": Admin,
    "AsyncPastVerbs": Past,
    "AsyncForkVerbs": Fork,
    "AsyncTape": TapeVerbs,
    "AsyncViewVerbs": View,
}
# A verb that gives one of these is written by hand: it gives the asynchronous form.
FACADES = ("View", "Past", "Fork")


def lines() -> Iterator[str]:
    """The lines of all classes."""
    for name, facade in CLASSES.items():
        yield from ("", "", f"class {name}(Shell[{facade.__name__}]):")
        yield from (f'    """The verbs of `{facade.__name__}` for asynchronous callers."""', "")
        for verb, method in inspect.getmembers(facade, inspect.isfunction):
            if not verb.startswith("_") and inspect.signature(method).return_annotation not in FACADES:
                yield f"    {verb} = threaded({facade.__name__}.{verb})"
    yield from ("", "")
