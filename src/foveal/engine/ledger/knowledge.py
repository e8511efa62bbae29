"""Imports files and folders as knowledge, and follows their changes."""

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
from foveal.errors import CODES, Conflict, Invalid, NotFound, TooLarge
from foveal.model.ids import new_id
from foveal.model.query import AllOf, At, Compare, Details, Op, Viewpoint
from foveal.model.record import Record, Scope, Vitals
from foveal.model.results import Ingested, Move, Skipped, What
from foveal.ports.store import Order, PlannedMove
from foveal.rules.documents import Chunk, cut, decoded, html_text
from foveal.rules.lifecycle import archived
from foveal.rules.visibility import gone

NOTHING: Mapping[str, str] = {}
# The reason in the journal for a chunk that left its file: such a chunk may come back with the file.
LEFT = "it is no longer in its file"


class Counts(Struct):
    """The numbers of chunks processed so far."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    forgotten: int = 0
    withheld: int = 0
    archived: int = 0


class Document(Struct, frozen=True, kw_only=True):
    """A file: its folder, its path in it, its text, when it was written, and who sees it."""

    root: str
    source: str
    text: str
    written_at: datetime
    tags: tuple[str, ...]
    scope: Scope


def held_of(runtime: Runtime, viewpoint: Viewpoint, root: str) -> dict[str, dict[str, Record]]:
    """The stored chunks of a folder by file and id, forgotten ones included."""
    where = AllOf((of_kinds(["knowledge"]), Compare(field="metadata.root", op=Op.EQ, value=root)))
    held: dict[str, dict[str, Record]] = {}
    for record in runtime.store.records.scan(
        runtime.access(viewpoint, where=where, include_hidden=True), order=Order.OLDEST
    ):
        if record.node == viewpoint.node:
            held.setdefault(str(record.metadata.get("source")), {})[record.id] = record
    return held


def forget(runtime: Runtime, viewpoint: Viewpoint, records: list[Record], counts: Counts) -> None:
    """Forget chunks that no file contains any more."""
    now = runtime.clock.now()
    ids = [record.id for record in records if not gone(record, now)]
    if ids:
        counts.forgotten += len(changes.forget(runtime, viewpoint, ids, hard=False, why=LEFT).ids)


def archive(runtime: Runtime, viewpoint: Viewpoint, records: list[Record], counts: Counts) -> None:
    """Archive chunks whose file was removed; pinned and archived ones stay as they are."""
    now = runtime.clock.now()
    left = [record for record in records if not (gone(record, now) or record.archived or record.pinned)]
    shifts = [archived(record, LEFT, now) for record in left]
    if shifts:
        changed = tuple(shift.change for shift in shifts)
        move = Move(id=new_id(now), at=now, who=viewpoint.node, what=What.ARCHIVED, why=LEFT, changes=changed)
        runtime.writes.apply(runtime.access(viewpoint), [PlannedMove(move=move)], runtime.encoder)
    counts.archived += len(shifts)


class Following:
    """Brings the stored chunks of one file up to date.

    A chunk that was forgotten stays so while the file says the same, and one that was erased until the file is
    written anew, unless everything is wanted `again`.
    """

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
        self._left = {_place(record): record for record in held.values()}

    def run(self) -> None:
        """Add, supersede and forget chunks until they match the file."""
        fresh: dict[str, Chunk] = {}
        for chunk in cut(self._document.text):
            place = self._id(chunk)
            known = self._left.pop(place, None)
            if known is None:
                fresh[place] = chunk
            else:
                self._update(known, chunk)
        self._add(fresh)
        forget(self._runtime, self._viewpoint, list(self._left.values()), self._counts)

    def _update(self, known: Record, chunk: Chunk) -> None:
        """Bring a stored chunk up to date."""
        same = known.metadata.get("digest") == chunk.digest
        if not gone(known, self._runtime.clock.now()):
            if same and known.archived and self._left_its_file(known):
                self._runtime.writes.revise(self._runtime.access(self._viewpoint), [known.id], _unarchived)
                self._counts.added += 1
            elif same:
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
        """Whether a record was put away because it left its file, and not because someone asked for it."""
        access = self._runtime.access(self._viewpoint, include_hidden=True)
        moves = self._runtime.store.lifecycle.journal(access, record_id=record.id, limit=20)
        last = next((move for move in moves if move.what in (What.FORGOTTEN, What.ARCHIVED)), None)
        return last is not None and last.why == LEFT

    def _add(self, fresh: dict[str, Chunk]) -> None:
        at = At(world=self._viewpoint.world, actor_id=self._viewpoint.actor_id, node=self._viewpoint.node)
        items: list[dict[str, Any]] = [
            {"text": chunk.text, "id": record_id, **self._details(chunk)} for record_id, chunk in fresh.items()
        ]
        written = write_many(self._runtime, at, items, {}, derived=True)
        self._counts.added += len(written.ids)
        for rejection in written.rejected:
            if rejection.code != Conflict.code:
                raise CODES[rejection.code](f"a chunk cannot be stored: {rejection.message}")
            self._add_in_conflict(*list(fresh.items())[rejection.index])

    def _add_in_conflict(self, place: str, chunk: Chunk) -> None:
        """Add a chunk whose id is in use: another process has just written it, or an erased chunk had it."""
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
            "scope": document.scope,
            "tags": document.tags,
            "metadata": {
                "title": f"{name}: {chunk.title}" if chunk.title else name,
                "source": document.source,
                "root": document.root,
                "digest": chunk.digest,
                **more,
            },
        }


def _unarchived(record: Record) -> Vitals:
    return msgspec.structs.replace(record.vitals, archived_at=None)


def _named(*names: str) -> str:
    digest = blake2b("\n".join(names).encode("utf-8", "replace"), digest_size=12).hexdigest()
    return f"knowledge:{digest}"


def _place(record: Record) -> str:
    """The id that a chunk at this place has by default; another is used if that one belongs to an erased chunk."""
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
    scope: Scope,
    keep_removed: bool,
    progress: Progress | None,
) -> Ingested:
    """Import a file or a folder. Unchanged chunks stay, changed ones supersede, vanished ones are forgotten.

    With `keep_removed`, the chunks of removed files are archived instead. Chunks that were forgotten or erased stay
    out, unless everything is wanted `again`.
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
        for below in [other for other in known if trouble and other.startswith(f"{source}/")]:
            # The files of an unreadable folder have not vanished.
            held |= known.pop(below)
        text = None if trouble else _text(runtime, file)
        if isinstance(text, str):
            done += 1
            written = datetime.fromtimestamp(file.stat().st_mtime, UTC)
            document = Document(root=root, source=source, text=text, written_at=written, tags=tags, scope=scope)
            Following(runtime, viewpoint, document, held, counts, again=again).run()
        elif held or text is not None or trouble:
            skipped.append(Skipped(path=str(file), reason=trouble or (text.reason if text else "not text")))
        if progress is not None:
            progress(number, len(files))
    if place.is_dir():
        put_away = archive if keep_removed else forget
        for vanished in known.values():
            put_away(runtime, viewpoint, list(vanished.values()), counts)
    elif skipped:
        raise _refused(str(path), skipped[0])
    return Ingested(files=done, skipped=tuple(skipped), **msgspec.structs.asdict(counts))


