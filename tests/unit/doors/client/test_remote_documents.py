"""Documents are ingested through a server: one by one from their content, or as the files of a folder."""

from base64 import b64encode
from pathlib import Path

import pytest

from foveal import Memory
from foveal.errors import Invalid, NotFound

from .conftest import Connect


def test_a_client_sends_its_files_and_what_changed_in_them(
    connected: Connect, served: Memory, tmp_path: Path
) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "tides.md").write_text("# Tides\n\nHigh water is at noon.\n")
    (folder / "stock.csv").write_text("part;shelf\nbrass valve;B7\ncopper pipe;C2\n")
    (folder / "bad.docx").write_bytes(b"no archive")
    ada = connected().view(actor_id="ada")
    done = ada.longterm.ingest(folder)
    assert (done.files, [Path(skipped.path).name for skipped in done.skipped]) == (2, ["bad.docx"])
    found = served.longterm.search_knowledge("on which shelf is the brass valve?", actor_id="ada")
    assert "shelf: B7" in found[0].content
    (folder / "tides.md").write_text("# Tides\n\nHigh water is at one.\n")
    again = ada.longterm.ingest(folder)
    assert (again.changed, again.added) == (1, 0) and again.unchanged >= 1
    with pytest.raises(Invalid, match="bad.docx"):
        ada.longterm.ingest(folder / "bad.docx")
    with pytest.raises(NotFound):
        ada.longterm.ingest(tmp_path / "nothing")


def test_a_document_is_ingested_from_its_content(served: Memory) -> None:
    ada = served.view(actor_id="ada")
    ada.longterm.ingest_document("tides.md", "High water is at noon.")
    assert ada.longterm.ingest_document("tides.md", "High water is at noon.").unchanged == 1
    assert ada.longterm.ingest_document("tides.md", "High water is at one.").changed == 1
    ada.longterm.ingest_document("moon.txt", b64encode(b"The moon is full.").decode(), encoding="base64")
    assert {piece.metadata["source"] for piece in ada.longterm.list_knowledge()} == {"tides.md", "moon.txt"}
    with pytest.raises(Invalid, match="not base64"):
        ada.longterm.ingest_document("moon.txt", "not at all!", encoding="base64")
    with pytest.raises(Invalid, match="is not Markdown"):
        ada.longterm.ingest_document("moon.docx", "no archive")
