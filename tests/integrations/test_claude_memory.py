"""Claude's memory tool on Foveal answers like the one of Anthropic's SDK that works on files."""

from __future__ import annotations

import asyncio
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from anthropic import Anthropic
from anthropic.lib.tools import ToolError
from anthropic.tools.memory import BetaLocalFilesystemMemoryTool
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.claude import Blocks, ClaudeServer

from foveal import Memory
from foveal.integrations.claude_memory import AsyncFovealMemoryTool, FovealMemoryTool


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory(":memory:") as memory:
        yield memory


@pytest.fixture
def tool(memory: Memory) -> FovealMemoryTool:
    return FovealMemoryTool(memory.view(actor_id="ada"))


Command = dict[str, Any]
PATHS = st.sampled_from(
    ["/memories/a.md", "/memories/b.md", "/memories/d/a.md", "/memories/d/e/f.md", "/memories/d", "/memories/none"]
)
TEXTS = st.sampled_from(["", "one", "one\n", "one\ntwo\nthree\n", "tea\ntea", "日本\n\n", "  "])
LINES = st.integers(-1, 4)
COMMANDS = st.one_of(
    st.fixed_dictionaries({"command": st.just("view"), "path": PATHS | st.just("/memories")}),
    st.fixed_dictionaries(
        {"command": st.just("view"), "path": PATHS, "view_range": st.tuples(LINES, LINES).map(list)}
    ),
    st.fixed_dictionaries({"command": st.just("create"), "path": PATHS, "file_text": TEXTS}),
    st.fixed_dictionaries(
        {
            "command": st.just("str_replace"),
            "path": PATHS,
            "old_str": st.sampled_from(["one", "tea", "two\n", "x"]),
            "new_str": TEXTS,
        }
    ),
    st.fixed_dictionaries(
        {"command": st.just("insert"), "path": PATHS, "insert_line": LINES, "insert_text": TEXTS.filter(str.strip)}
    ),
    st.fixed_dictionaries({"command": st.just("delete"), "path": PATHS | st.just("/memories")}),
    st.fixed_dictionaries({"command": st.just("rename"), "old_path": PATHS, "new_path": PATHS}),
)


def _answer(tool: Any, command: Command) -> str:
    try:
        answer = str(tool.call(command))
    except ToolError as error:
        return f"error: {error}"
    # Folders have other sizes on a disk.
    return re.sub(r"(?m)^\S+\t(/memories(?:\S*/)?)$", r"\t\1", answer) if "2 levels" in answer else answer


def _can_be_compared(command: Command, files: dict[str, str]) -> bool:
    """A disk has its own words for a path inside a file and for a move into itself."""
    target = command.get("new_path") or command.get("path", "")
    inside_a_file = any(target.startswith(f"{path}/") for path in files)
    onto_itself = command["command"] == "rename" and target.startswith(command["old_path"])
    return not inside_a_file and not onto_itself


def _files(folder: Path) -> dict[str, str]:
    return {f"/{path.relative_to(folder)}": path.read_text("utf-8") for path in folder.rglob("*") if path.is_file()}


def _without_empty_folders(folder: Path) -> None:
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_dir() and not any(path.iterdir()):
            path.rmdir()


@given(st.lists(COMMANDS, min_size=1, max_size=12))
@settings(max_examples=40, deadline=None)
def test_it_answers_like_the_tool_on_files(commands: list[Command]) -> None:
    with Memory(":memory:") as memory, tempfile.TemporaryDirectory() as folder:
        ours, theirs = FovealMemoryTool(memory.view(actor_id="ada")), BetaLocalFilesystemMemoryTool(folder)
        for command in commands:
            if _can_be_compared(command, _files(Path(folder))):
                assert _answer(ours, command) == _answer(theirs, command), command
                _without_empty_folders(Path(folder) / "memories")


