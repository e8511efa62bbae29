from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Run


def test_a_dry_run_tells_and_changes_nothing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOVEAL_METABOLISM", "off")
    run("write", "the code is 4711", "--importance", "0.9", "--id", "code")
    told = run("metabolism", "--dry-run")
    assert "1 would be promoted" in told.out
    assert "the code is 4711" in told.out
    assert run("get", "code", "--json").json["vitals"]["tier"] == "working"
    assert run("metabolism", "--json").json["counts"] == {"promoted": 1}
    assert run("get", "code", "--json").json["vitals"]["tier"] == "session"
    assert "nothing is due" in run("metabolism").out


def test_local_records_of_the_root_are_widened_after_a_preview(run: Run) -> None:
    run("write", "the boiler is serviced in May", "--scope", "local", "--id", "boiler")
    assert "1 record would be made global" in run("widen", "--dry-run").out
    assert run("get", "boiler", "--json").json["scope"] == "local"
    assert "1 record made global" in run("widen").out
    assert "the boiler" in run("--node", "/planner", "search", "when is the boiler serviced?").out
    assert "nothing to widen" in run("widen").out


def test_a_move_of_the_journal_is_undone(run: Run) -> None:
    run("write", "the code is 4711", "--importance", "0.9", "--id", "code")
    run("metabolism")
    told = run("journal", "code").out
    assert "promoted L1 → L2" in told
    assert "importance 0.90 is above 0.6" in told
    [move] = run("journal", "code", "--quiet").out.split()
    assert run("undo", move).out.startswith("undid promoted")
    assert run("get", "code", "--json").json["vitals"]["tier"] == "working"
    again = run("undo", move)
    assert again.code != 0
    assert "undone already" in again.err


def test_a_forecast_says_when_and_why(run: Run, tea: str) -> None:
    [step] = run("forecast", tea, "--json").json
    assert (step["what"], step["why"]) == ("archived", "L1 keeps 1 h")
    assert "L1 keeps 1 h" in run("forecast", tea).out


def test_stats_draw_the_tiers(run: Run, tea: str, ship: str) -> None:
    told = run("stats").out
    assert "L1 working\t2\t0\t10 a session\t" in told
    assert "L4 semantic\t0\t0\tno bound\t" in told


def test_a_worker_may_work_once(run: Run, tea: str) -> None:
    assert set(run("worker", "--once", "--json").json) >= {"migration", "health_check"}
    assert "nothing is due" in run("worker", "--once").err


@pytest.mark.parametrize("name", ["decay.png", "decay.svg"])
def test_the_decay_is_drawn(run: Run, tmp_path: Path, name: str) -> None:
    assert run("plot", "decay", "--out", str(tmp_path / name)).code == 0
    assert (tmp_path / name).stat().st_size > 5_000
    wrong = run("plot", "decay", "--out", str(tmp_path / "decay.doc"))
    assert wrong.code == 2
    assert ".png, .svg or .pdf" in wrong.err
