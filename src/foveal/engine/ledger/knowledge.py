"""Files and folders as knowledge: cut along their structure, and followed as they change."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any

from msgspec import Struct

from foveal.engine import keep
from foveal.engine.core import Core
from foveal.engine.ledger.filing import filed
from foveal.engine.ledger.finding import of_kinds
from foveal.engine.write import write_many
from foveal.errors import Conflict, Invalid, NotFound, TooLarge
from foveal.model.assembled import Ingested, Skipped
from foveal.model.draft import At, Details
from foveal.model.filter import AllOf, Compare, Op
from foveal.model.record import Record
from foveal.model.sight import Viewpoint
from foveal.ports.store import Order
from foveal.rules.documents import Chunk, cut, decoded, html_text

LARGEST = 20 << 20
MOST_FILES = 100_000
TEXTS = frozenset({".md", ".markdown", ".mdx", ".rst", ".txt", ".text", ".log"})
PAGES = frozenset({".html", ".htm", ".xhtml"})

Progress = Callable[[int, int], None]


class Counts(Struct):
    """What was done so far."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    forgotten: int = 0


def ingest(
    core: Core,
    viewpoint: Viewpoint,
    path: Path,
    *,
    name: str | None,
    tags: tuple[str, ...],
    progress: Progress | None,
) -> Ingested:
    """Bring a file or a folder in. What is as it was, stays; changed chunks supersede; vanished ones go."""
    place = path.expanduser().resolve()
    if not place.exists():
        raise NotFound(f"there is no file or folder {path}", path=str(path))
    folder = place if place.is_dir() else place.parent
    root = name or str(place if place.is_dir() else folder)
    files = _files(core, place)
    known = _known(core, viewpoint, root)
    counts, skipped, done = Counts(), list[Skipped](), 0
    for number, (file, trouble) in enumerate(files, 1):
        source = file.relative_to(folder).as_posix()
        held = known.pop(source, {})
        text = None if trouble else _text(core, file)
        if isinstance(text, str):
            done += 1
            _follow(core, viewpoint, held, _Document(root=root, source=source, text=text, tags=tags), counts)
        elif held or text is not None or trouble:
            skipped.append(Skipped(path=str(file), reason=trouble or (text.reason if text else "not text")))
        if progress is not None:
            progress(number, len(files))
    if place.is_dir():
        for gone in known.values():
            _forget(core, viewpoint, list(gone.values()), counts)
    elif not files:
        raise Invalid(f"{path} is not a file that can be read: Markdown, text, HTML or PDF", path=str(path))
    return Ingested(
        files=done,
        added=counts.added,
        changed=counts.changed,
        unchanged=counts.unchanged,
        forgotten=counts.forgotten,
        skipped=tuple(skipped),
    )


class _Document(Struct, frozen=True, kw_only=True):
    root: str
    source: str
    text: str
    tags: tuple[str, ...]


def _files(core: Core, place: Path) -> list[tuple[Path, str]]:
    """The files to read, each with what keeps it from being read, if anything does."""
    if not place.is_dir():
        return [(place, "")]
    found: list[tuple[Path, str]] = []
    for file in _walk(place):
        ending = file.suffix.lower()
        if ending not in TEXTS | PAGES and ending not in core.readers:
            continue
        if len(found) == MOST_FILES:
            raise TooLarge(f"{place} has more than {MOST_FILES:,} files: bring its parts in one by one")
        outside = file.is_symlink() and not file.resolve().is_relative_to(place)
        found.append((file, "a link out of the folder" if outside else ""))
    return found


def _walk(folder: Path) -> Iterator[Path]:
    """The files of a folder and below, in order, without hidden ones; links to folders are not followed."""
    for entry in sorted(folder.iterdir()):
        if entry.name.startswith("."):
            continue
        if entry.is_dir():
            if not entry.is_symlink():
                yield from _walk(entry)
        elif entry.is_file():
            yield entry


def _text(core: Core, file: Path) -> str | Skipped:
    """The text of a file as Markdown, or why there is none."""
    try:
        if file.stat().st_size > LARGEST:
            return Skipped(path=str(file), reason=f"over {LARGEST >> 20} MB")
        data = file.read_bytes()
    except OSError as error:
        return Skipped(path=str(file), reason=error.strerror or "cannot be read")
    reader = core.readers.get(file.suffix.lower())
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


def _known(core: Core, viewpoint: Viewpoint, root: str) -> dict[str, dict[str, Record]]:
    """What is held of a folder already, by file and by id."""
    where = AllOf((of_kinds(["knowledge"]), Compare(field="metadata.root", op=Op.EQ, value=root)))
    held: dict[str, dict[str, Record]] = {}
    for record in core.store.scan(core.sight(viewpoint, where=where), order=Order.OLDEST):
        if record.node == viewpoint.node:
            held.setdefault(str(record.metadata.get("source")), {})[record.id] = record
    return held


def _follow(core: Core, viewpoint: Viewpoint, held: dict[str, Record], document: _Document, counts: Counts) -> None:
    """Let what is held of a file become what the file says."""
    gone = dict(held)
    fresh: list[dict[str, Any]] = []
    for chunk in cut(document.text):
        record_id = _id(viewpoint, document, chunk)
        said: dict[str, Any] = {**_details(document, chunk), "id": record_id}
        known = gone.pop(record_id, None)
        if known is None:
            fresh.append({"text": chunk.text, **said})
        elif known.metadata.get("digest") == chunk.digest:
            counts.unchanged += 1
        else:
            filed(core, viewpoint, record_id, chunk.text, _details(document, chunk))
            counts.changed += 1
    _add(core, viewpoint, fresh)
    counts.added += len(fresh)
    _forget(core, viewpoint, list(gone.values()), counts)


def _add(core: Core, viewpoint: Viewpoint, fresh: list[dict[str, Any]]) -> None:
    at = At(world=viewpoint.world, actor_id=viewpoint.actor_id, node=viewpoint.node)
    for one in write_many(core, at, fresh, {}).rejected:
        if one.code != Conflict.code:
            raise Invalid(f"a chunk cannot be taken: {one.message}")
        # It was forgotten once, and is back.
        item = dict(fresh[one.index])
        record_id, text = item.pop("id"), item.pop("text")
        filed(core, viewpoint, record_id, text, Details(**item))


def _forget(core: Core, viewpoint: Viewpoint, records: list[Record], counts: Counts) -> None:
    if records:
        counts.forgotten += len(keep.forget(core, viewpoint, [one.id for one in records], hard=False).ids)


def _id(viewpoint: Viewpoint, document: _Document, chunk: Chunk) -> str:
    named = "\n".join([viewpoint.node, document.root, document.source, chunk.place])
    return f"knowledge:{blake2b(named.encode('utf-8', 'replace'), digest_size=12).hexdigest()}"


def _details(document: _Document, chunk: Chunk) -> Details:
    name = document.source.rpartition("/")[2]
    return {
        "kind": "knowledge",
        "tags": document.tags,
        "metadata": {
            "title": f"{name}: {chunk.title}" if chunk.title else name,
            "source": document.source,
            "root": document.root,
            "digest": chunk.digest,
        },
    }
