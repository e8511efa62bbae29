"""`foveal import` takes what other memories have stored, as their own packages wrote it."""

from __future__ import annotations

import json
import os
import pickle
import shutil
from pathlib import Path
from typing import Any

import apsw
import pytest

from .conftest import Run

DATA = Path(__file__).parents[3] / "data" / "imports"


@pytest.mark.parametrize("store", ["mem0-qdrant", "mem0-chroma"])
def test_the_store_of_mem0_is_imported_with_users_dates_and_earlier_texts(
    run: Run, tmp_path: Path, store: str
) -> None:
    folder = tmp_path / store
    shutil.copytree(DATA / store, folder)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    shown = run("import", str(folder), "--dry-run", "--json").json
    assert (shown["format"], shown["records"], shown["versions"]) == ("mem0", 4, 1)
    assert shown["owners"] == {"ada": 3, "ben": 1}
    assert run("import", str(folder)).code == 2, "users were mixed"
    assert run("import", str(folder), "--each-user").out == "imported 4 records, 1 later version\n"
    assert run("import", str(folder), "--each-user").out == "imported 0 records; 4 known already\n"
    records = {record["text"]: record for record in run("ls", "--actor-id", "ada", "--json").json}
    assert set(records) == {"I live in Zwolle.", "I only drink green tea.", "Green tea it is."}
    home, tea = records["I live in Zwolle."], records["I only drink green tea."]
    assert home["metadata"] == {"topic": "home"}
    assert [version["text"] for version in run("history", home["id"], "--actor-id", "ada", "--json").json] == [
        "I live in Utrecht.",
        "I live in Zwolle.",
    ]
    assert (tea["speaker"], tea["source"], tea["session_id"]) == ("Ada", "user", "mem0:kitchen")
    assert tea["occurred_at"].startswith("2026-11-18T20:29:")
    assert [one["text"] for one in run("ls", "--actor-id", "ben", "--json").json] == ["I sail on Sundays."]
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_the_history_of_mem0_alone_gives_what_was_not_deleted(run: Run) -> None:
    done = run("import", str(DATA / "mem0-qdrant" / "history.db"))
    assert done.out == "imported 4 records, 1 later version\n"
    assert "left out: a memory that was deleted in mem0 (1)" in done.err
    assert "swordfish" not in run("ls").out


def test_a_list_of_memories_that_mem0_answered_is_imported(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "all.json"
    memory = {
        "id": "f51d2bab",
        "memory": "I live in Zwolle.",
        "hash": "5e744a",
        "metadata": {"topic": "home"},
        "created_at": "2026-03-01T09:00:00+00:00",
        "updated_at": None,
        "user_id": "ada",
    }
    file.write_text(json.dumps({"results": [memory]}))
    assert run("import", str(file), "--dry-run", "--json").json["format"] == "mem0"
    run("import", str(file))
    [record] = run("ls", "--json").json
    assert (record["id"], record["occurred_at"]) == ("mem0:f51d2bab", "2026-03-01T09:00:00+00:00")
    assert record["metadata"] == {"topic": "home"}


class Trap:
    """A pickle that makes a file where it is loaded as Python does."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self.path),)


def test_a_store_that_was_made_to_run_code_runs_none(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "store"
    shutil.copytree(DATA / "mem0-qdrant", folder)
    database = apsw.Connection(str(folder / "collection" / "mem0" / "storage.sqlite"))
    for name, blob in (("trap", pickle.dumps(Trap(tmp_path / "sprung"))), ("torn", b"\x80\x04\x95")):
        database.execute("INSERT INTO points VALUES (?, ?)", (name, blob))
    database.close()
    done = run("import", str(folder), "--each-user")
    assert not (tmp_path / "sprung").exists()
    assert (done.code, done.out) == (2, "imported 4 records, 1 later version\n")
    assert "mem0: torn: a point that cannot be read" in done.err


def test_the_documents_of_a_chromadb_are_imported_with_their_collections_as_tags(run: Run, tmp_path: Path) -> None:
    import chromadb
    from chromadb.config import Settings

    client = chromadb.PersistentClient(str(tmp_path / "chroma"), settings=Settings(anonymized_telemetry=False))
    notes = client.create_collection("notes", embedding_function=None)
    notes.add(
        ids=["1", "2"],
        documents=["Ada sails.", "Ben rows."],
        metadatas=[{"date": "2026-03-01", "depth": 2.5, "calm": True}, {"author": "Ben"}],
        embeddings=[[0.1, 0.2], [0.3, 0.4]],
    )
    client.create_collection("empty", embedding_function=None).add(ids=["x"], embeddings=[[0.5, 0.6]])
    done = run("import", str(tmp_path / "chroma"))
    assert done.out == "imported 2 records\n"
    assert "left out: an entry without a document (1)" in done.err
    records = {record["id"]: record for record in run("ls", "--json").json}
    ada = records["chroma:notes:1"]
    assert (ada["text"], ada["tags"], ada["occurred_at"][:10]) == ("Ada sails.", ["notes"], "2026-03-01")
    assert ada["metadata"] == {"date": "2026-03-01", "depth": 2.5, "calm": True}
    assert records["chroma:notes:2"]["speaker"] == "Ben"
    assert run("import", str(tmp_path / "chroma" / "chroma.sqlite3")).out == "imported 0 records; 2 known already\n"


def test_a_letta_agent_file_gives_its_blocks_and_messages(run: Run) -> None:
    done = run("import", str(DATA / "letta.af"))
    assert done.out == "imported 3 records\n"
    assert "left out: an empty block of memory (1)" in done.err
    block = run("get", "letta:Skipper:block-0", "--json").json
    assert (block["text"], block["tags"]) == ("Ada owns the boat Aurora.", ["human"])
    answer = run("get", "letta:Skipper:message-2", "--json").json
    assert (answer["speaker"], answer["session_id"]) == ("Skipper", "letta:Skipper")
    assert answer["occurred_at"] == "2026-03-01T09:00:02+00:00"


def test_a_graphiti_graph_keeps_when_its_facts_were_true(run: Run) -> None:
    assert run("import", str(DATA / "graphiti.json")).out == "imported 4 records, 3 links\n"
    assert run("import", str(DATA / "graphiti.json")).out == "imported 0 records; 4 known already\n"
    old = run("get", "zep:aaaaaaaa-0000-4000-8000-000000000005", "--json").json
    assert (old["valid_from"], old["valid_to"]) == ("2020-01-01T00:00:00+00:00", "2026-03-01T09:00:00+00:00")
    assert old["metadata"]["between"] == ["Ada", "Zwolle"]
