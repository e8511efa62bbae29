"""Agent files of Letta, and the graphs of Zep and Graphiti."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from foveal.importers.draft import (
    Draft,
    Drafts,
    LeftOut,
    details_of,
    id_of,
    mapping,
    moment_or_none,
    objects,
    text_of,
)
from foveal.importers.files import Source

_SPOKEN = ("user", "assistant")
_EDGES = ("edges", "facts", "entity_edges")
_NODES = ("nodes", "entities", "entity_nodes")
_EPISODES = ("episodes", "episodic_nodes")


def is_letta(source: Source) -> bool:
    """Whether it is an agent file: agents with messages, beside their blocks, or one agent with its own."""
    document = mapping(source.document)
    agents = objects(document.get("agents"))
    many = any(isinstance(agent.get("messages"), list) for agent in agents) and "blocks" in document
    return many or ("core_memory" in document and isinstance(document.get("messages"), list))


def read_letta(source: Source) -> Drafts:
    """A record for each block of memory, and one for each message of a user or of the agent, in its session."""
    document = mapping(source.document)
    agents = objects(document.get("agents")) or [document]
    names = [text_of(agent.get("name")) or "agent" for agent in agents]
    prefix = ":".join(dict.fromkeys(names))[:80]
    for block in objects(document.get("blocks")) or objects(document.get("core_memory")):
        label, place = text_of(block.get("label")) or "block", f"block {text_of(block.get('label'))}"
        if not text_of(block.get("value")).strip():
            yield LeftOut(reason="an empty block of memory", place=place)
            continue
        yield Draft(
            id=id_of("letta", prefix, text_of(block.get("id")) or label),
            text=text_of(block.get("value")),
            place=place,
            details=details_of(
                kind="fact",
                tags=[label],
                metadata=details_of(label=label, description=text_of(block.get("description"))),
            ),
        )
    for agent, name in zip(agents, names, strict=True):
        for number, message in enumerate(objects(agent.get("messages")), 1):
            yield _of_letta(message, name, f"message {number} of {name}", number)
    for file in objects(document.get("files")):
        yield LeftOut(reason="a file that was attached", place=text_of(file.get("file_name")))


def _of_letta(message: Mapping[str, Any], name: str, place: str, number: int) -> Draft | LeftOut:
    role = message.get("role")
    text = _words(message)
    if role not in _SPOKEN:
        return LeftOut(reason="a message of the system or of a tool", place=place)
    if not text.strip():
        return LeftOut(reason="a message without words, such as a call of a tool", place=place)
    return Draft(
        id=id_of("letta", name, text_of(message.get("id")) or str(number)),
        text=text,
        place=place,
        details=details_of(
            source=role,
            speaker=text_of(message.get("name")) or (name if role == "assistant" else None),
            occurred_at=moment_or_none(message.get("created_at"), utc=True),
            session_id=id_of("letta", name),
        ),
    )


def _words(message: Mapping[str, Any]) -> str:
    """What a message says: its text, or that of its parts."""
    content = message.get("content", message.get("text"))
    parts = [text_of(part.get("text")) for part in objects(content) if part.get("type") in ("text", None)]
    return text_of(content) or "\n".join(part for part in parts if part.strip())


def _under(document: Mapping[str, Any], names: tuple[str, ...]) -> list[Mapping[str, Any]]:
    return [each for name in names for each in objects(document.get(name))]


def is_zep(source: Source) -> bool:
    """Whether it is a graph: facts between entities, or episodes."""
    document = mapping(source.document)
    facts = any("fact" in edge for edge in _under(document, _EDGES)[:20])
    return facts or any("content" in episode for episode in _under(document, _EPISODES)[:20])


def read_zep(source: Source) -> Drafts:
    """A record for each fact, with the time in which it is true, each entity with a summary, and each episode."""
    document = mapping(source.document)
    nodes = {text_of(node.get("uuid")): node for node in _under(document, _NODES)}
    entities = [node for node in nodes.values() if text_of(node.get("summary")).strip()]
    told = {text_of(node.get("uuid")) for node in entities}
    for _ in range(len(nodes) - len(entities)):
        yield LeftOut(reason="an entity without a summary")
    for node in entities:
        yield _of_zep(node, f"{text_of(node.get('name'))}: {text_of(node.get('summary'))}", kind="entity")
    episodes = _under(document, _EPISODES)
    for episode in episodes:
        yield _of_zep(episode, text_of(episode.get("content")), kind="note")
    told |= {text_of(episode.get("uuid")) for episode in episodes}
    yield from _facts(document, nodes, told)


def _facts(document: Mapping[str, Any], nodes: Mapping[str, Mapping[str, Any]], told: set[str]) -> Iterator[Any]:
    for edge in _under(document, _EDGES):
        ends = [text_of(edge.get(f"{end}_node_uuid")) for end in ("source", "target")]
        links = [(id_of("zep", end), "relates") for end in ends if end in told]
        sources = edge.get("episodes")
        made_from = [text_of(each) for each in cast(list[object], sources)] if isinstance(sources, list) else []
        links += [(id_of("zep", each), "derived_from") for each in made_from if each in told]
        names = [text_of(nodes[end].get("name")) for end in ends if end in nodes]
        yield _of_zep(edge, text_of(edge.get("fact")), kind="fact", links=tuple(links), between=names)


def _of_zep(
    item: Mapping[str, Any],
    text: str,
    *,
    kind: str,
    links: tuple[tuple[str, str], ...] = (),
    between: Sequence[str] = (),
) -> Draft | LeftOut:
    own = text_of(item.get("uuid")) or text_of(item.get("uuid_"))
    place = f"{kind} {own or text_of(item.get('name'))}"
    if not text.strip() or not own:
        return LeftOut(reason="a fact or an episode without a text or an id", place=place, broken=True)
    valid_from = moment_or_none(item.get("valid_at"), utc=True)
    valid_to = moment_or_none(item.get("invalid_at") or item.get("expired_at"), utc=True)
    at = valid_from or moment_or_none(item.get("created_at"), utc=True)
    return Draft(
        id=id_of("zep", own),
        text=text,
        owner=text_of(item.get("user_id")) or text_of(item.get("group_id")) or None,
        place=place,
        links=links,
        details=details_of(
            kind=kind,
            speaker=text_of(item.get("role")),
            occurred_at=at,
            valid_from=valid_from if kind == "fact" else None,
            valid_to=valid_to if at is None or valid_to is None or valid_to >= at else None,
            metadata=details_of(
                name=text_of(item.get("name")),
                labels=item.get("labels"),
                between=list(between),
                attributes=item.get("attributes"),
                described_as=text_of(item.get("source_description")),
            ),
        ),
    )
