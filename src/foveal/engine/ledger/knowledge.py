"""Files and folders as knowledge: cut along their structure, and followed as they change."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from foveal.engine.core import Core
from foveal.engine.ledger.following import Counts, Document, Following, forget, held_of
from foveal.errors import Invalid, NotFound, TooLarge
from foveal.model.query import Viewpoint
from foveal.model.results import Ingested, Skipped
from foveal.rules.documents import decoded, html_text

LARGEST = 20 << 20
MOST_FILES = 100_000
TEXTS = frozenset({".md", ".markdown", ".mdx", ".rst", ".txt", ".text", ".log"})
PAGES = frozenset({".html", ".htm", ".xhtml"})

Progress = Callable[[int, int], None]


def ingest(
    core: Core,
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
    files = _files(core, place)
    known = held_of(core, viewpoint, root)
    counts, skipped, done = Counts(), list[Skipped](), 0
    for number, (file, trouble) in enumerate(files, 1):
        if file == folder:
            raise Invalid(f"{path} cannot be read: {trouble}", path=str(path))
        source = file.relative_to(folder).as_posix()
        held = known.pop(source, {})
        for below in [one for one in known if trouble and one.startswith(f"{source}/")]:
            # A folder that cannot be looked into has not vanished.
            held |= known.pop(below)
        text = None if trouble else _text(core, file)
        if isinstance(text, str):
            done += 1
            written = datetime.fromtimestamp(file.stat().st_mtime, UTC)
            document = Document(root=root, source=source, text=text, written_at=written, tags=tags)
            Following(core, viewpoint, document, held, counts, again=again).run()
        elif held or text is not None or trouble:
            skipped.append(Skipped(path=str(file), reason=trouble or (text.reason if text else "not text")))
        if progress is not None:
            progress(number, len(files))
    if place.is_dir():
        for gone in known.values():
            forget(core, viewpoint, list(gone.values()), counts)
    elif skipped:
        raise Invalid(f"{path} is no Markdown, text, HTML or PDF: {skipped[0].reason}", path=str(path))
    return Ingested(files=done, skipped=tuple(skipped), **msgspec.structs.asdict(counts))


def _files(core: Core, place: Path) -> list[tuple[Path, str]]:
    """The files to read, each with what keeps it from being read, if anything does."""
    if not place.is_dir():
        return [(place, "" if place.is_file() else "not a file")]
    found: list[tuple[Path, str]] = []
    for file, trouble in _walk(place):
        ending = file.suffix.lower()
        if trouble:
            found.append((file, trouble))
            continue
        if ending not in TEXTS | PAGES and ending not in core.readers:
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
