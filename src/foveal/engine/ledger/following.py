"""What is held of a file becomes what the file says."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from hashlib import blake2b
from typing import Any

from msgspec import Struct

from foveal.engine import keep
from foveal.engine.core import Core
from foveal.engine.ledger.filing import filed
from foveal.engine.ledger.finding import of_kinds
from foveal.engine.write import write_many
from foveal.errors import Conflict, Invalid
from foveal.model.query import AllOf, At, Compare, Details, Op, Viewpoint
from foveal.model.record import Record
from foveal.model.results import What
from foveal.ports.store import Order
from foveal.rules.documents import Chunk, cut
from foveal.rules.visibility import gone

NOTHING: Mapping[str, str] = {}
# Why the journal says that a chunk was forgotten: then it may come back with its file.
LEFT = "it is no longer in its file"


class Counts(Struct):
    """What was done so far."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    forgotten: int = 0
    withheld: int = 0


class Document(Struct, frozen=True, kw_only=True):
    """A file: the folder it belongs to, its place in it, what it says, and when it was written."""

    root: str
    source: str
    text: str
    written_at: datetime
    tags: tuple[str, ...]


def held_of(core: Core, viewpoint: Viewpoint, root: str) -> dict[str, dict[str, Record]]:
    """What is held of a folder already, by file and by id, with what was forgotten of it."""
    where = AllOf((of_kinds(["knowledge"]), Compare(field="metadata.root", op=Op.EQ, value=root)))
    held: dict[str, dict[str, Record]] = {}
    for record in core.store.scan(core.sight(viewpoint, where=where, hidden=True), order=Order.OLDEST):
        if record.node == viewpoint.node:
            held.setdefault(str(record.metadata.get("source")), {})[record.id] = record
    return held


def forget(core: Core, viewpoint: Viewpoint, records: list[Record], counts: Counts) -> None:
    """Forget what no file says any more."""
    now = core.clock.now()
    ids = [one.id for one in records if not gone(one, now)]
    if ids:
        counts.forgotten += len(keep.forget(core, viewpoint, ids, hard=False, why=LEFT).ids)


class Following:
    """One file, followed. What was forgotten of it stays so while it says the same; what was erased, until the file
    is written anew; unless all is wanted `again`."""

    def __init__(
        self,
        core: Core,
        viewpoint: Viewpoint,
        document: Document,
        held: dict[str, Record],
        counts: Counts,
        *,
        again: bool,
    ) -> None:
        self._core, self._viewpoint = core, viewpoint
        self._document, self._counts, self._all = document, counts, again
        self._left = {_place(one): one for one in held.values()}

    def run(self) -> None:
        """Let what is held become what the file says."""
        fresh: dict[str, Chunk] = {}
        for chunk in cut(self._document.text):
            place = self._id(chunk)
            known = self._left.pop(place, None)
            if known is None:
                fresh[place] = chunk
            else:
                self._meet(known, chunk)
        self._add(fresh)
        forget(self._core, self._viewpoint, list(self._left.values()), self._counts)

    def _meet(self, known: Record, chunk: Chunk) -> None:
        """Let a chunk that is held say what the file says now."""
        same = known.metadata.get("digest") == chunk.digest
        if not gone(known, self._core.clock.now()):
            if same:
                self._counts.unchanged += 1
            else:
                self._file(known.id, chunk, _place(known))
                self._counts.changed += 1
        elif same and not self._all and not self._left_its_file(known):
            self._counts.withheld += 1
        else:
            self._file(known.id, chunk, _place(known))
            self._counts.added += 1

    def _left_its_file(self, record: Record) -> bool:
        """Whether it was forgotten because the file did not say it, and not because someone wanted it gone."""
        sight = self._core.sight(self._viewpoint, hidden=True)
        moves = self._core.store.journal(sight, record_id=record.id, limit=20)
        last = next((one for one in moves if one.what is What.FORGOTTEN), None)
        return last is not None and last.why == LEFT

    def _add(self, fresh: dict[str, Chunk]) -> None:
        at = At(world=self._viewpoint.world, actor_id=self._viewpoint.actor_id, node=self._viewpoint.node)
        items: list[dict[str, Any]] = [
            {"text": chunk.text, "id": record_id, **self._details(chunk)} for record_id, chunk in fresh.items()
        ]
        written = write_many(self._core, at, items, {})
        self._counts.added += len(written.ids)
        for one in written.rejected:
            if one.code != Conflict.code:
                raise Invalid(f"a chunk cannot be taken: {one.message}")
            self._bring(*list(fresh.items())[one.index])

    def _bring(self, place: str, chunk: Chunk) -> None:
        """Bring in a chunk whose id is taken: by another process just now, or by one that was erased."""
        record_id = place
        while True:
            try:
                self._file(record_id, chunk, place)
            except Conflict as error:
                erased = error.data.get("erased_at")
                if not isinstance(erased, datetime):
                    raise
                if not self._all and self._document.written_at <= erased:
                    self._counts.withheld += 1
                    return
                record_id = _named(record_id)
            else:
                self._counts.added += 1
                return

    def _file(self, record_id: str, chunk: Chunk, place: str) -> None:
        details = self._details(chunk, {} if record_id == place else {"instead_of": place})
        filed(self._core, self._viewpoint, record_id, chunk.text, details, back=True)

    def _id(self, chunk: Chunk) -> str:
        return _named(self._viewpoint.node, self._document.root, self._document.source, chunk.place)

    def _details(self, chunk: Chunk, more: Mapping[str, str] = NOTHING) -> Details:
        document = self._document
        name = document.source.rpartition("/")[2]
        return {
            "kind": "knowledge",
            "tags": document.tags,
            "metadata": {
                "title": f"{name}: {chunk.title}" if chunk.title else name,
                "source": document.source,
                "root": document.root,
                "digest": chunk.digest,
                **more,
            },
        }


def _named(*names: str) -> str:
    digest = blake2b("\n".join(names).encode("utf-8", "replace"), digest_size=12).hexdigest()
    return f"knowledge:{digest}"


def _place(record: Record) -> str:
    """The id of the first chunk at its place: one that was erased gives its id to no other."""
    return str(record.metadata.get("instead_of", record.id))
