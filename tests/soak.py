"""A pytest plugin for `make soak`: run the property tests and the attack again and again with fresh examples."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from tests.attack.effort import TALLY

SECONDS_A_MINUTE = 60
ATTACK = Path(__file__).with_name("attack")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--minutes", type=float, default=10, help="how long to go on; a test that has begun is finished"
    )


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Soak(config.option.minutes * SECONDS_A_MINUTE))


def _is_random(item: pytest.Item) -> bool:
    if item.get_closest_marker("hypothesis") or ATTACK in item.path.parents:
        return True
    # The suites of `foveal.testing` run their state machines inside ordinary tests, which Hypothesis does not mark.
    return isinstance(item, pytest.Function) and "run_state_machine_as_test" in item.function.__code__.co_names


class Soak:
    """Runs all these tests in random order, round after round. A test that failed is not run again."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._deadline = 0.0
        self._rounds = self._runs = 0
        self._failed: set[str] = set()

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        config.hook.pytest_deselected(items=[item for item in items if not _is_random(item)])
        items[:] = filter(_is_random, items)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        if session.testsfailed or session.config.option.collectonly or not session.items:
            return None
        self._deadline = time.monotonic() + self._seconds
        items = self._in_rounds(session)
        item = next(items, None)
        while item is not None:
            following = next(items, None)
            # A test is not torn down if it is the next one, too.
            after = None if following is item else following
            session.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
            self._runs += 1
            item = following
        return True

    def _in_rounds(self, session: pytest.Session) -> Iterator[pytest.Item]:
        for self._rounds in count(1):
            left = [item for item in session.items if item.nodeid not in self._failed]
            random.shuffle(left)
            for item in left:
                if time.monotonic() > self._deadline:
                    return
                yield item
            if not left:
                return

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._failed.add(report.nodeid)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        terminalreporter.write_sep("=", "soak")
        terminalreporter.write_line(
            f"{self._seconds / SECONDS_A_MINUTE:g} min, round {self._rounds}: {self._runs} test runs with fresh "
            f"random examples, tests that failed: {len(self._failed)}"
        )
        if TALLY:
            done = ", ".join(f"{number:,} {what}" for what, number in sorted(TALLY.items()))
            failed = sum("tests/attack/" in name for name in self._failed)
            terminalreporter.write_line(
                f"attack: {done}; tests that found something lost, leaked or unnamed: {failed}"
            )
        for name in sorted(self._failed):
            terminalreporter.write_line(f"  {name}")
