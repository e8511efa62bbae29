"""Values come through the gRPC door as they are."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import pytest

from foveal import Memory
from foveal.doors.client import MemoryClient, connect
from foveal.doors.grpc import GrpcRemote
from foveal.doors.service import Caller
from foveal.errors import Forbidden, Invalid, NotFound, Unsupported
from foveal.model.query import At
from foveal.wire.codec import to_json

from .conftest import Served

AT: At = {"actor_id": "ada"}


def test_records_come_back_as_they_went(served: Served) -> None:
    written = served.asked(
        "write",
        text="Ada drinks tea in the morning.",
        tags=["taste"],
        metadata={"n": 1, "half": 0.5, "list": [1, None, {"deep": True}], "none": None, "empty": {}},
        ttl=3600,
        occurred_at="2026-03-01T10:00:00.000001Z",
        importance=0.0,
    )
    served.asked("write_many", items=["Ben sails.", {"text": "Cleo paints.", "kind": "fact"}, {"txt": "no"}])
    found = served.asked("get", record_id=written.id)
    assert found.occurred_at == datetime(2026, 3, 1, 10, 0, 0, 1, tzinfo=UTC)
    assert [type(one) for one in found.metadata["list"]] == [int, type(None), dict]
    served.asked("get_many", record_ids=[written.id, "nobody"])
    page = served.asked("page", limit=2)
    served.asked("page", limit=2, cursor=page.cursor)
    served.asked("supersede", record_id=written.id, text="Ada drinks coffee now.", expected_version=1)
    assert len(served.asked("history", record_id=written.id)) == 2
    assert served.asked("search", query="who drinks coffee?", explain=True)[0].parts
    assert served.asked("search", query="who drinks coffee?")[0].parts is None
    assert served.asked("read", query="who drinks coffee?", token_budget=300).items
    served.asked("timeline", since=datetime(2026, 1, 1, tzinfo=UTC), filters={"kind": "fact"})
    served.asked("link", source_id=written.id, target_id=page.records[0].id, kind="relates", weight=0.25)
    served.asked("related", record_id=written.id)
    assert served.asked("unlink", source_id=written.id, target_id=page.records[0].id) == 1
    for name in ("pin", "unpin", "mute", "unmute", "reinforce", "forecast", "tree", "children"):
        served.asked(name, record_id=written.id)
    session = served.asked("create_session", kind="call", metadata={"topic": "tea"})
    served.asked("end_session", session=session.id)
    group = served.asked("group", name="drinks", record_ids=[written.id])
    assert served.asked("ungroup", group_id=group.id, record_ids=[written.id]) is None
    for name in ("groups", "sessions", "regions", "addresses", "stats", "get_stats", "journal", "summaries"):
        served.asked(name)
    served.asked("metabolise", dry_run=True)
    served.asked("snapshot", label="now")
    served.asked("forget", target={"kind": "fact"})
    served.asked("changes", since="now")
    served.asked("changes", since=datetime(2026, 1, 1, tzinfo=UTC))
    served.asked("restore", snapshot="now")
    served.asked("forget", target=written.id)
    served.asked("forget", target=[page.records[0].id])
    assert served.remote.call("paths", {})
    found = served.remote.call("invoke", {**AT, "path": "self.memory.recall", "query": "tea"})
    assert found == to_json(served.seen[-1].answer)


def test_the_rooms_come_back_as_they_went(served: Served) -> None:
    goal = served.asked("ledger.store_goal", description="Renew the certificate", priority=1)
    task = served.asked("ledger.store_task", goal_id=goal.id, description="ask", given={"domain": "example.org"})
    served.asked("ledger.store_tool_call", task_id=task.id, tool_name="openssl", duration="PT0.5S")
    served.asked("ledger.store_tool_call", task_id=task.id, tool_name="curl", duration=timedelta(milliseconds=3))
    served.asked(
        "ledger.store_decision", context="which authority", chosen="the free one", options=["free", "paid"]
    )
    served.asked("ledger.find_similar_decisions", context="authority")
    assert served.asked("ledger.find_pattern", trigger="nothing like this") is None
    served.asked("ledger.store_agent_state", agent_name="planner", state=[1, "two", None])
    served.asked("ledger.store_agent_state", agent_name="idle", state=None)
    served.asked("operational.push_event", category="deploy", data={"version": 2}, critical=True)
    served.asked("operational.get_recent")
    served.asked("operational.update_metric", key="load", value=0)
    served.asked("operational.get_system_snapshot")
    served.asked("longterm.add_knowledge", title="Passwords", content="A password has 12 characters.", tags=["it"])
    served.asked("longterm.store_procedure", name="Reset", description="Reset it", steps=["open", {"press": 1}])
    served.asked("longterm.semantic_search", query="password", collections=["knowledge"])
    assert served.asked("assemble_context", task_description="renew the certificate").chunks
    messages = [{"role": "user", "content": "We must keep [FOCUS:key] the key safe."}]
    window = served.asked("crystals.window", messages=messages)
    assert served.remote.call("crystals.messages", {"window": window})[0]["role"] == "user"
    served.asked("crystals.pulse", window=window)
    state = {"task_id": "t", "description": "keep the key", "metadata": {"left": 1}}
    first = served.asked("crystals.crystallize", context=window, ttl=60, task_state=state, working_memory={"a": 1})
    second = served.asked("crystals.crystallize", context=messages, working_memory={"a": None, "b": [2]})
    branch = served.asked("crystals.branch", crystal_id=first.crystal_id, reason="try another way")
    served.asked("crystals.resume", crystal_id=branch.crystal_id)
    served.asked("crystals.diff", first=first.crystal_id, second=second.crystal_id)
    served.asked("crystals.lineages")
    served.asked("tape.list")


def test_what_is_given_as_nothing_is_told_from_what_is_not_given(served: Served) -> None:
    written = served.asked("write", text="Ada sails.", tags=["boat"], speaker="ada", ttl=60)
    kept = served.asked("supersede", record_id=written.id, text="Ada sails a lot.")
    assert (kept.tags, kept.speaker) == (("boat",), "ada")
    assert kept.vitals.expires_at is not None
    bare = served.asked("supersede", record_id=written.id, text="x", tags=[], speaker=None, expires_at=None)
    assert (bare.tags, bare.speaker, bare.vitals.expires_at) == ((), None, None)
    assert served.asked("assemble_context", task_description="x", tiers=[]).tiers == ()
    assert len(served.asked("assemble_context", task_description="x").tiers) == 4


@pytest.mark.parametrize(
    "said",
    [
        {"text": ""},
        {"text": "x", "txt": "y"},
        {"text": "x", "tags": ["a", 1]},
        {"text": "half \ud800"},
        {"text": "x", "occurred_at": "yesterday"},
        {"text": "x", "metadata": {"id": 2**63 + 1}},
        {"text": "x", "importance": 7},
        {},
    ],
    ids=str,
)
def test_bad_input_is_refused_as_in_one_process(served: Served, said: dict[str, Any]) -> None:
    with pytest.raises(Invalid):
        served.asked("write", **said)
    assert served.asked("stats").records == 0


def test_a_number_too_big_for_the_wire_is_refused(served: Served) -> None:
    with pytest.raises(Invalid):
        served.asked("timeline", limit=2**70)
    assert served.asked("timeline", limit=2**62) == []


def test_a_great_number_that_is_there_already_comes_as_text(served: Served) -> None:
    written = served.memory.write("x", metadata={"id": 2**60 + 1}, actor_id="ada")
    assert served.remote.call("get", {**AT, "record_id": written.id}).metadata == {"id": str(2**60 + 1)}


def test_a_stream_of_writes_is_stored_in_its_order(served: Served) -> None:
    items: list[dict[str, Any]] = [{**AT, "text": f"Number {n} passed."} for n in range(300)]
    items[7] = {**AT, "text": "late", "importance": 2.0}
    items += [{"actor_id": "ben", "text": "Ben waits.", "session_id": "s1", "tags": ["b"]}, {**AT, "text": " "}]
    written = served.remote.write_stream(items)
    assert len(written.ids) == len(written.addresses) == 300
    assert [one.index for one in written.rejected] == [7, 301]
    assert served.memory.get(written.ids[0], **AT).text == "Number 0 passed."
    assert served.memory.get(written.ids[-1], actor_id="ben").session_id == "s1"
    assert served.remote.write_stream([]).ids == ()


def test_a_stream_that_breaks_says_what_was_taken(memory: Memory) -> None:
    def ada(token: str | None) -> Caller:
        return Caller(name="ada's", actors=("ada",))

    served = Served(memory, authenticate=ada)
    items: list[dict[str, Any]] = [{**AT, "text": f"Number {n} passed."} for n in range(3)]
    with pytest.raises(Forbidden) as caught:
        served.remote.write_stream([*items, {"actor_id": "ben", "text": "mine?"}, {**AT, "text": "never"}])
    assert caught.value.data["taken"] == 3
    assert memory.stats(**AT).records == 3
    served.close()


def test_what_goes_wrong_in_making_a_stream_is_raised(served: Served) -> None:
    with pytest.raises(Invalid, match="txt"):
        served.remote.write_stream([{**AT, "txt": "x"}])
    with pytest.raises(ZeroDivisionError):
        served.remote.write_stream({**AT, "text": str(1 // n)} for n in (1, 0))


def test_a_timeline_streams_past_its_pages(served: Served) -> None:
    served.memory.write_many([f"Number {n} passed." for n in range(520)], **AT)
    every = list(served.remote.timeline_stream(AT))
    assert every == served.memory.timeline(limit=1000, **AT)
    few = list(served.remote.timeline_stream({**AT, "limit": 300, "newest_first": False}))
    assert few == served.memory.timeline(limit=300, newest_first=False, **AT)
    with pytest.raises(Invalid):
        list(served.remote.timeline_stream({**AT, "limit": 0}))


def test_questions_stream_and_so_do_their_answers(served: Served) -> None:
    served.memory.write("Ada drinks tea.", **AT)
    found = served.remote.read_stream([{**AT, "query": "what does she drink?"}, {**AT, "query": "tea"}])
    assert ["tea" in one.text for one in found] == [True, True]


def test_a_write_that_is_sent_again_under_its_key_is_stored_once(served: Served) -> None:
    first, again = (served.remote.call("write", {**AT, "text": "once"}, key="w-1") for _ in range(2))
    assert first.ids == again.ids == again.duplicates


def test_what_is_not_at_this_door_says_so(served: Served) -> None:
    for name in ("backup", "view", "no_such_verb"):
        with pytest.raises(Unsupported, match=name):
            served.remote.call(name, {})
    with pytest.raises(NotFound):
        served.asked("get", record_id="nobody")


@pytest.mark.parametrize("url", ["http://127.0.0.1:1", "127.0.0.1:50053", "grpc://", cast(Any, "")])
def test_an_address_of_something_else_is_refused(url: str) -> None:
    with pytest.raises(Invalid, match="grpc://host:port"):
        GrpcRemote(url)


def test_a_key_that_no_metadata_can_carry_is_refused() -> None:
    with pytest.raises(Invalid, match="key"):
        GrpcRemote("grpc://127.0.0.1", key="a\nb")


def test_a_client_holds_a_memory_behind_grpc(served: Served, tmp_path: Path) -> None:
    client = MemoryClient(served.server.address, ghost=tmp_path)
    written = asyncio.run(client.write(actor_id="ada", text="Ada drinks tea."))
    context = asyncio.run(client.read(actor_id="ada", query="what does she drink?"))
    assert [one.record.id for one in context.context] == [written.id]
    client.set_user_id("ada")
    added = client.add_memory("Ada sails.", "fact")
    assert client.get_memory(added["memory_id"])["memory"]["content"] == "Ada sails."
    with pytest.raises(NotFound):
        client.get_memory("nobody")
    assert client.get_circuit_breaker_status()["state"] == "CLOSED"
    asyncio.run(client.close())


def test_the_verbs_of_a_memory_behind_grpc_are_those_of_any(served: Served, tmp_path: Path) -> None:
    with connect(served.server.address, ghost=tmp_path) as far:
        ada = far.view(actor_id="ada")
        goal = ada.ledger.store_goal("Renew the certificate")
        assert ada.ledger.get_goal(goal.id) == served.memory.ledger.get_goal(goal.id, actor_id="ada")
        assert [one.text for one in ada.timeline()] == [one.text for one in served.memory.timeline(actor_id="ada")]
