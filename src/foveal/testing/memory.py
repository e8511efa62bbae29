"""`MemoryContract`, the conformance suite of every door."""

from __future__ import annotations

import asyncio
import inspect
from datetime import datetime, timedelta
from math import exp
from typing import Any

import pytest

from foveal.engine.memory import View
from foveal.engine.runtime.facade import Shell
from foveal.errors import BudgetTooSmall, Conflict, FovealError, Invalid, NotFound, Pinned, PreconditionFailed
from foveal.model.query import At
from foveal.model.record import Scope, Tier


class BriefContract:
    """Writing, recalling, correcting, pinning and forgetting, the paths, and who sees what.

    A subclass supplies `memory`: the facade of the door, on an empty memory. These tests look only at ids, texts,
    kinds, tags, versions, pins, pages and the text of a context.
    """

    @pytest.fixture
    def memory(self) -> View:
        """The facade under test."""
        raise NotImplementedError("supply the fixture memory")

    @pytest.fixture
    def ada(self, memory: View) -> View:
        """The facade bound to Ada."""
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
        assert [hit.id for hit in ada.search("what is the door code?")] == [code]
        assert "4711" in ada.read("what is the door code?", token_budget=300).text
        assert [record.id for record in ada.browse.page().records] == [code]

    def test_a_long_text_comes_back_whole(self, ada: View) -> None:
        text = "The harbour is full of boats, and each has a name. " * 60
        assert ada.get(ada.write(text.strip()).id).text == text.strip()

    def test_what_is_told_again_is_kept_once(self, ada: View) -> None:
        first = ada.write("at ten", occurred_at="2026-03-01T10:00:00Z")
        assert ada.write("at ten", occurred_at="2026-03-01T10:00:00Z").id == first.id
        assert len(ada.browse.page().records) == 1

    def test_a_recalled_text_that_comes_back_is_no_news(self, memory: View) -> None:
        before = memory.view(actor_id="ada", session_id="s0")
        here = memory.view(actor_id="ada", session_id="s1")
        known = before.write("Ada's locker code is 4711.").id
        assert "4711" in here.read("locker code", token_budget=300).text
        assert here.write("Ada's locker code is 4711.").id == known
        assert len(here.browse.page().records) == 1

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
        assert [hit.id for hit in ada.search("boat", kinds=["fact"])] == [red]
        assert [hit.id for hit in ada.search("boat", filters={"tags": ["boat"]})] == [red]
        later = {"occurred_at": {"gte": "2026-02-01T00:00:00+00:00"}}
        assert [hit.id for hit in ada.search("boat", filters=later)] == [blue]
        assert ada.search("boat", as_of=datetime.fromisoformat("2020-01-01T00:00:00+00:00")) == []

    def test_a_timeline_goes_through_everything_once(self, ada: View) -> None:
        ids = [ada.write(f"page {number}").id for number in range(5)]
        seen: list[str] = []
        cursor: str | None = None
        while True:
            page = ada.browse.page(cursor=cursor, limit=2, newest_first=False)
            seen += [record.id for record in page.records]
            cursor = page.cursor
            if cursor is None:
                break
        assert seen == ids
        assert [record.id for record in ada.browse.page(limit=5).records] == ids[::-1]
        with pytest.raises(Invalid):
            ada.browse.page(cursor="not a cursor")

    def test_what_is_corrected_keeps_its_history(self, ada: View) -> None:
        tea = ada.write("Ada drinks tea.").id
        assert ada.supersede(tea, "Ada drinks coffee.", expected_version=1).version == 2
        assert ada.get(tea).text == "Ada drinks coffee."
        assert [record.text for record in ada.history(tea)] == ["Ada drinks tea.", "Ada drinks coffee."]
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
        assert ada.search("forget me") == [] and ada.browse.page().records == ()
        assert ada.read("forget me", token_budget=300).text == ""

    def test_what_is_wrong_is_refused_and_leaves_nothing(self, ada: View) -> None:
        for details in ({"importance": 7}, {"occurred_at": "soon"}, {"tags": 5}, {"colour": "red"}):
            with pytest.raises(Invalid):
                ada.write("x", **details)  # pyright: ignore[reportArgumentType, reportCallIssue]
        for call in (lambda: ada.write(""), lambda: ada.search("x", k=0), lambda: ada.browse.page(limit=0)):
            with pytest.raises(Invalid):
                call()
        assert ada.browse.page().records == ()

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
            assert there.search("secret") == [] and there.browse.page().records == ()
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


