"""What a memory answers through any door."""

from __future__ import annotations

from math import exp

import pytest

from foveal.engine.memory import View
from foveal.errors import BudgetTooSmall, Invalid, NotFound


class RecallingContract:
    """Searches, reads, lists, families and links."""

    def test_a_read_never_goes_over_its_budget_and_says_what_it_did(self, ada: View) -> None:
        ada.write_many(
            [f"Note {number}: the ferry to island {number} leaves at {number} o'clock." for number in range(30)]
        )
        for budget in (60, 120, 400, 2000):
            context = ada.read("when does the ferry to island 7 leave?", token_budget=budget)
            assert 0 < context.tokens <= budget
            assert context.receipt.tokens == context.tokens and context.receipt.token_budget == budget
            assert context.receipt.chosen == len(context.items) and context.receipt.degraded == ()
            assert all(one.text in context.text for one in context.items)
        assert any("island 7" in one.record.text for one in context.items)
        with pytest.raises(BudgetTooSmall):
            ada.read("when does the ferry leave?", token_budget=5)

    def test_a_search_is_narrowed_by_what_is_said(self, ada: View) -> None:
        ada.write("a red boat", tags=["boat"], kind="fact")
        ada.write("a blue boat", metadata={"colour": "blue"})
        assert len(ada.search("boat", k=1)) == 1
        assert [one.text for one in ada.search("boat", filters={"kind": "fact"})] == ["a red boat"]
        assert [one.text for one in ada.search("boat", filters={"metadata.colour": "blue"})] == ["a blue boat"]
        explained = ada.search("boat", explain=True)[0]
        assert explained.parts
        relevance = 1 / (1 + exp(-sum(explained.parts.values())))
        assert relevance == pytest.approx(explained.relevance, abs=1e-4)  # pyright: ignore[reportUnknownMemberType]
        assert all(0 <= one.relevance <= 1 for one in ada.search("boat", min_relevance=0))
        assert ada.search("boat", min_relevance=1) == []
        for wrong in ({"filters": {"kind__sounds_like": "x"}}, {"min_relevance": 2}):
            with pytest.raises(Invalid):
                ada.search("boat", **wrong)  # pyright: ignore[reportArgumentType]

    def test_pages_go_through_everything_once(self, ada: View) -> None:
        ids = {ada.write(f"page {number}").id for number in range(7)}
        seen: list[str] = []
        cursor: str | None = None
        while True:
            page = ada.page(cursor=cursor, limit=3, newest_first=False)
            seen += [one.id for one in page.records]
            cursor = page.cursor
            if cursor is None:
                break
        assert set(seen) == ids and len(seen) == 7
        assert [one.id for one in ada.timeline(newest_first=False)] == seen
        with pytest.raises(Invalid):
            ada.page(cursor="not a cursor")

    def test_records_lie_under_others_and_are_tied_together(self, ada: View) -> None:
        trip = ada.write("the trip").id
        tent, stove = (ada.write(text, parent_id=trip).id for text in ("the tent", "the stove"))
        assert {one.id for one in ada.children(trip)} == {tent, stove}
        assert len(ada.tree(trip)) == 3
        link = ada.link(tent, stove, kind="packed_with", weight=0.5)
        assert (link.source_id, link.kind, link.weight) == (tent, "packed_with", 0.5)
        assert [one.record.id for one in ada.related(tent)] == [stove]
        assert ada.unlink(tent, stove) is not None
        assert ada.related(tent) == []
        group = ada.group("camping", [tent, stove])
        assert {one.id for one in ada.members(group.id)} == {tent, stove}
        assert [one.name for one in ada.groups()] == ["camping"]
        assert set(ada.forget(trip, cascade=True).ids) == {trip, tent, stove}

    def test_an_id_may_hold_any_sign(self, ada: View) -> None:
        for record_id in ("a/b", "x?y=z#w", "50%", "..", "naïve 日本", "a+b&c"):
            ada.write(f"under {record_id}", id=record_id)
            assert ada.get(record_id).text == f"under {record_id}"
            assert [one.version for one in ada.history(record_id)] == [1]
            assert ada.pin(record_id).id == record_id

    def test_sessions_begin_and_end(self, ada: View) -> None:
        session = ada.create_session(kind="call", metadata={"topic": "tea"})
        ada.write("in the call", session_id=session.id)
        assert ada.get_session(session.id).metadata == {"topic": "tea"}
        assert ada.end_session(session.id).ended_at is not None
        assert session.id in {one.id for one in ada.sessions()}
        with pytest.raises(NotFound):
            ada.get_session("nowhere")

    def test_a_memory_tells_of_itself(self, ada: View) -> None:
        ada.write("one", region="harbour")
        ada.write("two", region="harbour", kind="fact")
        assert [(one.region, one.records) for one in ada.regions()] == [("harbour", 2)]
        assert ada.addresses(region="harbour")
        assert [(one.node, one.records, one.seen) for one in ada.nodes()] == [("/", 2, 2)]
        assert ada.stats(filters={"kind": "fact"}).records == 1
        stats = ada.stats()
        assert (stats.records, stats.kinds["fact"]) == (2, 1)
        assert ada.read("one", token_budget=200).items
        assert ada.recalls(limit=5)[0].query == "one"

    def test_a_mark_opens_a_list_in_its_middle(self, ada: View) -> None:
        ada.write_many([f"page {number}" for number in range(7)])
        every = [one.id for one in ada.page(limit=7).records]
        outline = ada.outline(every=3)
        assert (outline.records, [one.place for one in outline.marks]) == (7, [3, 6])
        for mark in outline.marks:
            page = ada.page(cursor=mark.cursor, limit=3)
            assert [one.id for one in page.records] == every[mark.place : mark.place + 3]
        assert ada.outline(filters={"kind": "fact"}).records == 0

    def test_a_look_leaves_nothing_behind(self, ada: View) -> None:
        here = ada.view(session_id="s1")
        code = here.write("Ada's locker code is 4711.", session_id="s0").id
        looked = here.read("locker code", token_budget=300, touch=False)
        assert [one.id for one in looked.items] == [code]
        assert here.recalls() == [] and here.get(code).vitals.uses == 0
        assert here.write("Ada's locker code is 4711.").echoes == ()

    def test_what_was_known_at_a_moment_is_known_again(self, ada: View) -> None:
        tea = ada.write("Ada drinks tea.").id
        then = ada.snapshot("before")
        ada.supersede(tea, "Ada drinks coffee.")
        new = ada.write("Ada has a cat.").id
        changes = ada.changes(then)
        assert new in str(changes) and tea in str(changes)
        ada.restore("before")
        assert ada.get(tea).text == "Ada drinks tea."
        with pytest.raises(NotFound):
            ada.get(new)
        assert [one.label for one in ada.snapshots()][0] == "before"
