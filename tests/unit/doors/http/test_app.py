"""What the HTTP door promises beside the verbs themselves."""

from datetime import timedelta
from typing import Any
from urllib.parse import quote

import msgspec
import pytest
from starlette.testclient import TestClient

from foveal import Memory
from foveal.backends.breaker import Breaker
from foveal.backends.models.http import HttpEmbedder
from foveal.doors.http import create_app
from foveal.doors.http.openapi import document
from foveal.doors.service import Caller, Service
from foveal.errors import RateLimited, Unauthenticated
from foveal.model.server import Right, Serving
from foveal.wire.verbs import VERBS

ADA = {"actor_id": "ada"}
HERE = Serving(hosts=("testserver",))


def test_the_door_has_every_verb_that_the_table_gives_it() -> None:
    paths = document()["paths"]
    described = {f"{method.upper()} {path}" for path, methods in paths.items() for method in methods}
    assert {verb.http for verb in VERBS.values() if verb.http} <= described


def test_a_record_is_changed_only_on_the_version_that_was_seen(http: TestClient, written: str) -> None:
    path = f"/v1/records/{written}"
    tag = {"If-Match": http.get(path, params=ADA).headers["etag"]}
    first = http.put(path, json={**ADA, "text": "Ada prefers coffee."}, headers=tag)
    assert (first.status_code, first.json()["version"]) == (200, 2)
    second = http.put(path, json={**ADA, "text": "Ada prefers cocoa."}, headers=tag)
    assert (second.status_code, second.json()["code"]) == (412, "precondition_failed")
    assert http.put(path, json={**ADA, "text": "x"}, headers={"If-Match": '"abc"'}).status_code == 422


def test_what_the_asker_has_already_is_not_sent_again(http: TestClient, written: str) -> None:
    path = f"/v1/records/{written}"
    tag = {"If-None-Match": http.get(path, params=ADA).headers["etag"]}
    again = http.get(path, params=ADA, headers=tag)
    assert (again.status_code, again.content) == (304, b"")
    http.post(f"{path}/pin", json=ADA)
    assert http.get(path, params=ADA, headers=tag).status_code == 200


def test_a_write_sent_twice_with_one_key_is_stored_once(http: TestClient, memory: Memory) -> None:
    body = {**ADA, "text": "The boiler was serviced."}
    answers = [http.post("/v1/records", json=body, headers={"Idempotency-Key": "k1"}) for _ in range(2)]
    assert answers[0].json()["ids"] == answers[1].json()["ids"]
    assert memory.stats(actor_id="ada").records == 1


def test_any_request_sent_twice_with_one_key_is_done_once(http: TestClient, memory: Memory) -> None:
    body = {**ADA, "description": "Renew the certificate"}
    first, second = (http.post("/v1/goals", json=body, headers={"Idempotency-Key": "k1"}) for _ in range(2))
    assert first.json() == second.json()
    assert second.headers["idempotency-replayed"] == "true"
    assert len(memory.ledger.get_goals(actor_id="ada")) == 1
    other = http.post("/v1/goals", json={**body, "priority": 1}, headers={"Idempotency-Key": "k1"})
    assert (other.status_code, other.json()["code"]) == (422, "invalid")


def test_what_failed_may_be_sent_again_with_its_key(http: TestClient) -> None:
    key = {"Idempotency-Key": "k1"}
    task = {**ADA, "goal_id": "later", "description": "ask"}
    assert http.post("/v1/tasks", json=task, headers=key).status_code == 404
    http.post("/v1/goals", json={**ADA, "goal_id": "later", "description": "Renew"})
    assert http.post("/v1/tasks", json=task, headers=key).status_code == 200


def test_an_id_may_hold_slashes(http: TestClient) -> None:
    for one in ("a/history", "a", "/", "x/y/z"):
        http.post("/v1/records", json={**ADA, "text": f"the record {one}", "id": one})
        path = f"/v1/records/{quote(one, safe='')}"
        assert http.get(path, params=ADA).json()["id"] == one
        assert len(http.get(f"{path}/history", params=ADA).json()) == 1
        assert http.delete(path, params=ADA).json()["ids"] == [one]


