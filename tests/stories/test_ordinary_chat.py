"""Ten natural questions about an ordinary chat, and what comes back."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from foveal import Memory
from foveal.engine.memory import View

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
CHAT = [
    ("user", "Morning! I'm Tomas, I just moved here from Porto with my wife and our daughter."),
    ("assistant", "Welcome! How can I help?"),
    ("user", "From now on answer in metric units."),
    ("assistant", "Noted."),
    ("user", "Nora starts school on Monday. She is seven and a little nervous about it."),
    ("assistant", "That's a big day for your daughter. Good luck to her."),
    ("user", "My wife Ines can't eat peanuts, she carries an EpiPen."),
    ("assistant", "Understood, no peanuts."),
    ("user", "What's the code of the garage door again?"),
    ("assistant", "You haven't told me yet."),
    ("user", "The landlord finally wrote. For the garage it is 4711 and then the hash key."),
    ("assistant", "Got it."),
    ("user", "What's the code of the garage door?"),
    ("assistant", "As you wrote before. Anything else?"),
    ("user", "Yoga is on Tuesdays at seven, in the old fire station."),
    ("assistant", "Added to your calendar."),
    ("user", "We painted the kitchen yellow over the weekend, it dried overnight."),
    ("user", "The dentist is Dr. Almeida, second floor, Rua do Sol 12."),
    (
        "assistant",
        "For the trip I'd take the 8:40 train, it has a dining car and you change only once, in Coimbra.",
    ),
    ("user", "Yoga has moved to Thursdays, same time, because the fire station is being renovated."),
    ("assistant", "Will do."),
    ("user", "Did I tell you I sold the old Volvo last week?"),
    ("assistant", "You did now. I hope you got a good price!"),
]


def _filled(view: View, *, user: str | None = None, assistant: str | None = None) -> View:
    for number, (source, text) in enumerate(CHAT):
        speaker = user if source == "user" else assistant
        view.write(
            text,
            source=source,
            speaker=speaker,
            session_id=f"s{number // 8}",
            occurred_at=START + timedelta(days=number // 4, minutes=number),
        )
    return view


@pytest.fixture
def chat() -> Iterator[View]:
    with Memory(":memory:") as memory:
        yield _filled(memory.view(actor_id="tomas"))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is the code for the garage?", "4711"),
        ("What's the code of the garage door?", "4711"),
        ("What must my wife not eat?", "peanuts"),
        ("Which train did you recommend?", "8:40"),
        ("Who is our dentist?", "Almeida"),
        ("When is yoga?", "Thursdays"),
        ("What colour is the kitchen?", "yellow"),
        ("Do I still have the Volvo?", "sold"),
        ("Where did we live before we came here?", "Porto"),
    ],
)
def test_what_was_said_is_found(chat: View, question: str, answer: str) -> None:
    assert any(answer in hit.text for hit in chat.search(question, k=3)), [
        hit.text for hit in chat.search(question)
    ]


@pytest.mark.parametrize("question", ["What's the code of the garage door?", "what is the code of the garage door"])
def test_a_question_is_not_the_answer_to_itself(chat: View, question: str) -> None:
    first = chat.search(question)[0]
    assert "4711" in first.text


def test_a_question_is_found_by_who_asks_what_was_asked(chat: View) -> None:
    found = [hit.text for hit in chat.search("Did I ask you about the code of the garage door?", k=3)]
    assert any(text.startswith("What's the code") for text in found)


def test_acknowledgements_are_no_evidence(chat: View) -> None:
    for question in ("What did you note?", "Which units do I want?", "When is yoga?"):
        assert not {"Noted.", "Got it.", "Will do."} & {hit.text for hit in chat.search(question, k=2)}


def test_a_later_statement_stands_above_the_one_it_replaces_and_that_is_marked(chat: View) -> None:
    hits = chat.search("When is yoga?")
    places = {hit.text.split()[2]: place for place, hit in enumerate(hits)}
    newer = next(hit for hit in hits if "Thursdays" in hit.text)
    older = next(hit for hit in hits if "Tuesdays" in hit.text)
    assert hits.index(newer) < hits.index(older), places
    assert older.replaced_by == newer.id and newer.replaced_by is None
    assert "(older): Yoga is on Tuesdays" in chat.read("When is yoga?").text


def test_names_of_roles_do_not_matter(chat: View) -> None:
    questions = ("What is the code for the garage?", "Which train did you recommend?", "When is yoga?")
    with Memory(":memory:") as memory:
        named = _filled(memory.view(actor_id="tomas"), user="Tomas", assistant="Juno")
        for question in questions:
            first, other = ([hit.text for hit in view.search(question, k=1)] for view in (chat, named))
            assert first == other


def test_nothing_is_found_where_nothing_was_said(chat: View) -> None:
    question = "Which shader does the renderer compile for translucent particles?"
    assert chat.search(question) == [] or chat.search(question)[0].relevance < 0.1
    context = chat.read("Which shader does the renderer compile for translucent particles?", token_budget=300)
    assert context.tokens < 250


def test_relevance_lies_between_nought_and_one_and_does_not_depend_on_how_many_are_asked_for(chat: View) -> None:
    few, many = (chat.search("When is yoga?", k=k, min_relevance=0) for k in (2, 20))
    assert [(hit.id, hit.relevance) for hit in few] == [(hit.id, hit.relevance) for hit in many[:2]]
    assert all(0 <= hit.relevance <= 1 for hit in many)
    assert [hit.relevance for hit in many] == sorted((hit.relevance for hit in many), reverse=True)


def test_with_no_least_relevance_everything_comes_that_fits(chat: View) -> None:
    assert len(chat.search("When is yoga?", k=100, min_relevance=0)) == len(CHAT)
    assert len(chat.read("When is yoga?", token_budget=4000, min_relevance=0).items) == len(CHAT)
    assert len(chat.read("When is yoga?", token_budget=4000).items) < len(CHAT)


def test_what_is_only_recent_is_labelled_and_takes_little(chat: View) -> None:
    for budget in (200, 400, 1000):
        context = chat.read("What must my wife not eat?", token_budget=budget)
        assert context.receipt.zones.get("recent", 0) <= 0.3 * budget
    assert ", recent]" in context.text


def test_marks_and_short_forms_do_not_change_what_is_asked(chat: View) -> None:
    plain, written = (
        chat.search(question)[0] for question in ("what colour is the kitchen", "What's the colour of the kitchen?")
    )
    assert plain.id == written.id
    assert abs(plain.relevance - written.relevance) < 0.1
    assert plain.relevance > 0.3


def test_a_statement_that_ends_in_a_request_is_evidence(chat: View) -> None:
    wanted = chat.write("The plumber comes on Friday between 8 and 10, can you remind me the evening before?")
    assert chat.search("When is the plumber coming?")[0].id == wanted.id
