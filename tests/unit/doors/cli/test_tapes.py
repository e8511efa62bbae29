from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Run

SAID = "See you at the old harbour tomorrow."


@pytest.fixture
def harbour(run: Run) -> str:
    """The address of a record on a tape."""
    run("write", SAID, "--id", "first", "--occurred-at", "2026-01-01")
    run("write", "We met at the old harbour.", "--id", "later", "--occurred-at", "2026-02-01")
    run("write", "ok", "--id", "short")
    run("tape", "build")
    return run("get", "first", "--json").json["address"]


def test_the_phrases_of_a_text_are_looked_up(run: Run, harbour: str) -> None:
    found = run("glyph", "find", f"{SAID} Ferrets juggle quantum marmalade.").out.splitlines()
    assert any(line.split("\t")[1:2] == ["="] and "old harbour" in line for line in found)
    assert not any("marmalade" in line for line in found)
    alone = run("glyph", "find", "Ferrets juggle quantum marmalade.")
    assert (alone.code, alone.out) == (0, "")
    assert "no family" in alone.err


def test_what_lies_near_an_address_is_listed(run: Run, harbour: str) -> None:
    near = run("glyph", "near", harbour).out
    assert "We met at the old harbour." in near
    assert SAID not in near
    assert run("glyph", "near", harbour, "--limit", "1", "--quiet").out.split() in (["later"], ["short"])


def test_a_glyph_leads_to_the_records_that_say_it(run: Run, harbour: str) -> None:
    run("write", "We met at the old harbour. " + SAID, "--id", "again", "--occurred-at", "2026-01-15")
    run("tape", "update")
    glyphs = run("glyph", "find", "We met at the old harbour", "--quiet").out.split()
    found = run("glyph", "inspect", glyphs[0]).out
    assert found.index("later") < found.index("again")
    assert "first" not in found


@pytest.mark.parametrize("what", ["harbour", "龘", "亍亍亍亍亍"])
def test_what_is_no_glyph_and_no_address_is_told(run: Run, harbour: str, what: str) -> None:
    wrong = run("glyph", "inspect", what)
    assert (wrong.code, wrong.out) == (2, "")
    assert "glyph" in wrong.err


def test_an_empty_cell_is_told(run: Run, harbour: str) -> None:
    assert run("tape", "cells", "--levels", "0").out.startswith("#\t3\t")
    empty = run("tape", "cells", "--prefix", "0000000000")
    assert (empty.code, empty.out) == (0, "")
    assert "nothing lies here" in empty.err


@pytest.mark.parametrize("name", ["map.png", "map.svg"])
def test_a_map_is_drawn_once(run: Run, harbour: str, name: str, tmp_path: Path) -> None:
    drawn = run("plot", "map", str(tmp_path / name), "--json").json
    assert drawn["families"] == run("tape", "list", "--json").json[0]["families"]
    before = (tmp_path / name).read_bytes()
    assert len(before) > 10_000
    assert "exists already" in run("plot", "map", str(tmp_path / name)).err
    assert (tmp_path / name).read_bytes() == before


def test_a_map_is_named_as_other_pictures_are(
    run: Run, harbour: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("plot", "map", "--out", str(tmp_path / "here.svg")).code == 0
    monkeypatch.chdir(tmp_path)
    assert run("plot", "map", "--json").json["path"] == "map.png"
    assert (tmp_path / "here.svg").exists() and (tmp_path / "map.png").exists()


def test_a_map_that_cannot_be_drawn_is_refused(run: Run, harbour: str, tmp_path: Path) -> None:
    for words in (
        ("map.txt",),
        ("map.png", "--out", "other.png"),
        ("map.png", "--labels", "-1"),
        ("map.png", "--limit", "0"),
        ("map.png", "--tape", "9"),
    ):
        refused = run("plot", "map", *words)
        assert refused.code in (2, 3)
        assert refused.err
    assert not list(tmp_path.glob("map.*"))
