"""Generates the .proto file of the gRPC door from the table of verbs."""

from __future__ import annotations

import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from foveal.wire.calls import call_of
from foveal.wire.messages import PACKAGE, STREAMS, Lock, Message, Numbered, messages, numbered
from foveal.wire.verbs import VERBS

FOLDER = Path(__file__).parents[1] / "src" / "foveal" / "wire"
PROTO, LOCK = FOLDER / "foveal.proto", FOLDER / "foveal.lock.json"
HEAD = f"""\
// The gRPC door of Foveal. `make api` writes this file from the table of verbs; the numbers are kept in a lock.

syntax = "proto3";

package {PACKAGE};

import "google/protobuf/duration.proto";
import "google/protobuf/struct.proto";
import "google/protobuf/timestamp.proto";
"""
WIDTH = 112
# Old on purpose: its output loads with every protobuf from 5.29 on.
COMPILER = "grpcio-tools==1.71.2"


def read_lock() -> Lock:
    """The field numbers assigned so far."""
    return msgspec.json.decode(LOCK.read_bytes(), type=Lock) if LOCK.exists() else {}


def written_lock(lock: Lock) -> str:
    """The content of the lock file, one message per line."""
    lines = [
        f"{msgspec.json.encode(name).decode()}: {msgspec.json.encode(numbers).decode()}"
        for name, numbers in lock.items()
    ]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def written_proto(lock: Mapping[str, Numbered]) -> str:
    """The content of the .proto file, with the numbers of a lock."""
    parts = [HEAD, "\n".join(_service())]
    parts += ["\n".join(_message(message, lock[message.name])) for message in messages()]
    return "\n".join(f"{part}\n" if not part.endswith("\n") else part for part in parts)


def _service() -> Iterator[str]:
    yield from _comment("The verbs of a memory. Names, defaults and errors are those of the Python class `Memory`.")
    yield "service MemoryService {"
    for verb in VERBS.values():
        if verb.rpc is not None:
            yield from _comment(call_of(verb.name).description, "  ")
            yield f"  rpc {verb.rpc}({verb.rpc}Request) returns ({verb.rpc}Response);"
    for stream in STREAMS:
        asks, answers = "stream " if stream.asks else "", "stream " if stream.answers else ""
        yield from _comment(stream.description, "  ")
        yield f"  rpc {stream.rpc}({asks}{stream.rpc}Request) returns ({answers}{stream.rpc}Response);"
    yield "}"


def _message(message: Message, numbers: Numbered) -> Iterator[str]:
    yield from _comment(message.description)
    yield f"message {message.name} {{"
    if numbers.retired:
        yield f"  reserved {', '.join(map(str, numbers.retired))};"
    indent = "  "
    if message.one:
        yield "  oneof kind {"
        indent = "    "
    slots = {slot.name: slot for slot in message.slots}
    for name, (number, _) in numbers.fields.items():
        slot = slots[name]
        yield from _comment(slot.description, indent)
        yield f"{indent}{slot.label} {slot.type} {name} = {number};".replace(f"{indent} ", indent)
    if message.one:
        yield "  }"
    yield "}"


def _comment(text: str, indent: str = "") -> Iterator[str]:
    for paragraph in text.split("\n\n"):
        # Python examples do not help readers of this file.
        if paragraph.strip() and not paragraph.lstrip().startswith(">>>"):
            for line in textwrap.wrap(" ".join(paragraph.split()), WIDTH - len(indent)):
                yield f"{indent}// {line}"


def main() -> None:
    """Write the .proto file, its lock and the stubs; with `--check`, only report whether they are up to date."""
    lock = numbered(messages(), read_lock())
    if "--check" in sys.argv[1:]:
        sys.exit(None if PROTO.read_text(encoding="utf-8") == written_proto(lock) else "run: make api")
    LOCK.write_text(written_lock(lock), encoding="utf-8")
    PROTO.write_text(written_proto(lock), encoding="utf-8")
    root = PROTO.parents[2]
    outputs = [f"--{kind}_out={root}" for kind in ("python", "pyi", "grpc_python")]
    tool = [shutil.which("uv", path=str(Path(sys.executable).parent)) or "uv", "tool", "run", "--quiet"]
    compiler = ["--python", sys.executable, "--from", COMPILER, "python", "-m", "grpc_tools.protoc"]
    subprocess.run([*tool, *compiler, f"-I{root}", *outputs, str(PROTO)], check=True)


if __name__ == "__main__":
    main()
