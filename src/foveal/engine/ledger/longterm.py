"""Long-term memory: procedures, incidents, configuration changes and knowledge, searched together."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Unpack

from foveal.engine.ledger.knowledge import ingest, ingest_document
from foveal.engine.ledger.records import found, kinds_of, of_kinds, put_record, result_of
from foveal.engine.runtime.facade import Facade, Moment, checks_arguments, takes
from foveal.errors import Invalid
from foveal.model.ids import new_id, own_id
from foveal.model.ledger import ConfigChange, Incident, Knowledge, Procedure
from foveal.model.query import At, Details, Viewpoint
from foveal.model.record import Record, Scope
from foveal.model.results import Ingested, SearchResult
from foveal.ports.store import Order
from foveal.rules.drafts import stored_scope, viewpoint_of
from foveal.rules.validation import (
    checked_count,
    checked_fraction,
    checked_id,
    checked_json,
    checked_name,
    checked_one_of,
    checked_path,
    checked_tags,
    checked_text,
)

DEFAULT = ("decisions", "incidents", "procedures")


@checks_arguments
class LongTerm(Facade):
    """Procedures, incidents, configuration changes and knowledge: records with typed details in their metadata.

    Storing one again under its id adds a version if it changed. All nodes of the actor see them, and the record
    keeps which node wrote it; `scope` narrows that.
    """

    def semantic_search(
        self,
        query: str,
        collections: Sequence[str] | None = None,
        n_results: int = 5,
        *,
        min_relevance: float | None = None,
        **at: Unpack[At],
    ) -> list[SearchResult]:
        """The records of these collections that answer a query best, most relevant first.

        The default collections are decisions, incidents and procedures. Relevance runs from 0 to 1 and can be
        compared across queries.
        """
        kinds = kinds_of(DEFAULT if collections is None else collections)
        hits = found(
            self._runtime,
            viewpoint_of(self._bound, at),
            checked_text(query, "query"),
            checked_count(n_results, "n_results"),
            where=[of_kinds(kinds)],
            least=0.0 if min_relevance is None else checked_fraction(min_relevance, "min_relevance"),
        )
        return [result_of(hit) for hit in hits]

    @takes(Procedure, "name", "description", id="procedure_id")
    def store_procedure(
        self,
        name: str | Procedure,
        description: str = "",
        *,
        steps: Sequence[Any] = (),
        success_count: int = 0,
        fail_count: int = 0,
        avg_duration_ms: float | None = None,
        tags: Iterable[str] = (),
        procedure_id: str | None = None,
        scope: Scope | str | None = None,
        **at: Unpack[At],
    ) -> Record:
        """Store how something is done, or a whole `Procedure`. Stored again under its id, it gets a new version."""
        lines = [f"{checked_name(name, 'name')}: {checked_text(description, 'description')}"]
        plain = checked_json(list(steps), "steps")
        lines += [f"{number}. {step}" for number, step in enumerate(plain, 1)]
        metadata = {
            "name": name,
            "description": description,
            "steps": plain,
            "success_count": checked_count(success_count, "success_count", 0),
            "fail_count": checked_count(fail_count, "fail_count", 0),
            "avg_duration_ms": avg_duration_ms,
        }
        details: Details = {"kind": "procedure", "tags": checked_tags(tags), "scope": _scope(scope)}
        return self._put("\n".join(lines), details, metadata, procedure_id, at)

    @takes(Incident, id="incident_id", timestamp="occurred_at")
    def store_incident(
        self,
        description: str | Incident,
        *,
        symptoms: Sequence[str] = (),
        root_cause: str = "",
        resolution: str = "",
        resolved_by: str = "",
        prevention: str = "",
        occurred_at: Moment | None = None,
        incident_id: str | None = None,
        scope: Scope | str | None = None,
        **at: Unpack[At],
    ) -> Record:
        """Store what went wrong, why, and what helped, or a whole `Incident`.

        Storing it again under its id adds a version if it changed.
        """
        sections = {
            "Symptoms": "; ".join(checked_text(symptom, "a symptom") for symptom in symptoms),
            "Root cause": root_cause,
            "Resolution": resolution,
            "Resolved by": resolved_by,
            "Prevention": prevention,
        }
        lines = [
            checked_text(description, "description"),
            *(f"{name}: {text}" for name, text in sections.items() if text),
        ]
        metadata = {
            "description": description,
            "symptoms": list(symptoms),
            "root_cause": root_cause,
            "resolution": resolution,
            "resolved_by": resolved_by,
            "prevention": prevention,
        }
        details: Details = {"kind": "incident", "scope": _scope(scope)}
        if occurred_at is not None:
            details["occurred_at"] = occurred_at
        return self._put("\n".join(lines), details, metadata, incident_id, at)

    @takes(ConfigChange, "file_path", "content", id="change_id")
    def store_config_change(
        self,
        file_path: str | ConfigChange,
        content: str = "",
        *,
        changed_by: str = "",
        reason: str = "",
        change_id: str | None = None,
        scope: Scope | str | None = None,
        **at: Unpack[At],
    ) -> Record:
        """Store the new content of a configuration file, who changed it, and why, or a whole `ConfigChange`."""
        head = f"{checked_name(file_path, 'file_path')} changed" + (f" by {changed_by}" if changed_by else "")
        lines = [head + (f": {reason}" if reason else ""), checked_text(content, "content")]
        metadata = {"file_path": file_path, "changed_by": changed_by, "reason": reason}
        details: Details = {"kind": "config_change", "scope": _scope(scope)}
        return self._put("\n".join(lines), details, metadata, change_id, at)

    def get_config_history(self, file_path: str, limit: int = 100, **at: Unpack[At]) -> list[Record]:
        """The stored changes of a configuration file, newest first."""
        access = self._access(at, {"kind": "config_change", "metadata.file_path": file_path})
        return list(
            self._runtime.store.records.scan(access, order=Order.NEWEST, limit=checked_count(limit, "limit"))
        )

    @takes(Knowledge, "title", "content", id="knowledge_id")
    def add_knowledge(
        self,
        title: str | Knowledge,
        content: str = "",
        *,
        source: str = "",
        tags: Iterable[str] = (),
        knowledge_id: str | None = None,
        scope: Scope | str | None = None,
        **at: Unpack[At],
    ) -> Record:
        """Store a piece of reference knowledge, or a whole `Knowledge`.

        Storing it again under its id adds a version if it changed.
        """
        metadata = {"title": checked_name(title, "title"), "source": source}
        details: Details = {"kind": "knowledge", "tags": checked_tags(tags), "scope": _scope(scope)}
        return self._put(checked_text(content, "content"), details, metadata, knowledge_id, at)

    store_knowledge = add_knowledge

    def search_knowledge(
        self, query: str, n_results: int = 5, *, min_relevance: float | None = None, **at: Unpack[At]
    ) -> list[SearchResult]:
        """The pieces of knowledge that answer a query best, most relevant first."""
        return self.semantic_search(query, ["knowledge"], n_results, min_relevance=min_relevance, **at)

    def list_knowledge(self, limit: int = 100, **at: Unpack[At]) -> list[Record]:
        """All pieces of knowledge, newest first."""
        access = self._access(at, {"kind": "knowledge"})
        return list(
            self._runtime.store.records.scan(access, order=Order.NEWEST, limit=checked_count(limit, "limit"))
        )

    def ingest(
        self,
        path: str | Path,
        *,
        name: str | None = None,
        tags: Iterable[str] = (),
        again: bool = False,
        scope: Scope | str | None = None,
        keep_removed: bool = False,
        progress: Callable[[int, int], None] | None = None,
        **at: Unpack[At],
    ) -> Ingested:
        """Import Markdown, text, HTML, PDF, Word, EPUB or CSV, a file or a folder, as knowledge.

        Running it again follows the files: unchanged chunks are left alone, changed ones supersede, and vanished
        ones are forgotten. A chunk that you forgot stays forgotten while the file says the same, and one that you
        erased until the file is written anew, unless you pass `again`. With `keep_removed`, the chunks of a removed
        file are archived instead of forgotten. `name` identifies the folder, so that it can move. `progress` is
        called with the number of files done and the total.
        """
        viewpoint = viewpoint_of(self._bound, at)
        known_as = None if name is None else checked_name(name, "name")
        labels = checked_tags(tags)
        place = checked_path(path)
        return ingest(
            self._runtime,
            viewpoint,
            place,
            name=known_as,
            tags=labels,
            again=bool(again),
            scope=_scope(scope),
            keep_removed=keep_removed,
            progress=progress,
        )

    def ingest_document(
        self,
        name: str,
        content: str,
        *,
        encoding: str = "text",
        folder: str = "documents",
        tags: Iterable[str] = (),
        again: bool = False,
        scope: Scope | str | None = None,
        **at: Unpack[At],
    ) -> Ingested:
        """Import one document from its content, as a client sends it; the ending of `name` says what it is.

        `encoding` is "text", or "base64" for PDF, Word and EPUB. Sent again under the same name and folder, it is
        followed as by `ingest`.
        """
        label = checked_name(name, "name")
        kind = checked_one_of(encoding, ("text", "base64"), "encoding")
        try:
            data = b64decode(content, validate=True) if kind == "base64" else content.encode()
        except ValueError as error:
            raise Invalid(f"content is not base64: {error}") from None
        return ingest_document(
            self._runtime,
            viewpoint_of(self._bound, at),
            label,
            data,
            folder=checked_name(folder, "folder"),
            tags=checked_tags(tags),
            again=bool(again),
            scope=_scope(scope),
        )

    def _put(self, text: str, details: Details, metadata: dict[str, Any], record_id: str | None, at: At) -> Record:
        viewpoint: Viewpoint = viewpoint_of(self._bound, at)
        key = self._key(viewpoint, record_id)
        filled = {name: value for name, value in metadata.items() if value not in ("", None, [])}
        source = "user" if details.get("kind") == "knowledge" else "assistant"
        all_details: Details = {**details, "source": source, "metadata": filled}
        return put_record(self._runtime, viewpoint, key, text, all_details, fresh=record_id is None)

    def _key(self, viewpoint: Viewpoint, record_id: str | None) -> str:
        """The id of an entry: the chosen one if the node sees an entry of that id, else one of the node's own."""
        if record_id is None:
            return new_id(self._runtime.clock.now())
        chosen = checked_id(record_id)
        own = own_id(viewpoint.node, chosen)
        access = self._runtime.access(viewpoint, include_hidden=True)
        stored = {record.id for record in self._runtime.store.records.get(access, [own, chosen])}
        return chosen if chosen in stored and own not in stored else own


def _scope(scope: Scope | str | None) -> Scope:
    """The scope of a new entry: GLOBAL unless another is named."""
    return Scope.GLOBAL if scope is None else stored_scope(scope)
