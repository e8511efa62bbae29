"""A statement is planned once, not each time it is run."""

from pathlib import Path

import apsw

from foveal import Memory


def test_reading_again_plans_nothing_anew(tmp_path: Path) -> None:
    planned: list[str] = []

    def allow(_what: int, table: str | None, *_: str | None) -> int:
        # It is asked while a statement is planned, and never while one is run.
        planned.append(table or "")
        return apsw.SQLITE_OK

    def watch(db: apsw.Connection) -> None:
        db.authorizer = allow

    apsw.connection_hooks.append(watch)
    try:
        with Memory(tmp_path / "memory.db") as memory:
            mine = memory.view(actor_id="ada", session_id="s")
            for number in range(20):
                mine.write(f"note {number} about the boat in Oslo")
                mine.read(f"what of the boat, number {number}?", token_budget=200)
            planned.clear()
            mine.read("which boat was in Oslo?", token_budget=200)
            again = set(planned)
    finally:
        apsw.connection_hooks.remove(watch)
    # A pragma has no plan to be kept.
    assert again <= {"data_version"}
