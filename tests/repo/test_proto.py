"""The .proto file of the gRPC door is what the table of verbs says, and breaks nobody."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

from docs._proto import LOCK, PROTO, read_lock, written_lock, written_proto
from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet

from foveal.wire import foveal_pb2
from foveal.wire.messages import STREAMS, messages, numbered
from foveal.wire.verbs import VERBS

ROOT = Path(__file__).parents[2]
RELEASED = ROOT / "tests" / "data" / "foveal-0.1.0.proto"
FRESH = "run: make api"
# The operations of the ring, the ledger and long-term memory whose names are promised to clients in any language.
KNOWN = """
    PushEvent GetRecentEvents UpdateMetric GetMetric GetSystemSnapshot
    StoreGoal UpdateGoal GetActiveGoals StoreTask GetTasksForGoal StoreToolCall StoreDecision
    StorePattern FindPattern UpdatePatternStats StoreAgentState GetAgentState
    SemanticSearch StoreProcedure StoreIncident StoreConfigChange SearchKnowledge AddKnowledge AssembleContext
""".split()


def _buf(*words: str, folder: Path) -> "subprocess.CompletedProcess[bytes]":
    tool = shutil.which("buf", path=str(Path(sys.executable).parent))
    assert tool is not None
    return subprocess.run([tool, *words], cwd=folder, capture_output=True, check=False)


def _module(folder: Path, source: Path) -> Path:
    """A folder as buf wants it: the file lies where its package says."""
    place = folder / "foveal" / "memory" / "v1"
    place.mkdir(parents=True)
    shutil.copy(source, place / "memory.proto")
    rules = "lint: {use: [STANDARD, COMMENT_SERVICE, COMMENT_RPC, COMMENT_MESSAGE]}\nbreaking: {use: [WIRE]}\n"
    (folder / "buf.yaml").write_text(f"version: v2\n{rules}")
    return folder


def test_the_proto_file_is_made_from_the_table() -> None:
    lock = numbered(messages(), read_lock())
    assert LOCK.read_text() == written_lock(lock), FRESH
    # What the comments tell is compared by `make check`, as the pages of the reference are.
    assert _bare(PROTO.read_text()) == _bare(written_proto(lock)), FRESH


def _bare(text: str) -> list[str]:
    return [line for line in text.split("\n") if not line.lstrip().startswith("//")]


def test_the_stubs_are_made_from_the_proto_file(tmp_path: Path) -> None:
    shutil.copytree(PROTO.parent, tmp_path / "foveal" / "wire", ignore=lambda _, names: {*names} - {PROTO.name})
    done = _buf("build", "--exclude-imports", "--exclude-source-info", "-o", "out.binpb", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    [built] = FileDescriptorSet.FromString((tmp_path / "out.binpb").read_bytes()).file
    stub = FileDescriptorProto()
    foveal_pb2.DESCRIPTOR.CopyToProto(stub)
    for one in (built, stub):
        _forget_json_names(one)
    assert _said(built) == _said(stub), FRESH


def _forget_json_names(file: FileDescriptorProto) -> None:
    for message in file.message_type:
        for one in (message, *message.nested_type):
            for field in one.field:
                field.ClearField("json_name")


def _said(file: FileDescriptorProto) -> FileDescriptorProto:
    said = FileDescriptorProto()
    said.MergeFromString(file.SerializeToString())
    said.DiscardUnknownFields()
    return said


def test_the_stubs_load_on_every_protobuf_from_5_29_on() -> None:
    text = Path(foveal_pb2.__file__).read_text()
    assert re.search(r"^# Protobuf Python Version: 5\.29\.\d+$", text, re.MULTILINE)


def test_the_proto_file_is_as_others_write_them(tmp_path: Path) -> None:
    done = _buf("lint", folder=_module(tmp_path, PROTO))
    assert done.returncode == 0, done.stdout.decode()


def test_whoever_speaks_the_first_release_is_still_understood(tmp_path: Path) -> None:
    old, new = _module(tmp_path / "old", RELEASED), _module(tmp_path / "new", PROTO)
    done = _buf("breaking", "--against", str(old), folder=new)
    assert done.returncode == 0, done.stdout.decode()


def test_every_procedure_is_a_verb_or_a_stream() -> None:
    service = foveal_pb2.DESCRIPTOR.services_by_name["MemoryService"]
    table = {one.rpc for one in VERBS.values() if one.rpc} | {one.rpc for one in STREAMS}
    assert set(service.methods_by_name) == table
    assert len(KNOWN) == 24
    assert set(KNOWN) <= table
