"""Both databases have every query that the shared store runs, and no query is left over."""

import ast
from pathlib import Path

import pytest

import foveal
from foveal.backends.postgres.dialect import queries as postgres_queries
from foveal.backends.sqlite.connection import queries as sqlite_queries
from foveal.model.record import Subject

BACKENDS = Path(foveal.__file__).parent / "backends"
RUNS = {"run", "rows", "value", "change", "stream", "text", "lock"}
# Their names are put together from the kind of a summary.
SPELLED = {f"unsummarised_{kind.value}s" for kind in Subject}


def _strings(folder: str) -> set[str]:
    found = set(SPELLED)
    for path in (BACKENDS / folder).glob("*.py"):
        nodes = ast.walk(ast.parse(path.read_text()))
        found |= {one.value for one in nodes if isinstance(one, ast.Constant) and isinstance(one.value, str)}
    return found


def _run_by(*verbs: str) -> set[str]:
    """The names with which the shared store calls these."""
    found: set[str] = set()
    for path in (BACKENDS / "sql").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in verbs:
                match node.args:
                    case [ast.Constant(value=str(name)), *_]:
                        found.add(name)
                    case _:
                        pass
    return found


def test_what_is_run_by_its_name_is_a_query_of_both() -> None:
    shared = _run_by(*RUNS - {"lock"})
    assert len(shared) > 100
    assert shared <= sqlite_queries().keys()
    assert shared <= postgres_queries().keys()


def test_what_only_locks_is_a_query_where_several_write_at_once() -> None:
    assert _run_by("lock") <= postgres_queries().keys() - sqlite_queries().keys()


def test_a_query_that_the_shared_store_names_is_in_both() -> None:
    named = _strings("sql") - _run_by("lock")
    assert named & postgres_queries().keys() == named & sqlite_queries().keys()


@pytest.mark.parametrize(("folder", "queries"), [("sqlite", sqlite_queries()), ("postgres", postgres_queries())])
def test_no_query_is_left_over(folder: str, queries: dict[str, str]) -> None:
    assert queries.keys() - _strings("sql") - _strings(folder) == set()
