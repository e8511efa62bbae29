"""What a node looks at in a file is what it may see, not what the others hold."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

from foveal.backends.sql.session import Values
from foveal.backends.sqlite import SqliteStore
from foveal.backends.sqlite.connection import SqliteTransaction, text
from foveal.model.query import Access, Viewpoint
from foveal.ports.store import Order
from foveal.rules.trees import Sort
from foveal.testing.builders import ENCODER, entry, seen_by

WALKS = ("record_by_time", "record_by_digits", "record_by_session", "SCAN r")


@pytest.fixture
def plans(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """How every query was planned that depends on who looks."""
    told: dict[str, str] = {}

    def planned(run: Callable[..., list[Any]]) -> Callable[..., list[Any]]:
        def running(db: SqliteTransaction, name: str, values: Values | None = None, **parts: str) -> list[Any]:
            if "visible" in parts or "ways" in parts:
                rows = db.connection.execute(f"explain query plan {text(name, **parts)}", values or ())
                told[name] = "\n".join(str(row[3]) for row in rows)
            return run(db, name, values, **parts)

        return running

    for method in ("run", "rows"):
        monkeypatch.setattr(SqliteTransaction, method, planned(getattr(SqliteTransaction, method)))
    return told


def _asked_everything(kept: SqliteStore, access: Access, record_id: str) -> None:
    list(kept.records.scan(access, order=Order.NEWEST, limit=10))
    kept.records.get(access, [record_id])
    kept.counts.stats(access)
    kept.counts.regions(access)
    kept.counts.marks(access, order=Order.NEWEST, every=10)
    kept.counts.nodes(access)
    kept.links.sessions(access)
    kept.trees.children(access, record_id, sort=Sort.IMPORTANCE)
    kept.trees.descendants(access, record_id, 3)
    kept.trees.ancestors(access, record_id)
    kept.records.keyed(access, "/a", ["k"])
    kept.trees.forget(access, [record_id], hard=False)


def test_no_query_of_a_node_walks_through_the_organism(tmp_path: Path, plans: dict[str, str]) -> None:
    node = Viewpoint(actor_id="ada", node="/a")
    kept = SqliteStore(tmp_path / "m.db")
    [(record, _)] = kept.records.append([entry("x", viewpoint=node)], ENCODER)
    _asked_everything(kept, seen_by(node), record.id)
    kept.close()
    assert len(plans) >= 12
    assert {name: plan for name, plan in plans.items() if any(walk in plan for walk in WALKS)} == {}
    for index in ("record_by_node", "record_shared", "record_shared_up", "record_global"):
        assert f"INDEX {index} " in plans["records_in_time"]
    assert "TEMP B-TREE" not in plans["records_in_time"]


def test_the_owner_reads_all_of_it_in_time(tmp_path: Path, plans: dict[str, str]) -> None:
    kept = SqliteStore(tmp_path / "m.db")
    kept.records.append([entry("x")], ENCODER)
    list(kept.records.scan(seen_by(as_owner=True), order=Order.OLDEST))
    kept.close()
    assert "INDEX record_by_time " in plans["records_in_time"]
    assert "TEMP B-TREE" not in plans["records_in_time"]


def test_to_forget_one_record_costs_no_more_in_a_large_memory(tmp_path: Path) -> None:
    steps: list[int] = []
    for records in (10, 1000):
        path = tmp_path / f"{records}.db"
        kept = SqliteStore(path)
        [(record, _), *_] = kept.records.append(
            [entry(f"x{n}", session_id=f"s{n}") for n in range(records)], ENCODER
        )
        kept.close()
        db, taken = apsw.Connection(str(path)), list[int]()
        db.set_progress_handler(lambda taken=taken: bool(taken.append(1)), 1)
        db.execute("update vitals set forgotten_at = 1 where organism = 1 and id = ?", (record.id,)).fetchall()
        db.close()
        steps.append(len(taken))
    assert steps[1] < 2 * steps[0]
