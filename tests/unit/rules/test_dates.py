"""The days that questions ask about and records speak of, in the words people use."""

import time
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal.rules.dates import OTHER, OWN_DAY, asked_spans, told_spans

WEDNESDAY = date(2026, 5, 6)
YEARS = (2024, 2026)


def _shown(first: float, last: float) -> str:
    start, end = date.fromordinal(int(first)).isoformat(), date.fromordinal(int(last)).isoformat()
    return start if start == end else f"{start}..{end}"


def asked(text: str, today: date = WEDNESDAY, years: tuple[int, int] | None = YEARS) -> str:
    """The spans of a question, the likeliest first, as text."""
    return " ".join(_shown(*span) for span in asked_spans(text, years, today))


def told(text: str, said_on: date = WEDNESDAY) -> str:
    """The spans of a remark, without the day it was made, the less likely ones in brackets."""
    rows = told_spans(text, said_on).tolist()
    assert rows[0] == [said_on.toordinal(), said_on.toordinal(), pytest.approx(OWN_DAY)]
    return " ".join(_shown(*span) if weight != OTHER else f"({_shown(*span)})" for *span, weight in rows[1:])


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("What happened in March?", "2026-03-01..2026-03-31"),
        ("What happened in March 2025?", "2025-03-01..2025-03-31"),
        ("What happened in October?", "2025-10-01..2025-10-31"),
        ("What happened in April last year?", "2025-04-01..2025-04-30"),
        ("What happened last year in April?", "2025-04-01..2025-04-30"),
        ("What happened last year on 3 April?", "2025-04-03"),
        ("What happened last March?", "2026-03-01..2026-03-31 2025-03-01..2025-03-31"),
        ("What happened last May?", "2025-05-01..2025-05-31"),
        ("Is anything planned next March?", "2027-03-01..2027-03-31"),
        ("What broke this January?", "2026-01-01..2026-01-31"),
        ("What broke at the end of April?", "2026-04-21..2026-04-30"),
        ("What broke at the beginning of April?", "2026-04-01..2026-04-10"),
        ("What broke at the start of March?", "2026-03-01..2026-03-10"),
        ("What broke in the middle of March?", "2026-03-11..2026-03-21"),
        ("What broke in the first half of April?", "2026-04-01..2026-04-15"),
        ("What broke in the second half of April?", "2026-04-16..2026-04-30"),
        ("What broke in early April?", "2026-04-01..2026-04-10"),
        ("What broke in mid-April?", "2026-04-11..2026-04-20"),
        ("What broke in late April?", "2026-04-21..2026-04-30"),
        ("What broke in the first week of March?", "2026-03-01..2026-03-07"),
        ("What broke in the 2nd week of March?", "2026-03-08..2026-03-14"),
        ("What broke in the last week of March?", "2026-03-25..2026-03-31"),
        ("What broke on the last day of March?", "2026-03-31"),
        ("What broke on the first Monday in March?", "2026-03-02"),
        ("What broke on the last Friday of April?", "2026-04-24"),
        ("What broke on the fifth Monday in April?", "2026-04-06 2026-04-13 2026-04-20 2026-04-27"),
        ("What broke on the second weekend of March?", "2026-03-14..2026-03-15"),
        ("What broke on a Tuesday in April?", "2026-04-07 2026-04-14 2026-04-21 2026-04-28"),
        ("What broke that weekend in the middle of March?", "2026-03-14..2026-03-15 2026-03-21..2026-03-22"),
        ("What broke on April 3rd?", "2026-04-03"),
        ("What broke on the 4th of July?", "2025-07-04"),
        ("What broke on 4 July 2024?", "2024-07-04"),
        ("What broke on July 4, 2024?", "2024-07-04"),
        ("What broke on 15-March-2024?", "2024-03-15"),
        ("What broke on 2026 April 3?", "2026-04-03"),
        ("What broke on the first of April?", "2026-04-01"),
        ("What broke on April the third?", "2026-04-03"),
        ("What broke on 31 February?", "2026-02-01..2026-02-28"),
        ("What broke on 40 April?", "2026-04-01..2026-04-30"),
        ("What broke on 5-3 April?", ""),
        ("What broke on Sept. 14?", "2025-09-14"),
        ("What broke on Sat, 14 March?", "2026-03-14"),
        ("What broke on Saturday, 4 July?", "2025-07-04"),
        ("What broke from the 3rd to the 5th of April?", "2026-04-03..2026-04-05"),
        ("What broke on 3-5 April?", "2026-04-03..2026-04-05"),
        ("What broke on April 3 - 5?", "2026-04-03..2026-04-05"),
        ("What broke on 2026-04-03?", "2026-04-03"),
        ("What broke in 2026-04?", "2026-04-01..2026-04-30"),
        ("What broke on 04.07.2025?", "2025-07-04"),
        ("What broke on 14/4/26?", "2026-04-14"),
        ("What broke on 4/14?", "2026-04-14"),
        ("What broke on 14/4?", "2026-04-14"),
        ("What broke on 4/7?", ""),
        ("What broke on the 19th?", "2026-04-19 2026-05-19"),
        ("What broke on the 31st?", "2026-03-31 2026-05-31"),
        ("What broke on the 6th?", "2026-05-06"),
        ("What broke on the 3rd of last month?", "2026-04-03"),
        ("What broke this spring?", "2026-03-01..2026-05-31"),
        ("What broke last summer?", "2025-06-01..2025-08-31"),
        ("What broke in the winter?", "2025-12-01..2026-02-28"),
        ("What broke in the summer of 2024?", "2024-06-01..2024-08-31"),
        ("What broke this week in April?", "2026-05-04..2026-05-10 2026-04-01..2026-04-30"),
        ("What broke on Tuesday in 2025?", "2026-05-05 2025-01-01..2025-12-31"),
        ("What broke in 2024?", "2024-01-01..2024-12-31"),
        ("What broke at the end of 2025?", "2025-09-02..2025-12-31"),
    ],
)
def test_dates_of_the_calendar_are_those_nearest_in_the_past(text: str, days: str) -> None:
    assert asked(text) == days


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("What did I eat yesterday?", "2026-05-05"),
        ("What did I eat the day before yesterday?", "2026-05-04"),
        ("What did I eat last night?", "2026-05-05"),
        ("What did I eat the night before last?", "2026-05-04"),
        ("What did I eat this morning?", "2026-05-06"),
        ("What did I eat yesterday evening?", "2026-05-05"),
        ("What's on tomorrow?", "2026-05-07"),
        ("What's on the day after tomorrow?", "2026-05-08"),
        ("What did I eat last Friday?", "2026-05-01"),
        ("what did i eat last friday", "2026-05-01"),
        ("What did I eat last Tuesday?", "2026-05-05 2026-04-28"),
        ("What did I eat on Tuesday?", "2026-05-05"),
        ("What did I eat on Wednesday?", "2026-04-29"),
        ("What will I eat on Tuesday?", "2026-05-12"),
        ("What's for lunch on Tuesday?", "2026-05-12"),
        ("Lunch on Tuesday?", "2026-05-05 2026-05-12"),
        ("What did we plan for Friday?", "2026-05-01 2026-05-08"),
        ("What did I eat on Tuesday last week?", "2026-04-28"),
        ("What did I eat last week on Tuesday?", "2026-04-28"),
        ("What are we doing Thursday of next week?", "2026-05-14"),
        ("What did I do on Tuesday after lunch?", "2026-05-05"),
        ("What did I eat last weekend?", "2026-05-02..2026-05-03"),
        ("What did I eat this past weekend?", "2026-05-02..2026-05-03"),
        ("What did I eat this weekend?", "2026-05-02..2026-05-03 2026-05-09..2026-05-10"),
        ("What did I eat over the weekend?", "2026-05-02..2026-05-03"),
        ("What are we doing next weekend?", "2026-05-16..2026-05-17 2026-05-09..2026-05-10"),
        ("What did I eat two weekends ago?", "2026-04-25..2026-04-26"),
        ("What did I eat this week?", "2026-05-04..2026-05-10"),
        ("What did I eat last week?", "2026-04-27..2026-05-03"),
        ("What did I eat at the end of last week?", "2026-04-30..2026-05-03"),
        ("What did I eat the week before last?", "2026-04-20..2026-04-26"),
        ("What did I eat the week before next?", ""),
        ("What did I eat the month before last?", "2026-03-01..2026-03-31"),
        ("What did I eat the weekend before last?", "2026-04-25..2026-04-26"),
        ("What did I eat last month?", "2026-04-01..2026-04-30"),
        ("What did I earn last year?", "2025-01-01..2025-12-31"),
        ("What is due at the end of the month?", "2026-05-22..2026-05-31"),
        ("What is due at the end of the week?", "2026-05-07..2026-05-10"),
        ("What did I eat two weeks ago?", "2026-04-19..2026-04-25"),
        ("What did I eat a couple of days ago?", "2026-05-04"),
        ("What did I eat 3 days ago?", "2026-05-03"),
        ("What did I eat a fortnight ago?", "2026-04-19..2026-04-25"),
        ("What did I eat last fortnight?", "2026-04-22..2026-05-06"),
        ("What did I eat the past few days?", "2026-05-03..2026-05-06"),
        ("What did I eat in the last two weeks?", "2026-04-22..2026-05-06"),
        ("What did I eat in the past week?", "2026-04-29..2026-05-06"),
        ("What did I eat in the past month?", "2026-04-06..2026-05-06"),
        ("What will I eat next Friday?", "2026-05-08 2026-05-15"),
        ("What will I eat next Monday?", "2026-05-11"),
        ("What will I eat this Friday?", "2026-05-08"),
        ("What will I eat this Monday?", "2026-05-04 2026-05-11"),
        ("What will I eat next week?", "2026-05-11..2026-05-17"),
        ("What will I eat the next three days?", "2026-05-06..2026-05-09"),
        ("What will I eat in two weeks?", "2026-05-17..2026-05-23"),
        ("What will I eat two weeks from now?", "2026-05-17..2026-05-23"),
        ("What did we finish in two weeks?", ""),
    ],
)
def test_days_are_counted_from_the_day_of_the_question(text: str, days: str) -> None:
    assert asked(text) == days


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("What did we do at Christmas?", "2025-12-24..2025-12-26"),
        ("What did we do last Christmas?", "2025-12-24..2025-12-26"),
        ("What did we do at Christmas 2024?", "2024-12-24..2024-12-26"),
        ("What did we do on Christmas Eve?", "2025-12-24"),
        ("What did we do on New Year's Eve?", "2025-12-31"),
        ("What did we do on New Year’s Day?", "2026-01-01"),
        ("What did we do on Halloween?", "2025-10-31"),
        ("What did we do on Valentine's Day?", "2026-02-14"),
        ("What did we do at Easter?", "2026-04-04..2026-04-06"),
        ("What did we do on Good Friday?", "2026-04-03"),
        ("What did we do on Thanksgiving?", "2025-11-27"),
        ("What did we do on Memorial Day?", "2025-05-26"),
        ("What did we do around Valentine's Day?", "2026-02-11..2026-02-17"),
        ("What did we do on the Friday before Christmas?", "2025-12-19"),
        ("What did we do the week after Easter?", "2026-04-06..2026-04-12"),
        ("What did we do the weekend before Christmas?", "2025-12-20..2025-12-21"),
        ("What did we do the day before April 3?", "2026-04-02"),
        ("What did we do the evening before Christmas Eve?", "2025-12-23"),
        ("What did we do on the Sunday before 4 April?", "2026-03-29"),
        ("What did we do on the first Monday after Easter?", "2026-04-06"),
        ("What did we do two weeks before Christmas?", "2025-12-08..2025-12-14"),
        ("What did we do three days after Easter?", "2026-04-08"),
        ("What did we do the week of 15 April?", "2026-04-13..2026-04-19"),
        ("What did we do on the day of 15 April?", "2026-04-15"),
        ("What has changed since March?", "2026-03-01..2026-05-06"),
        ("What has changed since Monday?", "2026-05-04..2026-05-06"),
        ("What did I own before April?", "2024-01-01..2026-03-31"),
        ("What must I do before June?", "2024-01-01..2025-05-31 2026-05-06..2026-06-30"),
        ("What did I own after the 3rd of April?", "2026-04-04..2026-05-06"),
        ("What is on after 10 May?", "2025-05-11..2026-05-06 2026-05-11..2026-06-10"),
        ("What did I own between February and April?", "2026-02-01..2026-04-30"),
        ("What did I own between 3 March and 5 April?", "2026-03-03..2026-04-05"),
        ("What did I own from February to April?", "2026-02-01..2026-04-30"),
        ("What happened between Monday and Tuesday?", "2026-05-04..2026-05-05"),
        ("What happened between Tuesday and Monday?", "2026-05-05 2026-05-04"),
    ],
)
def test_days_may_be_told_by_other_days(text: str, days: str) -> None:
    assert asked(text) == days


