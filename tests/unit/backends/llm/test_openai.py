"""What a user may rely on when a model behind a server answers."""

import socket
import sys
from collections.abc import Iterator
from datetime import timedelta

import pytest

from foveal.backends.models.llm import OpenAIModel
from foveal.errors import FovealError, Invalid, ModelUnavailable, Unauthenticated, Unsupported
from foveal.ports.models import Call, Message, Tool
from foveal.testing.servers import ModelServer

KEY = "sk-very-secret-123"
HELLO = [Message(role="user", content="hello")]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
def waits() -> list[timedelta]:
    return []


@pytest.fixture
def model(server: ModelServer, waits: list[timedelta]) -> OpenAIModel:
    return OpenAIModel(server.url, model="tiny", key=KEY, wait=waits.append)


def test_a_conversation_is_sent_as_the_protocol_says(server: ModelServer, model: OpenAIModel) -> None:
    server.script = ["Good day."]
    call = Call(id="c1", name="add", arguments={"a": 1})
    tool = Tool(name="add", description="Adds.", parameters={"type": "object", "properties": {}})
    said = [
        Message(role="assistant", calls=(call,)),
        Message(role="tool", content="2", call_id="c1"),
    ]
    reply = model.complete([*HELLO, *said], tools=[tool])
    assert (reply.text, reply.model, reply.calls, reply.tokens_in) == ("Good day.", "tiny", (), 1)
    [asked] = server.asked
    assert asked["model"] == "tiny"
    assert asked["messages"][0] == {"role": "user", "content": "hello"}
    assert asked["messages"][1]["tool_calls"][0]["function"] == {"name": "add", "arguments": '{"a":1}'}
    assert asked["messages"][2]["tool_call_id"] == "c1"
    assert asked["tools"][0]["function"]["name"] == "add"
    assert server.headers_seen[0]["Authorization"] == f"Bearer {KEY}"


def test_calls_of_tools_come_back_with_their_arguments(server: ModelServer, model: OpenAIModel) -> None:
    server.script = [{"add": {"a": 1, "b": 2}}]
    [call] = model.complete(HELLO).calls
    assert (call.name, call.arguments) == ("add", {"a": 1, "b": 2})


def test_an_answer_can_be_streamed(server: ModelServer, model: OpenAIModel) -> None:
    server.script = ["one two three"]
    assert list(model.stream(HELLO)) == ["one", " two", " three"]
    assert server.asked[0]["stream"] is True


def test_a_stream_that_breaks_off_is_an_error(server: ModelServer, model: OpenAIModel) -> None:
    server.script = ["one two"]
    server.broken = True
    pieces: list[str] = []
    with pytest.raises(ModelUnavailable, match="broke off"):
        pieces.extend(model.stream(HELLO))


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_busy_server_is_asked_again_with_ever_longer_pauses(
    server: ModelServer, model: OpenAIModel, waits: list[timedelta], status: int
) -> None:
    server.script = [status, status, "here"]
    assert model.complete(HELLO).text == "here"
    first, second = waits
    assert timedelta(seconds=0.25) <= first <= timedelta(seconds=0.75)
    assert timedelta(seconds=0.5) <= second <= timedelta(seconds=1.5)
    server.script = [status, "there"]
    assert "".join(model.stream(HELLO)) == "there"


def test_a_server_that_stays_busy_is_an_error_that_may_pass(server: ModelServer, model: OpenAIModel) -> None:
    server.script = [503] * 4
    with pytest.raises(ModelUnavailable) as caught:
        model.complete(HELLO)
    assert caught.value.retry
    assert len(server.asked) == 4


@pytest.mark.parametrize(("status", "error"), [(400, Invalid), (401, Unauthenticated), (404, Invalid)])
def test_a_refusal_is_not_tried_again(
    server: ModelServer, model: OpenAIModel, status: int, error: type[FovealError]
) -> None:
    server.script = [status]
    with pytest.raises(error) as caught:
        model.complete(HELLO)
    assert len(server.asked) == 1
    assert KEY not in str(caught.value)


def test_nobody_at_the_address_is_an_error_that_may_pass(waits: list[timedelta]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        with pytest.raises(ModelUnavailable):
            OpenAIModel(url, model="tiny", wait=waits.append).complete(HELLO)
    assert len(waits) == 3


@pytest.mark.parametrize("url", ["ftp://x", "http://", "http://a:b@host/v1", "http://host:99999/v1"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(Invalid):
        OpenAIModel(url, model="tiny")


def test_without_the_http_library_the_error_says_what_to_install(
    model: OpenAIModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "httpx2", None)
    with pytest.raises(Unsupported, match=r"foveal\[http\]"):
        model.complete(HELLO)
    for name, key in (("", None), ("m", "a b\n")):
        with pytest.raises(Invalid):
            OpenAIModel("http://host/v1", model=name, key=key)
