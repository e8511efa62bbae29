"""What every door keeps, also one that speaks in short forms."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from foveal.engine.memory import View
from foveal.errors import BudgetTooSmall, FovealError, Invalid, NotFound, Pinned, PreconditionFailed
from foveal.model.query import At


class BriefContract:
    """Writing, recalling, correcting, pinning and forgetting, the paths, and who sees what.

    A subclass supplies `memory`: the facade that this door gives, on an empty memory. Of the values it answers
    with, only ids, texts, kinds, tags, versions, pins, pages and the text of a context are looked at here.
    """

    @pytest.fixture
    def memory(self) -> View:
        """The facade under test."""
        raise NotImplementedError("supply the fixture memory")

    @pytest.fixture
    def ada(self, memory: View) -> View:
        """The facade as Ada sees it."""
        return memory.view(actor_id="ada")

    def test_what_is_told_is_known_at_once(self, ada: View) -> None:
        code = ada.write(
            "The door code is 4711.",
            kind="fact",
            tags=["home", "code"],
            speaker="Ada",
            importance=0.8,
            occurred_at="2026-03-01T10:00:00+02:00",
        ).id
        record = ada.get(code)
        assert (record.id, record.text, record.kind) == (code, "The door code is 4711.", "fact")
        assert (record.tags, record.speaker, record.version) == (("home", "code"), "Ada", 1)
        assert record.vitals.importance == 0.8 and not record.vitals.pinned
        assert record.occurred_at == datetime.fromisoformat("2026-03-01T08:00:00+00:00")
        assert [one.id for one in ada.search("what is the door code?")] == [code]
        assert "4711" in ada.read("what is the door code?", token_budget=300).text
        assert [one.id for one in ada.page().records] == [code]

    def test_a_long_text_comes_back_whole(self, ada: View) -> None:
        text = "The harbour is full of boats, and each has a name. " * 60
        assert ada.get(ada.write(text.strip()).id).text == text.strip()

    def test_what_is_told_again_is_kept_once(self, ada: View) -> None:
        first = ada.write("at ten", occurred_at="2026-03-01T10:00:00Z")
        assert ada.write("at ten", occurred_at="2026-03-01T10:00:00Z").id == first.id
        assert len(ada.page().records) == 1

    def test_a_recalled_text_that_comes_back_is_no_news(self, memory: View) -> None:
        before = memory.view(actor_id="ada", session_id="s0")
        here = memory.view(actor_id="ada", session_id="s1")
        known = before.write("Ada's locker code is 4711.").id
        assert "4711" in here.read("locker code", token_budget=300).text
        assert here.write("Ada's locker code is 4711.").id == known
        assert len(here.page().records) == 1

    def test_a_context_never_goes_over_its_budget(self, ada: View) -> None:
        for number in range(12):
            ada.write(f"Note {number}: the ferry to island {number} leaves at {number} o'clock.")
        for budget in (60, 120, 400):
            context = ada.read("when does the ferry to island 7 leave?", token_budget=budget)
            assert 0 < context.tokens <= budget
            assert "island 7" in context.text and context.items
        with pytest.raises(BudgetTooSmall):
            ada.read("when does the ferry leave?", token_budget=5)

    def test_a_search_is_narrowed_by_kind_tag_and_time(self, ada: View) -> None:
        red = ada.write("a red boat", tags=["boat"], kind="fact", occurred_at="2026-01-05T00:00:00Z").id
        blue = ada.write("a blue boat", occurred_at="2026-02-05T00:00:00Z").id
        assert len(ada.search("boat", k=1)) == 1
        assert [one.id for one in ada.search("boat", kinds=["fact"])] == [red]
        assert [one.id for one in ada.search("boat", filters={"tags": ["boat"]})] == [red]
        later = {"occurred_at": {"gte": "2026-02-01T00:00:00+00:00"}}
        assert [one.id for one in ada.search("boat", filters=later)] == [blue]
        assert ada.search("boat", as_of=datetime.fromisoformat("2020-01-01T00:00:00+00:00")) == []

    def test_a_timeline_goes_through_everything_once(self, ada: View) -> None:
        ids = [ada.write(f"page {number}").id for number in range(5)]
        seen: list[str] = []
        cursor: str | None = None
        while True:
            page = ada.page(cursor=cursor, limit=2, newest_first=False)
            seen += [one.id for one in page.records]
            cursor = page.cursor
            if cursor is None:
                break
        assert seen == ids
        assert [one.id for one in ada.page(limit=5).records] == ids[::-1]
        with pytest.raises(Invalid):
            ada.page(cursor="not a cursor")

    def test_what_is_corrected_keeps_its_history(self, ada: View) -> None:
        tea = ada.write("Ada drinks tea.").id
        assert ada.supersede(tea, "Ada drinks coffee.", expected_version=1).version == 2
        assert ada.get(tea).text == "Ada drinks coffee."
        assert [one.text for one in ada.history(tea)] == ["Ada drinks tea.", "Ada drinks coffee."]
        with pytest.raises(PreconditionFailed) as caught:
            ada.supersede(tea, "Ada drinks milk.", expected_version=1)
        assert caught.value.data["version"] == 2

    def test_what_is_pinned_stays_until_it_is_let_go(self, ada: View) -> None:
        kept, other = ada.write("keep me", pin=True).id, ada.write("not me").id
        with pytest.raises(Pinned):
            ada.forget(kept)
        done = ada.forget([kept, other])
        assert (done.ids, done.pinned) == ((other,), (kept,))
        assert not ada.unpin(kept).vitals.pinned
        assert ada.pin(kept).vitals.pinned and ada.get(kept).vitals.pinned
        ada.unpin(kept)
        assert ada.forget(kept).ids == (kept,)

    def test_what_is_forgotten_is_gone(self, ada: View) -> None:
        gone = ada.write("forget me").id
        assert ada.forget(gone).ids == (gone,)
        for call in (ada.get, ada.history, ada.pin, ada.unpin, ada.forget):
            with pytest.raises(NotFound):
                call(gone)
        with pytest.raises(NotFound):
            ada.supersede(gone, "not again")
        assert ada.search("forget me") == [] and ada.page().records == ()
        assert ada.read("forget me", token_budget=300).text == ""

    def test_what_is_wrong_is_refused_and_leaves_nothing(self, ada: View) -> None:
        for said in ({"importance": 7}, {"occurred_at": "soon"}, {"tags": 5}, {"colour": "red"}):
            with pytest.raises(Invalid):
                ada.write("x", **said)  # pyright: ignore[reportArgumentType, reportCallIssue]
        for call in (lambda: ada.write(""), lambda: ada.search("x", k=0), lambda: ada.page(limit=0)):
            with pytest.raises(Invalid):
                call()
        assert ada.page().records == ()

    def test_paths_keep_a_conversation_and_put_it_back(self, ada: View) -> None:
        messages = [
            {"role": "user", "content": "We must keep the key safe."},
            {"role": "assistant", "content": "Yes."},
        ]
        kept = ada.invoke("self.memory.crystallize", context=messages, ttl=timedelta(hours=1).total_seconds())
        back = ada.invoke("self.memory.resume", crystal_id=kept["crystal_id"])
        assert "We must keep the key safe." in str(back["messages"])
        assert ada.invoke("self.memory.cherish", crystal_id=kept["crystal_id"])["pinned"]
        with pytest.raises(Pinned):
            ada.invoke("self.memory.compost", crystal_id=kept["crystal_id"])
        with pytest.raises(NotFound, match="did you mean"):
            ada.invoke("self.memory.recal", query="x")
        with pytest.raises(Invalid, match="needs crystal_id"):
            ada.invoke("self.memory.resume")

    def test_nobody_reaches_what_is_another_s(self, memory: View) -> None:
        owner = memory.view(actor_id="ada", world="w")
        secret = owner.write("Ada's secret is 4711.").id
        others: tuple[At, ...] = ({"actor_id": "ben", "world": "w"}, {"actor_id": "ada", "world": "v"})
        for at in others:
            there = memory.view(**at)
            assert there.search("secret") == [] and there.page().records == ()
            assert there.read("secret", token_budget=300).text == ""
            for call in (there.get, there.forget, there.pin, there.history):
                with pytest.raises(NotFound):
                    call(secret)
        assert owner.get(secret).id == secret

    def test_an_error_names_what_it_is_about(self, ada: View) -> None:
        with pytest.raises(FovealError) as caught:
            ada.get("nowhere")
        assert type(caught.value) is NotFound
        assert caught.value.data["record_id"] == "nowhere"
        assert "nowhere" in caught.value.message