@pytest.mark.parametrize(
    "text",
    [
        *("What did we do two weeks before the trip?", "What did we agree the evening before we went live?"),
        *("What did I sign the week after Noor's wedding?", "What did we settle on the Friday after the launch?"),
        *("Who came on the last day of school?", "What did we pick on the day of the vote?"),
        *("May I ask something?", "may I ask something?", "What may happen?", "Phase 2 may start, may it not?"),
        *("March on!", "March to the shop", "the march was long", "What did May say?", "What did Brian May play?"),
        *(
            "What did April say?",
            "Who is on Mars?",
            "a sandwich with mayo",
            "Jan said so",
            "We sat. The sun is out",
        ),
        *("What do I do on Mondays?", "What do I do every Monday?", "Is it open Monday to Friday?", "on a Sunday"),
        *("Who was at the Friday meeting?", "Who is at the Christmas party?", "How many floors? The 19th floor"),
        *("Who came 2nd?", "Which one, the 2nd one?", "Is it on 24/7?", "He scored 12/20", "Version 3.8.2?"),
        *("my 2024 KTM", "I paid 2000 euros", "Was it $2024?", "Is CVE-2026-1234 fixed?", "at 0730 or 15:00"),
        *("Is the estate settled?", "Who ran the Spring Fling?", "a spring in the bed", "in 2026-13", "on 45/2"),
        *(
            "That was this day",
            "no time at all",
            "Wie war es hier?",
            "¿Qué hago por la mañana?",
            "non ho mai visto",
        ),
        *(
            "los lunes",
            "la cena de Navidad",
            "J'ai été malade",
            "Guten Morgen!",
            "jeden Montag",
            "每周一",
            "毎週月曜日",
        ),
    ],
)
def test_what_is_no_date_asks_for_no_days(text: str) -> None:
    assert asked(text) == ""


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("Was kam am Dienstag nach Ostern raus?", "2026-04-07"),
        ("Was machen wir am Dienstag?", "2026-05-05 2026-05-12"),
        ("Was passierte letzte Woche?", "2026-04-27..2026-05-03"),
        ("Was war letzten Freitag?", "2026-05-01"),
        ("Was war vorletzten Freitag?", "2026-04-24"),
        ("Was war vor zwei Wochen?", "2026-04-19..2026-04-25"),
        ("Was war vor Ostern?", "2024-01-01..2026-04-04"),
        ("Was war Ende April?", "2026-04-21..2026-04-30"),
        ("Was war Mitte Mai?", "2026-05-11..2026-05-21"),
        ("Was war am 14. April?", "2026-04-14"),
        ("Was war am 14.4.?", "2026-04-14"),
        ("Was war am 19.?", "2026-04-19 2026-05-19"),
        ("Was war heute Morgen?", "2026-05-06"),
        ("Morgen fahren wir", "2026-05-07"),
        ("¿Qué le di el 13 de marzo?", "2026-03-13"),
        ("¿Qué pasó el primero de mayo?", "2026-05-01"),
        ("¿Qué pasó el dos de mayo?", "2026-05-02"),
        ("¿Qué pasó el martes de la semana pasada?", "2026-04-28"),
        ("¿Qué pasó hace tres días?", "2026-05-03"),
        ("¿Qué pasó a finales de abril?", "2026-04-21..2026-04-30"),
        ("¿Qué pasó entre marzo y mayo?", "2026-03-01..2026-05-31"),
        ("¿Qué hago la semana que viene?", "2026-05-11..2026-05-17"),
        ("¿Qué hice esta mañana?", "2026-05-06"),
        ("Qu'est-ce que j'ai fait hier ?", "2026-05-05"),
        ("la semaine dernière", "2026-04-27..2026-05-03"),
        ("le mois dernier", "2026-04-01..2026-04-30"),
        ("il y a deux semaines", "2026-04-19..2026-04-25"),
        ("les trois derniers jours", "2026-05-03..2026-05-06"),
        ("fin mars", "2026-03-22..2026-03-31"),
        ("le 1er mai", "2026-05-01"),
        ("l'été dernier", "2025-06-01..2025-08-31"),
        ("à Noël", "2025-12-24..2025-12-26"),
        ("la notte scorsa", "2026-05-05"),
        ("due settimane fa", "2026-04-19..2026-04-25"),
        ("prima di Pasqua", "2024-01-01..2026-04-04"),
        ("la prima settimana di marzo", "2026-03-01..2026-03-07"),
        ("l'estate scorsa", "2025-06-01..2025-08-31"),
        ("na terça-feira passada", "2026-05-05 2026-04-28"),
        ("há duas semanas", "2026-04-19..2026-04-25"),
        ("no início de março", "2026-03-01..2026-03-10"),
        ("vorige week", "2026-04-27..2026-05-03"),
        ("twee weken geleden", "2026-04-19..2026-04-25"),
        ("eind april", "2026-04-21..2026-04-30"),
        ("昨天我吃了什么？", "2026-05-05"),
        ("上周三发生了什么？", "2026-04-29"),
        ("上周末", "2026-05-02..2026-05-03"),
        ("上个月", "2026-04-01..2026-04-30"),
        ("三天前", "2026-05-03"),
        ("十二天后", "2026-05-18"),
        ("四月底", "2026-04-21..2026-04-30"),
        ("五月四号", "2026-05-04"),
        ("去年五月", "2025-05-01..2025-05-31"),
        ("2025年3月", "2025-03-01..2025-03-31"),
        ("周二", "2026-05-05 2026-05-12"),
        ("清明节那天", "2026-04-05"),
        ("先週の火曜日", "2026-04-28"),
        ("火曜日", "2026-05-05 2026-05-12"),
        ("2週間前", "2026-04-19..2026-04-25"),
        ("去年の夏", "2025-06-01..2025-08-31"),
    ],
)
def test_days_are_understood_in_other_languages(text: str, days: str) -> None:
    assert asked(text) == days


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("Sunday at 15:00 then", "2026-05-10 (2026-05-03)"),
        ("see you on Thursday", "2026-05-07 (2026-04-30)"),
        ("We met on Thursday", "2026-04-30 (2026-05-07)"),
        ("She said she'll come on Thursday", "2026-05-07 (2026-04-30)"),
        ("My niece is being baptized Sunday", "2026-05-10 (2026-05-03)"),
        ("He's got an exam on Thursday", "2026-05-07 (2026-04-30)"),
        ("I booked the van for Thursday", "2026-05-07 (2026-04-30)"),
        ("I moved it to Thursday", "2026-05-07 (2026-04-30)"),
        ("In the fermenter since Monday", "2026-05-04"),
        ("He kept to it since the Monday", "2026-05-04"),
        ("last Friday was hard", "2026-05-01"),
        ("next Friday", "2026-05-08 (2026-05-15)"),
        ("dinner is the 19th, all cook", "2026-05-19 (2026-04-19)"),
        ("we met on the 19th", "2026-04-19 (2026-05-19)"),
        ("Changed, effective from the 19th", "2026-05-19 (2026-04-19)"),
        ("Thursday the 7th", "2026-05-07"),
        ("14 May works", "2026-05-14"),
        ("One day needed: Thursday 14 May, skeleton crew", "2026-05-14"),
        ("also signed for a studio for august 1st, 840 a month", "2026-08-01"),
        ("We met on 14 May", "2026-05-14 (2025-05-14)"),
        ("In January we moved", "2026-01-01..2026-01-31"),
        ("In January we will move", "2027-01-01..2027-01-31 (2026-01-01..2026-01-31)"),
        ("The rent is due from 1 May", "2026-05-01"),
        ("Suad's pregnant and due in October", "2026-10-01..2026-10-31"),
        ("In May we will paint", "2026-05-01..2026-05-31"),
        ("My exam is on 8 May, 17:00", "2026-05-08"),
        ("I'll be back before June", "2026-06-01..2026-06-30"),
        ("I've lived here since 2016", "2016-01-01..2016-12-31"),
        ("yesterday, and again yesterday", "2026-05-05"),
        ("gestern Straßenfest, Dani hat gewonnen", "2026-05-05"),
        ("damn right", ""),
    ],
)
def test_a_remark_speaks_of_the_coming_day_unless_its_verb_is_past(text: str, days: str) -> None:
    assert told(text) == days


