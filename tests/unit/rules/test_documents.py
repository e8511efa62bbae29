import pytest

from foveal.rules.documents import cut, html_text


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
