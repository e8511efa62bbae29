"""The frameworks' own test suites against our adapters, each in an environment of its own, without a network.

Run by `make conformance`, with a folder to work in. The suites come from the frameworks' source packages.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PLUGINS = Path(__file__).parent / "plugins"
OFFLINE = ["--disable-socket", "--allow-unix-socket", "--allow-hosts=127.0.0.1"]
OPTIONS = "[pytest]\nasyncio_mode = auto\nasyncio_default_fixture_loop_scope = function\n"
TOOLS = ["pytest", "pytest-asyncio", "pytest-mock", "pytest-socket"]


@dataclass(frozen=True)
class Suite:
    """A suite, what is aimed at ours by which plugin, and the tests that do not apply, each with the reason."""

    framework: str
    package: str
    extra: str
    plugin: str
    tests: Sequence[str]
    needs: Sequence[str]
    inapplicable: Mapping[str, str]


_SCORES = "compares cosines of the suite's own embedding function; our scores are relevances"
_INSIDE = "looks into the connections, locks or tables of the SDK's SQLite session"
SUITES = [
    Suite(
        framework="LangGraph store",
        package="langgraph-checkpoint",
        extra="langgraph",
        plugin="langgraph_store",
        tests=["tests/test_store.py"],
        needs=[],
        inapplicable={"test_embed_with_path": _SCORES},
    ),
    Suite(
        framework="OpenAI Agents sessions",
        package="openai-agents",
        extra="openai-agents",
        plugin="openai_sessions",
        tests=["tests/memory/test_session.py", "tests/memory/test_session_limit.py"],
        needs=["inline-snapshot"],
        inapplicable=dict.fromkeys(
            [
                "test_sqlite_session_close",
                "test_sqlite_session_reaps_connections",
                "test_sqlite_session_keeps_connections",
                "corrupt",
                "test_sqlite_session_file_lock",
                "test_sqlite_session_failed",
                "test_sqlite_session_rollback",
                "test_sqlite_session_post_commit",
            ],
            _INSIDE,
        ),
    ),
]


def _run(*words: str | Path, folder: Path = ROOT) -> str:
    done = subprocess.run([str(word) for word in words], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, words))}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def _environment(suite: Suite, folder: Path) -> Path:
    python = folder / "venv" / "bin" / "python"
    if not python.exists():
        _run(sys.executable, "-m", "venv", folder / "venv")
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        _run(*pip, "-e", f"{ROOT}[{suite.extra}]", *TOOLS, *suite.needs)
    return python


def _unpacked(suite: Suite, version: str, folder: Path, python: Path) -> Path:
    name = f"{suite.package.replace('-', '_')}-{version}"
    if not (folder / f"{name}.tar.gz").exists():
        pip = [python, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        _run(*pip, "--no-binary", ":all:", "--dest", folder, f"{suite.package}=={version}")
    shutil.rmtree(folder / name, ignore_errors=True)
    with tarfile.open(folder / f"{name}.tar.gz") as archive:
        archive.extractall(folder, filter="data")
    # The tests must import the installed package, which the plugin changes, and not the source beside them.
    (folder / name / "pyproject.toml").unlink()
    shutil.rmtree(folder / name / "src", ignore_errors=True)
    (folder / name / "pytest.ini").write_text(OPTIONS)
    return folder / name


def check(suite: Suite, folder: Path) -> tuple[str, int, int]:
    """Run a suite. Returns the version, how many tests passed, and how many failed."""
    folder.mkdir(parents=True, exist_ok=True)
    python = _environment(suite, folder)
    version = _run(
        python, "-c", f"from importlib.metadata import version; print(version('{suite.package}'))"
    ).strip()
    source = _unpacked(suite, version, folder, python)
    left_out = " or ".join(suite.inapplicable)
    words = ["-q", "-p", suite.plugin, *OFFLINE]
    done = subprocess.run(
        [str(python), "-m", "pytest", *words, "-k", f"not ({left_out})", *suite.tests],
        cwd=source,
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(PLUGINS), "HOME": str(folder)},
    )
    counts = {word: int(number) for number, word in re.findall(r"(\d+) (passed|failed|error)", done.stdout)}
    failed = counts.get("failed", 0) + counts.get("error", 0)
    if failed or "passed" not in counts:
        print(done.stdout[-4000:], done.stderr[-2000:])
    return version, counts.get("passed", 0), failed or int("passed" not in counts)


def main(folder: Path) -> int:
    """Print the table; the exit code is 1 if a test failed."""
    rows = [(suite, *check(suite, folder / suite.extra)) for suite in SUITES]
    print(f"{'framework':24} {'version':10} {'passed':>10}  left out")
    for suite, version, passed, failed in rows:
        total = passed + failed
        print(f"{suite.framework:24} {version:10} {passed:>4} of {total:>3}  {len(suite.inapplicable)} names")
        for name, reason in suite.inapplicable.items():
            print(f"    {name}: {reason}")
    return int(any(failed for *_, failed in rows))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
