"""Text and question meet in the same terms."""

import threading

import pytest

from foveal.rules.text import asked_terms, terms


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Caroline's cats", "caroline cat"),
        ("They’ve been running", "runs"),
        ("naïve café", "NAIVE CAFE"),
        ("ﬁne ligature", "fine"),
        ("शिक्षा की किताब", "किताब"),
        ("foo_bar-baz.qux", "bar baz"),
        ("猫", "猫"),
        ("the year 2023-05-07", "2023"),
    ],
)
def test_forms_of_a_word_meet(text: str, question: str) -> None:
    assert set(asked_terms(question)) & set(terms(text))


def test_a_question_without_telling_words_has_no_terms() -> None:
    assert asked_terms("who are you") == asked_terms("🙂 !!") == []


def test_terms_do_not_depend_on_who_else_is_cutting() -> None:
    words = [f"generalization{n} running{n} flies{n}" for n in range(300)]
    expected = [terms(text) for text in words]
    results: list[list[list[str]]] = []
    threads = [threading.Thread(target=lambda: results.append([terms(t) for t in words])) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 4
