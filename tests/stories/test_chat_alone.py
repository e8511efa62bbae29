"""Without a model, a chat answers with the right fact first, and says when it knows nothing."""

import pytest

from foveal import Memory, Settings
from foveal.agents import ChatAgent

# As installed: with the second look.
AS_INSTALLED = Settings(second_look="minilm")

# A fact as people tell it, a question in other words, and what the first line of the answer has to say.
TOLD = (
    ("I am allergic to walnuts.", "What am I allergic to?", "walnuts"),
    ("The wifi password is on the fridge.", "Where do I find the wifi password?", "fridge"),
    ("My sister Ines lives in Lisbon.", "Where does Ines live?", "Lisbon"),
    ("The dentist appointment is on Thursday at nine.", "When do I have to be at the dentist?", "Thursday"),
    ("We painted the kitchen yellow last spring.", "What colour is our kitchen?", "yellow"),
    ("Our landlord is called Mr. Okafor.", "Who is our landlord?", "Okafor"),
    ("I take the tram number seven to work.", "How do I get to work?", "tram"),
    ("The spare key is with the neighbours upstairs.", "Who has a spare key?", "neighbours"),
    ("My daughter plays the cello.", "Which instrument does my daughter play?", "cello"),
    ("The car needs new tyres before winter.", "What does the car need?", "tyres"),
    ("I prefer tea without sugar.", "How do I like my tea?", "sugar"),
    ("Bruno the dog was born in 2019.", "How old is the dog?", "2019"),
)
UNTOLD = (
    *("Which planet has the most moons?", "What is my blood type?", "When does the museum open?"),
    *("Who won the election?", "What did I have for breakfast?", "Where did I park the bicycle?"),
    *("How tall is the Eiffel tower?", "What is my passport number?", "How much did the sofa cost?"),
)


@pytest.mark.parametrize("session", [None, "kitchen"])
def test_the_right_fact_comes_first_however_often_it_was_asked(session: str | None) -> None:
    with Memory(":memory:", settings=AS_INSTALLED) as memory:
        agent = ChatAgent(memory.view(actor_id="ada", session_id=session))
        told = {word: agent.memory.write(fact, source="user").id for fact, _, word in TOLD}
        memory.admin.reindex()
        for _ in range(2):
            for _, question, word in TOLD:
                answer = agent.chat(question)
                first = answer.text.splitlines()[1]
                assert word in first, (question, answer.text)
                assert answer.sources[0] == told[word]
                assert "?" not in answer.text, "a question answers nothing"


def test_it_says_when_it_knows_nothing() -> None:
    with Memory(":memory:", settings=AS_INSTALLED) as memory:
        agent = ChatAgent(memory.view(actor_id="ada"))
        assert "I remember nothing about this." in agent.chat("Where do I live?").text
        for fact, _, _ in TOLD:
            agent.memory.write(fact, source="user")
        memory.admin.reindex()
        mistaken = [question for question in UNTOLD if "I remember nothing" not in agent.chat(question).text]
        # A word that both have, such as "number", may mislead it once in a while.
        assert len(mistaken) <= 1, mistaken
        assert "I remember nothing" not in agent.chat("Who is our landlord?").text
