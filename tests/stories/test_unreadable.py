"""Files and folders that may not be read are told, and what is known of them stays."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from foveal import Memory
from foveal.errors import Invalid

NOBODY = 65_534


@contextmanager
def nobody() -> Generator[None, None, None]:
    """As one whom the rights of files bind: the administrator may read everything."""
    was = os.geteuid()
    if was == 0:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(was)


@pytest.fixture
def folder() -> Generator[Path, None, None]:
    with TemporaryDirectory() as made:
        place = Path(made)
        place.chmod(0o755)
        (place / "open.md").write_text("The office opens at eight.")
        (place / "locked.md").write_text("The safe opens at nine.")
        (place / "cellar").mkdir()
        (place / "cellar" / "wine.md").write_text("The wine lies on the left.")
        yield place
        place.chmod(0o755)
        (place / "cellar").chmod(0o755)


def test_what_may_not_be_read_is_skipped_and_what_is_known_of_it_stays(folder: Path) -> None:
    with Memory(":memory:") as memory:
        ada = memory.view(actor_id="ada")
        assert ada.longterm.ingest(folder).added == 3
        (folder / "locked.md").chmod(0)
        (folder / "cellar").chmod(0)
        with nobody():
            done = ada.longterm.ingest(folder)
        assert (done.unchanged, done.forgotten) == (1, 0)
        told = {Path(one.path).name: one.reason for one in done.skipped}
        assert told == {"locked.md": "Permission denied", "cellar": "Permission denied"}
        assert len(ada.longterm.list_knowledge()) == 3
        folder.chmod(0)
        with nobody(), pytest.raises(Invalid, match="Permission denied"):
            ada.longterm.ingest(folder)
        assert len(ada.longterm.list_knowledge()) == 3


def test_one_file_that_cannot_be_read_is_an_error(folder: Path) -> None:
    os.mkfifo(folder / "pipe.txt")
    (folder / "picture.png").write_bytes(b"\x89PNG\x00\x01\xff")
    with Memory(":memory:") as memory:
        ada = memory.view(actor_id="ada")
        for name, reason in (("pipe.txt", "not a file"), ("picture.png", "not text")):
            with pytest.raises(Invalid, match=f"{name} is not Markdown, .*: {reason}"):
                ada.longterm.ingest(folder / name)
        assert ada.longterm.ingest(folder).skipped == ()
