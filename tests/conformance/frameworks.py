"""The suites, stories, pages and examples of our adapters, each framework in an environment of its own.

Run by `make conformance`, with a folder to work in and, if not all are wanted, the names of frameworks. Packages
are fetched while an environment is made; after that only this machine can be reached. The frameworks' own suites
come from their source packages.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
PLUGINS, OFFLINE = HERE / "plugins", HERE / "offline"
OPTIONS = "[pytest]\nasyncio_mode = auto\nasyncio_default_fixture_loop_scope = function\n"
TOOLS = ["pytest", "pytest-asyncio", "pytest-mock"]
# What `foveal.testing` and the stories need.
TESTING = ["testing", "postgres", "redis", "http"]
UV = Path(sys.executable).with_name("uv")
GUARDED = "import socket; socket.create_connection(('192.0.2.1', 9))"


@dataclass(frozen=True)
class Suite:
    """Files of tests, from the repository or from the framework's source package, and the tests that do not apply.

    `plugin` aims the tests at ours; `inapplicable` has the reason for each name that is left out.
    """

    title: str
    tests: Sequence[str]
    plugin: str | None = None
    upstream: bool = False
    inapplicable: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class Framework:
    """A framework: the package that names its version, our extra, and what is run."""

    title: str
    package: str
    suites: Sequence[Suite]
    extra: str | None = None
    needs: Sequence[str] = ()
    page: str | None = None
    example: str | None = None


@dataclass(frozen=True)
class Row:
    """A line of the table."""

    framework: str
    version: str
    suite: Suite
    passed: int
    total: int
    left_out: int = 0


_SCORES = "compares cosines of the suite's own embedding function; our scores are relevances"
_INSIDE = "looks into the connections, locks or tables of the SDK's SQLite session"


def _story(file: str) -> Suite:
    return Suite(title="our story", tests=[f"tests/{file}"])


FRAMEWORKS = {
    "langgraph": Framework(
        title="LangGraph store",
        package="langgraph-checkpoint",
        extra="langgraph",
        needs=["langgraph", "openai"],
        page="langgraph",
        example="langgraph_agent",
        suites=[
            Suite(
                title="tests/test_store.py",
                tests=["tests/test_store.py"],
                plugin="langgraph_store",
                upstream=True,
                inapplicable={"test_embed_with_path": _SCORES},
            ),
            _story("integrations/test_langgraph.py"),
        ],
    ),
    "openai-agents": Framework(
        title="OpenAI Agents SDK",
        package="openai-agents",
        extra="openai-agents",
        needs=["inline-snapshot"],
        page="openai-agents",
        example="openai_agents_session",
        suites=[
            Suite(
                title="tests/memory/test_session*.py",
                tests=["tests/memory/test_session.py", "tests/memory/test_session_limit.py"],
                plugin="openai_sessions",
                upstream=True,
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
            _story("integrations/test_openai_agents.py"),
        ],
    ),
    "claude": Framework(
        title="Claude memory tool",
        package="anthropic",
        extra="claude",
        page="claude-memory",
        example="claude_memory_tool",
        suites=[_story("integrations/test_claude_memory.py")],
    ),
    "mem0": Framework(
        title="mem0",
        package="mem0ai",
        needs=["mem0ai", "openai"],
        page="mem0",
        example="mem0_chat",
        suites=[
            Suite(title="compared with its Memory", tests=["tests/conformance/suites/mem0.py"]),
            _story("integrations/test_mem0.py"),
        ],
    ),
    "langchain": Framework(
        title="LangChain",
        package="langchain-core",
        extra="langchain",
        needs=["langchain-tests", "openai"],
        page="langchain",
        example="langchain_memory",
        suites=[
            Suite(title="langchain-tests", tests=["tests/conformance/suites/langchain.py"]),
            _story("integrations/test_langchain.py"),
        ],
    ),
    "pydantic-ai": Framework(
        title="Pydantic AI",
        package="pydantic-ai-slim",
        extra="pydantic-ai",
        needs=["openai"],
        page="pydantic-ai",
        example="pydantic_ai_memory",
        suites=[_story("conformance/suites/pydantic_ai.py")],
    ),
    "llama-index": Framework(
        title="LlamaIndex",
        package="llama-index-core",
        extra="llama-index",
        needs=["llama-index-llms-openai-like"],
        page="llama-index",
        example="llama_index_memory",
        suites=[_story("conformance/suites/llama_index.py")],
    ),
    "crewai": Framework(
        title="CrewAI",
        package="crewai",
        extra="crewai",
        needs=[],
        page="crewai",
        example="crewai_memory",
        suites=[_story("conformance/suites/crewai.py")],
    ),
}


def _run(*words: str | Path, folder: Path = ROOT) -> str:
    done = subprocess.run([str(word) for word in words], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, words))}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def _install(folder: Path, *packages: str) -> Path:
    """The interpreter of the environment in a folder, with these packages."""
    python = folder / "venv" / "bin" / "python"
    if not python.exists():
        _run(*([UV, "venv", "--quiet"] if UV.exists() else [sys.executable, "-m", "venv"]), folder / "venv")
    pip = [UV, "pip", "install", "--python", python] if UV.exists() else [python, "-m", "pip", "install"]
    _run(*pip, "--quiet", *(word for package in packages for word in _words(package)))
    return python


def _words(package: str) -> list[str]:
    return ["-e", package] if package.startswith(str(ROOT)) else [package]


def _unpacked(package: str, version: str, folder: Path) -> Path:
    name = f"{package.replace('-', '_')}-{version}"
    if not (folder / f"{name}.tar.gz").exists():
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        _run(*pip, "--no-binary", ":all:", "--dest", folder, f"{package}=={version}")
    shutil.rmtree(folder / name, ignore_errors=True)
    with tarfile.open(folder / f"{name}.tar.gz") as archive:
        archive.extractall(folder, filter="data")
    # The tests must import the installed package, which the plugin changes, and not the source beside them.
    (folder / name / "pyproject.toml").unlink()
    shutil.rmtree(folder / name / "src", ignore_errors=True)
    (folder / name / "pytest.ini").write_text(OPTIONS)
    return folder / name


def _offline(folder: Path, *path: Path) -> dict[str, str]:
    """The whole environment of a process that can reach this machine only."""
    home = folder / "home"
    home.mkdir(exist_ok=True)
    places = ":".join(map(str, [OFFLINE, *path]))
    quiet = {"MEM0_TELEMETRY": "False", "CREWAI_DISABLE_TELEMETRY": "true", "OTEL_SDK_DISABLED": "true"}
    return {"PYTHONPATH": places, "HOME": str(home), "PATH": f"{folder / 'venv' / 'bin'}:/usr/bin:/bin", **quiet}


def _passes(folder: Path, work: Path, *words: str | Path, path: Sequence[Path] = ()) -> bool:
    """Whether a command succeeds in an empty folder; its output is printed if it does not."""
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    command = [str(word) for word in words]
    environment = _offline(folder, *path)
    done = subprocess.run(command, cwd=work, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        print(" ".join(command), done.stdout[-4000:], done.stderr[-4000:], sep="\n")
    return not done.returncode


def _shown(framework: Framework, folder: Path, python: Path) -> tuple[Suite, int, int]:
    """The page and the example, in an environment that has nothing but what the page says to install."""
    work, done = folder / "work", list[bool]()
    if framework.page is not None:
        page = ROOT / "docs" / "how-to" / f"{framework.page}.md"
        done.append(_passes(folder, work, python, "-m", "tests.support.pages", page, path=[ROOT]))
    if framework.example is not None:
        script = ROOT / "examples" / f"{framework.example}.py"
        done.append(_passes(folder, work, python, script, work / "memory.db"))
    return Suite(title="page and example", tests=()), sum(done), len(done)


def _tested(suite: Suite, folder: Path, python: Path, source: Path) -> tuple[int, int, int]:
    """How many tests passed, of how many, and how many were left out."""
    report = folder / "report.xml"
    report.unlink(missing_ok=True)
    words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}"]
    if not suite.upstream:
        (folder / "pytest.ini").write_text(OPTIONS)
        words += ["-c", str(folder / "pytest.ini"), "--noconftest", "--import-mode=importlib", f"--rootdir={ROOT}"]
    words += ["-p", suite.plugin] if suite.plugin else []
    words += ["-k", f"not ({' or '.join(suite.inapplicable)})"] if suite.inapplicable else []
    done = subprocess.run(
        [str(python), *words, *suite.tests],
        cwd=source,
        env=_offline(folder, PLUGINS, ROOT),
        capture_output=True,
        text=True,
        check=False,
    )
    if not report.exists():
        print(done.stdout[-4000:], done.stderr[-4000:])
        return 0, 1, 0
    cases = list(ElementTree.parse(report).getroot().iter("testcase"))
    passed = sum(1 for case in cases if not list(case.iter("failure")) + list(case.iter("error")) + _skipped(case))
    if passed < len(cases) or not cases:
        print(done.stdout[-6000:], done.stderr[-2000:])
    deselected = done.stdout.rpartition(" deselected")[0].rpartition(" ")[2].lstrip("\n")
    return passed, max(1, len(cases)), int(deselected) if deselected.isdecimal() else 0


def _skipped(case: ElementTree.Element) -> list[ElementTree.Element]:
    return list(case.iter("skipped"))


def check(framework: Framework, folder: Path) -> list[Row]:
    """Run everything of a framework."""
    folder.mkdir(parents=True, exist_ok=True)
    extras = f"[{framework.extra}]" if framework.extra else ""
    python = _install(folder, f"{ROOT}{extras}", *framework.needs)
    name = framework.package
    version = _run(python, "-c", f"from importlib.metadata import version; print(version('{name}'))").strip()
    blocked = subprocess.run(
        [str(python), "-c", GUARDED], env=_offline(folder), capture_output=True, text=True, check=False
    )
    if "only this machine" not in blocked.stderr:
        raise SystemExit(f"other machines can be reached from {folder}: {blocked.stderr}")
    shown, passed, total = _shown(framework, folder, python)
    rows = [Row(framework.title, version, shown, passed, total)]
    _install(folder, f"{ROOT}[{','.join(filter(None, [framework.extra, *TESTING]))}]", *TOOLS)
    upstream = any(suite.upstream for suite in framework.suites)
    source = _unpacked(framework.package, version, folder) if upstream else ROOT
    for suite in framework.suites:
        counts = _tested(suite, folder, python, source if suite.upstream else ROOT)
        rows.append(Row(framework.title, version, suite, *counts))
    return rows


def main(folder: Path, names: Sequence[str]) -> int:
    """Print the table; the exit code is 1 if a test failed."""
    unknown = [name for name in names if name not in FRAMEWORKS]
    if unknown:
        raise SystemExit(f"there is no framework {unknown[0]!r}: there are {', '.join(FRAMEWORKS)}")
    rows = [row for name in names or FRAMEWORKS for row in check(FRAMEWORKS[name], folder / name)]
    print(f"{'framework':22} {'version':10} {'suite':32} {'passed':>10}")
    for row in rows:
        print(f"{row.framework:22} {row.version:10} {row.suite.title:32} {row.passed:>4} of {row.total:>3}")
        if row.suite.inapplicable:
            print(f"    {row.left_out} tests do not apply:")
        for name, reason in row.suite.inapplicable.items():
            print(f"    {name}: {reason}")
    return int(any(row.passed < row.total for row in rows))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), sys.argv[2:]))