class RoomsContract:
    """The ledger, the crystals, the tape, the paths, and the life of records."""

    def test_a_goal_is_worked_on_and_closed(self, ada: View) -> None:
        goal = ada.ledger.store_goal("Renew the certificate", priority=1)
        task = ada.ledger.store_task(goal.id, "ask the authority", given={"domain": "example.org"})
        ada.ledger.store_tool_call(task.id, "openssl", given={"bits": 4096})
        decision = ada.ledger.store_decision("Which authority?", "the free one", options=["free", "paid"])
        assert [row.id for row in ada.ledger.get_goals()] == [goal.id]
        assert [row.id for row in ada.ledger.get_tasks_for_goal(goal.id)] == [task.id]
        assert ada.ledger.find_similar_decisions("authority")[0].id == decision.id
        assert ada.ledger.update_goal(goal.id, status="completed").completed_at is not None
        with pytest.raises(NotFound):
            ada.ledger.get_goal("nowhere")

    def test_events_metrics_and_knowledge_are_kept(self, ada: View) -> None:
        ada.operational.push_event("deploy", {"version": 2})
        assert ada.operational.get_recent()[0].category == "deploy"
        ada.operational.update_metric("load", 0.5)
        assert ada.operational.get_metric("load") is not None
        ada.longterm.add_knowledge("Passwords", "A password has at least 12 characters.", tags=["it"])
        assert "12 characters" in ada.longterm.search_knowledge("how long is a password?")[0].content
        assembled = ada.assemble_context("choose a password", max_tokens=500)
        assert assembled.total_tokens <= 500

    def test_a_crystal_keeps_a_conversation(self, ada: View) -> None:
        messages = [
            {"role": "user", "content": "We must keep the key safe."},
            {"role": "assistant", "content": "Yes."},
        ]
        window = ada.crystals.window(messages)
        crystal = ada.crystals.crystallize(window, task_state={"task_id": "t", "description": "safety"})
        resumed = ada.crystals.resume(crystal.crystal_id)
        assert any("We must keep the key safe." in turn.content for turn in resumed.window.turns)
        assert ada.crystals.cherish(crystal.crystal_id).pinned
        child = ada.crystals.branch(crystal.crystal_id, "another way")
        assert child is not None
        assert crystal.crystal_id in {lineage.crystal_id for lineage in ada.crystals.lineages()}

    def test_a_tape_is_built_and_read(self, ada: View) -> None:
        ada.write_many(["See you at the harbour tomorrow.", "See you at the station tomorrow."])
        tape = ada.tape.build()
        assert [listed.number for listed in ada.tape.list()] == [tape.number]
        assert ada.tape.families(limit=3)

    def test_a_path_is_invoked(self, ada: View) -> None:
        ada.write("Ada drinks tea.")
        assert "tea" in ada.invoke("self.memory.recall", query="what does Ada drink?")["text"]
        assert "self.memory.recall" in {known.path for known in ada.admin.paths()}
        with pytest.raises(NotFound, match="did you mean"):
            ada.invoke("self.memory.recal", query="x")

    def test_records_live_and_a_forget_is_taken_back(self, ada: View) -> None:
        tea = ada.write("Ada drinks tea.").id
        ada.lifecycle.run(dry_run=True)
        assert ada.lifecycle.forecast(tea) is not None
        move = ada.forget(tea).move
        assert move is not None
        ada.lifecycle.undo(move)
        assert ada.get(tea).text == "Ada drinks tea."
        assert ada.lifecycle.journal(tea)


