from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from foveal.doors.cli import output, parsing
from foveal.errors import Invalid


def test_a_moment_without_a_zone_is_local() -> None:
    assert parsing.moment("2026-03-02", "x") == datetime(2026, 3, 2).astimezone()
    assert parsing.moment("2026-03-02T10:00+01:00", "x") == datetime(2026, 3, 2, 9, tzinfo=UTC)
    assert parsing.moment(None, "x") is None


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90", 90), ("1.5s", 1.5), ("15m", 900), ("12h", 43_200), ("7d", 604_800), ("2w", 1_209_600)],
)
def test_spans_have_units(text: str, seconds: float) -> None:
    assert parsing.span(text, "ttl") == timedelta(seconds=seconds)


@pytest.mark.parametrize("text", ["", "-1", "7 years", "d"])
def test_a_span_that_says_nothing_is_refused(text: str) -> None:
    with pytest.raises(Invalid, match="7d"):
        parsing.span(text, "ttl")


def test_a_span_beyond_all_time_is_refused() -> None:
    with pytest.raises(Invalid, match="ttl"):
        parsing.span("9" * 30 + "w", "ttl")


def test_a_line_may_hold_any_character_but_its_end() -> None:
    text = '{"text": "a\u2028b"}\r\nplain\u0085text\r\n'
    assert parsing.items(text, "x") == [(1, {"text": "a\u2028b"}), (2, "plain\u0085text")]


def test_names_stay_text_and_numbers_are_numbers() -> None:
    assert parsing.condition(["speaker=42"]) == {"speaker": "42"}
    assert parsing.condition(["uses=42"]) == {"uses": 42}
    assert parsing.condition(["text=a=b"]) == {"text": "a=b"}
    assert parsing.condition([]) is None


def test_sizes_and_counts_read_well() -> None:
    assert [output.size(count) for count in (0, 1023, 1024, 5 << 20)] == [
        "0 bytes",
        "1023 bytes",
        "1.0 KB",
        "5.0 MB",
    ]
    assert output.counted(1, "entry", "entries") == "1 entry"
    assert output.counted(2000, "entry", "entries") == "2,000 entries"


def test_a_line_in_a_pipe_is_one_line() -> None:
    assert output.flat("a\n\tb\x1b[1m") == "a b\ufffd[1m"
