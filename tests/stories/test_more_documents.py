"""Word documents, books and tables are read as knowledge; what cannot be read is refused by name."""

import random
import zipfile
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import pytest

from foveal import Memory
from foveal.backends.documents import LARGEST, MOST_ELEMENTS, csv_text, docx_text
from foveal.engine.memory import View
from foveal.errors import Invalid
from foveal.testing import ManualClock

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
DOCUMENT = f"""<w:document xmlns:w="{WORD}"><w:body>
<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Tides</w:t></w:r></w:p>
<w:p><w:r><w:t xml:space="preserve">High water is at </w:t></w:r><w:r><w:t>noon.</w:t></w:r></w:p>
<w:tbl><w:tr><w:tc><w:p><w:r><w:t>Oslo</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>12:04</w:t></w:r></w:p></w:tc></w:tr></w:tbl>
</w:body></w:document>"""
CONTAINER = """<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
<rootfile full-path="OEBPS/book.opf"/></rootfiles></container>"""
PACKAGE = """<package xmlns="http://www.idpf.org/2007/opf"><manifest>
<item id="b" href="two.xhtml"/><item id="a" href="part%20one.xhtml"/></manifest>
<spine><itemref idref="a"/><itemref idref="b"/></spine></package>"""


@pytest.fixture
def ada(memory: Memory) -> View:
    return memory.view(actor_id="ada")


def _zipped(path: Path, **parts: str) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


def test_a_word_document_is_read_with_its_headings_and_tables(ada: View, tmp_path: Path) -> None:
    assert ada.longterm.ingest(_zipped(tmp_path / "tides.docx", **{"word/document.xml": DOCUMENT})).files == 1
    text = "\n".join(piece.text for piece in ada.longterm.list_knowledge())
    assert "High water is at noon." in text and "Oslo | 12:04" in text
    assert any("Tides" in piece.metadata["title"] for piece in ada.longterm.list_knowledge())


def test_a_book_is_read_in_the_order_of_its_pages(ada: View, tmp_path: Path) -> None:
    pages = {
        "META-INF/container.xml": CONTAINER,
        "OEBPS/book.opf": PACKAGE,
        "OEBPS/part one.xhtml": "<html><body><h1>Morning</h1><p>The heron waits.</p></body></html>",
        "OEBPS/two.xhtml": "<html><body><h1>Evening</h1><p>The heron flies.</p></body></html>",
    }
    ada.longterm.ingest(_zipped(tmp_path / "heron.epub", **pages))
    text = "\n".join(piece.text for piece in ada.longterm.list_knowledge()[::-1])
    assert "The heron waits." in text and "The heron flies." in text


def test_the_rows_of_a_table_are_found_by_what_they_say(ada: View, tmp_path: Path) -> None:
    table = tmp_path / "stock.csv"
    table.write_text("part;shelf\nbrass valve;B7\ncopper pipe;C2\n")
    ada.longterm.ingest(table)
    [best, *_] = ada.longterm.search_knowledge("on which shelf is the brass valve?")
    assert "part: brass valve; shelf: B7" in best.content


@pytest.mark.parametrize(
    ("name", "parts", "why"),
    [
        ("empty.docx", {}, "no part word/document.xml"),
        ("odd.docx", {"word/document.xml": "<w:document"}, "damaged"),
        ("bomb.docx", {"word/document.xml": '<!DOCTYPE x [<!ENTITY a "b">]><x/>'}, "declares entities"),
        ("empty.epub", {"META-INF/container.xml": "<container/>"}, "without a list"),
    ],
)
def test_what_cannot_be_read_is_refused_by_name(
    ada: View, tmp_path: Path, name: str, parts: dict[str, str], why: str
) -> None:
    with pytest.raises(Invalid, match=rf"{name} is not Markdown.*{why}"):
        ada.longterm.ingest(_zipped(tmp_path / name, **parts))
    (tmp_path / "sheet.docx").write_bytes(b"no archive")
    with pytest.raises(Invalid, match="not of the kind"):
        ada.longterm.ingest(tmp_path / "sheet.docx")


# Parts of a few thousand elements within each other, of each kind that a table has.
NESTED = {
    "cells": ("<w:tbl><w:tr>", "<w:tc><w:p><w:t>tide</w:t></w:p>", "</w:tc>", "</w:tr></w:tbl>"),
    "paragraphs": ("<w:tbl><w:tr><w:tc>", "<w:p><w:t>tide</w:t>", "</w:p>", "</w:tc></w:tr></w:tbl>"),
    "tables": ("", "<w:tbl><w:tr><w:tc><w:p><w:t>tide</w:t></w:p>", "</w:tc></w:tr></w:tbl>", ""),
    "bodies": ("", "<w:body><w:tbl><w:tr><w:tc><w:p><w:t>tide</w:t></w:p>", "</w:tc></w:tr></w:tbl></w:body>", ""),
}


@pytest.mark.parametrize("kind", NESTED)
def test_no_text_of_a_nested_document_is_read_twice(tmp_path: Path, kind: str) -> None:
    first, begin, end, last = NESTED[kind]
    inside = first + begin * 2000 + end * 2000 + last
    document = f'<w:document xmlns:w="{WORD}"><w:body>{inside}</w:body></w:document>'
    path = _zipped(tmp_path / "nested.docx", **{"word/document.xml": document})
    assert docx_text(path.read_bytes()).count("tide") <= 2000


def _packed(tmp_path: Path, document: str | bytes) -> bytes:
    path = tmp_path / "packed.docx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", document)
    return path.read_bytes()


def test_a_small_file_that_stands_for_a_huge_one_is_refused(tmp_path: Path) -> None:
    many = _packed(
        tmp_path, f'<w:document xmlns:w="{WORD}"><w:body>{"<w:p/>" * MOST_ELEMENTS}</w:body></w:document>'
    )
    large = _packed(tmp_path, " " * (LARGEST + 1))
    hidden = '<?xml version="1.0" encoding="utf-16"?><!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>'.encode("utf-16")
    for data, why in [(many, "elements"), (large, "16 MB"), (_packed(tmp_path, hidden), "declares entities")]:
        assert len(data) < 100_000
        with pytest.raises(Invalid, match=why):
            docx_text(data)
    with pytest.raises(Invalid, match="names of its columns"):
        csv_text(("x" * 100_000 + "\n" + "1\n" * 1000).encode())


def test_a_damaged_archive_is_refused_by_name(tmp_path: Path) -> None:
    whole, chance = _packed(tmp_path, DOCUMENT), random.Random(19)
    for _ in range(500):
        data = bytearray(whole)
        for _ in range(chance.randrange(1, 4)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        with suppress(Invalid):
            docx_text(bytes(data))


def test_old_goals_and_decisions_migrate_in_a_library_too(tmp_path: Path) -> None:
    clock = ManualClock()
    with Memory(tmp_path / "m.db", clock=clock) as memory:
        ada = memory.view(actor_id="ada")
        goal = ada.ledger.store_goal("Ship it")
        ada.ledger.update_goal(goal.id, "completed", result="shipped")
        decision = ada.ledger.store_decision("Which city?", "Oslo", reasoning="it is near")
    clock.turn(timedelta(days=31))
    with Memory(tmp_path / "m.db", clock=clock) as memory:
        ada = memory.view(actor_id="ada")
        assert ada.ledger.get_goal(goal.id).archived_at == clock.now()
        assert ada.ledger.get_decision(decision.id).archived_at == clock.now()