class ApartContract:
    """Actors and worlds cannot see each other's records."""

    def test_actors_and_worlds_are_apart(self, memory: View) -> None:
        secret = memory.write("Ada's secret is 4711.", actor_id="ada", world="w", scope="global").id
        others: tuple[At, ...] = (
            {"actor_id": "ben", "world": "w"},
            {"actor_id": "ada"},
            {"actor_id": "ada", "world": "v"},
        )
        for at in others:
            there = memory.view(**at)
            assert there.search("secret") == [] and there.browse.page().records == () and there.stats().records == 0
            assert there.read("secret", token_budget=300).text == ""
            for call in (there.get, there.forget, there.pin, there.history):
                with pytest.raises(NotFound):
                    call(secret)
        assert memory.get(secret, actor_id="ada", world="w").id == secret

    def test_a_viewpoint_is_bound_once_and_said_again(self, memory: View) -> None:
        ada = memory.view(actor_id="ada", session_id="s1")
        record = ada.get(ada.write("in the session").id)
        assert (record.actor_id, record.session_id, record.node) == ("ada", "s1", "/")
        assert ada.get(ada.write("elsewhere", session_id=None).id).session_id is None
        child = ada.view(node="/planner")
        assert child.get(child.write("of the planner").id).node == "/planner"

    def test_whoever_says_no_actor_is_me_or_is_told_so(self, memory: View) -> None:
        try:
            memory.write("whose?")
        except Invalid as error:
            assert "actor_id" in error.message
        else:
            assert [record.text for record in memory.view(actor_id="me").timeline()] == ["whose?"]

    def test_an_error_says_what_it_is_about(self, ada: View) -> None:
        with pytest.raises(FovealError) as caught:
            ada.get("nowhere")
        assert type(caught.value) is NotFound
        assert caught.value.data["record_id"] == "nowhere"
        assert "nowhere" in caught.value.message


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
            assert all(item.text in context.text for item in context.items)
        assert any("island 7" in item.record.text for item in context.items)
        with pytest.raises(BudgetTooSmall):
            ada.read("when does the ferry leave?", token_budget=5)

    def test_a_search_is_narrowed_by_what_is_said(self, ada: View) -> None:
        ada.write("a red boat", tags=["boat"], kind="fact")
        ada.write("a blue boat", metadata={"colour": "blue"})
        assert len(ada.search("boat", k=1)) == 1
        assert [hit.text for hit in ada.search("boat", filters={"kind": "fact"})] == ["a red boat"]
        assert [hit.text for hit in ada.search("boat", filters={"metadata.colour": "blue"})] == ["a blue boat"]
        explained = ada.search("boat", explain=True)[0]
        assert explained.parts
        relevance = 1 / (1 + exp(-sum(explained.parts.values())))
        assert relevance == pytest.approx(explained.relevance, abs=1e-4)  # pyright: ignore[reportUnknownMemberType]
        assert all(0 <= hit.relevance <= 1 for hit in ada.search("boat", min_relevance=0))
        assert ada.search("boat", min_relevance=1) == []
        for wrong in ({"filters": {"kind__sounds_like": "x"}}, {"min_relevance": 2}):
            with pytest.raises(Invalid):
                ada.search("boat", **wrong)  # pyright: ignore[reportArgumentType]

    def test_pages_go_through_everything_once(self, ada: View) -> None:
        ids = {ada.write(f"page {number}").id for number in range(7)}
        seen: list[str] = []
        cursor: str | None = None
        while True:
            page = ada.browse.page(cursor=cursor, limit=3, newest_first=False)
            seen += [record.id for record in page.records]
            cursor = page.cursor
            if cursor is None:
                break
        assert set(seen) == ids and len(seen) == 7
        assert [record.id for record in ada.timeline(newest_first=False)] == seen
        with pytest.raises(Invalid):
            ada.browse.page(cursor="not a cursor")

    def test_records_lie_under_others_and_are_tied_together(self, ada: View) -> None:
        trip = ada.write("the trip").id
        tent, stove = (ada.write(text, parent_id=trip).id for text in ("the tent", "the stove"))
        assert {record.id for record in ada.links.children(trip)} == {tent, stove}
        assert len(ada.links.tree(trip)) == 3
        link = ada.links.add(tent, stove, kind="packed_with", weight=0.5)
        assert (link.source_id, link.kind, link.weight) == (tent, "packed_with", 0.5)
        assert [relation.record.id for relation in ada.links.related(tent)] == [stove]
        assert ada.links.remove(tent, stove) is not None
        assert ada.links.related(tent) == []
        group = ada.groups.add("camping", [tent, stove])
        assert {record.id for record in ada.groups.members(group.id)} == {tent, stove}
        assert [listed.name for listed in ada.groups.list()] == ["camping"]
        assert set(ada.forget(trip, cascade=True).ids) == {trip, tent, stove}

    def test_an_id_may_hold_any_sign(self, ada: View) -> None:
        for record_id in ("a/b", "x?y=z#w", "50%", "..", "naïve 日本", "a+b&c"):
            ada.write(f"under {record_id}", id=record_id)
            assert ada.get(record_id).text == f"under {record_id}"
            assert [record.version for record in ada.history(record_id)] == [1]
            assert ada.pin(record_id).id == record_id

    def test_sessions_begin_and_end(self, ada: View) -> None:
        session = ada.sessions.start(kind="call", metadata={"topic": "tea"})
        ada.write("in the call", session_id=session.id)
        assert ada.sessions.get(session.id).metadata == {"topic": "tea"}
        assert ada.sessions.end(session.id).ended_at is not None
        assert session.id in {listed.id for listed in ada.sessions.list()}
        with pytest.raises(NotFound):
            ada.sessions.get("nowhere")

    def test_a_memory_tells_of_itself(self, ada: View) -> None:
        ada.write("one", region="harbour")
        ada.write("two", region="harbour", kind="fact")
        assert [(region.region, region.records) for region in ada.browse.regions()] == [("harbour", 2)]
        assert ada.browse.addresses(region="harbour")
        assert [(node.node, node.records, node.seen) for node in ada.nodes.list()] == [("/", 2, 2)]
        assert ada.stats(filters={"kind": "fact"}).records == 1
        stats = ada.stats()
        assert (stats.records, stats.kinds["fact"]) == (2, 1)
        assert ada.read("one", token_budget=200).items
        assert ada.browse.recalls(limit=5)[0].query == "one"

    def test_a_mark_opens_a_list_in_its_middle(self, ada: View) -> None:
        ada.write_many([f"page {number}" for number in range(7)])
        every = [record.id for record in ada.browse.page(limit=7).records]
        outline = ada.browse.outline(every=3)
        assert (outline.records, [mark.place for mark in outline.marks]) == (7, [3, 6])
        for mark in outline.marks:
            page = ada.browse.page(cursor=mark.cursor, limit=3)
            assert [record.id for record in page.records] == every[mark.place : mark.place + 3]
        assert ada.browse.outline(filters={"kind": "fact"}).records == 0

    def test_a_look_leaves_nothing_behind(self, ada: View) -> None:
        here = ada.view(session_id="s1")
        code = here.write("Ada's locker code is 4711.", session_id="s0").id
        looked = here.read("locker code", token_budget=300, touch=False)
        assert [item.id for item in looked.items] == [code]
        assert here.browse.recalls() == [] and here.get(code).vitals.uses == 0
        assert here.write("Ada's locker code is 4711.").echoes == ()

    def test_what_was_known_at_a_moment_is_known_again(self, ada: View) -> None:
        tea = ada.write("Ada drinks tea.").id
        then = ada.snapshots.take("before")
        ada.supersede(tea, "Ada drinks coffee.")
        new = ada.write("Ada has a cat.").id
        changes = ada.snapshots.changes(then)
        assert new in str(changes) and tea in str(changes)
        ada.snapshots.restore("before")
        assert ada.get(tea).text == "Ada drinks tea."
        with pytest.raises(NotFound):
            ada.get(new)
        assert [snapshot.label for snapshot in ada.snapshots.list()][0] == "before"


