"""The documentation is true: its examples run, its links lead somewhere, and nothing public is left out."""

import json
import os
import re
import shlex
import sys
from pathlib import Path

import pytest
from tests.support.nursery import Nursery
from tests.support.pages import name_of, run
from typer.testing import CliRunner

import foveal
from foveal.config import PREFIX, Settings
from foveal.doors.cli.app import COMMANDS, app
from foveal.engine.memory import View
from foveal.errors import FovealError
from foveal.model.query import FIELDS, At, Details, Op
from foveal.ports.store import Capability

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
DECISIONS = DOCS / "decisions"
FRONT = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")]
PAGES = [*FRONT, *sorted(DOCS.rglob("*.md"))]

# Pages of frameworks that are not among the tools of this repository: `make conformance` runs them.
ELSEWHERE = ("pydantic-ai.md", "llama-index.md", "crewai.md")


def _prose(path: Path) -> str:
    """A page without its code."""
    text = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]*`", "", text)


@pytest.fixture
def elsewhere(tmp_path: Path, nursery: Nursery, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, an empty home, and no settings."""
    for name in list(os.environ):
        if name.startswith(PREFIX) or name == "DATABASE_PATH":
            monkeypatch.delenv(name)
    for name in ("HOME", "USERPROFILE", "XDG_DATA_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    programs = (str(nursery.path), str(Path(sys.executable).parent), os.environ["PATH"])
    monkeypatch.setenv("PATH", os.pathsep.join(programs))
    monkeypatch.setenv("NO_COLOR", "1")
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def _needs_server(page: Path) -> bool:
    """Whether an example of a page starts a database server."""
    return re.search(r"^from foveal\.testing import (Cluster|Valkey)$", page.read_text("utf-8"), re.M) is not None


# The page of all commands starts a hundred processes.
@pytest.mark.timeout(3000)
@pytest.mark.parametrize(
    "page",
    [
        pytest.param(one, marks=[pytest.mark.server] * _needs_server(one), id=name_of(one))
        for one in PAGES
        if one.name not in ELSEWHERE
    ],
)
def test_the_examples_of_a_page_run_in_their_order(page: Path, elsewhere: Path) -> None:
    run(page, elsewhere)


def test_the_readme_finds_what_it_just_added(elsewhere: Path) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    exec(text.split("```python\n")[1].split("```")[0], {"__name__": "__main__"})
    commands = {
        line.split()[2]: shlex.split(line)[2:] for line in text.splitlines() if line.startswith("$ foveal ")
    }
    options = ["--url", "agent.db", "--actor-id", "ada"]
    CliRunner().invoke(app, [*options, *commands["add"]])
    [found] = json.loads(CliRunner().invoke(app, [*options, *commands["search"], "--json"]).stdout)
    assert commands["add"][1] in found["record"]["text"]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_inside_the_repository_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\[[^\]]*\]\(([^)\s]+)\)", _prose(page)):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        file = (page.parent / name).resolve() if name else page
        assert file.exists(), f"{name_of(page)} links to {target}"
        assert file.is_relative_to(ROOT)
        if anchor:
            heads = re.findall(r"^#+ (.+)$", file.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {_anchor(head) for head in heads}, f"{name_of(page)} links to {target}"


def _anchor(head: str) -> str:
    return re.sub(r"[^\w\- ]", "", head.lower()).strip().replace(" ", "-")


def test_every_page_can_be_reached_from_the_index() -> None:
    for page in DOCS.rglob("*.md"):
        folder = DECISIONS if page.parent == DECISIONS and page != DECISIONS / "index.md" else DOCS
        if page != DOCS / "index.md":
            index = (folder / "index.md").read_text(encoding="utf-8")
            assert f"({page.relative_to(folder).as_posix()})" in index, page


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_page_is_finished_and_speaks_of_the_project_only(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert text.startswith("# ")
    for word in ("todo", "fixme", "issue #", "../shared", "lorem"):
        assert word not in text.lower(), word


def _reference(name: str) -> str:
    return (DOCS / "reference" / f"{name}.md").read_text(encoding="utf-8")


def _errors(root: type[FovealError] = FovealError) -> list[type[FovealError]]:
    return [root, *(under for child in root.__subclasses__() for under in _errors(child))]


def test_every_public_name_has_a_line() -> None:
    assert [name for name in dir(foveal) if name != "__version__" and f"`{name}`" not in _reference("python")] == []


def test_every_verb_and_every_keyword_has_a_line() -> None:
    page = _reference("verbs")
    verbs = [name for name in dir(View) if not name.startswith("_")]
    # A group may have a page of its own.
    lacking = [name for name in verbs if f"### {name}\n" not in page and f"[`{name}`]({name}.md)" not in page]
    assert lacking == []
    keywords = [*At.__annotations__, *Details.__annotations__]
    assert [name for name in keywords if f"`{name}`" not in page] == []


def test_every_setting_has_a_line_with_its_variable() -> None:
    page = _reference("settings")
    for name in Settings.__struct_fields__:
        assert f"`{name}`" in page
        assert f"`{PREFIX}{name.upper()}`" in page


def test_every_error_code_has_a_line() -> None:
    page = _reference("errors")
    codes = [one.code for one in _errors() if one.__module__ == FovealError.__module__]
    assert [code for code in codes if f"`{code}`" not in page] == []


def test_every_filter_field_operator_and_capability_has_a_line() -> None:
    page = _reference("filters")
    assert [name for name in (*FIELDS, *Op) if f"`{name}`" not in page] == []
    assert [one for one in Capability if f"`{one}`" not in _reference("backends")] == []


def test_every_command_is_shown() -> None:
    page = (DOCS / "how-to" / "cli.md").read_text(encoding="utf-8")
    names = [one.name for one in COMMANDS if " " not in one.name]
    assert [name for name in names if not re.search(rf"foveal .*\b{name}\b", page)] == []


def test_the_map_of_the_source_names_every_package() -> None:
    drawn = (ROOT / "docs/images/map.svg").read_text(encoding="utf-8")
    named = {name for line in re.findall(r'class="name">([^<]+)<', drawn) for name in line.split(", ")}
    rooms = {path.parent.name for path in (ROOT / "src/foveal").glob("*/__init__.py")}
    assert rooms <= named


def test_every_make_target_is_told() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    targets = re.findall(r"^([a-z-]+):.*## ", makefile, re.MULTILINE)
    assert targets
    assert [name for name in targets if f"`make {name}`" not in page] == []


def test_decisions_are_numbered_and_say_all_four_things() -> None:
    pages = sorted(DECISIONS.glob("0*.md"))
    assert [page.name[:4] for page in pages] == [f"{number:04}" for number in range(1, len(pages) + 1)]
    for page in pages:
        heads = re.findall(r"^## (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
        assert heads == ["Situation", "Decision", "What it costs", "What would change our mind"], page.name


def test_the_index_of_decisions_says_which_are_superseded() -> None:
    rows = re.findall(
        r"^\| (\d{4}) \| \[(.+)\]\((.+)\) \| .+ \| (.+) \|$",
        (DECISIONS / "index.md").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    assert [row[2] for row in rows] == sorted(page.name for page in DECISIONS.glob("0*.md"))
    for number, title, name, status in rows:
        page = (DECISIONS / name).read_text(encoding="utf-8")
        assert name.startswith(number) and page.startswith(f"# {title}\n"), name
        first = page.split("\n\n")[1]
        claims = [re.findall(r"[Ss]uperseded(?: in part)? by|\d{4}(?=\])", text) for text in (status, first)]
        if "uperseded" in status + first:
            assert [word.lower() for word in claims[0]] == [word.lower() for word in claims[1]], name
