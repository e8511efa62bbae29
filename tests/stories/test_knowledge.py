"""Files become knowledge, and knowledge follows the files."""

import importlib
import os
import sys
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from foveal import Memory
from foveal.engine.ledger import knowledge
from foveal.engine.memory import View
from foveal.errors import Conflict, Invalid, NotFound, TooLarge, Unsupported
from foveal.testing import ManualClock

MINUTE = timedelta(minutes=1)
POLICY = """# Security

Everyone reads this once a year.

## Passwords

A password has at least 12 characters.

```sh
# not a heading
passwd --min 12
```

## Badges

Badges are worn visibly.
"""


@pytest.fixture
def ada(memory: Memory) -> View:
    return memory.view(actor_id="ada")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "handbook"
    (made / "it").mkdir(parents=True)
    (made / "it" / "policy.md").write_text(POLICY)
    (made / "travel.txt").write_text("Trains are preferred to planes.\n\nReceipts go to the office.")
    (made / "page.html").write_text(
        "<html><head><title>x</title></head><body><nav>menu</nav><h1>Holidays</h1><p>Thirty days a year.</p></body>"
    )
    return made


def _texts(view: View) -> set[str]:
    return {one.text for one in view.longterm.list_knowledge(1000)}


def test_a_folder_is_cut_along_its_structure(ada: View, folder: Path) -> None:
    told: list[tuple[int, int]] = []
    done = ada.longterm.ingest(folder, tags=["hr"], progress=lambda now, all_: told.append((now, all_)))
    assert (done.files, done.added, done.skipped) == (3, 5, ())
    assert told == [(1, 3), (2, 3), (3, 3)]
    [found, *_] = ada.longterm.search_knowledge("how long must a password be?")
    assert found.metadata["title"] == "policy.md: Security / Passwords"
    assert found.metadata["source"] == "it/policy.md"
    assert "```sh\n# not a heading\npasswd --min 12\n```" in found.content
    assert found.record and found.record.tags == ("hr",)
    assert "Thirty days a year." in _texts(ada)


def test_a_second_time_nothing_changes(ada: View, folder: Path) -> None:
    ada.longterm.ingest(folder)
    again = ada.longterm.ingest(folder)
    assert (again.added, again.changed, again.unchanged, again.forgotten) == (0, 0, 5, 0)


def test_changed_chunks_supersede_and_vanished_ones_are_forgotten(ada: View, folder: Path) -> None:
    ada.longterm.ingest(folder)
    before = ada.longterm.search_knowledge("how long must a password be?")[0]
    policy = folder / "it" / "policy.md"
    policy.write_text(POLICY.replace("12 characters", "16 characters").partition("## Badges")[0])
    (folder / "travel.txt").unlink()
    done = ada.longterm.ingest(folder)
    assert (done.added, done.changed, done.unchanged, done.forgotten) == (0, 1, 2, 2)
    after = ada.longterm.search_knowledge("how long must a password be?")[0]
    assert after.record and (after.id, after.record.version) == (before.id, 2)
    assert "16 characters" in after.content
    assert not any("Badges" in text or "Trains" in text for text in _texts(ada))
    policy.write_text(POLICY)
    back = ada.longterm.ingest(folder)
    assert (back.added, back.changed) == (1, 1)
    assert any("Badges" in text for text in _texts(ada))


def test_two_folders_do_not_disturb_each_other(ada: View, folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "travel.txt").write_text("Ships are preferred to trains.")
    ada.longterm.ingest(folder)
    ada.longterm.ingest(other)
    assert len(_texts(ada)) == 6
    assert ada.longterm.ingest(other).unchanged == 1
    moved = tmp_path / "moved"
    ada.longterm.ingest(other, name="rules")
    other.rename(moved)
    assert ada.longterm.ingest(moved, name="rules").unchanged == 1


def test_one_file_leaves_its_neighbours_alone(ada: View, folder: Path) -> None:
    ada.longterm.ingest(folder)
    done = ada.longterm.ingest(folder / "travel.txt")
    assert (done.files, done.forgotten) == (1, 0)
    assert len(ada.longterm.list_knowledge()) >= 5