def ingest_document(
    runtime: Runtime,
    viewpoint: Viewpoint,
    name: str,
    data: bytes,
    *,
    folder: str,
    tags: tuple[str, ...],
    again: bool,
    scope: Scope,
) -> Ingested:
    """Import one document from its name and content, and follow it when it is sent again."""
    if len(data) > LARGEST:
        raise TooLarge(f"{name} has over {LARGEST >> 20} MB: ingest its parts one by one")
    text = _read(runtime, name, data)
    if isinstance(text, Skipped):
        raise _refused(name, text)
    document = Document(root=folder, source=name, text=text, written_at=runtime.clock.now(), tags=tags, scope=scope)
    counts = Counts()
    held = held_of(runtime, viewpoint, folder).get(name, {})
    Following(runtime, viewpoint, document, held, counts, again=again).run()
    return Ingested(files=1, **msgspec.structs.asdict(counts))


def documents(place: Path, endings: frozenset[str]) -> list[Path]:
    """The files of a folder, or the one file, that can be ingested: texts, pages, and those with these endings."""
    if not place.is_dir():
        return [place]
    return [
        file for file, trouble in _walk(place) if not trouble and file.suffix.lower() in TEXTS | PAGES | endings
    ]


def _refused(name: str, skipped: Skipped) -> Invalid:
    kinds = "Markdown, text, HTML, PDF, Word (.docx), EPUB or CSV"
    return Invalid(f"{name} is not {kinds}: {skipped.reason}", path=name)


def _files(runtime: Runtime, place: Path) -> list[tuple[Path, str]]:
    """The files to read, each with the reason why it cannot be read, or an empty string."""
    if not place.is_dir():
        return [(place, "" if place.is_file() else "not a file")]
    files: list[tuple[Path, str]] = []
    for file, trouble in _walk(place):
        ending = file.suffix.lower()
        if trouble:
            files.append((file, trouble))
            continue
        if ending not in TEXTS | PAGES and ending not in runtime.readers:
            continue
        if len(files) == MOST_FILES:
            raise TooLarge(f"{place} has more than {MOST_FILES:,} files: ingest its parts one by one")
        outside = file.is_symlink() and not file.resolve().is_relative_to(place)
        files.append((file, "a link out of the folder" if outside else ""))
    return files


def _walk(folder: Path) -> Iterator[tuple[Path, str]]:
    """The files in and below a folder, in order, without hidden ones; links to folders are not followed.

    An unreadable folder is listed itself, with the reason.
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
    return _read(runtime, str(file), data)


def _read(runtime: Runtime, name: str, data: bytes) -> str | Skipped:
    """The text of a file with this name and content as Markdown, or why there is none."""
    ending = Path(name).suffix.lower()
    reader = runtime.readers.get(ending)
    if reader is not None:
        try:
            return reader(data)
        except Invalid as error:
            return Skipped(path=name, reason=error.message)
    text = decoded(data)
    if text is None:
        return Skipped(path=name, reason="not text")
    text = text.replace("\x00", "")
    return html_text(text) if ending in PAGES else text