def test_pages_follow_each_other_by_their_links(http: TestClient) -> None:
    http.post("/v1/records:batch", json={**ADA, "items": [f"note {n}" for n in range(7)]})
    seen: list[str] = []
    url: str | None = "/v1/records?actor_id=ada&limit=3"
    while url:
        page = http.get(url)
        seen += [one["text"] for one in page.json()["records"]]
        link = page.headers.get("link")
        url = link.partition("<")[2].partition(">")[0] if link else None
    assert sorted(seen) == [f"note {n}" for n in range(7)]


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("GET", "/nowhere", b"", 404, "not_found"),
        ("GET", "/v1/records/none?actor_id=ada", b"", 404, "not_found"),
        ("PATCH", "/v1/records", b"", 405, "method_not_allowed"),
        ("POST", "/v1/records", b"{", 422, "invalid"),
        ("POST", "/v1/records", b"[]", 422, "invalid"),
        ("POST", "/v1/records", b'"\xff"', 422, "invalid"),
        ("POST", "/v1/records", b"[" * 19_000, 422, "invalid"),
        ("POST", "/v1/records", b'{"text": "x"}', 422, "invalid"),
        ("POST", "/v1/records", b'{"text": "x", "actor_id": "ada", "txt": 1}', 422, "invalid"),
        ("POST", "/v1/records", b'{"text": "' + b"x" * 20_001 + b'"}', 413, "too_large"),
        ("POST", "/v1/read", b'{"query": "x", "actor_id": "ada", "token_budget": -1}', 422, "invalid"),
        ("GET", "/v1/records?actor_id=ada&limit=many", b"", 422, "invalid"),
        ("GET", "/v1/records?actor_id=ada&cursor=%00", b"", 422, "invalid"),
    ],
)
def test_what_cannot_be_taken_is_told_as_a_problem(
    http: TestClient, method: str, path: str, body: bytes, status: int, code: str
) -> None:
    http.post("/v1/records", json={**ADA, "text": "something to find"})
    answer = http.request(method, path, content=body, headers={"X-Request-Id": "mine-1"})
    told = answer.json()
    assert (answer.status_code, told["status"], told["code"]) == (status, status, code)
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["x-request-id"] == told["request_id"] == "mine-1"


def test_a_failure_of_our_own_says_nothing_of_the_inside(memory: Memory) -> None:
    def broken(_: str | None) -> Caller:
        raise ZeroDivisionError("a secret")

    app = create_app(Service(memory), authenticate=broken, serving=HERE)
    answer = TestClient(app, raise_server_exceptions=False).get("/v1/stats", params=ADA)
    assert (answer.status_code, answer.json()["code"]) == (500, "error")
    assert "secret" not in answer.text


