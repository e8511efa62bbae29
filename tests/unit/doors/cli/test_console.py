from __future__ import annotations

from .conftest import Run


def test_the_address_says_whose_memory_and_has_no_key_in_its_query(run: Run) -> None:
    told = run("console", "--dry-run", "--port", "9001", "--actor-id", "ada", "--node", "/planner", "--json").json
    assert told["url"] == "http://127.0.0.1:9001/memory-console?actor=ada&node=%2Fplanner"
