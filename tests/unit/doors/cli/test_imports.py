"""`foveal import` recognises what other programs export, shows it, and takes it in once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from foveal.compose import Memory
from foveal.importers import FORMATS
from foveal.importers import files as limits

from .conftest import Run

DATA = Path(__file__).parents[3] / "data" / "imports"


def test_a_chatgpt_export_keeps_the_branch_that_was_shown_with_its_dates_and_speakers(run: Run) -> None:
    shown = run("import", str(DATA / "chatgpt.json"), "--dry-run")
    assert shown.out.startswith(f"{DATA / 'chatgpt.json'} is a ChatGPT export\nrecords  3 in 1 session\n")
    assert "said by  user (2), ChatGPT (1)" in shown.out
    assert "left out: an answer or edit that was replaced in the conversation (1)" in shown.out
    assert run("ls").code == 3, "a preview made a memory"
    assert run("import", str(DATA / "chatgpt.json")).out == "imported 3 records\n"
    assert "foveal remember` draws them; what was added or imported has none" in run("facts").err
    last, answer, first = run("ls", "--json").json
    assert [first["text"], answer["text"], last["text"]] == [
        "I only drink green tea.",
        "Green tea at 70 degrees, then.",
        "Thanks!",
    ]
    assert (answer["id"], answer["speaker"], answer["source"]) == ("chatgpt:n3", "ChatGPT", "assistant")
    assert (answer["session_id"], answer["occurred_at"]) == ("chatgpt:c-1", "2026-03-01T09:00:03+00:00")
    assert answer["metadata"] == {"title": "Tea", "model": "gpt-4o"}


def test_an_export_is_read_inside_its_archive_and_imported_once(run: Run, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "export.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(DATA / "chatgpt.json", "conversations.json")
        archive.writestr("chat.html", "<html></html>")
    assert run("import", str(tmp_path / "export.zip")).out == "imported 3 records\n"
    assert run("import", str(DATA / "chatgpt.json")).out == "imported 0 records; 3 known already\n"


def test_a_claude_export_keeps_dates_titles_and_the_names_of_files(run: Run) -> None:
    done = run("import", str(DATA / "claude.json"))
    assert done.out == "imported 2 records\n"
    assert "left out: a message without words, such as a file or a call of a tool (1)" in done.err
    answer, first = run("ls", "--json").json
    assert (first["source"], first["occurred_at"]) == ("user", "2026-02-03T10:00:01+00:00")
    assert first["metadata"] == {"title": "A boat for Lisbon", "files": ["berth.txt"]}
    assert (answer["speaker"], answer["session_id"]) == ("Claude", first["session_id"])


def test_a_table_says_which_line_is_wrong_and_imports_the_others(run: Run, tmp_path: Path) -> None:
    table = tmp_path / "people.csv"
    table.write_text('text;date;tags;id;age\n"Ada; sails";2026-03-01;a,b;1;36\nBen rows;never;;2;40\n')
    done = run("import", str(table))
    assert (done.code, done.out) == (2, "imported 1 record\n")
    assert f"{table}, line 3: date 'never' is not a moment" in done.err
    [ada] = run("ls", "--json").json
    assert (ada["id"], ada["text"], ada["tags"]) == ("lines:people:1", "Ada; sails", ["a", "b"])
    assert ada["metadata"] == {"age": "36"}


def test_a_text_that_changed_in_the_file_becomes_the_newest_version_but_a_correction_here_stays(
    run: Run, tmp_path: Path
) -> None:
    file = tmp_path / "facts.json"
    file.write_text(
        json.dumps([{"id": "home", "text": "Ada lives in Utrecht."}, {"id": "tea", "text": "Ada drinks tea."}])
    )
    run("import", str(file))
    run("supersede", "lines:facts:tea", "Ada drinks coffee.")
    file.write_text(
        json.dumps([{"id": "home", "text": "Ada lives in Zwolle."}, {"id": "tea", "text": "Ada drinks tea."}])
    )
    assert run("import", str(file)).out == "imported 0 records, 1 later version; 1 known already\n"
    assert run("get", "lines:facts:home", "--json").json["text"] == "Ada lives in Zwolle."
    assert run("get", "lines:facts:tea", "--json").json["text"] == "Ada drinks coffee."


def test_what_was_forgotten_here_stays_forgotten(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "facts.json"
    file.write_text(
        json.dumps([{"id": "home", "text": "Ada lives in Utrecht."}, {"id": "tea", "text": "Ada drinks tea."}])
    )
    run("import", str(file))
    run("forget", "lines:facts:home")
    done = run("import", str(file))
    assert (done.code, done.out) == (0, "imported 0 records; 1 known already\n")
    assert "left out: forgotten here before, or of another node (1)" in done.err
    assert [record["id"] for record in run("ls", "--json").json] == ["lines:facts:tea"]


def test_memories_of_several_users_are_not_mixed(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "all.jsonl"
    lines = [{"text": "Ada sails.", "user_id": "ada"}, {"text": "Ben rows.", "user_id": "ben"}]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    refused = run("import", str(file))
    assert refused.code == 2
    assert "holds the memories of 2 users: ada (1), ben (1). Pass --user NAME" in refused.err
    assert run("import", str(file), "--user", "ben", "--actor-id", "ben").out == "imported 1 record\n"
    assert run("import", str(file), "--each-user").out == "imported 1 record; 1 known already\n"
    for actor, text in (("ada", "Ada sails."), ("ben", "Ben rows.")):
        assert [record["text"] for record in run("ls", "--actor-id", actor, "--json").json] == [text]


KILLED = """
import os, signal, sys
from pathlib import Path
from foveal import Memory
from foveal.importers import Source, recognised, take

