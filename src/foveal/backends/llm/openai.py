"""A model behind a server that speaks the OpenAI chat protocol."""

from __future__ import annotations

import random
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct, field

from foveal.errors import Forbidden, FovealError, Invalid, ModelUnavailable, Unauthenticated, Unsupported
from foveal.ports.llm import Call, Message, Reply, Tool

if TYPE_CHECKING:
    import httpx2

WAITS = (timedelta(seconds=0.5), timedelta(seconds=1), timedelta(seconds=2))
LONGEST_WAIT = timedelta(seconds=30)
LONGEST_REASON = 300
REFUSALS: dict[int, type[FovealError]] = {401: Unauthenticated, 403: Forbidden}


class _Function(Struct):
    name: str = ""
    arguments: str = ""


class _Asked(Struct):
    id: str = ""
    function: _Function = field(default_factory=_Function)


class _Said(Struct):
    content: str | None = None
    tool_calls: list[_Asked] | None = None


class _Choice(Struct):
    message: _Said = field(default_factory=_Said)
    delta: _Said = field(default_factory=_Said)


class _Usage(Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Answer(Struct):
    choices: list[_Choice] = field(default_factory=list[_Choice])
    model: str = ""
    usage: _Usage | None = None


def _pause(span: timedelta) -> None:
    threading.Event().wait(span.total_seconds())


class OpenAIModel:
    """A model behind `POST {url}/chat/completions`: OpenAI, Ollama, llama.cpp, vLLM, or a proxy before any of them.

    A busy or failing server, or one that cannot be reached, is asked again a few times, ever more slowly and never
    in step with others; then `ModelUnavailable` says why. Anything else the server refuses is refused at once. The
    key appears in no message. Safe to share between threads.
    """

    def __init__(
        self,
        url: str,
        *,
        model: str,
        key: str | None = None,
        timeout: timedelta = timedelta(seconds=60),
        temperature: float | None = None,
        wait: Callable[[timedelta], None] = _pause,
    ) -> None:
        if not model:
            raise Invalid("a model behind HTTP needs its name")
        if key and not (key.isascii() and key.isprintable() and key == key.strip()):
            raise Invalid("the key of the model has a blank or a character that no header can carry")
        self.model = model
        self._url = _address(url)
        self._key = key
        self._timeout = timeout
        self._temperature = temperature
        self._wait = wait
        self._lock = threading.Lock()
        self._open: httpx2.Client | None = None

    def complete(self, messages: Sequence[Message], *, tools: Sequence[Tool] = ()) -> Reply:
        """The answer to a conversation."""
        body = self._body(messages, tools)
        answer = self._read(self._patiently(lambda: self._post(body)))
        if not answer.choices:
            raise self._malformed("no choice")
        said = answer.choices[0].message
        return Reply(
            text=said.content or "",
            calls=tuple(self._call(one, number) for number, one in enumerate(said.tool_calls or ())),
            model=answer.model or self.model,
            tokens_in=answer.usage.prompt_tokens if answer.usage else None,
            tokens_out=answer.usage.completion_tokens if answer.usage else None,
        )

    def stream(self, messages: Sequence[Message]) -> Iterator[str]:
        """The answer piece by piece. What fails before the first piece is tried again; after it, it is an error."""
        body = self._body(messages, (), stream=True)
        yield from self._told(self._patiently(lambda: self._begin(body)))

    def _begin(self, body: bytes) -> httpx2.Response:
        library = _library()
        client = self._client(library)
        try:
            answer = client.send(client.build_request("POST", self._url, content=body), stream=True)
        except library.RequestError as error:
            raise self._unreachable(error) from error
        if not answer.is_success:
            answer.read()
            answer.close()
            raise self._refusal(answer)
        return answer

    def _told(self, answer: httpx2.Response) -> Iterator[str]:
        library = _library()
        ended = False
        try:
            for line in answer.iter_lines():
                if not line.startswith("data:"):
                    continue
                data = line.removeprefix("data:").strip()
                if data == "[DONE]":
                    ended = True
                    break
                for choice in self._read(data.encode()).choices[:1]:
                    if choice.delta.content:
                        yield choice.delta.content
        except library.RequestError as error:
            raise self._unreachable(error) from error
        finally:
            answer.close()
        if not ended:
            raise ModelUnavailable(f"{self.model} broke off in the middle of its answer")

    def _body(self, messages: Sequence[Message], tools: Sequence[Tool], *, stream: bool = False) -> bytes:
        body: dict[str, Any] = {"model": self.model, "messages": [_sent(one) for one in messages]}
        if tools:
            body["tools"] = [{"type": "function", "function": msgspec.to_builtins(one)} for one in tools]
        if self._temperature is not None:
            body["temperature"] = self._temperature
        if stream:
            body["stream"] = True
        return msgspec.json.encode(body)

    def _call(self, asked: _Asked, number: int) -> Call:
        try:
            arguments = msgspec.json.decode(asked.function.arguments or "{}", type=dict[str, Any])
        except msgspec.DecodeError as error:
            raise self._malformed(f"the arguments of {asked.function.name} are not a JSON object") from error
        return Call(id=asked.id or f"call-{number}", name=asked.function.name, arguments=arguments)

    def _read(self, content: bytes) -> _Answer:
        try:
            return msgspec.json.decode(content, type=_Answer)
        except msgspec.DecodeError as error:
            raise self._malformed(str(error)) from error

    def _malformed(self, what: str) -> Invalid:
        return Invalid(f"{self.model} gave a malformed answer: {what}")

    def _patiently(self, call: Callable[[], Any]) -> Any:
        """What a call gives, tried again while the failure may pass."""
        for usual in WAITS:
            try:
                return call()
            except ModelUnavailable as failure:
                asked = failure.data.get("retry_after")
                # Clients that failed together should not come back together.
                least = asked if isinstance(asked, timedelta) else timedelta(0)
                pause = max(usual * random.uniform(0.5, 1.5), least)
                if pause > LONGEST_WAIT:
                    raise
            self._wait(pause)
        return call()

    def _post(self, body: bytes) -> bytes:
        library = _library()
        try:
            answer = self._client(library).post(self._url, content=body)
        except library.RequestError as error:
            raise self._unreachable(error) from error
        if not answer.is_success:
            raise self._refusal(answer)
        return answer.content

    def _unreachable(self, error: Exception) -> ModelUnavailable:
        reason = f"{type(error).__name__} {self._clean(str(error))}".rstrip()
        return ModelUnavailable(f"{self.model} does not answer: {reason}")

    def _refusal(self, answer: httpx2.Response) -> FovealError:
        status = answer.status_code
        reason = f"{status} {self._clean(answer.text) or answer.reason_phrase}".rstrip()
        if status == 429 or status >= 500:
            return ModelUnavailable(f"{self.model} does not answer: {reason}", retry_after=_asked(answer))
        return REFUSALS.get(status, Invalid)(f"{self.model} refuses: {reason}")

    def _clean(self, text: str) -> str:
        """Words of the server or the library, in short and without the key."""
        if self._key:
            text = text.replace(self._key, "***")
        return " ".join(text.split())[:LONGEST_REASON]

    def _client(self, library: ModuleType) -> httpx2.Client:
        with self._lock:
            if self._open is None:
                headers = {"Content-Type": "application/json"}
                if self._key:
                    headers["Authorization"] = f"Bearer {self._key}"
                client: httpx2.Client = library.Client(headers=headers, timeout=self._timeout.total_seconds())
                weakref.finalize(self, client.close)
                self._open = client
            return self._open


def _sent(message: Message) -> dict[str, Any]:
    sent: dict[str, Any] = {"role": message.role, "content": message.content.encode("utf-8", "replace").decode()}
    if message.calls:
        sent["tool_calls"] = [
            {
                "id": one.id,
                "type": "function",
                "function": {"name": one.name, "arguments": msgspec.json.encode(one.arguments).decode()},
            }
            for one in message.calls
        ]
    if message.call_id is not None:
        sent["tool_call_id"] = message.call_id
    return sent


def _library() -> ModuleType:
    try:
        return import_module("httpx2")
    except ImportError as error:
        raise Unsupported(f"a model behind HTTP needs httpx2: pip install 'foveal[http]' ({error})") from error


def _address(url: str) -> str:
    """Where to send messages; a query in the URL stays at its end.

    >>> _address("https://host/v1/?version=2")
    'https://host/v1/chat/completions?version=2'
    """
    try:
        parts = urlsplit(url)
        valid = parts.scheme in ("http", "https") and parts.hostname and (parts.port is None or parts.port > 0)
    except ValueError as error:
        raise Invalid(f"the URL of the model is not valid: {error}") from error
    if "@" in parts.netloc:
        raise Invalid("the URL of the model holds a user or a password: give the key apart from it")
    if not valid:
        raise Invalid(f"{url!r} is not the URL of a model: use http(s)://host/v1")
    return parts._replace(path=f"{parts.path.rstrip('/')}/chat/completions", fragment="").geturl()


def _asked(answer: httpx2.Response) -> timedelta:
    """How long the server asks us to stay away, if it says so in seconds."""
    text = answer.headers.get("retry-after", "").strip()
    return timedelta(seconds=float(text)) if text.replace(".", "", 1).isdigit() else timedelta(0)
