"""The documentation site builds, every page is in its menu, and its links lead somewhere."""

import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import TypeAlias
from urllib.parse import unquote, urlsplit

import pytest

ROOT = Path(__file__).parents[2]
# The decisions are for those who work on Foveal: the menu has their index only.
APART = "decisions/0"


class _Links(HTMLParser):
    """The addresses that a page links to or loads."""

    def __init__(self) -> None:
        super().__init__()
        self.linked: list[str] = []
        self.loaded: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect the address of one tag."""
        values = dict(attrs)
        address = values.get("href") or values.get("src")
        if address is None:
            return
        (self.linked if tag == "a" else self.loaded).append(address)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(ROOT / "docs", folder / "docs", ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    shutil.copy(ROOT / "zensical.toml", folder)
    done = subprocess.run(
        [sys.executable, "-m", "zensical", "build", "--clean"], cwd=folder, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "site"


Entry: TypeAlias = "str | list[Entry] | dict[str, Entry]"


def _pages(entry: Entry) -> Iterator[str]:
    if isinstance(entry, str):
        yield entry
        return
    for inner in entry.values() if isinstance(entry, dict) else entry:
        yield from _pages(inner)


def _links(page: Path) -> _Links:
    links = _Links()
    links.feed(page.read_text(encoding="utf-8"))
    return links


def test_every_page_of_the_documentation_is_in_the_menu() -> None:
    project = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))["project"]
    listed = sorted(_pages(project["nav"]))
    docs = ROOT / "docs"
    pages = sorted(str(page.relative_to(docs)) for page in docs.rglob("*.md"))
    assert listed == [page for page in pages if not page.startswith(APART)]


def test_every_link_of_the_site_leads_to_one_of_its_files(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 50
    broken = [
        f"{page.relative_to(site)}: {address}"
        for page in pages
        if page.name != "404.html"
        for address in _links(page).linked
        if not urlsplit(address).scheme and urlsplit(address).path
        if not _exists((page.parent / unquote(urlsplit(address).path)).resolve())
    ]
    assert broken == []


def _exists(target: Path) -> bool:
    return target.is_file() or (target / "index.html").is_file()


def test_the_site_loads_nothing_from_elsewhere(site: Path) -> None:
    loaded = {address for page in site.rglob("*.html") for address in _links(page).loaded}
    assert [address for address in loaded if urlsplit(address).netloc] == []