source = Source(Path(sys.argv[2]))
def progress(done):
    if done >= 400:
        os.kill(os.getpid(), signal.SIGKILL)
take(Memory(sys.argv[1]).view(actor_id="me"), recognised(source).read(source), progress=progress)
"""


def test_an_import_that_was_killed_goes_on_where_it_stopped(run: Run, path: Path, tmp_path: Path) -> None:
    file = tmp_path / "many.jsonl"
    file.write_text("".join(json.dumps({"text": f"The ship {n} sailed."}) + "\n" for n in range(700)))
    killed = subprocess.run([sys.executable, "-c", KILLED, str(path), str(file)], env=dict(os.environ), check=False)
    assert killed.returncode == -signal.SIGKILL
    assert run("import", str(file)).out == "imported 300 records; 400 known already\n"
    with Memory(path) as memory:
        assert memory.stats(actor_id="me").records == 700


def test_a_node_imports_under_ids_of_its_own(run: Run) -> None:
    run("import", str(DATA / "chatgpt.json"), "--node", "/planner")
    done = run("import", str(DATA / "chatgpt.json"), "--node", "/planner")
    assert done.out == "imported 0 records; 3 known already\n"
    assert run("get", "chatgpt:n3@/planner", "--node", "/planner", "--json").json["speaker"] == "ChatGPT"


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("empty.json", b"", "it is empty"),
        ("picture.png", b"\x89PNG\r\n\0\0", "it is a binary file"),
        ("cut.json", b'[{"mapping": {', "JSON that is damaged or cut off"),
        ("deep.json", b"[" * 100_000, "JSON that is damaged or cut off"),
        ("prose.txt", b"Dear diary", "it is a text that begins with 'Dear diary'"),
        ("broken.zip", b"PK\x03\x04 and no more", "is a damaged or locked zip archive"),
        ("broken.db", b"SQLite format 3\0" + b"\xff" * 200, "as a SQLite file"),
    ],
)
def test_what_cannot_be_read_is_refused_by_name(
    run: Run, tmp_path: Path, name: str, content: bytes, said: str
) -> None:
    (tmp_path / name).write_bytes(content)
    done = run("import", str(tmp_path / name))
    assert done.code == 2
    assert said in done.err
    assert str(tmp_path / name) in done.err
    assert not (tmp_path / "memory.db").exists()


def test_a_format_can_be_forced_and_an_unknown_one_lists_them(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "odd.txt"
    file.write_text("text\nAda sails.\n")
    assert run("import", str(file)).code == 2
    assert run("import", str(file), "--format", "csv").out == "imported 1 record\n"
    assert f"use one of {', '.join(sorted(FORMATS))}" in run("import", str(file), "--format", "excel").err


@pytest.mark.parametrize("form", ["chatgpt", "claude", "mem0", "letta", "zep", "json"])
def test_a_file_that_is_not_of_the_named_format_is_refused_before_and_in_earnest(
    run: Run, tmp_path: Path, form: str
) -> None:
    file = tmp_path / "mine.jsonl"
    file.write_text('{"text": "I sail."}\n{"text": "I row."}\n', encoding="utf-8")
    for option in (["--dry-run"], []):
        refused = run("import", str(file), "--format", form, *option)
        assert refused.code == 2
        assert f"{file} is not {FORMATS[form].title}" in refused.err


def test_an_archive_that_grows_without_end_is_refused(run: Run, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", b" " * 50_000_000)
    done = run("import", str(tmp_path / "bomb.zip"))
    assert done.code == 2
    assert "when unpacked: it is refused as a trap" in done.err


def test_a_line_without_end_is_refused(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "long.jsonl"
    file.write_bytes(b'{"text": "Ada"}\n{"text": "' + b"x" * limits.MAX_LINE + b'"}\n')
    done = run("import", str(file))
    assert done.code == 2
    assert f"line 2 of {file} is longer than" in done.err