def test_a_date_in_the_future_is_also_the_coming_one() -> None:
    assert asked("When will we go in April?") == "2026-04-01..2026-04-30 2027-04-01..2027-04-30"
    assert asked("Budget for July?") == "2025-07-01..2025-07-31 2026-07-01..2026-07-31"
    assert asked("What had he put on hold for July?") == "2025-07-01..2025-07-31 2026-07-01..2026-07-31"
    assert asked("Who goes where this summer?") == "2026-06-01..2026-08-31"


def test_this_weekend_may_be_over_on_a_monday() -> None:
    monday, thursday = date(2026, 5, 4), date(2026, 5, 7)
    assert asked("What did I eat this weekend?", monday) == "2026-05-02..2026-05-03 2026-05-09..2026-05-10"
    assert asked("What did I eat this weekend?", thursday) == "2026-05-09..2026-05-10"
    assert asked("What did I eat over the weekend?", date(2026, 5, 10)) == "2026-05-09..2026-05-10"


def test_a_month_is_one_that_memory_has_years_of() -> None:
    assert asked("What happened in March?", years=(2022, 2023)) == "2023-03-01..2023-03-31 2022-03-01..2022-03-31"
    assert asked("What happened in March?", years=None) == "2026-03-01..2026-03-31"
    assert asked("What happened before March?", years=None) == "2025-03-01..2026-02-28"


