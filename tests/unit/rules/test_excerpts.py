"""Long texts are shown by the part that a question points at."""

import gc
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal.backends.models.static import shared_static
from foveal.rules.text import asked_terms, excerpt, nearness_to, sentences, shares_more

PASSAGES = {file.stem: file.read_text(encoding="utf-8") for file in Path(__file__).parent.glob("passages/*.txt")}
TEXTS = st.text(st.sampled_from("ab1 .,:#-\n。é東\t"), max_size=600)

# What a text is, a question, and what must be shown of the text.
CASES = [
    ("log", "How many rows were rejected by the import?", "37 rejected"),
    ("log", "how long did the vacuum take", "1.9 s"),
    ("trace", "Which template could not be found?", "500.html"),
    ("trace", "On what line of pricing.py did it fail?", 'pricing.py", line 40'),
    ("mail", "What is the kitchen budget now?", "18,600"),
    ("mail", "Who is doing the tiling?", "Marek"),
    ("mail", "How many pendant lamps will there be?", "three, not two"),
    ("mail", "When can we start drilling in the morning?", "before nine"),
    ("mail", "What material is the worktop going to be?", "terrazzo"),
    ("mail", "how far does the island move", "20 cm"),
    ("table", "How much does the Boulder plan cost a month?", "79 EUR"),
    ("table", "How much storage comes with Crag?", "2 TB"),
    ("table", "What support do you get on Cobble?", "mail, 2 days"),
    ("table", "What discount do schools get?", "half price"),
    ("table", "How long are backups kept on the Massif plan?", "180 days"),
    ("json", "What are the last four digits of their card?", "0341"),
    ("json", "When will the payment be attempted next?", "2026-02-09"),
    ("json", "How many sensors does the kiln monitoring cover?", "12 sensors"),
    ("list", "Who is bringing the coffee?", "Anouk: coffee"),
    ("list", "What does a night cost at the hut?", "38 a night"),
    ("list", "Which train do we take?", "8:04"),
    ("list", "What's wrong with the bridge?", "ford"),
    ("list", "Can we pay the warden by card?", "takes no cards"),
    ("list", "How much was the deposit?", "deposit 60"),
    ("chinese", "新办公室在哪里？", "七号楼"),
    ("chinese", "第二季度的市场预算是多少？", "三十二万"),
    ("chinese", "登录页面为什么崩溃？", "令牌过期"),
    ("chinese", "报销单什么时候要交？", "二十五日"),
    ("chinese", "停车位有几个？", "八个"),
    ("german", "Wie viel Öl ist noch im Tank?", "1.150"),
    ("german", "Was kostet eine neue Umwälzpumpe?", "340 Euro"),
    ("german", "Wann ist die nächste Wartung?", "Januar 2027"),
    ("german", "How high is the flue gas loss now?", "6,2 %"),
    ("pods", "Which pod was crash looping?", "ingest-5c8b7d9f6-lw4vd"),
    ("pods", "What was the memory limit of the ingest pod?", "384Mi"),
    ("pods", "On which node does the mailer run?", "worker-3"),
    ("config", "How many weekly backups do we keep?", "keep_weekly = 5"),
    ("config", "How big is the buffer pool?", "12G"),
    ("config", "Where do the backups go?", "/mnt/vault/db"),
    ("config", "How far behind is the replica kept?", "delay = 3600"),
    ("config", "how many connections may the database have", "340"),
    ("call", "Until when do I have the rental car?", "24th"),
    ("call", "What's the claim reference?", "LX 40 229"),
    ("diff", "How long is an account locked after failed logins now?", "lockout_minutes = 30"),
    ("diff", "What is the largest upload allowed?", "largest_mb = 40"),
    ("diff", "How many requests a minute does the API allow?", "requests_a_minute = 120"),
    ("diff", "What was the page size before?", "page_size = 100"),
    ("prose", "When is the wine tour?", "half past eleven"),
    ("prose", "On which side of the train should we sit?", "right-hand"),
    ("prose", "Where should we have breakfast on the last day?", "Café Âncora"),
    ("prose", "What did you tell me to buy at the market?", "tinned fish"),
    ("csv", "Which hotel did I stay at in Kassel?", "Lindenhof"),
    ("csv", "How much was the dinner with Petra?", "64.30"),
    ("csv", "Which card was the toner paid with?", "8840"),
    ("order", "How much was the delivery of the garden order?", "24.90"),
    ("order", "How many currant bushes did I order?", "3    Currant bush"),
    ("order", "When will the plants come?", "week after"),
    ("order", "What did the watering can cost?", "34.50"),
]
# Those that share no telling word with their answer.
ALIKE = [
    ("log", "Which file had a bad checksum in the nightly import?", "stock_20260301"),
    ("trace", "Which currency pair was missing when checkout crashed?", "'NOK', 'HUF'"),
    ("call", "Who will come to assess the van?", "Glenn Hartnoll"),
    ("call", "What's my excess on the claim?", "Two fifty"),
    ("csv", "How much was the lawyer?", "390.00"),
    ("order", "How long do I have to send things back?", "30 days"),
]


