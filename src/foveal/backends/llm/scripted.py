"""A server on this machine that speaks the OpenAI chat protocol and answers from a script."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

Asked = Mapping[str, Any]
Scripted = str | Mapping[str, Any] | int


class ModelServer(ThreadingHTTPServer):
    """Plays its script, one entry a request, then asks `answer`.

    A string is what the model says; a mapping of a tool's name to its arguments is a call of it; a number is a
    status to fail with. `asked` has every request.
    """

    daemon_threads = True

    def __init__(
        self, script: list[Scripted] | None = None, answer: Callable[[Asked], Scripted] | None = None
    ) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}/v1"
        self.script: list[Scripted] = list(script or [])
        self.answer = answer
        self.asked: list[dict[str, Any]] = []
        self.headers_seen: list[Mapping[str, str]] = []
        self.broken = False
        self._thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.shutdown()
        self._thread.join()
        self.server_close()

    def next(self, asked: Asked) -> Scripted:
        """What to answer to a request."""
        if self.script:
            return self.script.pop(0)
        return self.answer(asked) if self.answer else "I have nothing more to say."


class _Handler(BaseHTTPRequestHandler):
    server: ModelServer  # pyright: ignore[reportIncompatibleVariableOverride]
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(asked)
        self.server.headers_seen.append(dict(self.headers))
        said = self.server.next(asked)
        if isinstance(said, int):
            self._send(said, json.dumps({"error": {"message": f"scripted {said}"}}).encode(), "application/json")
        elif asked.get("stream"):
            self._stream(str(said))
        else:
            self._send(200, json.dumps(_completion(asked, said)).encode(), "application/json")

    def _send(self, status: int, body: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _stream(self, text: str) -> None:
        words = text.split(" ")
        parts = [word if n == 0 else f" {word}" for n, word in enumerate(words)]
        events = [{"choices": [{"index": 0, "delta": {"content": part}}]} for part in parts]
        lines = [f"data: {json.dumps(event)}\n\n" for event in events]
        end = "" if self.server.broken else "data: [DONE]\n\n"
        self._send(200, ("".join([": hello\n\n", *lines]) + end).encode(), "text/event-stream")

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: whoever wants to know looks at `asked`."""


def _completion(asked: Asked, said: str | Mapping[str, Any]) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": said if isinstance(said, str) else None}
    if not isinstance(said, str):
        message["tool_calls"] = [
            {"id": f"call-{n}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
            for n, (name, arguments) in enumerate(said.items())
        ]
    return {
        "object": "chat.completion",
        "model": asked["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1},
    }
