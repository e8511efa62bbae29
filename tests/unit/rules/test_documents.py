import pytest

from foveal.rules.documents import cut, filed_under, html_text


def test_code_stays_whole_however_long_it_is() -> None:
    code = "```py\n" + "\n\n".join(f"x = {n}" for n in range(400)) + "\n```"
    chunks = cut(f"# A\n\nBefore it.\n{code}\nAfter it.")
    assert code in [one.text for one in chunks]
    assert chunks[0].text == "Before it."


def test_a_fence_that_does_not_end_reaches_to_the_end() -> None:
    [chunk] = cut("~~~\n# not a heading\n\nstill code")
    assert (chunk.trail, chunk.text) == ((), "~~~\n# not a heading\n\nstill code")


def test_long_paragraphs_are_cut_between_sentences_and_short_ones_joined() -> None:
    long = "This is a sentence of some length. " * 100
    chunks = cut(f"{long}\n\nshort one\n\nshort two")
    assert all(len(one.text) <= 1500 for one in chunks)
    assert all(one.text.rstrip().endswith(".") for one in chunks[:-1])
    assert "short one\n\nshort two" in chunks[-1].text


def test_a_heading_closes_those_of_its_level_and_below() -> None:
    chunks = cut("# A\na\n### C\nc\n## B\nb\n# D\nd\n# A\nagain")
    assert [one.title for one in chunks] == ["A", "A / C", "A / B", "D", "A"]
    assert [one.number for one in chunks if one.title == "A"] == [0, 1]
    assert len({one.place for one in chunks}) == 5


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<p>a<br>b</p><ul><li>c<li>d</ul>", "a\nb\n\n- c\n- d"),
        ("<table><tr><td>1</td><td>2</td></tr></table>", "1 2"),
        ("<pre>x\n  y</pre>", "```\nx\n  y\n```"),
        ("<style>p{}</style></style></pre>z", "z"),
        ("<h2>Über &lt;uns&gt;</h2>text\n  more", "## Über <uns>\n\ntext more"),
        ("", ""),
    ],
)
def test_a_page_becomes_text(page: str, text: str) -> None:
    assert html_text(page) == text


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        # What stands before the first heading belongs to the document.
        ("Preamble.\n\n# Tea\nHot.", ["Tea", "Tea"]),
        ('---\ntitle: "All about tea"\n---\n\n## Green\nMild.', ["All about tea", "All about tea / Green"]),
        ("---\ntitle: Tea\n---\n# Tea\nHot.", ["Tea", "Tea"]),
        ("Minutes of 3 March\n\nWe met.\n\nWe left.", ["Minutes of 3 March"]),
        ("We met on Monday.\n\nWe left.", [""]),
        ("- a list\n\nWe left.", [""]),
        ("alone", [""]),
        ("", []),
    ],
)
def test_each_chunk_knows_what_its_document_is_called(text: str, titles: list[str]) -> None:
    assert [one.title for one in cut(text)] == titles


def test_what_a_document_is_called_does_not_move_its_chunks() -> None:
    [plain], [named] = cut("We met."), cut("---\ntitle: Minutes\n---")
    assert plain.place == named.place


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("Tea\n===\nHot.\n\nGreen\n-----\nMild.", ["Tea", "Tea / Green"]),
        ("=====\nTea\n=====\n\nHot.\n\nGreen\n~~~~~\nMild.", ["Tea", "Tea / Green"]),
        # The head of a table, a rule after a sentence, an item of a list, and a fence are no headings.
        ("Name  Price\n-----------\nTea   2", [""]),
        ("A longer sentence\n---\nHot.", [""]),
        ("- a\n---\nHot.", [""]),
        ("Run\n~~~\nls\n~~~", ["Run"]),
    ],
)
def test_underlined_lines_are_headings(text: str, titles: list[str]) -> None:
    assert [one.title for one in cut(text)] == titles


@pytest.mark.parametrize(
    ("heading", "title"), [("# C #", "C"), ("# C#  ", "C"), ("#   a ## b", "a ## b"), ("# ##", "##")]
)
def test_signs_that_close_a_heading_are_left_out(heading: str, title: str) -> None:
    assert cut(f"{heading}\ntext")[0].trail == (title,)


@pytest.mark.parametrize(
    ("metadata", "found"),
    [
        ({"title": "back-up_now.md", "source": "ops/back-up_now.md"}, "back up now"),
        ({"title": "Handbook", "source": "wiki"}, "Handbook"),
        ({"title": "a: b", "source": ""}, "a: b"),
        ({}, ""),
    ],
)
def test_a_piece_is_filed_under_its_file_and_its_headings(metadata: dict[str, object], found: str) -> None:
    assert filed_under("knowledge", metadata) == found
    assert filed_under("note", metadata) == ""


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<html> <head><title>Tea\n shop</title></head><h2>Green</h2>Mild.", "# Tea shop\n\n## Green\n\nMild."),
        ("<title>Shop</title><h1>Tea</h1>Hot.", "# Tea\n\nHot."),
        ("<p>Hot.</p><svg><title>cup</title></svg>", "Hot."),
    ],
)
def test_a_page_without_a_heading_of_its_own_has_its_title(page: str, text: str) -> None:
    assert html_text(page) == text


def test_tags_that_never_end_are_text() -> None:
    assert html_text("<p>a</p>" + "<a " * 30_000).startswith("a")
