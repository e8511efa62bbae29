"""Python shows what a memory can do and what it holds, and takes what a program has at hand."""

import inspect
import os
import sys
import time
from collections.abc import Iterator
from datetime import UTC, date, datetime

import pytest

import foveal
from foveal import AsyncMemory, Memory
from foveal.engine.memory import View
from foveal.errors import Invalid
from foveal.model.query import At, Details


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory(":memory:") as memory:
        yield memory


@pytest.fixture
def an_hour_west() -> Iterator[None]:
    """The local time of this process is an hour behind UTC."""
    before = os.environ.get("TZ")
    os.environ["TZ"] = "AZO1"
    time.tzset()
    yield
    del os.environ["TZ"]
    if before is not None:
        os.environ["TZ"] = before
    time.tzset()


@pytest.mark.parametrize("facade", [View, AsyncMemory])
def test_help_spells_every_keyword_out(facade: type) -> None:
    for verb, keywords in (("write", Details), ("remember", Details), ("search", At), ("forget", At)):
        parameters = inspect.signature(getattr(facade, verb)).parameters
        assert keywords.__annotations__.keys() <= parameters.keys(), verb
        assert all(one.kind is not one.VAR_KEYWORD for one in parameters.values())


def test_a_misspelt_keyword_is_answered_with_all_of_them(memory: Memory) -> None:
    with pytest.raises(Invalid, match="did you mean 'speaker'.* actor_id, expires_at, .*, valid_to, world"):
        memory.write("x", speeker="Ada")  # pyright: ignore[reportCallIssue]


def test_values_show_themselves_in_one_line(memory: Memory) -> None:
    written = memory.write("I sail\nevery Sunday, " + "with friends " * 20, speaker="Ada", id="sail")
    hit, context = memory.search("Who sails?")[0], memory.read("Who sails?", token_budget=300)
    facades = (memory, memory.view(node="/a"))
    shown = [repr(one) for one in (written, hit, hit.record, context, context.items[0], *facades)]
    assert all("\n" not in one and len(one) < 160 for one in shown)
    assert "sail" in shown[0]
    assert shown[1].startswith(f"<Hit {hit.relevance:.2f} sail ")
    assert "Ada: 'I sail every Sunday, with" in shown[2]
    assert shown[5:] == ["<Memory actor_id='me'>", "<View actor_id='me' node='/a'>"]


def test_a_notebook_shows_texts_escaped(memory: Memory) -> None:
    memory.write("Ada wrote <b>bold</b>.", id="b")
    hit, context = memory.search("What did Ada write?")[0], memory.read("What did Ada write?")
    for one in (hit, hit.record, context):
        assert "&lt;b&gt;bold&lt;/b&gt;" in one._repr_html_()  # pyright: ignore[reportPrivateUsage]


def test_a_hit_has_what_its_record_has(memory: Memory) -> None:
    memory.write("Ada sails.", importance=0.7, tags=["sea"], speaker="Ada", session_id="s", pin=True)
    hit = memory.search("Who sails?")[0]
    assert (hit.importance, hit.tags, hit.speaker, hit.session_id, hit.pinned) == (0.7, ("sea",), "Ada", "s", True)
    assert (hit.kind, hit.archived, hit.occurred_at) == ("note", False, hit.record.occurred_at)


def test_a_chat_message_is_taken_wherever_a_text_is(memory: Memory) -> None:
    said = memory.write({"role": "assistant", "content": "The train leaves at nine.", "name": "Rail"})
    record = memory.get(said.id)
    assert (record.text, record.source, record.speaker) == ("The train leaves at nine.", "assistant", "Rail")
    parts = [{"type": "text", "text": "It leaves"}, {"type": "text", "text": "at ten."}]
    assert memory.supersede(said.id, {"role": "user", "content": parts}).text == "It leaves\nat ten."
    question = {"role": "user", "content": "When does it leave?"}
    assert memory.search({"role": "user", "content": "When does it leave?"})[0].id == said.id
    assert "at ten" in memory.read({"role": "user", "content": "When does it leave?"}).text
    ids = list(memory.write_many([question, "Plain.", {"text": "Detailed.", "tags": ["a"]}]))
    assert [memory.get(key).source for key in ids] == ["user", "user", "user"]
    with pytest.raises(Invalid, match="holds no text"):
        memory.write({"role": "user", "content": "  "})


@pytest.mark.usefixtures("an_hour_west")
def test_moments_without_a_zone_are_local(memory: Memory) -> None:
    noon = memory.write("At noon.", occurred_at=datetime(2026, 1, 5, 12))  # noqa: DTZ001 - what this test is about
    day = memory.write("That day.", occurred_at=date(2026, 1, 6))
    assert memory.get(noon.id).occurred_at == datetime(2026, 1, 5, 13, tzinfo=UTC)
    assert memory.get(day.id).occurred_at == datetime(2026, 1, 6, 1, tzinfo=UTC)
    assert [one.id for one in memory.timeline(since=date(2026, 1, 5), until=date(2026, 1, 6))] == [noon.id]
    found = memory.timeline(filters={"occurred_at": {"gte": date(2026, 1, 6)}})
    assert [one.id for one in found] == [day.id]


def test_help_of_the_package_needs_no_extras(monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("chromadb", "grpc", "psycopg", "mcp"):
        monkeypatch.setitem(sys.modules, package, None)
    offered = dir(foveal)
    assert {"Memory", "connect"} <= set(offered)
    assert not {"ChromaVectorStore", "GrpcServer", "PostgresStore", "mcp_app", "mcp_server"} & set(offered)
    assert all(hasattr(foveal, name) for name in offered)


@pytest.mark.parametrize("verb", ["search", "read"])
def test_a_misspelt_keyword_is_answered_with_those_of_the_verb(memory: Memory, verb: str) -> None:
    with pytest.raises(Invalid, match="'filter'.*did you mean 'filters'.*actor_id.*filters.*session_id"):
        getattr(memory, verb)("tea", filter={})
