"""A pytest plugin for `make test`: measure the branch coverage of `foveal.model` and `foveal.rules`."""

from __future__ import annotations

import io
from collections.abc import Generator
from pathlib import Path

import pytest
from coverage import Coverage

ROOT = Path(__file__).parents[1]
# Tracing takes half as long again, so it is on only in these tests, which reach nearly all that the others do.
# Property tests and those that compare times run without it.
STORIES = """
    assembly bad_input changes crystals families forks ledger narrowing pages policies_kept policy scopes snapshots
    tiers verbs
""".split()
MEASURED = (
    "src/foveal/model/",
    "src/foveal/rules/",
    "tests/unit/model/",
    "tests/unit/rules/",
    "tests/unit/backends/test_breaker.py",
    "tests/unit/doors/client/test_ghost_age.py",
    *(f"tests/stories/test_{name}.py" for name in STORIES),
)

measurement = Coverage(data_file=ROOT / ".coverage", config_file=ROOT / "pyproject.toml")


def _is_measured(item: pytest.Item) -> bool:
    left_out = (
        item.get_closest_marker("hypothesis") or item.get_closest_marker("server") or "take_time" in item.name
    )
    return item.nodeid.startswith(MEASURED) and not left_out


def _is_worker(config: pytest.Config) -> bool:
    return hasattr(config, "workerinput")


class Branches:
    """Traces the chosen tests in this process; the one that the terminal belongs to puts everything together."""

    def __init__(self) -> None:
        self._report = io.StringIO()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        measurement.stop()
        result = yield
        measurement.save()
        if not _is_worker(session.config):
            measurement.combine()
            total = measurement.report(file=self._report, show_missing=True)
            session.testsfailed += total < float(str(measurement.get_option("report:fail_under")))
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        if not _is_measured(item):
            return (yield)
        measurement.start()
        try:
            return (yield)
        finally:
            measurement.stop()

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        terminalreporter.write_sep("=", "branch coverage of model and rules")
        terminalreporter.write_line(self._report.getvalue())
        terminalreporter.write_line(f"must be at least {measurement.get_option('report:fail_under')} %")


def pytest_load_initial_conftests() -> None:
    measurement.erase()
    # So early that the lines count which run when a module is imported.
    measurement.start()


def pytest_configure(config: pytest.Config) -> None:
    # Workers load this plugin after their conftest files.
    if _is_worker(config):
        measurement.start()
    config.pluginmanager.register(Branches())
