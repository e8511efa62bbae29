"""Bad input gets a named error, and what was stored stays intact."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import apsw
import pytest

from foveal import Memory
from foveal.backends.sqlite import SqliteStore
from foveal.engine.memory import View
from foveal.errors import (
    BudgetTooSmall,
    Conflict,
    Corrupt,
    FovealError,
    Invalid,
    NewerSchema,
    NotAMemoryFile,
    NotFound,
    Pinned,
    PreconditionFailed,
    ReadOnly,
    StorageFull,
    StoreUnavailable,
    TooLarge,
)
from foveal.wire.calls import method_of


@pytest.fixture(params=["ram", "sqlite"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    with Memory(":memory:" if request.param == "ram" else tmp_path / "memory.db") as memory:
        yield memory


@pytest.fixture
def ada(memory: Memory) -> View:
    return memory.view(actor_id="ada")


WRITES: dict[str, tuple[type[FovealError], dict[str, Any]]] = {
    "empty": (Invalid, {"text": ""}),
    "white space": (Invalid, {"text": " \n\t "}),
    "nul": (Invalid, {"text": "a\x00b"}),
    "lone surrogate": (Invalid, {"text": "a\ud800b"}),
    "ten megabytes": (TooLarge, {"text": "x" * 10_000_000}),
    "not text": (Invalid, {"text": 42}),
    "a million tags": (TooLarge, {"tags": (f"t{n}" for n in range(1_000_000))}),
    "tags as a string": (Invalid, {"tags": "red"}),
    "an empty tag": (Invalid, {"tags": [""]}),
    "a world with a slash": (Invalid, {"world": "a/b"}),
    "a world with a hash": (Invalid, {"world": "a#b"}),
    "an empty actor": (Invalid, {"actor_id": ""}),
    "an endless actor": (TooLarge, {"actor_id": "x" * 1000}),
    "a region with a hash": (Invalid, {"region": "a#b"}),
    "a node that is no path": (Invalid, {"node": "planner"}),
    "a node with a gap": (Invalid, {"node": "/a//b"}),
    "a date without a zone": (Invalid, {"occurred_at": "2026-05-01T09:00"}),
    "a date that is none": (Invalid, {"occurred_at": "yesterday"}),
    "an end before the start": (
        Invalid,
        {"valid_from": datetime(2026, 1, 2, tzinfo=UTC), "valid_to": datetime(2026, 1, 1, tzinfo=UTC)},
    ),
    "a negative ttl": (Invalid, {"ttl": -1}),
    "a ttl that is no number": (Invalid, {"ttl": float("nan")}),
    "a ttl of a million years": (TooLarge, {"ttl": timedelta(days=365 * 1_000_000)}),
    "a date before all time zones": (Invalid, {"occurred_at": "0001-01-01T00:00:00+10:00"}),
    "an importance above one": (Invalid, {"importance": 1.5}),
    "metadata that is no object": (Invalid, {"metadata": [1]}),
    "metadata that is no json": (Invalid, {"metadata": {"x": object()}}),
    "metadata with nan": (Invalid, {"metadata": {"x": float("nan")}}),
    "metadata with nul": (Invalid, {"metadata": {"x": "\x00"}}),
    "metadata that is huge": (TooLarge, {"metadata": {"x": "y" * 100_000}}),
    "a scope to read with": (Invalid, {"scope": "inherited"}),
    "a tier that is none": (Invalid, {"tier": "L9"}),
    "a linearity that is none": (Invalid, {"linearity": "soft"}),
    "a parent that is not there": (NotFound, {"parent_id": "nothing"}),
    "a keyword that is none": (Invalid, {"speeker": "Ada"}),
}


@pytest.mark.parametrize("case", WRITES)
def test_a_write_that_cannot_be_taken_is_refused_by_name(ada: View, case: str) -> None:
    error, said = WRITES[case]
    kept = ada.write("what was stored before")
    with pytest.raises(error) as caught:
        ada.write(**cast(Any, {"text": "fine"} | said))
    assert caught.type is error
    assert len(caught.value.message) < 300
    assert [one.id for one in ada.timeline()] == [kept.id]


def test_a_batch_keeps_the_good_and_reports_the_bad(ada: View) -> None:
    taken = ada.write("taken", id="mine")
    items = [
        "fine",
        "",
        {"text": "fine too", "tags": ["x"]},
        {"txt": "no text"},
        {"text": "x", "colour": 1},
        7,
    ]
    written = ada.write_many([*items, {"text": "clash", "id": "mine"}, "last"])  # pyright: ignore[reportArgumentType]
    assert [one.index for one in written.rejected] == [1, 3, 4, 5, 6]
    assert {one.code for one in written.rejected} == {"invalid", "conflict"}
    texts = [one.text for one in ada.get_many(written.ids)]
    assert texts == ["fine", "fine too", "last"]
    assert ada.get(taken.id).text == "taken"


def test_a_misspelt_keyword_is_named_with_its_likely_meaning(ada: View) -> None:
    with pytest.raises(Invalid, match="did you mean 'speaker'"):
        ada.write("x", speeker="Ada")  # pyright: ignore[reportCallIssue]
    with pytest.raises(Invalid, match="did you mean 'session_id'"):
        ada.search("x", filters={"sesion_id": "s1"})


def test_without_an_actor_the_memory_is_mine(memory: Memory) -> None:
    written = memory.write("The key is under the mat.")
    assert memory.get(written.id, actor_id="me").text == "The key is under the mat."
    with pytest.raises(Invalid, match="actor_id is missing"):
        memory.write("whose?", actor_id=None)  # pyright: ignore[reportArgumentType]


def test_who_reads_without_an_actor_is_told_whose_memory_it_is(memory: Memory) -> None:
    memory.write_many(["Ada sails.", "Ada rows.", "Ada swims."], actor_id="ada")
    with pytest.warns(UserWarning, match="me has no memories here, but ada has 3: pass actor_id='ada'"):
        assert memory.search("Who sails?") == []
    memory.write("I sail.")
    assert memory.search("Who sails?")[0].text == "I sail."


@pytest.mark.parametrize("budget", [-1, 0, 2.5, "many", True])
def test_a_budget_must_be_a_positive_whole_number(ada: View, budget: Any) -> None:
    with pytest.raises(Invalid, match="token_budget"):
        ada.read("anything", token_budget=budget)


def test_a_budget_that_holds_no_item_is_refused_with_what_it_needs(ada: View) -> None:
    ada.write("a note that is a little longer than the budget allows")
    with pytest.raises(BudgetTooSmall) as caught:
        ada.read("note", token_budget=5)
    needed = caught.value.data["needed"]
    assert isinstance(needed, int)
    assert ada.read("note", token_budget=needed + 2).items


def test_an_unknown_actor_has_an_empty_memory(ada: View) -> None:
    nobody = ada.view(actor_id="nobody")
    ada.write("ada's")
    assert nobody.search("ada") == []
    assert nobody.timeline() == []
    assert nobody.read("ada", token_budget=100).text == ""
    assert nobody.stats().records == 0


WRONG_IDS: dict[str, Callable[[View], Any]] = {
    "get": lambda ada: ada.get("nothing"),
    "history": lambda ada: ada.history("nothing"),
    "forget": lambda ada: ada.forget("nothing"),
    "forget hard": lambda ada: ada.forget("nothing", hard=True),
    "pin": lambda ada: ada.pin("nothing"),
    "reinforce": lambda ada: ada.lifecycle.reinforce("nothing"),
    "supersede": lambda ada: ada.supersede("nothing", "text"),
    "link": lambda ada: ada.links.add("nothing", "nowhere"),
    "unlink": lambda ada: ada.links.remove("nothing", "nowhere"),
    "related": lambda ada: ada.links.related("nothing"),
    "children": lambda ada: ada.links.children("nothing"),
    "members": lambda ada: ada.groups.members("nothing"),
}


@pytest.mark.parametrize("verb", WRONG_IDS)
def test_an_id_that_is_not_there_is_not_found(ada: View, verb: str) -> None:
    ada.write("something")
    with pytest.raises(NotFound):
        WRONG_IDS[verb](ada)


@pytest.mark.parametrize("verb", ["get", "history", "pin", "links.related"])
def test_an_id_that_is_half_a_character_is_refused_by_every_verb_alike(ada: View, verb: str) -> None:
    with pytest.raises(Invalid, match="record_id contains a lone surrogate"):
        method_of(ada, verb)("\ud800")


def test_a_pinned_record_cannot_be_forgotten(ada: View) -> None:
    kept = ada.write("allergic to peanuts", pin=True)
    other = ada.write("likes tea")
    with pytest.raises(Pinned):
        ada.forget(kept.id)
    gone = ada.forget({"kind": "note"})
    assert (gone.ids, gone.pinned) == ((other.id,), (kept.id,))
    with pytest.raises(Invalid):
        ada.forget({})


def test_a_version_that_is_not_the_newest_is_refused(ada: View) -> None:
    record = ada.write("one")
    ada.supersede(record.id, "two", expected_version=1)
    with pytest.raises(PreconditionFailed):
        ada.supersede(record.id, "two again", expected_version=1)


def test_a_folder_or_a_foreign_file_is_not_a_memory(tmp_path: Path) -> None:
    with pytest.raises(NotAMemoryFile):
        Memory(tmp_path)
    text = tmp_path / "notes.txt"
    text.write_text("these are not the bytes of a database, but they are mine\n" * 100)
    with pytest.raises(NotAMemoryFile):
        Memory(text)
    assert text.read_text().startswith("these are not")
    other = tmp_path / "other.db"
    db = apsw.Connection(str(other))
    db.execute("create table precious (x); insert into precious values (1)")
    db.close()
    before = other.read_bytes()
    with pytest.raises(NotAMemoryFile):
        Memory(other)
    assert other.read_bytes() == before


def test_a_newer_schema_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    Memory(path).close()
    db = apsw.Connection(str(path))
    db.execute("pragma user_version = 999")
    db.close()
    with pytest.raises(NewerSchema, match="upgrade Foveal"):
        Memory(path)


def test_a_corrupted_file_is_called_corrupt_and_never_repaired(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with Memory(path) as memory:
        memory.write_many([f"note {n} with some text in it" for n in range(2000)], actor_id="ada")
    bytes_ = bytearray(path.read_bytes())
    for start in range(3 * 4096, len(bytes_), 4096):
        bytes_[start : start + 2000] = b"\xff" * 2000
    path.write_bytes(bytes_)
    with pytest.raises((Corrupt, NotAMemoryFile)), Memory(path) as memory:
        memory.search("note", actor_id="ada")
    assert path.read_bytes() == bytes(bytes_)


def test_a_read_only_memory_reads_and_refuses_to_write(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with Memory(path) as memory:
        record = memory.write("kept", actor_id="ada")
    with Memory(f"sqlite:///{path}?mode=ro") as memory:
        assert memory.get(record.id, actor_id="ada").text == "kept"
        assert memory.search("kept", actor_id="ada")[0].id == record.id
        with pytest.raises(ReadOnly):
            memory.write("more", actor_id="ada")
    with pytest.raises(NotAMemoryFile):
        Memory(f"sqlite:///{tmp_path}/absent.db?mode=ro")


def test_a_full_disk_loses_nothing_that_was_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "memory.db"
    with Memory(path) as memory:
        ada = memory.view(actor_id="ada")
        ada.write("stored before the disk was full")
        store = cast(SqliteStore, memory._runtime.store)  # pyright: ignore[reportPrivateUsage]
        with store._db.maintaining() as db:  # pyright: ignore[reportPrivateUsage]
            # The limit is the database's own: the same error that a full disk gives.
            db.execute("pragma max_page_count = 60")
        with pytest.raises(StorageFull):
            for number in range(1000):
                ada.write(f"note {number} " * 200)
        found = ada.timeline(limit=1000)
        assert found[-1].text == "stored before the disk was full"
        assert memory.admin.check() == []
        with store._db.maintaining() as db:  # pyright: ignore[reportPrivateUsage]
            db.execute("pragma max_page_count = 1073741823")
        ada.write("and it goes on")


@pytest.mark.parametrize("url", ["redis://x", "sqlite://host/x.db", "sqlite://", "sqlite:///x.db?mode=rx", "  "])
def test_a_url_that_names_no_memory_is_refused(url: str) -> None:
    with pytest.raises(Invalid):
        Memory(url)


def test_a_closed_memory_says_so(tmp_path: Path) -> None:
    memory = Memory(tmp_path / "memory.db")
    memory.close()
    with pytest.raises(StoreUnavailable, match="closed"):
        memory.write("late", actor_id="ada")
    with pytest.raises(StoreUnavailable, match="closed"):
        memory.search("late", actor_id="ada")


def test_an_import_of_something_else_changes_nothing(ada: View, tmp_path: Path) -> None:
    ada.write("kept")
    for content in (
        b"",
        b"not json\n",
        b'{"format": "other"}\n',
        b'{"format": "foveal-memory", "version": 99}\n',
    ):
        path = tmp_path / "file.jsonl"
        path.write_bytes(content)
        with pytest.raises(Invalid):
            ada.admin.import_(path)
    with pytest.raises(Invalid):
        ada.admin.import_(tmp_path / "absent.jsonl")
    assert [one.text for one in ada.timeline()] == ["kept"]


def test_an_export_does_not_overwrite(ada: View, tmp_path: Path) -> None:
    target = tmp_path / "there.jsonl"
    target.write_text("precious")
    with pytest.raises(Conflict):
        ada.admin.export(target)
    assert target.read_text() == "precious"


def test_a_ttl_may_be_seconds_or_a_timedelta(ada: View) -> None:
    a, b = ada.write("a", ttl=3600), ada.write("b", ttl=timedelta(hours=1))
    lives = [one.vitals.expires_at for one in ada.get_many([a.id, b.id])]
    assert None not in lives


def test_a_filter_that_asks_nothing_forgets_nothing(ada: View) -> None:
    ada.write("kept")
    empty: list[dict[str, Any]] = [{}, {"and": []}, {"and": [{}]}, {"not": {"or": []}}]
    for nothing in empty:
        with pytest.raises(Invalid):
            ada.forget(nothing)
    with pytest.raises(Invalid):
        ada.search("x", filters=cast(Any, {1: 2}))
    with pytest.raises(Invalid):
        ada.search("x", filters={"uses": 10**30})
    assert len(ada.timeline(filters={"session_id": [f"s{n}" for n in range(5000)] + [None]})) == 1


def test_dates_at_the_ends_of_time_do_no_harm(ada: View) -> None:
    ada.write("Last year was good.", occurred_at=datetime(1, 1, 1, tzinfo=UTC))
    ada.write("Never: see you next month.", occurred_at=datetime(9999, 12, 31, tzinfo=UTC))
    assert len(ada.search("What happened in December?", min_relevance=0)) == 2


@pytest.mark.parametrize("question", ["?", "…", "a", "who are you", "x" * 20_000, "word " * 3000, "\r\n?"])
def test_any_question_gets_an_answer_from_any_memory(ada: View, question: str) -> None:
    assert ada.search(question, k=1000) == []
    assert ada.read(question, token_budget=100).items == ()
    ada.write("x")
    assert len(ada.search(question, k=1000)) <= 1
    assert len(ada.read(question, token_budget=100, min_relevance=0).items) == 1
    assert ada.search(question, filters={"kind": "absent"}) == []


def test_an_actor_may_have_any_name(memory: Memory) -> None:
    for actor in ("slack#general", "user/1", "x" * 256, "Ünïcödé 🙂"):
        record = memory.write("hello", actor_id=actor)
        assert memory.get(record.id, actor_id=actor).text == "hello"


def test_an_import_takes_only_what_could_have_been_written(ada: View, memory: Memory, tmp_path: Path) -> None:
    ada.write("fine")
    path = tmp_path / "out.jsonl"
    ada.admin.export(path)
    assert path.stat().st_mode & 0o777 == 0o600
    head, line = path.read_text().splitlines()[:2]
    bad = [
        line.replace('"fine"', '" "'),
        line.replace('"region":"agent:ada"', '"region":"a#b"'),
        line.replace('+00:00"', '"').replace('Z"', '"'),
    ]
    other = tmp_path / "in.jsonl"
    other.write_text("\n".join([head, *bad, line]) + "\n")
    done = memory.view(actor_id="eve").admin.import_(other)
    assert (done.records, [one.index for one in done.rejected]) == (1, [1, 2, 3])
