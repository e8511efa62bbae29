"""A whole memory as a folder of Markdown notes, one for each record, and the way back.

The text of a record is the body of its note; everything else of it, with its earlier versions, is the front matter.
What no note holds is in one file of JSON lines, which also says how each note was written.
"""

from __future__ import annotations

import os
import re
import shutil
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import Any

import msgspec
from msgspec import Struct, field

from foveal.engine.memory import View
from foveal.engine.records.transfer import Line
from foveal.errors import Conflict, FovealError, Invalid, NotFound
from foveal.importers.draft import LeftOut
from foveal.importers.files import Source, opened
from foveal.importers.markdown import front_matter
from foveal.model.record import Record, Vitals
from foveal.model.results import Imported, Rejected

FORMAT = "foveal-markdown"
VERSION = 1
REST = "foveal.jsonl"
# How long a name may be, in bytes; file systems take 255.
_LONGEST_NAME = 80
_NAMED = 8
# What YAML takes for the end of a line, or refuses.
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_FIRST = ("id", "occurred_at", "speaker", "source", "kind", "tags", "session_id", "importance", "valid_from")
_DEFAULTS: Mapping[str, Any] = {
    each.name: msgspec.to_builtins(each.default)
    for each in msgspec.structs.fields(Record)
    if each.default is not msgspec.NODEFAULT
} | {"tags": [], "metadata": {}}
_VITALS: Mapping[str, Any] = msgspec.to_builtins(Vitals())


