"""`foveal import` takes notes, graphs and stores, with their links."""

from __future__ import annotations

import os
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from foveal.compose import Memory

from .conftest import Run

DATA = Path(__file__).parents[3] / "data" / "imports"


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """Notes as Obsidian keeps them, beside what is none."""
    vault = tmp_path / "vault"
    (vault / ".obsidian").mkdir(parents=True)
    (vault / ".obsidian" / "secret.md").write_text("not a note")
    (vault / "people").mkdir()
    (vault / "people" / "Ada.md").write_text(
        "---\ntags: [people]\ncreated: 2026-03-01\naliases:\n  - The skipper\nage: 36\n---\n"
        "Ada sails the [[Aurora|boat]] #sea\n\n- married to [[boats/Aurora]]\n- [ ] call her\n"
    )
    (vault / "boats").mkdir()
    (vault / "boats" / "Aurora.md").write_text("Belongs to [[the skipper]], see [[nowhere]].")
    (vault / "boats" / "photo.png").write_bytes(b"\x89PNG")
    (vault / "empty.md").write_text("---\ntitle: x\n---\n")
    return vault


def test_a_vault_is_imported_with_front_matter_tags_and_links(run: Run, vault: Path) -> None:
    done = run("import", str(vault))
    assert (done.code, done.out) == (0, "imported 2 records, 3 links\n")
    assert "left out: a file that is no Markdown note (1)" in done.err
    assert "left out: an empty note (1)" in done.err
    ada = run("get", "notes:vault/people/Ada", "--json").json
    assert ada["text"].startswith("Ada sails the [[Aurora|boat]] #sea")
    assert (ada["tags"], ada["occurred_at"][:10]) == (["people", "sea"], "2026-03-01")
    assert ada["metadata"] == {"age": 36, "title": "Ada", "path": "people/Ada.md"}
    with Memory(vault.parent / "memory.db") as memory:
        for kind in ("relates", "married_to"):
            [related] = memory.links.related("notes:vault/people/Ada", kind=kind, actor_id="me")
            assert related.record.id == "notes:vault/boats/Aurora"
    assert run("import", str(vault)).out == "imported 0 records; 2 known already\n"


def test_a_note_that_changed_becomes_a_version_with_its_new_tags(run: Run, vault: Path) -> None:
    run("import", str(vault))
    (vault / "people" / "Ada.md").write_text("---\ntags: [captains]\n---\nAda rows now.")
    assert run("import", str(vault)).out == "imported 0 records, 1 later version; 1 known already\n"
    ada = run("get", "notes:vault/people/Ada", "--json").json
    assert (ada["text"], ada["tags"], ada["version"]) == ("Ada rows now.", ["captains"], 2)


def test_links_that_lead_out_of_a_folder_are_not_followed(run: Run, vault: Path, tmp_path: Path) -> None:
    (tmp_path / "private.md").write_text("The code of the safe is 1234.")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "diary.md").write_text("Dear diary")
    os.symlink(tmp_path / "private.md", vault / "inside.md")
    os.symlink(tmp_path / "elsewhere", vault / "more")
    done = run("import", str(vault))
    assert done.out == "imported 2 records, 3 links\n"
    assert "left out: a link that leads out of the folder (2)" in done.err
    assert "safe" not in run("ls").out


def test_front_matter_that_grows_without_end_is_left_as_text(run: Run, tmp_path: Path) -> None:
    pairs = zip("abcdefg", "bcdefgh", strict=True)
    rows = "\n".join(f"{name}: &{name} [{', '.join(['*' + before] * 9)}]" for before, name in pairs)
    (tmp_path / "bomb.md").write_text(f"---\na: &a [x]\n{rows}\n---\nTea.")
    (tmp_path / "odd.md").write_text("---\n: [\n---\nMilk.")
    assert run("import", str(tmp_path / "bomb.md")).out == "imported 1 record\n"
    assert run("import", str(tmp_path / "odd.md")).out == "imported 1 record\n"


def test_the_notes_of_basic_memory_give_a_record_for_each_observation(run: Run) -> None:
    done = run("import", str(DATA / "basic-memory"))
    assert done.out == "imported 4 records, 1 link\n"
    records = {record["text"].split("\n")[0]: record for record in run("ls", "--json").json}
    tea, ada = records["Drinks green tea #taste (said at breakfast)"], records["# Ada"]
    assert (tea["kind"], tea["tags"], tea["parent_id"]) == ("fact", ["preference", "taste"], ada["id"])
    assert ada["tags"] == ["people", "boats"]
    assert ada["metadata"]["permalink"] == "demo/people/ada"
    assert "green tea" not in ada["text"], "an observation stands twice"


def test_a_node_imports_notes_under_parents_of_its_own(run: Run) -> None:
    assert run("import", str(DATA / "basic-memory"), "--node", "/planner").out == "imported 4 records, 1 link\n"


def test_the_graph_of_the_mcp_memory_server_keeps_entities_observations_and_relations(run: Run) -> None:
    done = run("import", str(DATA / "mcp-memory.jsonl"))
    assert done.out == "imported 6 records, 2 links\n"
    assert run("import", str(DATA / "mcp-memory.jsonl")).out == "imported 0 records; 6 known already\n"
    home = run("get", "mcp-memory:Ada:lives in Zwolle", "--json").json
    assert (home["text"], home["parent_id"]) == ("Ada: lives in Zwolle", "mcp-memory:Ada")
    ada = run("get", "mcp-memory:Ada", "--json").json
    assert (ada["kind"], ada["tags"]) == ("entity", ["person"])
    shown = run("related", "mcp-memory:Ada", "--json").json
    assert {("owns", "mcp-memory:Aurora"), ("lives in", "mcp-memory:Zwolle")} <= {
        (one["link"]["kind"], one["link"]["target_id"]) for one in shown
    }


def test_the_items_of_a_langgraph_store_are_found_by_the_adapter(run: Run, path: Path, tmp_path: Path) -> None:
    from foveal.integrations.langgraph import FovealStore

    shutil.copy(DATA / "langgraph.db", tmp_path / "store.db")
    assert run("import", str(tmp_path / "store.db")).out == "imported 3 records\n"
    with Memory(path) as memory:
        store = FovealStore(memory.view(actor_id="me"))
        found = store.get(("memories", "ada"), "home")
        assert found is not None
        assert found.value == {"text": "Ada lives in Zwolle.", "topic": "home"}
        assert {item.key for item in store.search(("memories",), query="Where does Ada live?")} >= {"home"}
        store.put(("memories", "ada"), "home", {"text": "Ada lives in Kampen."})
        assert len(store.search(("memories",))) == 2, "an item that was put again stands twice"
        expires = memory.get("item-cfa3aab7a1553c151021407b3f17d6ce", actor_id="me").vitals.expires_at
        assert expires is not None
        assert expires > datetime(2100, 1, 1, tzinfo=UTC)
