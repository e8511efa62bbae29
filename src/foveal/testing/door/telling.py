"""What a memory is told through any door."""

from __future__ import annotations

from datetime import timedelta

import pytest

from foveal.engine.memory import View
from foveal.errors import Conflict, Invalid, NotFound, Pinned, PreconditionFailed
from foveal.model.record import Scope, Tier


class TellingContract:
    """Writes, versions, forgetting, and what keeps a record."""

    def test_a_write_is_read_at_once_and_comes_back_as_it_was_said(self, ada: View) -> None:
        written = ada.write(
            "The door code is 4711.",
            speaker="Ada",
            tags=["home", "code"],
            metadata={"floor": 2, "deep": {"list": [1, None]}},
            importance=0.8,
            kind="fact",
            scope="shared",
            tier="semantic",
            occurred_at="2026-03-01T10:00:00+02:00",
            ttl=timedelta(days=3650),
        )
        assert written.ids == (written.id,) and written.queued == written.rejected == ()
        record = ada.get(written.id)
        assert record.address == written.address
        assert (record.text, record.speaker, record.tags) == ("The door code is 4711.", "Ada", ("home", "code"))
        assert record.metadata == {"floor": 2, "deep": {"list": [1, None]}}
        assert (record.kind, record.scope, record.vitals.tier) == ("fact", Scope.SHARED, Tier.SEMANTIC)
        assert record.vitals.importance == 0.8
        assert record.occurred_at.isoformat() == "2026-03-01T08:00:00+00:00"
        assert ada.search("what is the door code?")[0].record == record

    def test_many_are_written_at_once_and_what_is_wrong_is_told_by_its_place(self, ada: View) -> None:
        written = ada.write_many(["one", {"text": "two", "tags": ["x"]}, {"text": ""}, {"txt": "four"}])
        assert len(written.ids) == 2
        assert [(one.index, one.code) for one in written.rejected] == [(2, "invalid"), (3, "invalid")]
        assert {one.text for one in ada.get_many(written.ids)} == {"one", "two"}

    def test_a_write_that_is_sent_twice_is_stored_once(self, ada: View) -> None:
        first = ada.write("only once", idempotency_key="k1")
        assert ada.write("only once", idempotency_key="k1").duplicates == first.ids
        same = ada.write("at ten", occurred_at="2026-03-01T10:00:00Z")
        assert ada.write("at ten", occurred_at="2026-03-01T10:00:00Z").duplicates == same.ids
        assert ada.stats().records == 2
        with pytest.raises(Conflict):
            ada.write("another", id=first.id)

    def test_a_recalled_text_that_comes_back_is_an_echo(self, ada: View) -> None:
        here = ada.view(session_id="s1")
        record = here.write("Ada's locker code is 4711.", session_id="s0")
        assert here.read("locker code", token_budget=300).items
        assert here.write("Ada's locker code is 4711.").echoes == (record.id,)

    def test_a_new_version_keeps_the_old_one_in_its_history(self, ada: View) -> None:
        written = ada.write("Ada drinks tea.", tags=["taste"])
        later = ada.supersede(written.id, "Ada drinks coffee.", expected_version=1)
        assert (later.version, later.text, later.tags) == (2, "Ada drinks coffee.", ("taste",))
        assert [one.text for one in ada.history(written.id)] == ["Ada drinks tea.", "Ada drinks coffee."]
        with pytest.raises(PreconditionFailed) as caught:
            ada.supersede(written.id, "Ada drinks milk.", expected_version=1)
        assert caught.value.data["version"] == 2

    def test_what_is_forgotten_is_gone_for_every_verb(self, ada: View) -> None:
        one, two = ada.write("forget me").id, ada.write("and me", kind="draft").id
        assert ada.forget(one).ids == (one,)
        assert ada.forget({"kind": "draft"}).ids == (two,)
        for call in (ada.get, ada.history, ada.pin, ada.forget, ada.children, ada.related, ada.forecast):
            with pytest.raises(NotFound):
                call(one)
        assert ada.search("forget me") == [] and ada.page().records == ()

    def test_a_pinned_record_stays(self, ada: View) -> None:
        kept = ada.write("keep me").id
        assert ada.pin(kept).vitals.pinned
        with pytest.raises(Pinned):
            ada.forget(kept)
        assert ada.forget([kept]).pinned == (kept,)
        assert not ada.unpin(kept).vitals.pinned
        assert ada.forget(kept, hard=True).erased

    def test_a_muted_record_is_not_recalled(self, ada: View) -> None:
        quiet = ada.write("the quiet harbour").id
        ada.mute(quiet)
        assert ada.search("harbour") == []
        ada.unmute(quiet)
        assert [one.id for one in ada.search("harbour")] == [quiet]
        assert ada.reinforce(quiet, 1.5).vitals.importance == pytest.approx(0.75)  # pyright: ignore[reportUnknownMemberType]

    def test_what_cannot_be_accepted_is_invalid_and_changes_nothing(self, ada: View) -> None:
        for said in ({"importance": 7}, {"importance": float("nan")}, {"tier": "loft"}, {"occurred_at": "soon"}):
            with pytest.raises(Invalid):
                ada.write("x", **said)  # pyright: ignore[reportArgumentType]
        with pytest.raises(Invalid):
            ada.write("")
        with pytest.raises(Invalid):
            ada.search("x", k=0)
        assert ada.stats().records == 0