class Header(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A line of the file beside the notes: its first, or one that stands for a note."""

    format: str | None = None
    version: int = 0
    note: str | None = None
    front: str = ""
    text: str = ""


class Note(Struct, frozen=True, kw_only=True):
    """A note as it is in the folder: a record with its earlier versions, oldest first."""

    place: str
    record: Record
    earlier: tuple[Record, ...] = ()


class Notes(Struct, kw_only=True):
    """A folder of notes: the lines of its export with their places, the edited notes, and the files not of it."""

    lines: list[tuple[str, bytes | Note]] = field(default_factory=list[tuple[str, bytes | Note]])
    edited: list[Note] = field(default_factory=list[Note])
    others: list[str] = field(default_factory=list[str])

    @property
    def count(self) -> int:
        """How many notes there are."""
        return sum(isinstance(line, Note) for _, line in self.lines)


def write_notes(folder: Path, export: Callable[[Path], int]) -> int:
    """Write what `export` puts into a file as a folder that does not exist yet. Returns the number of records.

    The folder has its name only once all of it is written.
    """
    folder = folder.absolute()
    if folder.exists() or folder.is_symlink():
        raise Conflict(f"{folder} exists already: name a folder that does not", path=str(folder))
    try:
        unfinished = Path(mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
        try:
            archive = unfinished / ".archive"
            count = export(archive)
            _write(archive, unfinished)
            archive.unlink()
            # Unlike a file, a folder replaces nothing but an empty one.
            unfinished.rename(folder)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
    except OSError as error:
        raise Invalid(f"cannot write {folder}: {error.strerror}", path=str(folder)) from error
    return count


def _write(archive: Path, folder: Path) -> None:
    names = _names(each[-1] for each in _parts(archive) if not isinstance(each, bytes))
    links: dict[str, list[str]] = defaultdict(list)
    for part in _parts(archive):
        link = msgspec.json.decode(part, type=Line).link if isinstance(part, bytes) else None
        if link is not None and link.target_id in names:
            links[link.source_id].append(f"[[{Path(names[link.target_id]).stem}]]")
    encode = msgspec.json.Encoder().encode
    unfinished = folder / f".{REST}"
    with unfinished.open("xb") as rest:
        rest.write(encode(Header(format=FORMAT, version=VERSION)) + b"\n")
        for part in _parts(archive):
            if isinstance(part, bytes):
                rest.write(part + b"\n")
                continue
            *earlier, record = part
            path = folder / names[record.id]
            path.parent.mkdir(exist_ok=True)
            with path.open("xb") as file:
                file.write(_page(record, earlier, list(dict.fromkeys(links[record.id]))).encode())
            rest.write(encode(_header(record, earlier)) + b"\n")
        rest.flush()
        os.fsync(rest.fileno())
    # What tells that the folder is an export comes last.
    unfinished.rename(folder / REST)


def _parts(archive: Path) -> Iterator[bytes | list[Record]]:
    """The parts of an export: the versions of each record together, oldest first, and all other lines."""
    with opened(archive) as file:
        decode = msgspec.json.Decoder(Line).decode
        lines = ((line.rstrip(b"\n"), decode(line).record) for line in file)
        for record_id, together in groupby(lines, lambda each: each[1] and each[1].id):
            if record_id is None:
                yield from (line for line, _ in together)
            else:
                yield [record for _, record in together if record is not None]


def _names(records: Iterable[Record]) -> dict[str, str]:
    """The path of each record in the folder; no two files have the same name, in any case or folder.

    Only letters, digits, `-` and `_` of a text or the id of a session become part of a name.
    """
    names: dict[str, str] = {}
    taken: dict[str, int] = {}
    for record in records:
        day = record.occurred_at.date().isoformat()
        place = f"session {_words(record.session_id)}".strip() if record.session_id else day
        name = f"{day} {_words(record.text)}".strip()
        while (key := unicodedata.normalize("NFKC", name).casefold()) in taken:
            taken[key] += 1
            name = f"{name} ({taken[key]})"
        taken[key] = 1
        names[record.id] = f"{place}/{name}.md"
    return names


def _words(text: str) -> str:
    """The beginning of a text, as words for the name of a file.

    >>> _words("../../etc: what is 1/2?")
    'etc what is 1 2'
    """
    start = unicodedata.normalize("NFC", text[:400])
    plain = "".join(char if unicodedata.category(char)[0] in "LMN" or char in "-_" else " " for char in start)
    return " ".join(plain.split()).encode()[:_LONGEST_NAME].decode("utf-8", "ignore").strip()


def _page(record: Record, earlier: list[Record], links: list[str]) -> str:
    front = {**_front(record), **({"links": links} if links else {})}
    if earlier:
        front["earlier"] = [{"text": version.text, **_front(version)} for version in earlier]
    lines = "".join(f"{name}: {_yaml(value)}\n" for name, value in front.items())
    return f"---\n{lines}---\n{record.text}\n"


def _yaml(value: Any) -> str:
    """A value as JSON on one line that is YAML too."""
    text = msgspec.json.format(msgspec.json.encode(value), indent=0).decode()
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _front(record: Record) -> dict[str, Any]:
    """What is said of a record beside its text, without what is as usual."""
    values = msgspec.to_builtins(record)
    vitals = values.pop("vitals")
    values["importance"] = vitals.pop("importance")
    values["vitals"] = {name: value for name, value in vitals.items() if value != _VITALS[name]}
    usual: dict[str, Any] = {**_DEFAULTS, "vitals": {}, "text": record.text}
    kept = {name: value for name, value in values.items() if name not in usual or value != usual[name]}
    return {name: kept.pop(name) for name in _FIRST if name in kept} | kept


def _record(front: Mapping[str, Any], text: str) -> Record:
    vitals = {**front.get("vitals", {}), "importance": front["importance"]}
    return msgspec.convert({**front, "vitals": vitals, "text": text}, Record)


def _header(record: Record, earlier: Iterable[Record]) -> Header:
    front = msgspec.json.encode([_front(record), [[version.text, _front(version)] for version in earlier]])
    return Header(note=record.id, front=_digest(front), text=_digest(record.text.encode()))


def _digest(content: bytes) -> str:
    return blake2b(content, digest_size=16).hexdigest()


def is_notes(source: Source) -> bool:
    """Whether it is a folder that `write_notes` wrote."""
    if not source.is_folder or not (source.path / REST).is_file():
        return False
    with opened(source.path / REST) as file:
        return f'"{FORMAT}"'.encode() in file.readline(200)


def read_notes(source: Source) -> Notes:
    """The notes of a folder that `write_notes` wrote, wherever in it they are now, and under whichever name.

    `Invalid` names the notes that are missing, or whose front matter was changed.
    """
    notes = Notes()
    found = _found(source, notes.others)
    missing: list[str] = []
    changed: list[str] = []
    for line in source.read(REST).split(b"\n"):
        header = _decoded(source, line)
        if header is None or header.format == FORMAT:
            continue
        if header.note is None:
            notes.lines.append((REST, line))
        elif (note := found.pop(header.note, None)) is None:
            missing.append(header.note)
        elif (now := _header(note.record, note.earlier)).front != header.front:
            changed.append(note.place)
        else:
            notes.lines += [(note.place, _line(version)) for version in note.earlier]
            notes.lines.append((note.place, note))
            if now.text != header.text:
                notes.edited.append(note)
    notes.others += [note.place for note in found.values()]
    if missing:
        raise Invalid(
            f"{source.path} lacks the notes of {_some(missing)}, or their front matter is damaged: put them back",
            path=str(source.path),
        )
    if changed:
        raise Invalid(
            f"the front matter was changed in {_some(changed)}: undo that, and edit only the text below it",
            path=str(source.path),
        )
    return notes


def _decoded(source: Source, line: bytes) -> Header | None:
    if not line.strip():
        return None
    try:
        header = msgspec.json.decode(line, type=Header)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Invalid(f"{source.path / REST} is damaged: {error}", path=str(source.path)) from error
    if header.format == FORMAT and header.version > VERSION:
        raise Invalid(f"{source.path} was exported by a newer release of Foveal: upgrade to import it")
    return header


def _found(source: Source, others: list[str]) -> dict[str, Note]:
    """The notes of a folder by the id of their records; `others` gets the files that are none."""
    found: dict[str, Note] = {}
    for at, folders, files in os.walk(source.path):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            path = Path(at, name)
            place = path.relative_to(source.path).as_posix()
            if place == REST or name.startswith("."):
                continue
            note = None if path.is_symlink() or not name.endswith(".md") else _note(source, place)
            if note is None:
                others.append(place)
            elif (twin := found.get(note.record.id)) is not None:
                raise Invalid(f"{twin.place} and {place} are the same note: remove one", path=str(source.path))
            else:
                found[note.record.id] = note
    return found


def _note(source: Source, place: str) -> Note | None:
    """A file as a note; None if it is not one that `write_notes` wrote."""
    try:
        text = source.read(place).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Invalid(f"{place} is not UTF-8: save it as UTF-8", path=str(source.path)) from None
    if text.startswith("---\r\n"):
        # An editor has changed the ends of all lines.
        text = text.replace("\r\n", "\n")
    end = text.find("\n---\n", 3)
    if not text.startswith("---\n") or end < 0:
        return None
    front = _values(text[4:end])
    try:
        earlier = tuple(_record(version, version["text"]) for version in front.get("earlier", ()))
        record = _record(front, text[end + 5 :].removesuffix("\n"))
    except (msgspec.ValidationError, KeyError, TypeError, AttributeError):
        return None
    return Note(place=place, record=record, earlier=earlier)


def _values(front: str) -> Mapping[str, Any]:
    values: dict[str, Any] = {}
    for line in front.split("\n"):
        name, _, value = line.partition(": ")
        try:
            values[name] = msgspec.json.decode(value)
        except (msgspec.DecodeError, RecursionError):
            # An editor has written it again, in another style of YAML.
            return front_matter(f"---\n{front}\n---\n")[0]
    return values


def _some(names: list[str]) -> str:
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


def _line(record: Record) -> bytes:
    return msgspec.json.encode(Line(record=record))


def take_notes(memory: View, notes: Notes) -> tuple[Imported, list[LeftOut]]:
    """Import the notes of a folder; what was refused is named by its place.

    A record that is not in the memory has the text of its note. For one that is, a text that none of its versions
    had becomes the newest.
    """
    edited = [note for note in notes.edited if _versions(memory, note)]
    away = {note.record.id for note in edited}
    lines = [each for each in notes.lines if not isinstance(each[1], Note) or each[1].record.id not in away]
    with TemporaryDirectory(prefix="foveal-import-") as folder:
        archive = Path(folder) / REST
        with archive.open("xb") as file:
            for _, line in lines:
                file.write((_line(line.record) if isinstance(line, Note) else line) + b"\n")
        imported = memory.admin.import_(archive)
    rejected = [LeftOut(reason=each.message, place=lines[each.index][0], broken=True) for each in imported.rejected]
    refused = list(imported.rejected)
    added = known = 0
    for index, note in enumerate(edited, len(lines)):
        if any(version.text == note.record.text for version in _versions(memory, note)):
            known += 1
            continue
        try:
            memory.supersede(note.record.id, note.record.text)
        except FovealError as error:
            rejected.append(LeftOut(reason=error.message, place=note.place, broken=True))
            refused.append(Rejected(index=index, code=error.code, message=error.message))
        else:
            added += 1
    counts = {"versions": imported.versions + added, "known": imported.known + known, "rejected": tuple(refused)}
    return msgspec.structs.replace(imported, **counts), rejected


def _versions(memory: View, note: Note) -> Sequence[Record]:
    try:
        return memory.history(note.record.id)
    except NotFound:
        return ()
