"""The workflows run commands that exist, on the Python versions that the package claims, with pinned actions."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def _jobs(path: Path) -> dict[str, dict[str, Any]]:
    return yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_every_make_target_of_a_workflow_exists(path: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    called = [words for words in re.findall(r"run: make ([a-z -]+)", path.read_text(encoding="utf-8"))]
    assert called
    assert {target for words in called for target in words.split()} - targets == set()


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_jobs_need_only_jobs_that_exist_and_end_in_time(path: Path) -> None:
    jobs = _jobs(path)
    for job in jobs.values():
        assert set(job.get("needs", [])) <= set(jobs)
        assert "uses" in job or job["timeout-minutes"] <= 60


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_matrix_values_are_defined_by_the_job_that_uses_them(path: Path) -> None:
    for job in _jobs(path).values():
        used = set(re.findall(r"matrix\.(\w+)", yaml.safe_dump(job)))
        assert used <= set(job.get("strategy", {}).get("matrix", {}))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_pinned_by_their_commit(path: Path) -> None:
    for action in re.findall(r"uses: (\S+)", path.read_text(encoding="utf-8")):
        assert action.startswith("./") or re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", action)


def test_the_tests_run_on_every_python_the_package_claims() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    claimed = [line.rpartition(" ")[2] for line in project["classifiers"] if re.search(r"Python :: 3\.\d+$", line)]
    assert _jobs(ROOT / ".github" / "workflows" / "ci.yml")["test"]["strategy"]["matrix"]["python"] == claimed
