from __future__ import annotations

from pathlib import Path

import pytest

from foveal.compose import Memory

from .conftest import Run


def test_vacuum_gives_room_back_and_loses_nothing(run: Run, path: Path) -> None:
    with Memory(path) as memory:
        gone = memory.write_many([f"line {n} " + "of a long story " * 40 for n in range(300)], actor_id="me").ids
        kept = memory.write("tea at four", actor_id="me").id
        memory.forget(list(gone), hard=True, actor_id="me")
    before = path.stat().st_size
    ended = run("vacuum", "--json")
    assert ended.code == 0
    assert ended.json["bytes"] == before - path.stat().st_size > 100_000
    assert run("vacuum").out == "nothing to give back\n"
    assert run("get", kept, "--json").json["text"] == "tea at four"


def test_an_index_of_the_settings_is_filled_searched_and_examined(
    run: Run, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Memory(path) as memory:
        memory.write_many([f"the ship {n} sailed" for n in range(30)], actor_id="me")
    folder = tmp_path / "vectors"
    monkeypatch.setenv("FOVEAL_VECTOR_INDEX", f"chroma:///{folder}")
    ended = run("doctor")
    assert ended.code == 1
    assert f"there is none at {folder} yet: run foveal reindex" in ended.out
    assert not folder.exists()
    ended = run("reindex")
    assert "the index of vectors took in 30 records\nthe second look took in 30 versions\n" in ended.out
    assert run("reindex", "--json").json["indexed"] == 0
    assert "the ship 7 sailed" in run("search", "when did ship 7 sail").out
    assert "lacks 0 records" in run("doctor").out