def _flat(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize(("name", "question", "answer"), CASES)
def test_the_answer_stands_in_what_is_shown(name: str, question: str, answer: str) -> None:
    shown = excerpt(PASSAGES[name], asked_terms(question), question=question)
    assert _flat(answer) in _flat(shown)
    assert len(shown) <= 240 < len(PASSAGES[name])


@pytest.mark.parametrize(("name", "question", "answer"), [*ALIKE, *CASES])
def test_words_that_are_alike_lead_to_the_answer_too(name: str, question: str, answer: str) -> None:
    static = shared_static()
    near = nearness_to(question, static.pieces, static.likeness)
    shown = excerpt(PASSAGES[name], asked_terms(question), question=question, nearness=near)
    assert _flat(answer) in _flat(shown)


@given(TEXTS, st.integers(20, 300), st.sampled_from(["", "when a", "how many b", "東?"]))
def test_an_excerpt_is_short_and_says_only_what_the_text_says(text: str, limit: int, question: str) -> None:
    static = shared_static()
    near = nearness_to(question, static.pieces, static.likeness)
    shown = excerpt(text, ["a", "東", "1"], limit, question=question, nearness=near)
    assert len(shown) <= limit
    for part in re.split("[…\n]", shown):
        assert _flat(part) in _flat(text)


def test_what_fits_is_shown_whole() -> None:
    assert excerpt("short\n\n  and  indented", ["short"], 240) == "short\n\n  and  indented"


def test_a_row_is_shown_with_the_head_of_its_table() -> None:
    shown = excerpt(PASSAGES["table"], asked_terms("Boulder price"))
    assert "Price a month" in shown
    assert "79 EUR" in shown


def test_a_setting_is_shown_with_the_section_it_stands_in() -> None:
    shown = excerpt(PASSAGES["config"], asked_terms("replica delay"), 120)
    assert shown.index("[replica]") < shown.index("delay = 3600")


def test_rare_words_of_a_text_count_more_than_those_in_every_line() -> None:
    lines = [f"worker {number} restarted the worker" for number in range(40)]
    lines[23] = "nothing left on the volume"
    assert lines[23] in excerpt("\n".join(lines), asked_terms("worker volume"), 120)


def test_an_abbreviation_and_the_number_of_a_list_do_not_end_a_sentence() -> None:
    filler = "Nothing of note happened on that day, nor on the one after it. " * 5
    left, needed = "The parcel was left with Dr. Amsel at no. 63, who signed.", "We need: 1. flour 2. yeast."
    text = f"{filler}{left} {filler}{needed} {filler}"
    assert left in excerpt(text, ["parcel"])
    assert "1. flour" in excerpt(text, ["flour"])


def test_without_a_shared_word_the_beginning_is_shown() -> None:
    text = "First things first. " + "And so on and on. " * 30
    assert excerpt(text, ["absent"]).startswith("First things first.")
    assert excerpt(text, []).startswith("First things first.")
    assert excerpt("=" * 500, ["absent"], 40).endswith("…")


def test_what_is_no_text_is_not_shown() -> None:
    shown = excerpt("The mail queue is stuck. 0x" + "ab" * 4000, ["mail", "queue"])
    assert shown == "The mail queue is stuck. …"


def test_a_script_with_vowel_signs_is_read_by_its_words() -> None:
    text = "\n".join(["कल बारिश होगी।"] * 30 + ["चाबी मेज़ के नीचे है।"] + ["सब ठीक है।"] * 30)
    assert "चाबी मेज़ के नीचे है।" in excerpt(text, asked_terms("चाबी कहाँ है"))


def test_more_of_the_asked_terms_is_more() -> None:
    assert not shares_more("I live in Bergen", "I live in Oslo", ["oslo"])


def _takes(work: Callable[[str], object], text: str) -> float:
    """The processor time of one call, the best of five: what else the machine does counts least there."""
    best = float("inf")
    # The collector goes through all that other tests left behind.
    gc.disable()
    for _ in range(5):
        start = time.process_time()
        work(text)
        best = min(best, time.process_time() - start)
    gc.enable()
    return best


def _shown(text: str) -> str:
    return excerpt(text, ["key"], question="how many keys?")


@pytest.mark.parametrize("work", [sentences, _shown])
@pytest.mark.parametrize("unit", [".", "。.", ".)", ". ", "Dr. ", ": 1. ", " ", "\n", "a\n", "a\n ", "a,", "key "])
def test_long_texts_take_time_in_proportion_to_their_length(work: Callable[[str], object], unit: str) -> None:
    short, long = (unit * (size // len(unit)) + "x key" for size in (10_000, 40_000))
    assert _takes(work, long) < 10 * max(_takes(work, short), 0.001)
