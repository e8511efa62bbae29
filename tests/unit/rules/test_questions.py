"""What recall takes a question to ask."""

import pytest

from foveal.model.search import CorpusInfo, Trait
from foveal.rules.recall.index import traits_of
from foveal.rules.recall.question import parse_question


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("So, uhm, where was that spare key again?", "where was that spare key?"),
        ("Hmm... what's the wifi password?", "what's the wifi password?"),
        ("Well, um, is Umbria far?", "is Umbria far?"),
        ("Ähm, wie hieß der Arzt noch mal?", "wie hieß der Arzt?"),
        ("Who called again and again?", "Who called again and again?"),
        ("So what did she order?", "So what did she order?"),
        ("Uhm?", "Uhm?"),
    ],
)
def test_what_is_said_while_thinking_is_no_part_of_a_question(said: str, meant: str) -> None:
    assert parse_question(said, CorpusInfo()).text == meant


def test_a_word_of_another_language_is_no_hesitation() -> None:
    assert Trait.TELLS_TIME in parse_question("Um wie viel Uhr fährt der Bus?", CorpusInfo()).wants


TIME = Trait.TELLS_TIME | Trait.NUMBER


@pytest.mark.parametrize(
    ("asked", "wants"),
    [
        ("When is the rent due?", TIME),
        ("Remind me by when I have to pay, please", TIME),
        ("When and where does the council meet?", TIME | Trait.NAMES),
        ("Which night can mom babysit?", Trait.TELLS_TIME),
        ("How much was the trip when you first worked it out?", Trait.NUMBER),
        ("How tall was the man who mended the roof?", Trait.NUMBER),
        ("Do you know who mended the roof?", Trait.NAMES),
        ("What was the weather like where we stayed?", Trait(0)),
    ],
)
def test_a_question_wants_a_time_or_a_name_only_if_it_asks_for_one(asked: str, wants: Trait) -> None:
    assert parse_question(asked, CorpusInfo()).wants == wants


@pytest.mark.parametrize(
    ("said", "tells"),
    [
        ("the vet's people are coming at six", TIME),
        ("we sing before four, because of the wedding", TIME),
        ("um sechs am Bahnhof", TIME),
        ("nos vemos a las diez.", TIME),
        ("they went at six pounds each", Trait.NUMBER),
        ("um drei Euro teurer", Trait.NUMBER),
        ("it rose by seventeen per cent", Trait.NUMBER),
        ("at long last", Trait.TELLS_TIME),
        ("it lies at the bottom", Trait(0)),
    ],
)
def test_an_hour_in_a_remark_is_told_from_a_count(said: str, tells: Trait) -> None:
    assert traits_of(said, "user") & TIME == tells


def test_names_inside_a_question_are_told_from_its_other_words() -> None:
    question = parse_question(
        "When does Ada take the boat to Bergen, and may I come?", CorpusInfo(speakers=("Ada", "Ben"))
    )
    assert (question.named, question.proper) == (("Ada",), {"bergen"})
