from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

from foveal.compose import Memory
from foveal.doors.cli.output import format_heads
from foveal.engine.records.write import chunks_of
from foveal.rules.recall.index import codes, index_entry

from .conftest import Run


def test_search_finds_by_meaning_and_shows_one_line_a_hit(run: Run, tea: str, ship: str) -> None:
    first = run("search", "tea", "-k", "1").out
    assert first.startswith(f"{tea}\t")
    assert first.rstrip("\n").endswith("\tAda prefers tea")
    assert first.count("\n") == 1


def test_search_explains_the_relevance(run: Run, tea: str) -> None:
    assert "words=" in run("search", "tea", "--explain").out
    assert set(run("search", "tea", "--explain", "--json").json[0]["parts"]) >= {"words", "meaning"}


def test_nothing_found_is_said_on_standard_error(run: Run, tea: str) -> None:
    ended = run("search", "tea", "--actor-id", "stranger")
    assert (ended.code, ended.out, ended.err) == (0, "", "nothing found that is likely to help\n")
    assert run("search", "tea", "--actor-id", "stranger", "--min-relevance", "0").err == "nothing found\n"


def test_what_is_less_relevant_than_asked_for_is_left_out_and_that_is_said(run: Run, tea: str) -> None:
    assert re.search(r"\t0\.\d\d\t", run("search", "tea").out)
    assert run("search", "tea", "--min-relevance", "1").err == "nothing found that is likely to help\n"
    ended = run("read", "tea", "--min-relevance", "1")
    assert "Ada prefers tea" in ended.out
    assert ended.err.startswith(
        "nothing found that is likely to help; what is shown has another reason, such as being recent\n"
    )
    assert "likely to help" not in run("read", "tea", "--min-relevance", "0").err
    for verb in ("search", "read"):
        assert run(verb, "tea", "--min-relevance", "2").code == 2


def test_what_was_replaced_says_by_what(path: Path, tea: str) -> None:
    with Memory(path) as memory:
        record = memory.get(tea, actor_id="me")
    assert format_heads(record, 0.876, "newer")[-2:] == ["0.88", "replaced by newer"]


def test_read_gives_the_context_and_its_receipt_apart(run: Run, tea: str) -> None:
    ended = run("read", "what does Ada drink", "--token-budget", "100")
    assert ended.out.startswith("<memory ")
    assert ended.out.endswith("</memory>\n")
    assert " of 100 (o200k_base)" in ended.err
    assert run("read", "what does Ada drink", "-b", "100", "--json").json["receipt"]["token_budget"] == 100


def test_a_budget_too_small_is_an_error(run: Run, tea: str) -> None:
    ended = run("read", "x", "-b", "1", "--json")
    assert (ended.code, ended.error["code"]) == (2, "budget_too_small")


def test_filters_hold(run: Run, tea: str, ship: str) -> None:
    run("reinforce", tea, "--factor", "1.8")
    run(
        "write",
        "Cleo",
        "--metadata",
        "size=3",
        "--occurred-at",
        "2020-05-01",
        "--kind",
        "fact",
        "--importance",
        "0.2",
    )

    def found(*conditions: str) -> list[str]:
        words = [word for one in conditions for word in ("--filter", one)]
        return sorted(one["text"].split()[0] for one in run("ls", "--json", *words).json)

    assert found("speaker=Ada") == ["Ada"]
    assert found("speaker!=Ada") == ["Bob", "Cleo"]
    assert found("tags=taste", "speaker=Bob") == []
    assert found("importance>0.7") == ["Ada"]
    assert found("importance>=0.1", "importance<0.3") == ["Cleo"]
    assert found("metadata.size=3") == ["Cleo"]
    assert found("occurred_at<2021-01-01") == ["Cleo"]
    assert found("text~=sailed") == ["Bob"]
    assert found("text^=Ada") == ["Ada"]
    assert found('speaker=["Ada","Bob"]') == ["Ada", "Bob"]
    assert found("speaker=null") == ["Cleo"]
    assert found('{"or": [{"speaker": "Bob"}, {"kind": "fact"}]}') == ["Bob", "Cleo"]
    assert run("ls", "--filter", "speaker").code == 2
    assert run("ls", "--filter", "{").code == 2


