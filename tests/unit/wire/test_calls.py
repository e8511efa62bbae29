"""A verb called with plain JSON answers as the method does."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal import Memory
from foveal.engine.memory import View
from foveal.errors import CODES, FovealError, Invalid, NotFound
from foveal.wire.calls import call_of
from foveal.wire.codec import to_json
from foveal.wire.problems import problem, raised
from foveal.wire.verbs import VERBS

SAID: list[Any] = [
    None,
    True,
    7,
    1.5,
    float("nan"),
    1e400,
    "x",
    "\ud800",
    [],
    {},
    [1, "a"],
    {"a": None},
    {"text": []},
]
JSON = st.sampled_from(SAID)


@pytest.fixture
def ada() -> Any:
    with Memory(":memory:") as memory:
        yield memory.view(actor_id="ada")


def _asked(memory: View, name: str, *words: Any, **said: Any) -> Any:
    """What a verb answers through JSON both ways, checked against the value itself."""
    call = call_of(name)
    request = msgspec.json.decode(msgspec.json.encode(call.named(words, said)))
    value = call.run(memory, request)
    answer = call.understood(msgspec.json.decode(msgspec.json.encode(to_json(value))))
    assert answer == value
    return answer


def test_values_come_back_as_they_went(ada: View) -> None:
    said: dict[str, Any] = {
        "tags": ["taste"],
        "metadata": {"n": 1},
        "ttl": 3600,
        "occurred_at": "2026-03-01T10:00:00Z",
    }
    written = _asked(ada, "write", "Ada drinks tea in the morning.", **said)
    _asked(ada, "write_many", ["Ben sails.", {"text": "Cleo paints.", "kind": "fact"}])
    assert _asked(ada, "get", written.id).tags == ("taste",)
    _asked(ada, "page", limit=2)
    _asked(ada, "supersede", written.id, "Ada drinks coffee now.", expected_version=1)
    _asked(ada, "history", written.id)
    _asked(ada, "search", "who drinks coffee?", explain=True)
    _asked(ada, "read", "who drinks coffee?", token_budget=300)
    _asked(ada, "timeline", since="2026-01-01T00:00:00Z", filters={"kind": "fact"})
    _asked(ada, "link", written.id, _asked(ada, "page").records[0].id, kind="relates")
    _asked(ada, "related", written.id)
    for name in ("pin", "unpin", "mute", "unmute", "reinforce", "forecast", "tree", "children"):
        _asked(ada, name, written.id)
    session = _asked(ada, "create_session", kind="call", metadata={"topic": "tea"})
    _asked(ada, "end_session", session.id)
    for name in ("groups", "sessions", "regions", "addresses", "stats", "journal", "summaries", "paths", "recalls"):
        _asked(ada, name)
    _asked(ada, "metabolise", dry_run=True)
    _asked(ada, "snapshot", "now")
    _asked(ada, "changes", "now")
    _asked(ada, "forget", {"kind": "fact"})
    _asked(ada, "restore", "now")


def test_the_rooms_come_back_as_they_went(ada: View) -> None:
    goal = _asked(ada, "ledger.store_goal", "Renew the certificate", priority=1)
    task = _asked(ada, "ledger.store_task", goal.id, "ask the authority", given={"domain": "example.org"})
    _asked(ada, "ledger.store_tool_call", task.id, "openssl", duration="PT0.5S")
    _asked(ada, "ledger.store_decision", "which authority", "the free one", options=["free", "paid"])
    assert task.goal_id == goal.id
    [decision] = _asked(ada, "ledger.find_similar_decisions", "authority")
    assert decision.chosen == "the free one"
    _asked(ada, "ledger.find_pattern", "renew")
    _asked(ada, "operational.push_event", "deploy", {"version": 2}, critical=True)
    _asked(ada, "operational.get_recent")
    _asked(ada, "operational.update_metric", "load", 0.5)
    _asked(ada, "longterm.add_knowledge", "Passwords", "A password has 12 characters.", tags=["it"])
    _asked(ada, "longterm.semantic_search", "password", ["knowledge"])
    _asked(ada, "assemble_context", "renew the certificate")
    window = _asked(ada, "crystals.window", [{"role": "user", "content": "We must keep [FOCUS:key] the key safe."}])
    _asked(ada, "crystals.pulse", window)
    crystal = _asked(ada, "crystals.crystallize", window, ttl=60)
    _asked(ada, "crystals.branch", crystal.crystal_id, "try another way")
    _asked(ada, "crystals.resume", crystal.crystal_id)
    _asked(ada, "crystals.lineages")
    _asked(ada, "tape.list")


@given(st.sampled_from(sorted(VERBS)), st.dictionaries(st.sampled_from(["text", "query", "limit", "k"]), JSON))
def test_no_json_breaks_a_call(name: str, said: dict[str, Any]) -> None:
    call = call_of(name)
    first = {one.name: said.get("text") for one in call.fields if one.required}
    try:
        call.arguments({**first, **said})
    except FovealError as error:
        assert isinstance(error, Invalid)


def test_what_does_not_fit_says_where(ada: View) -> None:
    with pytest.raises(Invalid, match=r"tags\[1\] must be a string, not a number"):
        call_of("write").run(ada, {"text": "x", "tags": ["a", 1]})
    with pytest.raises(Invalid, match="write needs text"):
        call_of("write").run(ada, {})
    with pytest.raises(Invalid, match="txt"):
        call_of("write").run(ada, {"text": "x", "txt": "y"})


@pytest.mark.parametrize("kind", CODES.values(), ids=lambda kind: kind.code)
def test_an_error_comes_back_as_the_class_it_was(kind: type[FovealError]) -> None:
    again = raised(msgspec.json.decode(msgspec.json.encode(problem(kind("told", record_id="x")))))
    assert (type(again), again.message, again.data) == (kind, "told", {"record_id": "x"})


def test_an_error_of_a_newer_release_is_still_an_error() -> None:
    assert raised({"code": "melted", "detail": "too hot"}).message == "too hot"
    assert isinstance(raised({"code": "not_found"}), NotFound)
