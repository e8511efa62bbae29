"""What coding agents read about Foveal is true: its verbs, commands, files and pages exist."""

import re
import runpy
from pathlib import Path

from foveal import Memory
from foveal.doors.cli.app import COMMANDS

ROOT = Path(__file__).parents[2]
SKILL = ROOT / "skills" / "foveal" / "SKILL.md"


def test_the_list_of_pages_for_models_is_fresh() -> None:
    listed = runpy.run_path(str(ROOT / "docs" / "_llms.py"))["listed"]
    assert (ROOT / "llms.txt").read_text(encoding="utf-8") == listed(), "run: make api"


def test_every_verb_and_command_of_the_skill_exists() -> None:
    text = SKILL.read_text(encoding="utf-8")
    verbs = set(re.findall(r"\bmemory\.([a-z_]+)\(", text))
    assert {"remember", "write", "search", "read", "supersede", "forget"} <= verbs
    assert [verb for verb in verbs if not hasattr(Memory, verb)] == []
    commands = set(re.findall(r"`foveal ([a-z]+)", text))
    assert commands <= {entry.name for entry in COMMANDS}


def test_the_skill_has_the_head_that_hosts_read() -> None:
    head = re.match(r"---\nname: (\S+)\ndescription: (.+)\n---\n", SKILL.read_text(encoding="utf-8"))
    assert head is not None
    assert head[1] == SKILL.parent.name
    assert len(head[2]) <= 1024


def test_the_example_of_the_skill_runs(tmp_path: Path) -> None:
    block = re.search(r"```python\n(.*?)```", SKILL.read_text(encoding="utf-8"), re.DOTALL)
    assert block is not None
    names: dict[str, object] = {}
    exec(compile(block[1].replace("agent.db", str(tmp_path / "agent.db")), str(SKILL), "exec"), names)
    assert "walnuts" in str(names["prompt"])


def test_what_agents_md_links_to_exists() -> None:
    links = re.findall(r"\]\(([^)]+)\)", (ROOT / "AGENTS.md").read_text(encoding="utf-8"))
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []
