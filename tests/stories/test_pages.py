"""A list that is read a page at a time loses and repeats nothing."""

from datetime import UTC, datetime, timedelta

import pytest

from foveal import Memory
from foveal.engine.memory import View
from foveal.errors import Invalid

START = datetime(2026, 3, 1, tzinfo=UTC)


def _texts(view: View, *, newest_first: bool = True) -> list[str]:
    seen: list[str] = []
    cursor = None
    while True:
        page = view.browse.page(cursor=cursor, limit=4, newest_first=newest_first)
        seen += [one.text for one in page.records]
        cursor = page.cursor
        if cursor is None:
            return seen


def test_pages_are_the_timeline_also_where_many_share_a_moment(memory: Memory) -> None:
    ada = memory.view(actor_id="ada")
    ada.write_many({"text": f"note {n}", "occurred_at": START + timedelta(days=n // 6)} for n in range(21))
    for newest_first in (True, False):
        timeline = [one.text for one in ada.timeline(newest_first=newest_first)]
        assert _texts(ada, newest_first=newest_first) == timeline
        assert len(set(timeline)) == 21


def test_what_changes_between_two_pages_shifts_nothing(memory: Memory) -> None:
    ada = memory.view(actor_id="ada")
    ids = ada.write_many({"text": f"note {n}", "occurred_at": START + timedelta(days=n)} for n in range(9)).ids
    first = ada.browse.page(limit=3)
    ada.forget(first.records[-1].id)
    ada.write("later than all", occurred_at=START + timedelta(days=99))
    second = ada.browse.page(limit=3, cursor=first.cursor)
    assert [one.id for one in second.records] == [ids[5], ids[4], ids[3]]


def test_a_made_up_cursor_is_refused(memory: Memory) -> None:
    for cursor in ("x", "eyJhIjoxfQ", "WyIyMDI2LTAxLTAxVDAwOjAwOjAwIiwgInIiXQ"):
        with pytest.raises(Invalid, match="cursor"):
            memory.view(actor_id="ada").browse.page(cursor=cursor)
