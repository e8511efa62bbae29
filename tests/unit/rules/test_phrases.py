"""Phrases in every script: in their place, of the right size, the same each time."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal.rules.glyphs import MOST_LENGTH, key, phrases, tokens
from foveal.rules.text import language

SAMPLES = {
    "en": "I went to the old harbour yesterday, and the blue boat of my sister was gone.",
    "de": "Ich war gestern am alten Hafen, und das blaue Boot meiner Schwester war nicht mehr da.",
    "fr": "Je suis allé au vieux port hier, et le bateau bleu de ma sœur n'était plus là.",
    "es": "Ayer fui al puerto viejo, y el barco azul de mi hermana ya no estaba.",
    "it": "Ieri sono andato al vecchio porto, e la barca blu di mia sorella non c'era più.",
    "pt": "Ontem eu fui ao porto velho, e o barco azul da minha irmã não estava mais lá.",
    "nl": "Gisteren was ik in de oude haven, en de blauwe boot van mijn zus was er niet meer.",
    "tl": "Pumunta ako kahapon sa lumang daungan, at wala na ang asul na bangka ng kapatid ko.",
    "ru": "Вчера я ходил в старую гавань, и синей лодки моей сестры уже не было.",
    "uk": "Учора я ходив до старої гавані, і синього човна моєї сестри вже не було.",
    "el": "Χθες πήγα στο παλιό λιμάνι, και το μπλε καράβι της αδελφής μου έλειπε.",
    "ar": "ذهبت أمس إلى الميناء القديم، ولم يكن قارب أختي الأزرق هناك.",
    "he": "אתמול הלכתי לנמל הישן, והסירה הכחולה של אחותי כבר לא הייתה שם.",
    "hi": "कल मैं पुराने बंदरगाह गया था, और मेरी बहन की नीली नाव वहाँ नहीं थी।",
    "th": "เมื่อวานฉันไปที่ท่าเรือเก่า เรือสีฟ้าของน้องสาวหายไปแล้ว",
    "ja": "昨日は古い港に行きました。姉の青い船はもうありませんでした。",
    "zh": "我昨天去了旧港口，姐姐的蓝色小船已经不在那里了。",
    "ko": "어제 오래된 항구에 갔는데, 언니의 파란 배가 없어졌어요.",
}


@pytest.mark.parametrize("name", SAMPLES)
def test_the_language_is_told(name: str) -> None:
    assert language(SAMPLES[name]) == name


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sentence_has_itself_and_its_clauses_as_phrases(name: str) -> None:
    text = SAMPLES[name]
    found = phrases(text)
    assert "sentence" in {one.kind for one in found}
    assert len(found) >= 2
    assert all(not text[one.start].isspace() and not text[one.end - 1].isspace() for one in found)


def test_noun_phrases_are_found_where_common_words_are_known() -> None:
    nouns = [SAMPLES["en"][one.start : one.end] for one in phrases(SAMPLES["en"]) if one.kind == "noun"]
    assert "the old harbour yesterday" in nouns
    assert "the blue boat" in nouns


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=700))
def test_phrases_lie_inside_the_text_once_each_and_within_the_limits(text: str) -> None:
    found = phrases(text)
    assert found == phrases(text)
    assert len({(one.start, one.end) for one in found}) == len(found)
    for one in found:
        assert 0 <= one.start < one.end <= len(text)
        assert one.end - one.start <= MOST_LENGTH
        assert 3 <= tokens(text[one.start : one.end]) <= 50


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=50))
def test_a_key_fits_a_column_of_a_database(text: str) -> None:
    assert 0 <= key(text) < 2**63


@pytest.mark.parametrize("text", ["", "ok", "🙂🙂🙂", "1234", "...", "\n\n"])
def test_what_has_no_words_has_no_phrases(text: str) -> None:
    assert phrases(text) == []
    assert language(text) == "und" or text == "ok"
