"""The first steps: make a memory, bring in what there is, follow notes, and learn whose memory it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from foveal.doors.cli.app import app

from .conftest import Run


def test_init_makes_a_memory_for_the_folder(tmp_path: Path) -> None:
    made = CliRunner().invoke(app, ["init", "--actor-id", "ada", "--json"])
    assert json.loads(made.stdout) == {"url": "memory.db", "config": "memory_config.yaml", "actor_id": "ada"}
    CliRunner().invoke(app, ["write", "Ada sails."])
    [record] = json.loads(CliRunner().invoke(app, ["ls", "--json"]).stdout)
    assert (record["actor_id"], record["text"], (tmp_path / "memory.db").exists()) == ("ada", "Ada sails.", True)
    again = CliRunner().invoke(app, ["init"])
    assert (again.exit_code, "exists already" in again.stderr) == (4, True)


LINES = [
    {"memory": "Ada sails.", "created_at": "2026-03-01T09:00:00Z", "score": 0.5, "user_id": "x"},
    {"role": "assistant", "content": "Ben rows.", "name": "Coach"},
    {"text": "Cleo swims.", "tags": ["sport"], "timestamp": 1772355600, "metadata": {"lake": "Como"}},
    {"nothing": "here"},
]


def test_any_json_lines_are_imported_once(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "lines.jsonl"
    file.write_text("\n".join(json.dumps(line) for line in LINES) + "\n\nnot json\n")
    first, second = run("import", str(file)), run("import", str(file))
    assert (first.code, first.out) == (2, "imported 3 records\n")
    assert "line 4: no text" in first.err
    assert "line 6: JSON is malformed" in first.err
    assert second.out == "imported 0 records; 3 known already\n"
    ada, ben, cleo = (
        next(one for one in run("ls", "--json").json if name in one["text"]) for name in ("Ada", "Ben", "Cleo")
    )
    assert (ada["occurred_at"], ada["metadata"]) == ("2026-03-01T09:00:00+00:00", {"score": 0.5, "user_id": "x"})
    assert (ben["source"], ben["speaker"]) == ("assistant", "Coach")
    assert (cleo["tags"], cleo["metadata"], cleo["occurred_at"][:10]) == (["sport"], {"lake": "Como"}, "2026-03-01")


def test_a_file_without_a_text_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_text("\n")
    assert run("import", str(tmp_path / "empty.jsonl")).code == 2
    assert "cannot read" in run("import", str(tmp_path / "nowhere.jsonl")).err


def test_many_texts_are_counted_instead_of_listed(run: Run) -> None:
    said = "\n".join(f"Note number {number}." for number in range(30))
    assert run("write", "--file", "-", said=said).out == "wrote 30 records; --quiet prints their ids\n"
    assert len(run("write", "--file", "-", "--quiet", said=said).out.split()) == 30


def test_a_folder_of_notes_is_followed(run: Run, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "tea.md").write_text("Ada drinks green tea in the morning.")
    (notes / "rum.md").write_text("Ben drinks rum on Fridays.")

    def looked() -> tuple[int, ...]:
        done = run("watch", str(notes), "--once", "--json").json
        return tuple(done[name] for name in ("added", "changed", "unchanged", "archived", "forgotten"))

    assert looked() == (2, 0, 0, 0, 0)
    (notes / "tea.md").write_text("Ada drinks black tea in the morning.")
    (notes / "rum.md").unlink()
    assert looked() == (0, 1, 0, 1, 0)
    [tea] = [one for one in run("ls", "--json").json if "tea" in one["text"]]
    assert tea["version"] == 2
    found = run("search", "Who drinks rum?", "--json").json[0]["record"]
    assert (found["text"], found["vitals"]["archived_at"] is None) == ("Ben drinks rum on Fridays.", False)
    (notes / "rum.md").write_text("Ben drinks rum on Fridays.")
    assert looked() == (1, 0, 1, 0, 0)
    assert run("watch", str(tmp_path / "nowhere")).code == 3


def test_who_opens_the_memory_of_others_is_told(run: Run) -> None:
    run("write", "one", "-a", "ada")
    run("write", "two", "-a", "ada")
    ended = run("search", "one")
    assert "me has no memories here, but ada has 2: use --actor-id ada" in ended.err
    assert run("search", "one", "-a", "ben").err.count("--actor-id") == 0
    run("write", "mine")
    assert "--actor-id" not in run("search", "one").err


def test_a_filter_says_how_it_was_understood(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run("write", "x", "--kind", "fact")
    err = run("search", "x", "-f", "kind=fact", "-f", "importance>=0.2", "--as-of", "2100-01-01T00:00Z").err
    assert err.startswith("only kind 'fact', importance at least 0.2, known at ")
    assert "only from " in run("ls", "--since", "2026-01-01").err
    assert run("ls", "--since", "2026-01-01", "--json").err == ""


@pytest.mark.parametrize(
    "command", [["ls"], ["search", "x"], ["read", "x"], ["forget", "--hard", "--yes"]], ids=lambda words: words[0]
)
def test_of_an_invalid_filter_only_the_error_is_told(run: Run, command: list[str]) -> None:
    run("write", "x")
    ended = run(*command, "--filter", "tag=zzz")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("Error: ") and "did you mean 'tags'?" in ended.err
    assert "only" not in ended.err


def test_moments_are_shown_with_their_zone(run: Run) -> None:
    run("write", "x", "--occurred-at", "2026-03-02T09:00")
    assert "\t2026-03-02 09:00 " in run("ls").out
