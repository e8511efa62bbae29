"""Conversations as ChatGPT and Claude export them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
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

FILE = "conversations.json"
_SPOKEN = ("user", "assistant")


def _documents(source: Source) -> Iterator[tuple[str, Any]]:
    """The lists of conversations: a file of its own, or those of an archive; large exports have several."""
    if source.is_text:
        yield source.path.name, source.document
        return
    for name in source.names:
        file = PurePosixPath(name).name
        if file.startswith("conversations") and file.endswith(".json"):
            yield name, source.json(name)


def _conversations(source: Source) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name, document in _documents(source):
        listed = objects(document) or objects(mapping(document).get("conversations"))
        yield from ((name, each) for each in listed or ([mapping(document)] if mapping(document) else []))


def _first(source: Source) -> Mapping[str, Any]:
    if not source.is_text and not any(
        PurePosixPath(name).name.startswith("conversations") for name in source.names
    ):
        return {}
    return next((conversation for _, conversation in _conversations(source)), mapping(None))


def is_chatgpt(source: Source) -> bool:
    """Whether these are conversations of ChatGPT: each is a tree of messages."""
    return isinstance(_first(source).get("mapping"), Mapping)


def is_claude(source: Source) -> bool:
    """Whether these are conversations of Claude: each has a list of messages."""
    return isinstance(_first(source).get("chat_messages"), list)


def read_chatgpt(source: Source) -> Drafts:
    """The messages on the branch that each conversation ended with."""
    for name, conversation in _conversations(source):
        own = str(conversation.get("conversation_id") or conversation.get("id") or conversation.get("title") or "")
        title = text_of(conversation.get("title"))
        nodes = {key: mapping(node) for key, node in mapping(conversation.get("mapping")).items()}
        if not nodes:
            yield LeftOut(reason="a conversation without messages", place=f"{name}: {title or own}")
            continue
        branch = _branch(nodes, conversation.get("current_node"))
        spoken = {key for key, node in nodes.items() if _is_spoken(mapping(node.get("message")))}
        for _ in range(len(spoken - set(branch))):
            yield LeftOut(
                reason="an answer or edit that was replaced in the conversation", place=f"{name}: {title}"
            )
        for key in branch:
            message = mapping(nodes[key].get("message"))
            if message:
                yield _of_chatgpt(message, key, own, title, moment_or_none(conversation.get("create_time")), name)


def _branch(nodes: Mapping[str, Mapping[str, Any]], end: object) -> list[str]:
    """The nodes from the root to the one that a conversation ended with, or to the last of the newest answers."""
    key = end if isinstance(end, str) and end in nodes else next(iter(nodes))
    while key != end and (children := [one for one in nodes[key].get("children") or () if one in nodes]):
        if children[-1] == key:
            break
        key = str(children[-1])
    branch: list[str] = []
    passed: set[str] = set()
    while key in nodes and key not in passed:
        passed.add(key)
        branch.append(key)
        key = str(nodes[key].get("parent"))
    return branch[::-1]


def _is_spoken(message: Mapping[str, Any]) -> bool:
    role = mapping(message.get("author")).get("role")
    return role in _SPOKEN and bool(_parts(mapping(message.get("content"))))


def _of_chatgpt(
    message: Mapping[str, Any], key: str, own: str, title: str, begun: Any, name: str
) -> Draft | LeftOut:
    author = mapping(message.get("author"))
    role, content = author.get("role"), mapping(message.get("content"))
    place = f"{name}: {title or own}"
    if role not in _SPOKEN:
        return LeftOut(reason=f"a message of the {'system' if role == 'system' else 'tools'}", place=place)
    if mapping(message.get("metadata")).get("is_visually_hidden_from_conversation"):
        return LeftOut(reason="a message that the conversation does not show", place=place)
    if (
        content.get("content_type") not in ("text", "multimodal_text", None)
        or message.get("recipient", "all") != "all"
    ):
        return LeftOut(reason="a call of a tool, or reasoning", place=place)
    text = _parts(content)
    if not text:
        return LeftOut(reason="a message without words, such as a picture", place=place)
    metadata = details_of(title=title, model=mapping(message.get("metadata")).get("model_slug"))
    return Draft(
        id=id_of("chatgpt", message.get("id") or key),
        text=text,
        place=place,
        details=details_of(
            source=role,
            speaker=text_of(author.get("name")) or ("ChatGPT" if role == "assistant" else None),
            occurred_at=moment_or_none(message.get("create_time")) or begun,
            session_id=id_of("chatgpt", own),
            metadata=metadata,
        ),
    )


def _parts(content: Mapping[str, Any]) -> str:
    """The words of a message; pictures and files are not among them."""
    parts = content.get("parts")
    listed = cast(list[object], parts) if isinstance(parts, list) else []
    texts = [text_of(part) or text_of(mapping(part).get("text")) for part in listed]
    return "\n".join(text for text in texts if text.strip()) or text_of(content.get("text")).strip()


def read_claude(source: Source) -> Drafts:
    """The messages of each conversation, in their order; what was attached is named with them."""
    for name, conversation in _conversations(source):
        own = str(conversation.get("uuid") or conversation.get("name") or "")
        title = text_of(conversation.get("name"))
        messages = objects(conversation.get("chat_messages"))
        if not messages:
            yield LeftOut(reason="a conversation without messages", place=f"{name}: {title or own}")
        for number, message in enumerate(messages):
            place = f"{name}: {title or own}"
            text = _said(message)
            if not text.strip():
                yield LeftOut(reason="a message without words, such as a file or a call of a tool", place=place)
                continue
            role = {"human": "user", "assistant": "assistant"}.get(str(message.get("sender")), "user")
            files = [
                text_of(file.get("file_name"))
                for kind in ("attachments", "files")
                for file in objects(message.get(kind))
            ]
            yield Draft(
                id=id_of("claude", message.get("uuid") or f"{own}:{number}"),
                text=text,
                place=place,
                details=details_of(
                    source=role,
                    speaker="Claude" if role == "assistant" else None,
                    occurred_at=moment_or_none(
                        message.get("created_at") or conversation.get("created_at"), utc=True
                    ),
                    session_id=id_of("claude", own),
                    metadata=details_of(title=title, files=[file for file in files if file]),
                ),
            )


def _said(message: Mapping[str, Any]) -> str:
    """The words of a message: those of its parts, or of its text if it has none."""
    parts = [text_of(part.get("text")) for part in objects(message.get("content")) if part.get("type") == "text"]
    return "\n".join(part for part in parts if part.strip()) or text_of(message.get("text"))
