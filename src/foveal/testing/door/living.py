"""The rooms of a memory, and who sees what, through any door."""

from __future__ import annotations

import pytest

from foveal.engine.memory import View
from foveal.errors import FovealError, Invalid, NotFound
from foveal.model.query import At


class RoomsContract:
    """The ledger, the crystals, the tape, the paths, and the life of records."""

    def test_a_goal_is_worked_on_and_closed(self, ada: View) -> None:
        goal = ada.ledger.store_goal("Renew the certificate", priority=1)
        task = ada.ledger.store_task(goal.id, "ask the authority", given={"domain": "example.org"})
        ada.ledger.store_tool_call(task.id, "openssl", given={"bits": 4096})
        decision = ada.ledger.store_decision("Which authority?", "the free one", options=["free", "paid"])
        assert [one.id for one in ada.ledger.get_goals()] == [goal.id]
        assert [one.id for one in ada.ledger.get_tasks_for_goal(goal.id)] == [task.id]
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
        assert any("We must keep the key safe." in one.content for one in resumed.window.turns)
        assert ada.crystals.cherish(crystal.crystal_id).pinned
        child = ada.crystals.branch(crystal.crystal_id, "another way")
        assert child is not None
        assert crystal.crystal_id in {one.crystal_id for one in ada.crystals.lineages()}

    def test_a_tape_is_built_and_read(self, ada: View) -> None:
        ada.write_many(["See you at the harbour tomorrow.", "See you at the station tomorrow."])
        tape = ada.tape.build()
        assert [one.number for one in ada.tape.list()] == [tape.number]
        assert ada.tape.families(limit=3)

    def test_a_path_is_invoked(self, ada: View) -> None:
        ada.write("Ada drinks tea.")
        assert "tea" in ada.invoke("self.memory.recall", query="what does Ada drink?")["text"]
        assert "self.memory.recall" in {one.path for one in ada.paths()}
        with pytest.raises(NotFound, match="did you mean"):
            ada.invoke("self.memory.recal", query="x")

    def test_records_live_and_a_forget_is_taken_back(self, ada: View) -> None:
        tea = ada.write("Ada drinks tea.").id
        ada.metabolise(dry_run=True)
        assert ada.forecast(tea) is not None
        move = ada.forget(tea).move
        assert move is not None
        ada.undo(move)
        assert ada.get(tea).text == "Ada drinks tea."
        assert ada.journal(tea)


class ApartContract:
    """Nobody sees what is another's."""

    def test_actors_and_worlds_are_apart(self, memory: View) -> None:
        secret = memory.write("Ada's secret is 4711.", actor_id="ada", world="w", scope="global").id
        others: tuple[At, ...] = (
            {"actor_id": "ben", "world": "w"},
            {"actor_id": "ada"},
            {"actor_id": "ada", "world": "v"},
        )
        for at in others:
            there = memory.view(**at)
            assert there.search("secret") == [] and there.page().records == () and there.stats().records == 0
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

    def test_whoever_says_no_actor_is_told_so(self, memory: View) -> None:
        with pytest.raises(Invalid, match="actor_id"):
            memory.write("whose?")

    def test_an_error_says_what_it_is_about(self, ada: View) -> None:
        with pytest.raises(FovealError) as caught:
            ada.get("nowhere")
        assert type(caught.value) is NotFound
        assert caught.value.data["record_id"] == "nowhere"
        assert "nowhere" in caught.value.message
