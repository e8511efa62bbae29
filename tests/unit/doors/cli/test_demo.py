from __future__ import annotations

import tempfile
from pathlib import Path
from statistics import mean

import pytest

from foveal import Memory, Settings
from foveal.doors.cli import demo
from foveal.doors.cli.demo import BUDGET, conversation, questions
from foveal.model.results import What

from .conftest import Run


def test_it_shows_four_contexts_each_within_its_budget(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "demo.db"
    told = run("demo", "--path", str(file), "--json").json
    assert told["turns"] == len(conversation())
    assert told["path"] == str(file)
    assert told["bytes"] == file.stat().st_size
    assert [one["question"] for one in told["questions"]] == [one.question for one in questions()[:4]]
    for one in told["questions"]:
        assert 0 < one["context"]["tokens"] <= BUDGET == one["context"]["receipt"]["token_budget"]
        assert one["context"]["items"]
        assert 0 <= one["evidence"]["shown"] <= one["evidence"]["of"]


def test_it_tells_what_a_newcomer_needs(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "demo.db"
    told = run("demo", "--path", str(file)).out
    for number, one in enumerate(questions()[:4], 1):
        assert f"{number}. {one.question}" in told
    assert told.count(f" of {BUDGET}, counted with o200k_base") == 4
    assert told.count("considered") == 4
    assert f"Wrote {len(conversation())} turns in " in told
    tried = [line.split(f"{file} ")[1] for line in told.splitlines() if f" -u {file} " in line]
    assert len(tried) == 5 and tried[-1] == "console"
    assert '* The opening is on 7 November now. (before: "on 31 October")' in told
    assert "nothing found: the most relevant turn is" in told
    assert "&amp;" not in told
    assert run("ls", "--url", str(file), "--limit", "5").code == 0


@pytest.mark.parametrize("installed", [True, False])
def test_it_tells_what_to_install_for_the_browser_only_where_it_is_missing(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, installed: bool
) -> None:
    def found(_: str) -> object | None:
        return object() if installed else None

    monkeypatch.setattr(demo, "find_spec", found)
    told = " ".join(run("demo", "--path", str(tmp_path / "demo.db")).out.split())
    assert ("Look at it in the browser:" in told) is installed
    assert ("`pip install 'foveal[server]'` (in a clone, `pip install '.[server]'`):" in told) is not installed


def test_the_tiers_hold_what_deserves_it_once_the_months_of_the_conversation_are_over(
    run: Run, tmp_path: Path
) -> None:
    file = tmp_path / "demo.db"
    run("demo", "--path", str(file))
    with Memory(file, settings=Settings(metabolism="off")) as memory:
        me = memory.view(actor_id="me")
        stats = me.get_stats()
        assert stats["l2_size"] + stats["l3_size"] > 0 and stats["l4_size"] > 0 and stats["archived"] > 0
        kept = me.timeline(filters={"tier": "semantic", "archived": False}, limit=1000)
        gone = me.timeline(filters={"archived": True}, limit=1000)
        importance = [mean(record.vitals.importance for record in records) for records in (kept, gone)]
        assert importance[0] > importance[1] + 0.1
        assert {move.what for move in me.lifecycle.journal(limit=2000)} >= {
            What.PROMOTED,
            What.DIGESTED,
            What.SEDIMENTED,
        }


def test_its_file_fills_every_view_of_the_console(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "demo.db"
    run("demo", "--path", str(file))
    for command in (
        *("session ls", "goal ls", "crystal ls", "ledger decisions", "ledger calls", "ledger patterns"),
        *("events", "nodes", "recalls", "journal", "facts", "facts --status ended"),
    ):
        assert run(*command.split(), "--url", str(file), "--json").json, command
    assert [tape["active"] for tape in run("tape", "list", "--url", str(file), "--json").json][-1]
    assert len(run("nodes", "--url", str(file), "--json").json) == 4


def test_it_leaves_a_file_that_is_there_alone(run: Run, tea: str, path: Path) -> None:
    assert run("demo", "--path", str(path)).code == 4
    assert len(run("ls", "--json").json) == 1


def test_it_makes_a_folder_of_its_own(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    first, second = (Path(run("demo", "--quiet").out.strip()) for _ in range(2))
    assert first.exists() and second.exists()
    assert first.parent != second.parent
    assert first.is_relative_to(tmp_path)


def test_the_evidence_lies_in_the_conversation() -> None:
    lines = len(conversation())
    assert all(1 <= line <= lines for one in questions() for line in one.evidence)


def test_a_seeded_memory_is_the_same_each_time_and_has_everything_in_it(run: Run, tmp_path: Path) -> None:
    files = [tmp_path / "one.db", tmp_path / "two.db"]
    told = [run("demo", "--seed", "120", "--url", str(file), "--json").json for file in files]
    assert told[0]["records"] == told[1]["records"] >= 120
    assert {"world": "default", "actor_id": "ada"} in told[0]["actors"]
    listed = [run("ls", "--url", str(file), "-a", "ada", "--limit", "200", "--json").json for file in files]
    texts = [
        [(one["id"], one["text"], one["occurred_at"], one["vitals"]["tier"]) for one in found] for found in listed
    ]
    named = [[row for row in found if row[0].startswith(("m", "fact"))] for found in texts]
    assert named[0] == named[1]
    assert len({row[3] for row in named[0]}) > 1
    for command in (
        *("session ls", "goal ls", "crystal ls", "tape list", "ledger decisions", "recalls", "journal"),
        *("ledger calls", "ledger patterns", "facts"),
    ):
        assert run(*command.split(), "--url", str(files[0]), "-a", "ada", "--json").json, command
    assert len(run("history", "fact-1", "--url", str(files[0]), "-a", "ada", "--json").json) == 3
    assert run("demo", "--seed", "5", "--url", str(files[0])).code == 4
