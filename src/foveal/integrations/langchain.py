"""A retriever, a chat history and a vector store for LangChain."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import repeat
from typing import Any, Self
from uuid import uuid4

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.messages import BaseMessage, message_to_dict, messages_from_dict
from langchain_core.retrievers import BaseRetriever
from langchain_core.vectorstores import VectorStore

from foveal.engine.memory import View
from foveal.integrations import keyed
from foveal.integrations.errors import raised_as
from foveal.integrations.transcripts import Line, Transcript
from foveal.model.record import Record
from foveal.model.results import Hit

KIND, REGION = "document", "documents:"
_SPEAKERS = {"human": "user", "ai": "assistant"}


class FovealRetriever(BaseRetriever):
    """What a memory knows about a question, as documents, best first.

    It finds records of every kind: what was said in any session, facts, documents. What almost surely does not help
    is left out, so there may be fewer than `k`.
    """

    memory: View
    k: int = 5
    min_relevance: float | None = None
    filters: dict[str, Any] | None = None

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, k: int | None = None
    ) -> list[Document]:
        with raised_as(ValueError):
            hits = self.memory.search(
                query, k=self.k if k is None else k, min_relevance=self.min_relevance, filters=self.filters
            )
        return [_recalled(hit) for hit in hits]


class FovealChatMessageHistory(BaseChatMessageHistory):
    """The messages of one session. They can be found from other sessions with `FovealRetriever`.

    `clear` forgets them: hidden, but in the journal until they are erased.
    """

    def __init__(self, session_id: str, memory: View) -> None:
        self.session_id = session_id
        with raised_as(ValueError):
            self._transcript = Transcript(memory, session_id, "langchain")

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override]  # pyright: ignore[reportIncompatibleVariableOverride]
        """All messages, oldest first."""
        return messages_from_dict(self._transcript.latest())

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Add messages to the end: all of them or, after an error, none."""
        with raised_as(ValueError):
            self._transcript.add([_line(message) for message in messages])

    def clear(self) -> None:
        """Forget all messages."""
        self._transcript.clear()


class FovealVectorStore(VectorStore):
    """Documents in a memory, found by words and meaning without an embedding function.

    `collection` keeps them apart from other documents of the same memory. A document that is added again under its
    id becomes a new version; `delete` erases.
    """

    def __init__(self, memory: View, *, collection: str = "default") -> None:
        self._memory = memory
        self._region = REGION + collection
        self._within = {"kind": KIND, "region": self._region}

    @classmethod
    def from_texts(  # pyright: ignore[reportIncompatibleMethodOverride]
        cls,
        texts: list[str],
        embedding: Embeddings | None = None,
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: list[str] | None = None,
        memory: View | None = None,
        collection: str = "default",
        **kwargs: Any,
    ) -> Self:
        """A store of these texts in `memory`. There is no `embedding`: the memory has its own encoder."""
        if embedding is not None:
            raise ValueError("embedding must be None: the memory has its own encoder; pass embedder= to Memory")
        if memory is None:
            raise ValueError("memory is missing: pass memory=Memory('agent.db').view(actor_id=…)")
        store = cls(memory, collection=collection)
        store.add_texts(texts, metadatas, ids=ids)
        return store

    def add_texts(
        self,
        texts: Iterable[str],
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: list[str | None] | list[str] | None = None,
        **kwargs: Any,
    ) -> list[str]:
        """Add documents and return their ids. Those that have an id already are replaced."""
        listed = list(texts)
        for name, given in (("metadatas", metadatas), ("ids", ids)):
            if given is not None and len(given) != len(listed):
                raise ValueError(f"there are {len(listed)} texts and {len(given)} {name}: pass one for each")
        names = [name or str(uuid4()) for name in ids or repeat(None, len(listed))]
        known = keyed.stored(self._memory, KIND, [(self._region, name) for name in names])
        with raised_as(ValueError):
            for text, name, metadata in zip(listed, names, metadatas or repeat({}), strict=False):
                self._put(text, name, metadata, known.get((self._region, name)))
        return names

    def delete(self, ids: list[str] | None = None, **kwargs: Any) -> bool | None:
        """Erase documents for good; without ids, all of this collection. Ids that do not exist are ignored."""
        if ids is None:
            self._memory.forget(self._within, hard=True)
            return True
        known = keyed.stored(self._memory, KIND, [(self._region, name) for name in ids])
        if known:
            self._memory.forget([record.id for record in known.values()], hard=True)
        return True

    def get_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        """The documents with these ids, in the order of the ids; those that do not exist are left out."""
        keys = [(self._region, name) for name in ids]
        known = keyed.stored(self._memory, KIND, keys)
        return [_document(known[key]) for key in keys if key in known]

    def similarity_search(self, query: str, k: int = 4, **kwargs: Any) -> list[Document]:
        """The `k` documents that fit a question best. `filter` compares metadata, as `foveal` filters do."""
        return [document for document, _ in self.similarity_search_with_score(query, k, **kwargs)]

    def similarity_search_with_score(
        self, query: str, k: int = 4, *, filter: Mapping[str, Any] | None = None, **kwargs: Any
    ) -> list[tuple[Document, float]]:
        """The best documents with their relevance, from 0 to 1: how likely each helps."""
        where = {f"metadata.values.{name}": wanted for name, wanted in (filter or {}).items()}
        with raised_as(ValueError):
            hits = self._memory.search(query, k=k, filters={**self._within, **where}, min_relevance=0.0)
        return [(_document(hit.record), hit.relevance) for hit in hits]

    def _similarity_search_with_relevance_scores(
        self, query: str, k: int = 4, **kwargs: Any
    ) -> list[tuple[Document, float]]:
        return self.similarity_search_with_score(query, k, **kwargs)

    def _put(self, text: str, name: str, metadata: Mapping[str, Any], record: Record | None) -> None:
        # A record has a text; that of an empty document is its id.
        blank = {} if text.strip() else {"blank": text}
        details: dict[str, Any] = {"metadata": {"id": name, "values": dict(metadata), **blank}}
        content = name if blank else text
        if record is not None:
            self._memory.supersede(record.id, content, **details)
        else:
            fixed = {"region": self._region, "tier": "semantic"}
            keyed.put(self._memory, KIND, (self._region, name), content, fixed=fixed, details=details)


def _recalled(hit: Hit) -> Document:
    record = hit.record
    about: dict[str, Any] = {
        "relevance": hit.relevance,
        "occurred_at": record.occurred_at.isoformat(),
        "kind": record.kind,
        "speaker": record.speaker,
        "session_id": record.session_id,
        "tags": list(record.tags),
        "replaced_by": hit.replaced_by,
    }
    kept = {name: value for name, value in about.items() if value not in (None, [])}
    return Document(id=record.id, page_content=record.text, metadata=kept)


def _document(record: Record) -> Document:
    stored = record.metadata
    return Document(id=stored["id"], page_content=stored.get("blank", record.text), metadata=dict(stored["values"]))


def _line(message: BaseMessage) -> Line:
    calls = [f"called {call['name']} with {call['args']}" for call in getattr(message, "tool_calls", ())]
    said = "\n".join([str(message.text), *calls])
    return Line(message_to_dict(message), said, message.name or _SPEAKERS.get(message.type, message.type))