def test_an_encoder_that_is_not_called_for_a_while_says_when_to_come_back() -> None:
    def at_once(_: timedelta) -> None: ...

    encoder = HttpEmbedder("http://127.0.0.1:9", model="m", wait=at_once, breaker=Breaker(failures=1))
    with Memory(":memory:", embedder=encoder) as memory:
        app = create_app(Service(memory), authenticate=lambda _: Caller(name="ada"), serving=HERE)
        http = TestClient(app)
        answers = [http.post("/v1/records", json={"text": "Ada drinks tea", **ADA}) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [503, 503]
    assert (answers[1].json()["code"], answers[1].headers["retry-after"]) == ("model_unavailable", "60")


def test_who_is_not_known_or_asks_too_much_learns_what_to_do(memory: Memory) -> None:
    def strict(credential: str | None) -> Caller:
        if credential is None:
            raise Unauthenticated
        if credential == "Bearer often":
            raise RateLimited(retry_after=3.2)
        return Caller(name="reader", actors=("ada",), rights=(Right.READ,))

    http = TestClient(create_app(Service(memory), authenticate=strict, serving=HERE))
    stranger = http.get("/v1/stats", params=ADA)
    assert (stranger.status_code, stranger.headers["www-authenticate"]) == (401, "Bearer")
    often = http.get("/v1/stats", params=ADA, headers={"Authorization": "Bearer often"})
    assert (often.status_code, often.headers["retry-after"]) == (429, "3")
    known = {"Authorization": "Bearer x"}
    assert http.get("/v1/stats", headers=known).status_code == 200
    assert http.get("/v1/stats", params={"actor_id": "ben"}, headers=known).status_code == 403
    assert http.post("/v1/records", json={"text": "x"}, headers=known).status_code == 403
    assert http.get("/v1/export", params={"actor_id": "ben"}, headers=known).status_code == 403
    assert http.post("/v1/import", content=b"", headers=known).status_code == 403
    assert http.post("/api/agent/chat", json={"message": "hi"}, headers=known).status_code == 403


def test_a_memory_travels_as_a_file(http: TestClient, memory: Memory, written: str) -> None:
    file = http.get("/v1/export", params=ADA)
    assert file.headers["content-type"].startswith("application/x-ndjson")
    brought = http.post("/v1/import", params={"actor_id": "ada", "world": "copy"}, content=file.content)
    assert brought.json()["records"] == 1
    assert memory.get(written, actor_id="ada", world="copy").text == "Ada prefers tea."


def test_the_first_paths_answer_as_their_clients_expect(http: TestClient) -> None:
    for before in ("/api/memory", "/memory"):
        wrote = http.post(f"{before}/write", json={**ADA, "text": f"Ada lives near the harbour, {before}."}).json()
        assert wrote["id"] == wrote["ids"][0]
        shown = http.post(f"{before}/read", json={**ADA, "query": "where does Ada live?"}).json()
        assert {"address", "summary", "excerpt"} <= set(shown["context"][0])
    assert http.get("/api/memory/regions", params=ADA).json()[0]["region"] == "agent:ada"
    assert len(http.get("/api/memory/addresses", params=ADA).json()) == 2


def test_the_chat_streams_and_ends_with_what_it_recalled(http: TestClient, written: str) -> None:
    answer = http.post("/api/agent/chat", json={**ADA, "message": "What does Ada drink?"})
    kinds = [line.removeprefix("event: ") for line in answer.text.splitlines() if line.startswith("event: ")]
    assert kinds == ["token", "answer"]
    told = msgspec.json.decode(answer.text.split("data: ")[-1])
    assert told["extractive"] and told["context"]["items"][0]["record"]["id"] == written
    plain = http.post("/api/agent/chat", json={**ADA, "message": "What does Ada drink?", "memory": False})
    assert "tea" not in plain.text


def test_the_chat_takes_a_conversation_whose_last_message_is_asked(http: TestClient, written: str) -> None:
    said = [
        {"role": "user", "content": "Hello."},
        {"role": "assistant", "content": "Hello, Ada."},
        {"role": "user", "content": "What does Ada drink?"},
    ]
    answer = http.post("/api/agent/chat", json={**ADA, "messages": said})
    told = msgspec.json.decode(answer.text.split("data: ")[-1])
    assert told["sources"][0] == written
    stored = http.get("/v1/records", params=ADA).json()["records"]
    assert [record["text"] for record in stored if record["id"] != written] == ["What does Ada drink?"]


@pytest.mark.parametrize(
    "said",
    [
        *({}, {"message": ""}, {"message": 3}, {"message": "x", "token_budget": 0}),
        *({"messages": []}, {"messages": "x"}, {"messages": [{"role": "user"}]}),
        {"messages": [{"role": "assistant", "content": "x"}]},
        {"messages": [{"role": "tool", "content": "x"}, {"role": "user", "content": "x"}]},
        {"message": "x", "messages": [{"role": "user", "content": "x"}]},
    ],
)
def test_a_chat_without_a_message_is_refused(http: TestClient, said: dict[str, Any]) -> None:
    assert http.post("/api/agent/chat", json={**ADA, **said}).status_code == 422


def test_the_page_that_describes_the_door_needs_nothing_from_elsewhere(http: TestClient) -> None:
    page = http.get("/docs")
    assert "//" not in page.text
    parts = [one.partition('"')[0] for one in page.text.split('="/docs/')[1:]]
    assert parts and all(http.get(f"/docs/{one}").status_code == 200 for one in parts)


def test_every_answer_forbids_what_a_page_must_not_do(http: TestClient) -> None:
    for path in ("/livez", "/nowhere", "/v1/stats?actor_id=ada"):
        headers = http.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Host": "evil.example"},
        {"Host": "evil.example:80"},
    ],
)
def test_a_page_of_another_site_is_not_let_in(http: TestClient, memory: Memory, headers: dict[str, str]) -> None:
    answer = http.post("/v1/records", content=b'{"text": "x", "actor_id": "ada"}', headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")
    assert memory.stats(actor_id="ada").records == 0


def test_a_page_of_the_server_itself_is_let_in(http: TestClient) -> None:
    own = {"Origin": "http://localhost:8001", "Host": "localhost:8001"}
    assert http.get("/v1/stats", params=ADA, headers=own).status_code == 200


@pytest.mark.parametrize("moment", ["2026-05-01T09:00:00", "2026-05-01"])
def test_a_moment_needs_a_time_zone(http: TestClient, moment: str) -> None:
    body = {"actor_id": "ada", "text": "x", "occurred_at": moment}
    refused = http.post("/v1/records", json=body)
    assert (refused.status_code, refused.json()["code"]) == (422, "invalid")
    assert "time zone" in refused.json()["detail"]


def test_without_a_key_for_one_actor_a_call_must_name_one(http: TestClient) -> None:
    refused = http.post("/v1/records", json={"text": "whose?"})
    assert (refused.status_code, refused.json()["code"]) == (422, "invalid")
    assert (
        "actor_id is missing: pass it with the call (over HTTP as actor_id in the body)" in refused.json()["detail"]
    )
