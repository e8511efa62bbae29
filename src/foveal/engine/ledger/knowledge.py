"""Files and folders as knowledge, followed as they change."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from foveal.engine.ledger.records import of_kinds, put_record
from foveal.engine.records import changes
from foveal.engine.records.write import write_many
from foveal.engine.runtime.runtime import Runtime
from foveal.errors import Conflict, Invalid, NotFound, TooLarge
from foveal.model.query import AllOf, At, Compare, Details, Op, Viewpoint
from foveal.model.record import Record
from foveal.model.results import Ingested, Skipped, What
from foveal.ports.store import Order
from foveal.rules.documents import Chunk, cut, decoded, html_text
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


def held_of(runtime: Runtime, viewpoint: Viewpoint, root: str) -> dict[str, dict[str, Record]]:
    """What is held of a folder already, by file and by id, with what was forgotten of it."""
    where = AllOf((of_kinds(["knowledge"]), Compare(field="metadata.root", op=Op.EQ, value=root)))
    held: dict[str, dict[str, Record]] = {}
    for record in runtime.store.scan(
        runtime.access(viewpoint, where=where, include_hidden=True), order=Order.OLDEST
    ):
        if record.node == viewpoint.node:
            held.setdefault(str(record.metadata.get("source")), {})[record.id] = record
    return held


def forget(runtime: Runtime, viewpoint: Viewpoint, records: list[Record], counts: Counts) -> None:
    """Forget what no file says any more."""
    now = runtime.clock.now()
    ids = [one.id for one in records if not gone(one, now)]
    if ids:
        counts.forgotten += len(changes.forget(runtime, viewpoint, ids, hard=False, why=LEFT).ids)


class Following:
    """One file, followed. What was forgotten of it stays so while it says the same; what was erased, until the file
    is written anew; unless all is wanted `again`."""

    def __init__(
        self,
        runtime: Runtime,
        viewpoint: Viewpoint,
        document: Document,
        held: dict[str, Record],
        counts: Counts,
        *,
        again: bool,
    ) -> None:
        self._runtime, self._viewpoint = runtime, viewpoint
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
        forget(self._runtime, self._viewpoint, list(self._left.values()), self._counts)

    def _meet(self, known: Record, chunk: Chunk) -> None:
        """Let a chunk that is held say what the file says now."""
        same = known.metadata.get("digest") == chunk.digest
        if not gone(known, self._runtime.clock.now()):
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
        access = self._runtime.access(self._viewpoint, include_hidden=True)
        moves = self._runtime.store.journal(access, record_id=record.id, limit=20)
        last = next((one for one in moves if one.what is What.FORGOTTEN), None)
        return last is not None and last.why == LEFT

    def _add(self, fresh: dict[str, Chunk]) -> None:
        at = At(world=self._viewpoint.world, actor_id=self._viewpoint.actor_id, node=self._viewpoint.node)
        items: list[dict[str, Any]] = [
            {"text": chunk.text, "id": record_id, **self._details(chunk)} for record_id, chunk in fresh.items()
        ]
        written = write_many(self._runtime, at, items, {})
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
        put_record(self._runtime, self._viewpoint, record_id, chunk.text, details, back=True)

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


LARGEST = 20 << 20
MOST_FILES = 100_000
TEXTS = frozenset({".md", ".markdown", ".mdx", ".rst", ".txt", ".text", ".log"})
PAGES = frozenset({".html", ".htm", ".xhtml"})

Progress = Callable[[int, int], None]


def ingest(
    runtime: Runtime,
    viewpoint: Viewpoint,
    path: Path,
    *,
    name: str | None,
    tags: tuple[str, ...],
    again: bool,
    progress: Progress | None,
) -> Ingested:
    """Bring a file or a folder in. What is as it was, stays; changed chunks supersede; vanished ones go.

    What was forgotten or erased stays out, unless all is wanted `again`.
    """
    place = path.expanduser().resolve()
    if not place.exists():
        raise NotFound(f"there is no file or folder {path}", path=str(path))
    folder = place if place.is_dir() else place.parent
    root = name or str(place if place.is_dir() else folder)
    files = _files(runtime, place)
    known = held_of(runtime, viewpoint, root)
    counts, skipped, done = Counts(), list[Skipped](), 0
    for number, (file, trouble) in enumerate(files, 1):
        if file == folder:
            raise Invalid(f"{path} cannot be read: {trouble}", path=str(path))
        source = file.relative_to(folder).as_posix()
        held = known.pop(source, {})
        for below in [one for one in known if trouble and one.startswith(f"{source}/")]:
            # A folder that cannot be looked into has not vanished.
            held |= known.pop(below)
        text = None if trouble else _text(runtime, file)
        if isinstance(text, str):
            done += 1
            written = datetime.fromtimestamp(file.stat().st_mtime, UTC)
            document = Document(root=root, source=source, text=text, written_at=written, tags=tags)
            Following(runtime, viewpoint, document, held, counts, again=again).run()
        elif held or text is not None or trouble:
            skipped.append(Skipped(path=str(file), reason=trouble or (text.reason if text else "not text")))
        if progress is not None:
            progress(number, len(files))
    if place.is_dir():
        for gone in known.values():
            forget(runtime, viewpoint, list(gone.values()), counts)
    elif skipped:
        raise Invalid(f"{path} is no Markdown, text, HTML or PDF: {skipped[0].reason}", path=str(path))
    return Ingested(files=done, skipped=tuple(skipped), **msgspec.structs.asdict(counts))


def _files(runtime: Runtime, place: Path) -> list[tuple[Path, str]]:
    """The files to read, each with what keeps it from being read, if anything does."""
    if not place.is_dir():
        return [(place, "" if place.is_file() else "not a file")]
    found: list[tuple[Path, str]] = []
    for file, trouble in _walk(place):
        ending = file.suffix.lower()
        if trouble:
            found.append((file, trouble))
            continue
        if ending not in TEXTS | PAGES and ending not in runtime.readers:
            continue
        if len(found) == MOST_FILES:
            raise TooLarge(f"{place} has more than {MOST_FILES:,} files: bring its parts in one by one")
        outside = file.is_symlink() and not file.resolve().is_relative_to(place)
        found.append((file, "a link out of the folder" if outside else ""))
    return found


def _walk(folder: Path) -> Iterator[tuple[Path, str]]:
    """The files of a folder and below, in order, without hidden ones; links to folders are not followed.

    A folder that cannot be looked into comes itself, with the reason.
    """
    try:
        entries = sorted(folder.iterdir())
    except OSError as error:
        yield folder, error.strerror or "cannot be read"
        return
    for entry in entries:
        if entry.name.startswith("."):
            continue
        if entry.is_dir():
            if not entry.is_symlink():
                yield from _walk(entry)
        elif entry.is_file():
            yield entry, ""


def _text(runtime: Runtime, file: Path) -> str | Skipped:
    """The text of a file as Markdown, or why there is none."""
    try:
        if file.stat().st_size > LARGEST:
            return Skipped(path=str(file), reason=f"over {LARGEST >> 20} MB")
        data = file.read_bytes()
    except OSError as error:
        return Skipped(path=str(file), reason=error.strerror or "cannot be read")
    reader = runtime.readers.get(file.suffix.lower())
    if reader is not None:
        try:
            return reader(data)
        except Invalid as error:
            return Skipped(path=str(file), reason=error.message)
    text = decoded(data)
    if text is None:
        return Skipped(path=str(file), reason="not text")
    text = text.replace("\x00", "")
    return html_text(text) if file.suffix.lower() in PAGES else text