def test_another_actor_has_knowledge_of_its_own(memory: Memory, folder: Path) -> None:
    ada, eve = memory.view(actor_id="ada"), memory.view(actor_id="eve")
    ada.longterm.ingest(folder)
    assert eve.longterm.search_knowledge("password") == []
    assert eve.longterm.ingest(folder).added == 5


def test_links_out_of_the_folder_are_not_followed(ada: View, folder: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("The vault code is 4711.")
    (folder / "link.txt").symlink_to(secret)
    (folder / "up").symlink_to(tmp_path, target_is_directory=True)
    (folder / "within.txt").symlink_to(folder / "travel.txt")
    done = ada.longterm.ingest(folder)
    assert [Path(one.path).name for one in done.skipped] == ["link.txt"]
    assert not any("4711" in text for text in _texts(ada))


def test_what_cannot_be_read_is_skipped_with_its_reason(
    ada: View, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "binary.txt").write_bytes(b"\x00\x01\x02")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    (folder / "latin.txt").write_bytes("Zoë pays".encode("cp1252"))
    (folder / "wide.txt").write_bytes("Ada zahlt".encode("utf-16"))
    (folder / "empty.md").write_text("\n\n")
    (folder / ".hidden.md").write_text("not this")
    (folder / "image.png").write_bytes(b"png")
    monkeypatch.setattr(knowledge, "LARGEST", 2000)
    (folder / "big.txt").write_text("x" * 2001)
    done = ada.longterm.ingest(folder)
    assert sorted(Path(one.path).name for one in done.skipped) == ["big.txt", "binary.txt", "broken.pdf"]
    assert {"Zoë pays", "Ada zahlt"} <= _texts(ada)
    with pytest.raises(NotFound):
        ada.longterm.ingest(folder / "nothing")
    monkeypatch.setattr(knowledge, "MOST_FILES", 2)
    with pytest.raises(TooLarge):
        ada.longterm.ingest(folder)


def _pdf(*lines: str) -> bytes:
    """A PDF of one page, by hand."""
    stream = ("BT /F1 12 Tf 72 720 Td " + " ".join(f"({line}) Tj 0 -20 Td" for line in lines) + " ET").encode()
    parts = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R"
        b" /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    out, places = b"%PDF-1.4\n", list[int]()
    for number, part in enumerate(parts, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, part)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"trailer << /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % len(out)
    return out + b"xref\n0 6\n0000000000 65535 f \n" + table + end


def test_a_pdf_is_read(ada: View, tmp_path: Path) -> None:
    file = tmp_path / "manual.pdf"
    file.write_bytes(_pdf("The pump is primed before use.", "Oil is changed in May."))
    assert ada.longterm.ingest(file).added == 1
    [found] = ada.longterm.search_knowledge("when is the oil changed?")
    assert "Oil is changed in May." in found.content
    assert found.metadata["title"] == "manual.pdf: Page 1"


def test_without_its_library_a_pdf_is_an_error_that_says_what_to_install(
    ada: View, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "manual.pdf").write_bytes(_pdf("x"))
    monkeypatch.setitem(sys.modules, "pypdf", None)
    importlib.invalidate_caches()
    with pytest.raises(Unsupported, match=r"pip install 'foveal\[knowledge\]'"):
        ada.longterm.ingest(tmp_path / "manual.pdf")


def test_procedures_incidents_and_changes_keep_their_typed_details(ada: View) -> None:
    procedure = ada.longterm.store_procedure(
        "drain", "Take a server out of the pool", steps=["mark it", "wait"], success_count=3, tags=["ops"]
    )
    assert (procedure.kind, procedure.metadata["steps"], procedure.tags) == (
        *("procedure", ["mark it", "wait"]),
        ("ops",),
    )
    again = ada.longterm.store_procedure(
        "drain", "Take a server out of the pool", steps=["mark it", "wait"], success_count=4, tags=["ops"],
        procedure_id=procedure.id,
    )  # fmt: skip
    assert (again.version, again.metadata["success_count"]) == (2, 4)
    incident = ada.longterm.store_incident(
        "Checkout was down", symptoms=["timeouts"], root_cause="a full disk", resolved_by="ada", prevention="alerts"
    )
    assert incident.metadata["root_cause"] == "a full disk"
    for content in ("workers: 4", "workers: 8"):
        ada.longterm.store_config_change("/etc/app.yaml", content, changed_by="ada", reason="load")
    assert [one.text.splitlines()[-1] for one in ada.longterm.get_config_history("/etc/app.yaml")] == [
        *("workers: 8", "workers: 4"),
    ]
    found = ada.longterm.semantic_search("why was checkout down?", min_relevance=0.1)
    assert found[0].collection == "incidents"
    assert [one.relevance for one in found] == sorted((one.relevance for one in found), reverse=True)
    with pytest.raises(Invalid):
        ada.longterm.semantic_search("x", n_results=0)


def _written(file: Path, moment: datetime) -> None:
    os.utime(file, (moment.timestamp(), moment.timestamp()))


def _passwords(view: View) -> str:
    return view.longterm.search_knowledge("how long must a password be?")[0].id


def test_what_was_forgotten_stays_forgotten_while_its_file_says_the_same(ada: View, folder: Path) -> None:
    ada.longterm.ingest(folder)
    forgotten = _passwords(ada)
    ada.forget(forgotten)
    again = ada.longterm.ingest(folder)
    assert (again.added, again.unchanged, again.withheld, again.forgotten) == (0, 4, 1, 0)
    assert not any("12 characters" in text for text in _texts(ada))
    policy = folder / "it" / "policy.md"
    policy.write_text(POLICY.replace("12 characters", "16 characters"))
    changed = ada.longterm.ingest(folder)
    assert (changed.added, changed.withheld) == (1, 0)
    assert ada.get(forgotten).version == 2


def test_what_was_forgotten_comes_back_when_it_is_wanted_again(ada: View, folder: Path) -> None:
    ada.longterm.ingest(folder)
    forgotten = _passwords(ada)
    ada.forget(forgotten)
    assert ada.longterm.ingest(folder, again=True).added == 1
    assert _passwords(ada) == forgotten
    assert ada.longterm.ingest(folder).withheld == 0


def test_what_was_erased_stays_erased_until_its_file_is_written_anew(
    ada: View, folder: Path, clock: ManualClock
) -> None:
    policy = folder / "it" / "policy.md"
    for file in folder.rglob("*.*"):
        _written(file, clock.now() - MINUTE)
    ada.longterm.ingest(folder)
    erased = _passwords(ada)
    ada.forget(erased, hard=True)
    for _ in range(2):
        again = ada.longterm.ingest(folder)
        assert (again.added, again.unchanged, again.withheld, again.forgotten) == (0, 4, 1, 0)
    _written(policy, clock.now() + MINUTE)
    back = ada.longterm.ingest(folder)
    assert (back.added, back.withheld) == (1, 0)
    returned = _passwords(ada)
    assert returned != erased
    assert ada.longterm.ingest(folder).unchanged == 5
    ada.forget(returned, hard=True)
    _written(policy, clock.now() - MINUTE)
    assert ada.longterm.ingest(folder).withheld == 1
    assert ada.longterm.ingest(folder, again=True).added == 1
    assert ada.longterm.ingest(folder).unchanged == 5


@pytest.mark.parametrize("hard", [False, True])
def test_a_decision_that_was_forgotten_is_not_stored_again_by_a_repeated_call(ada: View, hard: bool) -> None:
    said = {"context": "Which key?", "chosen": "the blue one", "decision_id": "d1"}
    decision = ada.ledger.store_decision(**said)
    ada.forget(decision.record_id or "", hard=hard)
    with pytest.raises(Conflict, match="was erased" if hard else "was forgotten"):
        ada.ledger.store_decision(**said)
    assert ada.ledger.find_similar_decisions("Which key?") == []
