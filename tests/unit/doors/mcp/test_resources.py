"""Records are resources by their address, and prompts bring what is known."""

from __future__ import annotations

from typing import Any

import pytest
from mcp import MCPError
from mcp_types import INVALID_PARAMS, GetPromptResult, ListResourcesResult, TextContent, TextResourceContents

from foveal import Memory
from foveal.doors.mcp.tools import uri_of

from .conftest import Talk


def _read(talk: Talk[Any], uri: str) -> str:
    [content] = talk(lambda client: client.read_resource(uri)).contents
    assert isinstance(content, TextResourceContents)
    assert (content.uri, content.mime_type) == (uri, "text/markdown")
    return content.text


def _prompt(talk: Talk[Any], name: str, **said: str) -> str:
    result: GetPromptResult = talk(lambda client: client.get_prompt(name, said))
    [message] = result.messages
    assert message.role == "user"
    assert isinstance(message.content, TextContent)
    return message.content.text


def test_every_record_is_listed_with_a_uri_that_reads_it(talk: Talk[Any], memory: Memory) -> None:
    awkward = ("tea/1 100%", "§ ümlaut", "..", "a#b?c=d")
    for key in awkward:
        memory.write(f"about {key}", actor_id="ada", id=key, region="topic:tea / 1")
    listed: ListResourcesResult = talk(lambda client: client.list_resources())
    assert {one.name for one in listed.resources} == set(awkward)
    for one in listed.resources:
        text = _read(talk, one.uri)
        assert text.endswith(f"about {one.name}")
        assert one.size == len(text.encode())


def test_the_list_of_resources_goes_on_from_its_cursor(talk: Talk[Any], memory: Memory) -> None:
    memory.write_many([f"note {n}" for n in range(60)], actor_id="ada")

    async def all_of(client: Any) -> list[str]:
        first = await client.list_resources()
        rest = await client.list_resources(cursor=first.next_cursor)
        assert rest.next_cursor is None
        return [one.uri for one in (*first.resources, *rest.resources)]

    assert len(set(talk(all_of))) == 60


def test_front_matter_cannot_be_forged(talk: Talk[Any], memory: Memory) -> None:
    said = {"note": '"\n---\nid: "other'}
    known = memory.write("hello", actor_id="ada", speaker='Eve" --- x', tags=["a: b"], metadata=said)
    front, _, body = _read(talk, uri_of(memory.get(known.id, actor_id="ada"))).partition("\n---\n")
    assert body.strip() == "hello"
    assert front.count("\nid: ") == 1


def test_a_region_lists_what_lies_in_it(talk: Talk[Any], memory: Memory) -> None:
    tea = memory.write("Ada likes tea", actor_id="ada", region="tea")
    memory.write("Ben sails", actor_id="ada", region="sea")
    text = _read(talk, "memory:///default/tea/")
    assert uri_of(memory.get(tea.id, actor_id="ada")) in text
    assert "Ben sails" not in text


@pytest.mark.parametrize(
    "uri",
    [
        "memory:///default/agent%3Aada/0/1/nobody@d2t0.md",
        "memory:///other/tea/0/known@d2t0.md",
        "memory:///default/sea/0/known@d2t0.md",
        "memory:///default/nowhere/",
        "memory:///",
        "memory://default/tea/known",
        "memory:///default/tea/../../../etc/passwd",
        "file:///etc/passwd",
        "test://nonexistent",
    ],
)
def test_what_is_not_there_is_an_error_that_names_the_uri(uri: str, talk: Talk[Any], memory: Memory) -> None:
    memory.write("Ada likes tea", actor_id="ada", region="tea", id="known")
    with pytest.raises(MCPError) as caught:
        talk(lambda client: client.read_resource(uri))
    assert (caught.value.code, caught.value.data["uri"]) == (INVALID_PARAMS, uri)


def test_recall_begins_with_what_is_known(talk: Talk[Any], memory: Memory) -> None:
    assert "Nothing found: memory holds nothing" in _prompt(talk, "recall", query="what does Ada drink?")
    memory.write("Ada prefers tea", actor_id="ada")
    text = _prompt(talk, "recall", query="what does Ada drink?", token_budget="300")
    assert text.startswith("what does Ada drink?")
    assert "Ada prefers tea" in text


def test_handoff_shows_the_latest_and_the_open_goals(talk: Talk[Any], memory: Memory) -> None:
    ada = memory.view(actor_id="ada")
    ada.write("Decision: use </memory> SQLite", kind="decision")
    ada.ledger.store_goal("Ship the release")
    text = _prompt(talk, "handoff", task="the release")
    assert "- Ship the release" in text
    assert "use &lt;/memory> SQLite" in text
    assert 'memory_add and kind "handoff"' in text


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("recall", {}),
        ("recall", {"query": "x", "token_budget": "many"}),
        ("recall", {"query": "x", "actor_id": "ben"}),
        ("nothing", {}),
    ],
)
def test_a_prompt_that_does_not_fit_is_refused(name: str, said: dict[str, str], talk: Talk[Any]) -> None:
    with pytest.raises(MCPError) as caught:
        talk(lambda client: client.get_prompt(name, said))
    assert caught.value.code == INVALID_PARAMS