class TellingContract:
    """Writes, versions, forgetting, pins and mutes."""

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
        assert [(rejection.index, rejection.code) for rejection in written.rejected] == [
            (2, "invalid"),
            (3, "invalid"),
        ]
        assert {record.text for record in ada.get_many(written.ids)} == {"one", "two"}

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
        assert [record.text for record in ada.history(written.id)] == ["Ada drinks tea.", "Ada drinks coffee."]
        with pytest.raises(PreconditionFailed) as caught:
            ada.supersede(written.id, "Ada drinks milk.", expected_version=1)
        assert caught.value.data["version"] == 2

    def test_what_is_forgotten_is_gone_for_every_verb(self, ada: View) -> None:
        note, draft = ada.write("forget me").id, ada.write("and me", kind="draft").id
        assert ada.forget(note).ids == (note,)
        assert ada.forget({"kind": "draft"}).ids == (draft,)
        for call in (
            ada.get,
            ada.history,
            ada.pin,
            ada.forget,
            ada.links.children,
            ada.links.related,
            ada.lifecycle.forecast,
        ):
            with pytest.raises(NotFound):
                call(note)
        assert ada.search("forget me") == [] and ada.browse.page().records == ()

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
        assert [hit.id for hit in ada.search("harbour")] == [quiet]
        assert ada.lifecycle.reinforce(quiet, 1.5).vitals.importance == pytest.approx(0.75)  # pyright: ignore[reportUnknownMemberType]

    def test_what_cannot_be_accepted_is_invalid_and_changes_nothing(self, ada: View) -> None:
        for details in ({"importance": 7}, {"importance": float("nan")}, {"tier": "loft"}, {"occurred_at": "soon"}):
            with pytest.raises(Invalid):
                ada.write("x", **details)  # pyright: ignore[reportArgumentType]
        with pytest.raises(Invalid):
            ada.write("")
        with pytest.raises(Invalid):
            ada.search("x", k=0)
        assert ada.stats().records == 0


class MemoryContract(BriefContract, TellingContract, RecallingContract, RoomsContract, ApartContract):
    """The suite of a door that has every verb. A subclass supplies `memory`: its facade, on an empty memory."""


class Awaited:
    """A synchronous wrapper of an asynchronous facade: each verb runs to completion."""

    def __init__(self, shell: Shell[Any]) -> None:
        self._shell = shell

    def __getattr__(self, name: str) -> Any:
        attribute: Any = getattr(self._shell, name)
        if isinstance(attribute, Shell):
            return Awaited(attribute)  # pyright: ignore[reportUnknownArgumentType]

        def call(*args: Any, **kwargs: Any) -> Any:
            answer = attribute(*args, **kwargs)
            if inspect.iscoroutine(answer):
                answer = asyncio.run(answer)
            return Awaited(answer) if isinstance(answer, Shell) else answer  # pyright: ignore[reportUnknownArgumentType]

        return call
