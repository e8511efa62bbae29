from __future__ import annotations

from pathlib import Path

from .conftest import Run


def test_text_comes_from_standard_input(process: Run) -> None:
    process("write", "-", said="zwei Zeilen\nmit Umlaut: ä\n")
    assert process("ls", "--json").json[0]["text"] == "zwei Zeilen\nmit Umlaut: ä"


def test_bytes_that_are_no_text_are_refused(process: Run, path: Path) -> None:
    ended = process("write", "-", said=b"\xff\xfe")
    assert ended.code == 2
    assert "not UTF-8" in ended.err
    assert not path.exists()


def test_details_are_kept(run: Run) -> None:
    run("write", "parent", "--id", "top")
    run(
        *("write", "x", "--region", "house", "--kind", "fact", "--scope", "shared", "--source", "tool"),
        *("--speaker", "Ada", "--importance", "0.9", "-t", "a", "-t", "b", "-m", "size=3", "-m", "name=Ada"),
        *("--parent-id", "top", "--occurred-at", "2026-03-02T09:00+01:00", "--valid-to", "2026-04-01"),
        *("--ttl", "9999w", "--pin", "--tier", "L4", "--linearity", "required", "--id", "mine"),
    )
    record = run("get", "mine", "--json").json
    assert record["metadata"] == {"size": 3, "name": "Ada"}
    assert record["tags"] == ["a", "b"]
    assert record["occurred_at"] == "2026-03-02T08:00:00+00:00"
    assert record["valid_to"] == "2026-04-01T00:00:00+00:00"
    assert (record["kind"], record["scope"], record["source"]) == ("fact", "shared", "tool")
    assert (record["parent_id"], record["linearity"]) == ("top", "required")
    assert (record["vitals"]["tier"], record["vitals"]["pinned"]) == ("semantic", True)
    assert [one["id"] for one in run("children", "top", "--json").json] == ["mine"]


def test_a_file_has_a_record_a_line(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "notes.jsonl"
    file.write_text('{"text": "one", "speaker": "Ada"}\n\njust text\n', encoding="utf-8")
    assert len(run("write", "--file", str(file), "--tag", "new", "--json").json["ids"]) == 2
    found = {one["text"]: one for one in run("ls", "--json").json}
    assert found["one"]["speaker"] == "Ada"
    assert found["just text"]["tags"] == ["new"]


def test_a_file_may_be_one_object(run: Run) -> None:
    run("write", "--file", "-", said='{\n  "text": "one",\n  "kind": "fact"\n}\n')
    assert [one["kind"] for one in run("ls", "--json").json] == ["fact"]


def test_what_a_file_has_wrong_is_reported_with_its_line(run: Run) -> None:
    said = 'good\n\n{"text": ""}\n'
    ended = run("write", "--file", "-", said=said)
    assert ended.code == 2
    assert ended.err == "-, line 3: text is empty\n"
    assert [one["text"] for one in run("ls", "--json").json] == ["good"]
    assert run("write", "--file", "-", "--json", said=said).json["rejected"][0]["index"] == 1


def test_a_file_that_is_broken_writes_nothing(run: Run, path: Path) -> None:
    ended = run("write", "--file", "-", said='good\n{"text": \n')
    assert ended.code == 2
    assert "line 2" in ended.err
    assert not path.exists()


def test_a_text_and_a_file_are_too_much(run: Run) -> None:
    assert run("write", "x", "--file", "y").code == 2
    assert run("write").code == 2
    assert run("write", "--file", "not there").code == 2


def test_a_write_sent_twice_is_stored_once(run: Run) -> None:
    run("write", "x", "--idempotency-key", "k")
    assert run("write", "x", "--idempotency-key", "k").out.startswith("known")


def test_forgetting_takes_ids_or_a_filter(run: Run, tea: str, ship: str) -> None:
    assert run("forget").code == 2
    assert run("forget", tea, "--filter", "speaker=Bob").code == 2
    assert run("forget", "--filter", "speaker=Bob").out == "forgot 1 record\n"
    assert run("forget", tea, "--json").json["ids"] == [tea]
    assert run("ls", "--json").json == []


def test_a_pinned_record_is_not_forgotten(run: Run, tea: str, ship: str) -> None:
    run("pin", tea)
    assert run("forget", tea).code == 4
    ended = run("forget", tea, ship)
    assert ended.code == 4
    assert tea in ended.out
    assert [one["id"] for one in run("ls", "--json").json] == [tea]
    run("unpin", tea)
    assert run("forget", tea).code == 0


def test_erasing_needs_a_yes_when_nobody_can_be_asked(run: Run, process: Run, tea: str) -> None:
    for command in (run, process):
        ended = command("forget", tea, "--hard")
        assert ended.code == 2
        assert "--yes" in ended.err
    assert run("get", tea).code == 0
    assert run("forget", tea, "--hard", "--yes").out == "erased 1 record\n"
    assert run("get", tea).code == 3


def test_a_new_text_needs_the_version_it_was_made_for(run: Run, tea: str) -> None:
    assert run("supersede", tea, "Ada prefers coffee", "--expected-version", "1").code == 0
    assert run("supersede", tea, "Ada prefers water", "--expected-version", "1").code == 4
    assert [one["text"] for one in run("history", tea, "--json").json] == [
        "Ada prefers tea",
        "Ada prefers coffee",
    ]
    assert run("supersede", tea, "-", said="Ada prefers milk\n").code == 0
    assert run("get", tea, "--json").json["text"] == "Ada prefers milk"


def test_edges_are_drawn_and_removed(run: Run, tea: str, ship: str) -> None:
    run("link", tea, ship, "--kind", "reminds", "--weight", "0.5")
    assert "reminds to 0.50" in run("related", tea).out
    assert "reminds from 0.50" in run("related", ship).out
    assert run("unlink", tea, ship).out == "removed 1 edge\n"
    assert run("related", tea).err == "nothing is tied to it\n"


def test_importance_grows(run: Run, tea: str) -> None:
    assert run("reinforce", tea, "--factor", "1.5", "--json").json["vitals"]["importance"] == 0.75
