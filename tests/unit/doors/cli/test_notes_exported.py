"""`foveal export --format markdown` writes notes, and `foveal import` brings back all of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from foveal.compose import Memory
from foveal.engine.records.transfer import FORMAT, VERSION, Line
from foveal.errors import Invalid
from foveal.importers import Source
from foveal.importers.vault import Note, is_notes, read_notes, write_notes
from foveal.model.ids import Address
from foveal.model.record import Link, Record, Session, Tier, Vitals

from .conftest import Run

ODD = (
    "---\ntitle: not front matter\n---\nTea.",
    "---",
    "one\n---\ntwo\n---\n",
    "lines\r\nof\rWindows\r\n",
    "blanks at the end  \n\n\n",
    "\n\n  blanks before",
    "../../etc/passwd",
    "CON",
    "con",
    "a/b\\c:d*e?f",
    "\ufeffmarked",
    "\x85\u2028\u2029 ends of lines",
    "🫖" * 80,
    "चाय पीता हूँ",
    "Straße",
    "STRASSE",
    "long " * 2_000,
    ".hidden",
    "[[Ada]] #tag %% comment",
)
# The records of a memory with two, a goal and what was done for it.
SHELF = 5
WHEN = datetime(2026, 3, 1, 8, tzinfo=UTC)
# Whatever an export can hold.
_texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
_moments = st.integers(-(10**10), 10**10).map(lambda seconds: WHEN + timedelta(seconds=seconds))
_values: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False, allow_infinity=False)
    | _texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_texts, inner, max_size=3),
    max_leaves=6,
)


@st.composite
def _versions(draw: st.DrawFn, number: int) -> list[Record]:
    return [
        Record(
            id=f"{draw(_texts)}{number}",
            actor_id="ada",
            text=draw(_texts | st.sampled_from(ODD)),
            address=Address(world="default", region=draw(_texts), digits="0"),
            recorded_at=draw(_moments),
            occurred_at=draw(_moments),
            valid_from=draw(_moments),
            valid_to=draw(st.none() | _moments),
            version=version,
            session_id=draw(st.none() | _texts | st.sampled_from(("..", "a/b", "NUL"))),
            speaker=draw(st.none() | _texts),
            tags=tuple(draw(st.lists(_texts, max_size=3))),
            metadata=draw(st.dictionaries(_texts, _values, max_size=3)),
            vitals=Vitals(
                tier=draw(st.sampled_from(Tier)), importance=draw(st.floats(0, 1)), pinned=draw(st.booleans())
            ),
        )
        for version in range(1, draw(st.integers(2, 4)))
    ]


def _with_id(versions: list[Record]) -> list[Record]:
    return [msgspec.structs.replace(version, id=versions[-1].id) for version in versions]


@st.composite
def _archives(draw: st.DrawFn) -> bytes:
    records = [_with_id(draw(_versions(number))) for number in range(draw(st.integers(0, 4)))]
    lines = [Line(format=FORMAT, version=VERSION)]
    lines += [Line(record=version) for versions in records for version in versions]
    ends = [versions[-1].id for versions in records]
    lines += [Line(link=Link(source_id=end, target_id=ends[0], created_at=WHEN)) for end in ends]
    lines += [Line(session=Session(id=draw(_texts), actor_id="ada", started_at=WHEN))]
    return b"".join(msgspec.json.encode(line) + b"\n" for line in lines)


def _rebuilt(folder: Path) -> bytes:
    lines = (line for _, line in read_notes(Source(folder)).lines)
    return b"".join(
        (msgspec.json.encode(Line(record=line.record)) if isinstance(line, Note) else line) + b"\n"
        for line in lines
    )


def _front(note: Path) -> dict[str, Any]:
    return yaml.safe_load(note.read_bytes().split(b"\n---\n")[0].removeprefix(b"---\n").decode())


@given(_archives())
def test_every_export_comes_back_from_its_notes_byte_by_byte(archive: bytes) -> None:
    with TemporaryDirectory() as place:
        folder = Path(place, "notes")
        write_notes(folder, lambda path: path.write_bytes(archive))
        assert _rebuilt(folder) == archive
        notes = read_notes(Source(folder))
        assert (notes.edited, notes.others) == ([], [])
        assert [path.name for path in Path(place).iterdir()] == ["notes"]
        for path in folder.rglob("*.md"):
            assert len(path.relative_to(folder).parts) == 2
            assert isinstance(_front(path)["id"], str)


@pytest.fixture
def odd(two: None, path: Path) -> Path:
    """A memory with a goal, a tape, a session, links, versions, and texts that are hard to keep."""
    with Memory(path) as memory:
        ada = memory.view(actor_id="me")
        for number, text in enumerate(ODD):
            ada.write(text, id=f"odd-{number}", occurred_at=WHEN, session_id="../up/*" if number % 2 else None)
        ada.write("Ben rows.", id="ben", tags=["a b", "#c"], metadata={"a": {"b": [1, 2.5, None]}}, node="/planner")
        ada.supersede("ship", "Bob sailed to Malmö\n---\n")
        ada.links.add("tea", "ship", kind="drunk on")
    return path


def _exported(memory: Path, to: Path) -> list[Any]:
    """The lines of an export, without the place of a record on the map, which each memory finds anew."""
    with Memory(memory) as opened:
        opened.admin.export(to, actor_id="me")
    lines = [json.loads(line) for line in to.read_bytes().split(b"\n") if line]
    for line in lines:
        for name in ("digits", "tape", "time_slice"):
            line.get("record", {"address": {}})["address"].pop(name, None)
    return lines


def test_notes_are_imported_without_loss(run: Run, odd: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    done = run("export", "--format", "markdown", str(notes))
    assert (done.code, done.out) == (0, f"exported {len(ODD) + SHELF + 1} records to notes in {notes}\n")
    assert len(list(notes.rglob("*.md"))) == len(ODD) + SHELF + 1
    names = [path.stem.casefold() for path in notes.rglob("*.md")]
    assert len(set(names)) == len(names)
    imported = run("--url", str(tmp_path / "new.db"), "import", str(notes))
    assert (imported.code, imported.err) == (0, "")
    assert imported.out == f"imported {len(ODD) + SHELF + 1} records, 1 later version, 3 links; 0 known already\n"
    assert _exported(tmp_path / "new.db", tmp_path / "b.jsonl") == _exported(odd, tmp_path / "a.jsonl")
    again = run("--url", str(tmp_path / "new.db"), "import", str(notes))
    assert again.out.startswith("imported 0 records, 0 later versions, 0 links; ")


@pytest.fixture
def notes(run: Run, two: None, tmp_path: Path) -> Path:
    """The notes of "tea" and "ship"."""
    run("export", "--format", "markdown", str(tmp_path / "notes"))
    return tmp_path / "notes"


def _of(notes: Path, words: str) -> Path:
    [found] = notes.rglob(f"*{words}*.md")
    return found


def test_a_note_shows_what_is_known_of_it(run: Run, notes: Path) -> None:
    tea = _of(notes, "Ada prefers tea")
    front = _front(tea)
    assert (front["id"], front["speaker"], front["tags"]) == ("tea", "Ada", ["taste"])
    assert tea.read_text().endswith("\n---\nAda prefers tea\n")


def test_an_edited_text_becomes_the_newest_version(run: Run, notes: Path) -> None:
    tea = _of(notes, "Ada prefers tea")
    for number, text in enumerate(("Ada prefers mint tea", "Ada prefers oolong"), 2):
        head = tea.read_text().partition("\n---\n")[0]
        tea.write_text(f"{head}\n---\n{text}\n")
        assert ", 1 of them edited" in run("import", str(notes), "--dry-run").out
        assert "imported 0 records, 1 later version, " in run("import", str(notes)).out
        assert "imported 0 records, 0 later versions, " in run("import", str(notes)).out
        found = run("get", "tea", "--json").json
        assert (found["text"], found["version"], found["tags"]) == (text, number, ["taste"])


def test_an_edited_text_is_the_only_one_where_its_record_is_not(run: Run, notes: Path, tmp_path: Path) -> None:
    tea = _of(notes, "Ada prefers tea")
    tea.write_text(tea.read_text().replace("prefers tea\n", "prefers mint tea\n"))
    other = ("--url", str(tmp_path / "new.db"))
    assert run(*other, "import", str(notes)).out.startswith(f"imported {SHELF} records, 0 later versions")
    found = run(*other, "get", "tea", "--json").json
    assert (found["text"], found["version"]) == ("Ada prefers mint tea", 1)


def test_notes_may_be_renamed_and_their_front_matter_written_in_another_style(run: Run, notes: Path) -> None:
    tea = _of(notes, "Ada prefers tea")
    front = yaml.safe_dump(_front(tea), allow_unicode=True, sort_keys=True)
    (notes / "people").mkdir()
    (notes / "people" / "Ada.md").write_text(f"---\n{front}---\nAda prefers tea\n", newline="\r\n")
    tea.unlink()
    (notes / "mine.md").write_text("A note of my own.")
    before = run("history", "tea", "--json").json
    done = run("import", str(notes))
    assert (done.code, done.err) == (0, "left out: a file that is no part of the export (1)\n")
    assert run("history", "tea", "--json").json == before


def test_changed_front_matter_missing_and_doubled_notes_are_named_and_nothing_is_imported(
    run: Run, notes: Path, tmp_path: Path
) -> None:
    other = ("--url", str(tmp_path / "new.db"), "import", str(notes))
    tea = _of(notes, "Ada prefers tea")
    whole = tea.read_text()
    tea.write_text(whole.replace('"taste"', '"habit"'))
    assert f"the front matter was changed in {tea.relative_to(notes)}" in run(*other).err
    tea.unlink()
    assert "lacks the notes of tea" in run(*other).err
    tea.write_text(whole)
    (notes / "copy.md").write_text(whole)
    assert "copy.md" in run(*other).err
    assert not (tmp_path / "new.db").exists()
    (notes / "copy.md").unlink()
    assert run(*other).code == 0


def test_a_note_that_is_refused_is_named_by_its_file(run: Run, notes: Path) -> None:
    tea = _of(notes, "Ada prefers tea")
    tea.write_text(tea.read_text().partition("\n---\n")[0] + "\n---\n\n")
    done = run("import", str(notes))
    assert done.code != 0
    assert str(tea.relative_to(notes)) in done.err


def test_a_folder_that_exists_is_refused_and_an_unknown_format(run: Run, two: None, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.md").write_text("mine")
    assert "exists already" in run("export", "--format", "markdown", str(tmp_path / "full")).err
    assert os.listdir(tmp_path / "full") == ["mine.md"]
    assert "use jsonl or markdown" in run("export", "--format", "html", str(tmp_path / "x")).err
    assert "cannot write" in run("export", "--format", "markdown", str(tmp_path / "no" / "notes")).err


def test_an_export_that_fails_or_is_killed_leaves_no_folder_taken_for_whole(tmp_path: Path, odd: Path) -> None:
    def fails(path: Path) -> int:
        path.write_text("half")
        raise Invalid("no more")

    (tmp_path / "place").mkdir()
    with pytest.raises(Invalid, match="no more"):
        write_notes(tmp_path / "place" / "notes", fails)
    assert os.listdir(tmp_path / "place") == []
    program = (
        "import os, sys; from pathlib import Path; from foveal import Memory; from foveal.importers import vault\n"
        "page, made = vault._page, []\n"
        "def dies(*given):\n    made.append(page(*given))\n    return made[-1] if len(made) < 5 else os._exit(9)\n"
        "vault._page = dies\n"
        "memory = Memory(sys.argv[1]).view(actor_id='me')\n"
        "vault.write_notes(Path(sys.argv[2]), memory.admin.export)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(odd), str(tmp_path / "place" / "notes")],
        capture_output=True,
        check=False,
    )
    assert done.returncode == 9
    [left] = (tmp_path / "place").iterdir()
    assert left.name.startswith(".notes.")
    assert list(left.rglob("*.md"))
    assert not is_notes(Source(left))
