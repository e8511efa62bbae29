"""What the outside world relies on is what it was: a change of the source tree changes none of it."""

from pathlib import Path

import pytest
from tests.repo.golden import GOLDEN, STORY, as_kept, kept
from tests.repo.story import told


@pytest.mark.parametrize("name", GOLDEN)
def test_what_others_rely_on_is_as_it_was(name: str) -> None:
    assert as_kept(GOLDEN[name]()) == kept(name), "if meant: python -m tests.repo.golden"


def _assert_the_story_has_its_answers(url: str | Path) -> None:
    answers, expected = as_kept(told(url)), kept(STORY)
    assert list(answers) == list(expected)
    for name, answer in answers.items():
        assert answer == expected[name], f"{name}; if meant: python -m tests.repo.golden"


def test_a_file_answers_the_story_as_before(tmp_path: Path) -> None:
    _assert_the_story_has_its_answers(tmp_path / "memory.db")


def test_a_memory_without_a_file_answers_the_story_as_before() -> None:
    _assert_the_story_has_its_answers(":memory:")


@pytest.mark.server
def test_a_database_answers_the_story_as_before(database: str) -> None:
    _assert_the_story_has_its_answers(database)
