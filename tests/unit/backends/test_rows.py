"""A struct comes back from its row exactly as it was stored."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from msgspec import Struct

from foveal.backends.sql.rows import listed, row_type, struct_of, values_of
from foveal.model.crystal import FocusFragment, Role, StateCrystal, TaskState
from foveal.model.ledger import Decision, Goal, Level, Task
from foveal.model.record import Linearity, Session, Tier, Vitals
from foveal.model.results import Change, Move, Recalled, What
from foveal.model.server import IdempotentRequest, Key, Right

AT = datetime(2024, 2, 29, 23, 59, 59, 999_999, tzinfo=UTC)
BEFORE_1970 = datetime(1969, 12, 31, 23, 59, 59, 1, tzinfo=UTC)

STRUCTS = [
    Key(id="k", name="all", created_at=AT),
    Key(
        id="k",
        name="some",
        worlds=(),
        actors=("ada", 'b"ob'),
        rights=(Right.READ, Right.ADMIN),
        verbs=("read", "écrire"),
        created_at=BEFORE_1970,
        expires_at=AT,
        last_used_at=AT,
        rate=0.5,
        burst=3,
    ),
    IdempotentRequest(place=b"\0p", content=b"", holder="h", begun_at=AT, until=AT, answer=b""),
    FocusFragment(hint="", content="c", position=3, linearity=Linearity.REQUIRED, role=Role.TOOL, condensed=True),
    StateCrystal(
        crystal_id="c",
        agent="/a",
        timestamp=AT,
        task_state=TaskState(progress=0.25, metadata={"step": [1, None]}),
        working_memory={"x": {"y": 1.5}},
        ttl=timedelta(days=-1, microseconds=7),
        pinned=True,
    ),
    Change(record_id="r", before=Vitals(), after=Vitals(tier=Tier.SEMANTIC, forgotten_at=AT)),
    Recalled(id="r", rank=None, relevance=0.0, parts=None, zone="fovea", depth=0),
    Recalled(id="r", rank=1, relevance=1.0, parts={"words": 0.5}, zone="fovea", depth=0),
    Goal(id="g", description="d", created_at=AT, metadata={"a": "é"}),
    Task(id="t", goal_id="g", description="d", given=None, output=[{"n": 1}], created_at=AT),
    Decision(id="d", context="c", options=("a", "b"), chosen="a", timestamp=AT, intelligence_level=Level.TACTICAL),
    Session(id="s", actor_id="ada", metadata={}, started_at=None, records=2),
]


def _row(values: dict[str, Any]) -> Any:
    # SQLite stores a truth as a number.
    numbers = (int(value) if isinstance(value, bool) else value for value in values.values())
    return row_type(tuple(values))._make(numbers)


@pytest.mark.parametrize("array", [listed, list])
@pytest.mark.parametrize("struct", STRUCTS, ids=lambda struct: type(struct).__name__)
def test_a_struct_comes_back_from_its_row(struct: Struct, array: Callable[[Any], Any]) -> None:
    again = struct_of(type(struct), _row(values_of(struct, array)))
    assert again == struct
    assert repr(again) == repr(struct)


def test_what_is_stored_in_rows_of_its_own_has_no_value() -> None:
    change = Change(record_id="r", before=Vitals(), after=Vitals())
    move = Move(id="m", at=AT, who="/", what=What.ARCHIVED, why="", changes=(change,), made=("x",))
    values = values_of(move)
    assert "changes" not in values
    assert struct_of(Move, _row(values), changes=(change,)) == move


def test_a_value_that_is_given_comes_before_the_field() -> None:
    fragment = FocusFragment(hint="h", content="long", position=1)
    assert values_of(fragment, content=7, place=0)["content"] == 7
    assert struct_of(FocusFragment, _row(values_of(fragment)), content="short").content == "short"


def test_a_null_stands_for_the_default_of_a_field_that_cannot_be_none() -> None:
    values = values_of(Session(id="s", actor_id="ada")) | {"kind": None, "metadata": None}
    assert struct_of(Session, _row(values)) == Session(id="s", actor_id="ada")


def test_a_column_that_is_missing_is_noticed() -> None:
    values = values_of(Key(id="k", name="n", created_at=AT))
    del values["last_used_at"]
    with pytest.raises(AttributeError, match="last_used_at"):
        struct_of(Key, _row(values))


def test_rows_with_the_same_columns_are_of_one_type() -> None:
    assert row_type(("id", "count(*)", "id")) is row_type(("id", "count(*)", "id"))
    assert row_type(("id", "count(*)", "id"))(1, 2, 3)._fields == ("id", "_1", "_2")
