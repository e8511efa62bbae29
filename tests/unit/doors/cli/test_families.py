from __future__ import annotations

from .conftest import Run


def _family(run: Run) -> None:
    for name, parent in (("top", None), ("left", "top"), ("leaf", "left"), ("right", "top")):
        run("write", f"about {name}", "--id", name, *(["--parent-id", parent] if parent else []))


def test_a_tree_is_drawn_by_its_indents(run: Run) -> None:
    _family(run)
    assert run("tree", "top").out.splitlines() == [
        "- top about top",
        "  - left about left",
        "    - leaf about leaf",
        "  - right about right",
    ]
    assert run("tree", "top", "--depth", "1").out.splitlines()[1] == "  - left about left (1 more below)"


def test_forgetting_takes_the_family_along_when_told_to(run: Run) -> None:
    _family(run)
    run("pin", "leaf")
    ended = run("forget", "top", "--cascade", "--json")
    assert (sorted(ended.json["ids"]), ended.json["pinned"]) == (["left", "right", "top"], ["leaf"])


def test_children_are_sorted(run: Run) -> None:
    _family(run)
    assert run("children", "top", "--desc", "--quiet").out.split() == ["right", "left"]
    assert "did you mean" in run("children", "top", "--sort", "importence").err


def test_a_session_is_started_used_and_ended(run: Run) -> None:
    session = run("session", "start", "--kind", "call", "-m", "topic=tea", "--quiet").out.strip()
    run("write", "hello", "--session-id", session)
    assert run("session", "end", session).out == f"ended  {session}  1 record\n"
    [listed] = run("session", "ls", "--json").json
    assert (listed["id"], listed["kind"], listed["metadata"]) == (session, "call", {"topic": "tea"})
    assert listed["ended_at"] is not None
    assert run("session", "start", "--session-id", "mine", "--quiet").out == "mine\n"


def test_related_goes_as_deep_as_asked_and_stats_count_scopes(run: Run) -> None:
    _family(run)
    run("link", "top", "left", "--weight", "0.5")
    run("link", "left", "leaf", "--weight", "0.5")
    assert run("related", "top", "--quiet").out.split() == ["left"]
    assert "relates to 0.25 at 2" in run("related", "top", "--depth", "2").out
    assert "scopes       global 4" in run("stats").out