def test_a_model_keeps_a_note_in_one_conversation_and_reads_it_in_the_next(tmp_path: Path) -> None:
    def answer(asked: dict[str, Any]) -> Blocks:
        last = asked["messages"][-1]["content"]
        if isinstance(last, list):
            return [{"type": "text", "text": str(cast(Blocks, last)[0]["content"])}]
        call: Command = {"command": "view", "path": "/memories/ada.md"}
        if "remember" in last:
            call = {"command": "create", "path": "/memories/ada.md", "file_text": "Ada's flat is in Lisbon.\n"}
        elif "moved" in last:
            call = {"command": "str_replace", "path": "/memories/ada.md", "old_str": "Lisbon", "new_str": "Porto"}
        return [{"type": "tool_use", "id": "t1", "name": "memory", "input": call}]

    def ask(said: str, actor_id: str = "ada") -> str:
        with Memory(tmp_path / "agent.db") as memory, Anthropic(base_url=server.url, api_key="none") as client:
            message = client.beta.messages.tool_runner(
                model="scripted",
                max_tokens=100,
                messages=[{"role": "user", "content": said}],
                tools=[FovealMemoryTool(memory.view(actor_id=actor_id))],
            ).until_done()
            return message.to_json()

    with ClaudeServer(answer) as server:
        assert "created successfully" in ask("Please remember: my flat is in Lisbon")
        assert "is in Lisbon" in ask("Where is my flat?")
        assert "edited" in ask("I moved to Porto")
        assert "is in Porto" in ask("Where is my flat?")
        assert "does not exist" in ask("Where is my flat?", actor_id="ben")


def test_a_file_is_a_memory_like_any_other(memory: Memory, tool: FovealMemoryTool) -> None:
    tool.call({"command": "create", "path": "/memories/tea.md", "file_text": "Ada likes green tea."})
    tool.call({"command": "str_replace", "path": "/memories/tea.md", "old_str": "green", "new_str": "black"})
    [hit] = memory.search("Which tea does Ada like?", actor_id="ada")
    assert hit.record.text == "Ada likes black tea."
    assert [version.text for version in memory.history(hit.record.id, actor_id="ada")][0] == "Ada likes green tea."


def test_what_a_model_deleted_a_person_can_bring_back(memory: Memory, tool: FovealMemoryTool) -> None:
    tool.call({"command": "create", "path": "/memories/tea.md", "file_text": "Ada likes tea."})
    tool.call({"command": "delete", "path": "/memories/tea.md"})
    [move] = memory.lifecycle.journal(actor_id="ada", limit=1)
    memory.lifecycle.undo(move.id, actor_id="ada")
    assert "Ada likes tea." in str(tool.call({"command": "view", "path": "/memories/tea.md"}))


@pytest.mark.parametrize("path", ["/etc/passwd", "/memories/../x", "/memories-other/x", "memories/x"])
def test_a_path_outside_is_refused(tool: FovealMemoryTool, path: str) -> None:
    for command in ("view", "delete"):
        with pytest.raises(ToolError, match="must start with|would escape"):
            tool.call({"command": command, "path": path})


def test_what_the_memory_refuses_the_model_is_told(tool: FovealMemoryTool) -> None:
    with pytest.raises(ToolError, match="1,000,000"):
        tool.call({"command": "create", "path": "/memories/x", "file_text": "x" * 1_100_000})


def test_all_files_can_be_cleared(memory: Memory, tool: FovealMemoryTool) -> None:
    memory.write("Ada likes tea", actor_id="ada")
    for name in "abc":
        tool.call({"command": "create", "path": f"/memories/{name}/x.md", "file_text": name})
    assert tool.clear_all_memory() == "All memory cleared"
    assert "x.md" not in str(tool.call({"command": "view", "path": "/memories"}))
    assert len(memory.timeline(actor_id="ada")) == 1


def test_the_asynchronous_tool_does_the_same(memory: Memory) -> None:
    tool = AsyncFovealMemoryTool(memory.view(actor_id="ada"))

    async def story() -> str:
        await tool.call({"command": "create", "path": "/memories/a.md", "file_text": "one\n"})
        await tool.call({"command": "insert", "path": "/memories/a.md", "insert_line": 1, "insert_text": "two"})
        await tool.call({"command": "rename", "old_path": "/memories/a.md", "new_path": "/memories/b.md"})
        return str(await tool.call({"command": "view", "path": "/memories/b.md"}))

    assert asyncio.run(story()).endswith("     1\tone\n     2\ttwo\n     3\t")
