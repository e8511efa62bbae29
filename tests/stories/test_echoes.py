"""What was recalled and comes back is not stored again, and what is sent twice is stored once."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from foveal import Memory
from foveal.engine.memory import View

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


@pytest.fixture(params=["ram", "sqlite"])
def ada(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[View]:
    with Memory(":memory:" if request.param == "ram" else tmp_path / "memory.db") as memory:
        yield memory.view(actor_id="ada", session_id="s1")


def test_a_recalled_text_that_is_written_back_strengthens_its_record(ada: View) -> None:
    record = ada.write("Ada's locker code is 4711.", session_id="s0", importance=0.5)
    assert ada.read("locker code", token_budget=200).items
    again = ada.write("ada's locker code is 4711", source="assistant")
    assert (again.ids, again.echoes) == ((record.id,), (record.id,))
    vitals = ada.get(record.id).vitals
    # The read used it, and so did the echo.
    assert (vitals.uses, round(vitals.importance, 6)) == (2, 0.595)
    assert ada.stats().records == 1


@pytest.mark.parametrize(
    "changed",
    ["Ada's locker code is 4712.", "Ada's locker code is not 4711.", "Bea's locker code is 4711.", "4711"],
)
def test_a_text_that_says_something_else_is_new(ada: View, changed: str) -> None:
    ada.write("Ada's locker code is 4711.")
    ada.read("locker code", token_budget=200)
    assert ada.write(changed).echoes == ()
    assert ada.stats().records == 2


def test_only_the_conversation_that_recalled_it_can_echo_it(ada: View) -> None:
    ada.write("The shop opens at nine.")
    ada.read("shop", token_budget=200)
    assert ada.write("The shop opens at nine.", session_id="s2").echoes == ()
    assert ada.write_many(["The shop opens at nine.", "Something else."]).echoes != ()


def test_a_resend_is_stored_once_and_the_same_words_later_are_new(ada: View) -> None:
    first = ada.write("Yes.", speaker="Ada", occurred_at=NOON)
    resent = ada.write("Yes.", speaker="Ada", occurred_at=NOON)
    assert (resent.ids, resent.duplicates) == (first.ids, first.ids)
    for later in (
        ada.write("Yes.", speaker="Ada", occurred_at=NOON + timedelta(minutes=1)),
        ada.write("Yes.", speaker="Bea", occurred_at=NOON),
        ada.write("Yes.", speaker="Ada", occurred_at=NOON, session_id="s2"),
        ada.write("Yes.", speaker="Ada"),
        ada.write("Yes.", speaker="Ada"),
    ):
        assert later.duplicates == ()
    assert ada.stats().records == 6


def test_whoever_says_more_of_a_text_means_it(ada: View) -> None:
    ada.write("I ran 5 km.")
    ada.read("ran", token_budget=200)
    assert ada.write("I ran 5 km.", occurred_at=NOON).echoes == ()
    assert ada.write("I ran 5 km.", pin=True).echoes == ()
    assert ada.stats().records == 3


def test_a_text_sent_again_after_it_was_forgotten_is_stored(ada: View) -> None:
    first = ada.write("Yes.", occurred_at=NOON)
    ada.forget(first.id)
    again = ada.write("Yes.", occurred_at="2026-05-01T12:00:00Z")
    assert again.duplicates == ()
    assert ada.get(again.id).text == "Yes."
    assert ada.write("Yes.", occurred_at="2026-05-01T14:00:00+02:00").duplicates == again.ids


def test_a_key_that_names_the_write_says_nothing_of_its_text(ada: View) -> None:
    record = ada.write("Ada's locker code is 4711.", idempotency_key="first")
    ada.read("locker code", token_budget=200)
    assert ada.write("Ada's locker code is 4711.", idempotency_key="second").echoes == (record.id,)
    again = ada.write("Ada's locker code is 4711.", idempotency_key="first")
    assert (again.duplicates, again.echoes) == ((record.id,), ())
    assert ada.stats().records == 1
