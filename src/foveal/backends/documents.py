"""The texts of Word documents, EPUB books and tables of comma-separated values, as Markdown."""

from __future__ import annotations

import csv
import io
import lzma
import posixpath
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

from foveal.errors import Invalid
from foveal.rules.documents import decoded, html_text

# How many bytes the parts of an archive may have, unpacked, and how many characters the text of a table, because a
# small file can stand for any number. And how many elements a part may have: each takes a hundred bytes of memory.
LARGEST = 16 << 20
MOST_ELEMENTS = 500_000
_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


def docx_text(data: bytes) -> str:
    """The paragraphs and tables of a Word document, with its headings."""
    root = _tree(_Archive(data).part("word/document.xml"))
    lines = [line for body in _topmost(root, "body") for line in _blocks(body)]
    return "\n\n".join(lines)


def _topmost(element: Any, name: str) -> Iterator[Any]:
    """The elements of a name inside another, but not those inside of them: no text is read twice."""
    waiting = [*reversed(element)]
    while waiting:
        inner = waiting.pop()
        if inner.tag == f"{_WORD}{name}":
            yield inner
        else:
            waiting += reversed(inner)


def _blocks(body: Any) -> Iterator[str]:
    for element in body:
        if element.tag == f"{_WORD}p" and (text := _paragraph(element)):
            yield text
        elif element.tag == f"{_WORD}tbl":
            yield "\n".join(
                " | ".join(" ".join(filter(None, map(_paragraph, _topmost(cell, "p")))) for cell in row)
                for row in (_topmost(row, "tc") for row in _topmost(element, "tr"))
            )


def _paragraph(element: Any) -> str:
    parts = [
        node.text or "" if node.tag == f"{_WORD}t" else " "
        for node in element.iter()
        if node.tag in (f"{_WORD}t", f"{_WORD}tab", f"{_WORD}br")
    ]
    text = "".join(parts).strip()
    style = element.find(f"{_WORD}pPr/{_WORD}pStyle")
    name = "" if style is None else str(style.get(f"{_WORD}val", ""))
    depth = name.removeprefix("Heading")
    if text and name == "Title":
        return f"# {text}"
    return f"{'#' * min(6, int(depth))} {text}" if text and name != depth and depth.isdigit() else text


def epub_text(data: bytes) -> str:
    """The chapters of an EPUB book, in the order of reading."""
    archive = _Archive(data)
    container = _tree(archive.part("META-INF/container.xml"))
    package = next((node.get("full-path") for node in container.iter() if node.tag.endswith("}rootfile")), None)
    if package is None:
        raise Invalid("an EPUB book without a list of its contents")
    root = _tree(archive.part(package))
    files = {node.get("id"): str(node.get("href", "")) for node in root.iter() if node.tag.endswith("}item")}
    order = [files.get(node.get("idref"), "") for node in root.iter() if node.tag.endswith("}itemref")]
    folder = posixpath.dirname(package)
    pages = [archive.part(posixpath.normpath(posixpath.join(folder, unquote(name)))) for name in order if name]
    return "\n\n".join(html_text(decoded(page) or "") for page in pages)


def csv_text(data: bytes) -> str:
    """The rows of a table, each as its columns by name, so that each can be found by what it says."""
    text = decoded(data)
    if text is None:
        raise Invalid("not text")
    try:
        dialect = csv.Sniffer().sniff(text[:2048], delimiters=",;\t|")
    except csv.Error:
        dialect = csv.excel
    try:
        rows = [row for row in csv.reader(io.StringIO(text), dialect) if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise Invalid(f"not a table: {error}") from error
    if len(rows) < 2:
        return "\n\n".join(" | ".join(row) for row in rows)
    head, *body = rows
    names = [name.strip() for name in head]
    size = sum(
        len(name) + len(cell) for row in body for name, cell in zip(names, row, strict=False) if cell.strip()
    )
    if size > LARGEST:
        raise Invalid(f"with the names of its columns it has more than {LARGEST >> 20} MB")
    return "\n\n".join(
        "; ".join(
            f"{name}: {cell.strip()}"
            for name, cell in zip([*names, *[""] * (len(row) - len(names))], row, strict=False)
            if cell.strip()
        )
        for row in body
    )


# What a damaged archive raises, of whichever way of packing.
_DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error),
    *(EOFError, OSError, ValueError, RuntimeError),
)


class _Archive:
    """The parts of a zip archive, as long as they are not larger than they may be."""

    def __init__(self, data: bytes) -> None:
        self._left = LARGEST
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except _DAMAGED as error:
            raise Invalid("damaged, or not of the kind that its name says") from error

    def part(self, name: str) -> bytes:
        """One part; `Invalid` if it is missing, damaged or too large."""
        try:
            with self._zip.open(name) as file:
                data = file.read(self._left + 1)
        except KeyError:
            raise Invalid(f"it has no part {name}") from None
        except _DAMAGED as error:
            raise Invalid(f"its part {name} cannot be read: {error}") from error
        self._left -= len(data)
        if self._left < 0:
            raise Invalid(f"unpacked it has more than {LARGEST >> 20} MB")
        return data


def _tree(data: bytes) -> Any:
    # A document that declares entities may expand beyond all bounds; those of Word and EPUB declare none. In UTF-16
    # there are zeros between the characters.
    if b"<!ENTITY" in data.replace(b"\0", b""):
        raise Invalid("it declares entities, which are not expanded")
    root: Any = None
    try:
        for number, (_, element) in enumerate(ElementTree.iterparse(io.BytesIO(data), events=("start",))):
            root = element if root is None else root
            if number == MOST_ELEMENTS:
                raise Invalid(f"it has more than {MOST_ELEMENTS:,} elements")
    except (ElementTree.ParseError, LookupError, ValueError) as error:
        raise Invalid(f"damaged: {error}") from error
    return root


READERS: dict[str, Callable[[bytes], str]] = {".docx": docx_text, ".epub": epub_text, ".csv": csv_text}
