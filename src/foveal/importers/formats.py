"""The formats that can be imported, and recognising which of them a file has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from msgspec import Struct

from foveal.errors import Invalid
from foveal.importers import agents, chroma, conversations, graph, langgraph, lines, markdown, mem0
from foveal.importers.draft import Drafts
from foveal.importers.files import Database, Source


class Format(Struct, frozen=True, kw_only=True):
    """A format: its name, what it is in words, and how to recognise and read it."""

    name: str
    title: str
    recognises: Callable[[Source], bool]
    read: Callable[[Source], Drafts]


# In this order a file is tried: what anything could be comes last.
_ORDER = (
    Format(
        name="chatgpt",
        title="a ChatGPT export",
        recognises=conversations.is_chatgpt,
        read=conversations.read_chatgpt,
    ),
    Format(
        name="claude", title="a Claude export", recognises=conversations.is_claude, read=conversations.read_claude
    ),
    Format(name="mem0", title="memories of mem0", recognises=mem0.is_mem0, read=mem0.read_mem0),
    Format(name="chroma", title="a ChromaDB", recognises=chroma.is_chroma, read=chroma.read_chroma),
    Format(
        name="langgraph",
        title="a store of LangGraph",
        recognises=langgraph.is_langgraph,
        read=langgraph.read_langgraph,
    ),
    Format(
        name="mcp-memory",
        title="a graph of the MCP memory server",
        recognises=graph.is_graph,
        read=graph.read_graph,
    ),
    Format(name="markdown", title="Markdown notes", recognises=markdown.is_markdown, read=markdown.read_markdown),
    Format(name="letta", title="an agent file of Letta", recognises=agents.is_letta, read=agents.read_letta),
    Format(name="zep", title="a graph of Zep or Graphiti", recognises=agents.is_zep, read=agents.read_zep),
    Format(name="json", title="a list in JSON", recognises=lines.is_list, read=lines.read_list),
    Format(name="lines", title="JSON lines", recognises=lines.is_lines, read=lines.read_lines),
    Format(name="csv", title="a table in CSV", recognises=lines.is_csv, read=lines.read_csv),
)
FORMATS: Mapping[str, Format] = MappingProxyType({form.name: form for form in _ORDER})


def recognised(source: Source, name: str | None = None) -> Format:
    """The format of a file, or that with this name; `Invalid` says what can be done if it has none."""
    if name is not None:
        if name not in FORMATS:
            raise Invalid(f"{name!r} is not a format; use one of {', '.join(sorted(FORMATS))}")
        return FORMATS[name]
    for form in _ORDER:
        if form.recognises(source):
            return form
    raise Invalid(
        f"cannot recognise {source.path}: {_looks_like(source)}; a format can be named with --format: "
        f"{', '.join(sorted(FORMATS))}",
        path=str(source.path),
    )


def _looks_like(source: Source) -> str:
    if source.is_folder:
        return f"it is a folder with {len(source.names):,} files, none of a kind that can be imported"
    if source.is_zip:
        return f"it is a zip archive with {len(source.names):,} files, none of a kind that can be imported"
    if source.is_sqlite:
        tables = Database(source.path).tables
        if "record" in tables and "organism" in tables:
            return "it is a memory of Foveal: copy it with foveal migrate, or export it first"
        return f"it is a SQLite file with the tables {', '.join(sorted(tables)[:8]) or '(none)'}"
    if not source.head.strip():
        return "it is empty"
    if b"\0" in source.head:
        return "it is a binary file"
    first = source.head.decode("utf-8", "replace").strip().split("\n", 1)[0][:60]
    broken = " (JSON that is damaged or cut off, perhaps)" if first.startswith(("{", "[")) else ""
    return f"it is a text that begins with {first!r}{broken}"