def test_ls_goes_by_time(run: Run) -> None:
    for day in ("01", "02", "03"):
        run("write", f"day {day}", "--occurred-at", f"2026-03-{day}")

    def days(*words: str) -> list[str]:
        return [one["text"][-2:] for one in run("ls", "--json", *words).json]

    assert days() == ["03", "02", "01"]
    assert days("--oldest-first", "--limit", "2") == ["01", "02"]
    assert days("--since", "2026-03-02", "--until", "2026-03-03") == ["02"]
    assert run("ls", "--since", "yesterday").code == 2


def test_the_past_can_be_asked(run: Run, tea: str) -> None:
    before: Any = run("get", tea, "--json").json["recorded_at"]
    run("supersede", tea, "Ada prefers coffee")
    assert run("get", tea, "--as-of", before, "--json").json["text"] == "Ada prefers tea"
    assert run("search", "Ada", "--as-of", before, "--json").json[0]["record"]["text"] == "Ada prefers tea"
    assert run("search", "Ada", "--valid-at", "2001-01-01", "--json").json == []


def test_regions_addresses_and_stats_count(run: Run, tea: str) -> None:
    run("write", "x", "--region", "house")
    assert run("regions").out.splitlines()[1].startswith("house\t1\t")
    digits = run("addresses", "--region", "house").out.split("#")[1].split("@")[0]
    assert len(run("addresses", "--prefix", digits[:2], "--json").json) >= 1
    assert run("stats", "--json").json["records"] == 2


def test_dump_shows_what_the_stores_are_given(run: Run, path: Path) -> None:
    long = "Ada's cats aren't sleeping. " * 40
    run("write", long, "--speaker", "Ada", "--tag", "pets")
    run("write", "x", "--region", "house")
    (shown,) = run("dump", "--show-spans", "--region", "agent:me", "--json").json
    assert run("dump", "--limit", "1", "--json").json[0].get("pieces") is None
    with Memory(path) as memory:
        record = memory.get(shown["id"], actor_id="me")
    assert shown["pieces"] == chunks_of(record)
    assert len(shown["pieces"]) > 1
    counts = Counter[int](codes(shown["terms"]).tolist())
    trace = index_entry(record, lambda text: [])
    assert dict(zip(trace.terms.tolist(), trace.times.tolist(), strict=True)) == counts


def test_recalls_say_what_was_read_and_why_a_record_came_back(run: Run, tea: str) -> None:
    assert run("recalls").err == "nothing was read\n"
    run("read", "what does Ada drink")
    [line] = run("recalls", tea).out.splitlines()
    assert line.endswith("\twhat does Ada drink")
    assert "rank 1, relevance 0." in line and " words=" in line
    [read] = run("recalls", "--json").json
    assert [item["id"] for item in read["items"]] == [tea]


def test_a_muted_record_is_not_read(run: Run, tea: str) -> None:
    assert run("mute", tea).out == f"muted  {tea}\n"
    assert run("search", "tea").err.startswith("nothing found")
    assert "muted" in run("ls").out
    assert run("unmute", tea).out == f"unmuted  {tea}\n"
    assert tea in run("search", "tea").out


def test_tiers_and_kinds_can_be_asked_for(run: Run, tea: str) -> None:
    run("write", "Tea is hot", "--kind", "fact", "--tier", "L4")
    assert run("search", "tea", "--kind", "fact").out.endswith("\tTea is hot\n")
    assert "Tea is hot" not in run("read", "tea", "--tier", "working").out
    assert "1 for scope" in run("read", "tea", "--tier", "L4", "--tier", "L3").err
    ended = run("search", "tea", "--tier", "warm", "--json")
    assert (ended.code, ended.error["code"]) == (2, "invalid")


def test_a_read_takes_a_mode_and_a_policy(run: Run, tea: str) -> None:
    assert run("read", "tea", "--policy", "recent", "--json").json["receipt"]["policy"] == "recent"
    assert "Ada prefers tea" in run("read", "tea", "--mode", "text").out
    for words in (("--mode", "loud"), ("--policy", "loud")):
        assert run("read", "tea", *words).code == 2
