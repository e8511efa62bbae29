"""The page about scale shows what its script computes."""

from pathlib import Path

from bench.billion import Size, table

PAGE = Path(__file__).parents[2] / "docs" / "why" / "scale.md"


def test_the_table_of_the_page_is_the_one_that_is_computed() -> None:
    assert table() in PAGE.read_text(encoding="utf-8")


def test_ten_times_the_records_take_ten_times_the_room() -> None:
    assert Size(10**9).stored == 10 * Size(10**8).stored
    assert Size(10**9).servers > 1
