"""The pages of our own documentation are found by questions as people ask them."""

from pathlib import Path

import pytest

from foveal import Memory
from foveal.engine.memory import View

DOCS = Path(__file__).parents[2] / "docs"
# The pages that answer each question, any of which will do.
QUESTIONS = {
    "How do I make a backup?": ["how-to/backup-and-move.md"],
    "How do I move my data to Postgres?": ["how-to/postgres.md"],
    "How can a model use it over MCP?": ["how-to/mcp.md"],
    "How do I read PDF and Markdown files in?": ["how-to/knowledge.md", "reference/cli.md"],
    "How do I use a different embedding model?": ["how-to/embedders.md", "faq.md"],
    "How do two processes share one file?": ["how-to/many-processes.md"],
    "How can I look at my memories in a browser?": ["how-to/console.md"],
    "How do the agents of a tree share what they know?": ["how-to/scopes.md"],
}


@pytest.fixture
def reader(memory: Memory) -> View:
    view = memory.view(actor_id="ada")
    view.longterm.ingest(DOCS)
    return view


def _pages(reader: View, question: str) -> list[str]:
    return [str(one.metadata["source"]) for one in reader.longterm.search_knowledge(question, 3)]


def test_the_right_page_is_among_the_first_three(reader: View) -> None:
    found = {question: _pages(reader, question) for question in QUESTIONS}
    assert {question: pages for question, pages in found.items() if not {*QUESTIONS[question]} & {*pages}} == {}


def test_who_asks_for_a_backup_reads_of_nothing_else_before_the_page_on_backups(reader: View) -> None:
    [first, second, *_] = reader.longterm.search_knowledge("How do I make a backup?", 3)
    assert "how-to/backup-and-move.md" in (first.metadata["source"], second.metadata["source"])
    assert "backup" in str(first.metadata["title"]).lower()


def test_headings_are_searched_but_not_repeated_in_the_text(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "boiler.md").write_text("# Heating\n\n## Bleeding radiators\n\nOpen the valve by a quarter turn.\n")
    (tmp_path / "roof.md").write_text("# Roof\n\n## Gutters\n\nOpen the valve of the butt by a quarter turn.\n")
    view = memory.view(actor_id="ada")
    view.longterm.ingest(tmp_path)
    for question, title in (
        ("how do I bleed the radiators", "boiler.md: Heating / Bleeding radiators"),
        ("what about the gutters on the roof", "roof.md: Roof / Gutters"),
    ):
        best = view.longterm.search_knowledge(question)[0]
        assert best.metadata["title"] == title
        assert best.content.startswith("Open the valve")