def test_without_today_only_dates_that_are_spelled_out_count() -> None:
    assert asked_spans("What happened last week?", YEARS) == []
    spans = asked_spans("What happened in March?", YEARS)
    assert [_shown(*span) for span in spans] == [f"{year}-03-01..{year}-03-31" for year in (2024, 2025, 2026)]
    assert asked_spans("What happened in March?", None) == []
    assert [_shown(*span) for span in asked_spans("on 2026-04-03 or 2026-13-03", None)] == ["2026-04-03"]


@given(
    st.dates(), st.text(alphabet="1234 ./-,") | st.sampled_from(["the 31st", "winter", "in May", "999 years ago"])
)
def test_no_day_is_too_early_or_too_late(day: date, text: str) -> None:
    phrase = f"on the {text}, last Easter, next month, on Monday, the week before Christmas, in the winter"
    assert len(told_spans(phrase, day)) > 1
    assert asked_spans(phrase, (day.year, day.year), day)


@pytest.mark.parametrize(
    "piece", [".", "1", " ", "may ", "May ", "Monday ", "the last week of ", "三月", "1. ", "4/7/"]
)
def test_long_texts_take_time_in_proportion(piece: str) -> None:
    def seconds(text: str) -> float:
        start = time.process_time()
        told_spans(text, WEDNESDAY)
        asked_spans(text, YEARS, WEDNESDAY)
        return time.process_time() - start

    short = piece * (2_000 // len(piece)) + "x"
    quick = min(seconds(short) for _ in range(5))
    # Ten times as long, with much room for a busy machine: what is quadratic takes a hundred times as long.
    assert min(seconds(piece * (20_000 // len(piece)) + "x") for _ in range(3)) < 40 * max(quick, 0.001)
