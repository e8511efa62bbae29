"""The server refuses what it must with the right status, and stays up."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any, cast

import grpc
import pytest
from google.protobuf.struct_pb2 import Struct
from google.rpc.error_details_pb2 import ErrorInfo, RetryInfo
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from grpc_status import rpc_status

from foveal import Memory
from foveal.doors.grpc import GrpcRemote, GrpcServer, serve_grpc
from foveal.doors.service import Authenticator, Keys, Service
from foveal.errors import (
    CODES,
    Forbidden,
    FovealError,
    Invalid,
    RateLimited,
    StoreUnavailable,
    TooLarge,
    Unauthenticated,
    Unavailable,
)
from foveal.model.server import Serving
from foveal.wire import foveal_pb2
from foveal.wire.foveal_pb2_grpc import MemoryServiceStub
from foveal.wire.messages import SERVICE, STREAMS
from foveal.wire.problems import status_of
from foveal.wire.verbs import VERBS

from .conftest import Gate, Served

SERVING, NOT_SERVING = health_pb2.HealthCheckResponse.SERVING, health_pb2.HealthCheckResponse.NOT_SERVING
AT = {"actor_id": "ada"}


def _failed(channel: grpc.Channel, rpc: str, data: bytes, **terms: Any) -> Any:
    with pytest.raises(grpc.RpcError) as caught:
        channel.unary_unary(f"/{SERVICE}/{rpc}", bytes, bytes)(data, **terms)
    return caught.value


def _health(channel: grpc.Channel) -> Any:
    return health_pb2_grpc.HealthStub(channel)


def _details(failed: Any) -> tuple[ErrorInfo, dict[str, Any]]:
    info, document = ErrorInfo(), Struct()
    told = cast(Any, rpc_status).from_call(failed)
    assert told.details[0].Unpack(info)
    assert told.details[1].Unpack(document)
    return info, dict(document)


@pytest.mark.parametrize("kind", CODES.values(), ids=lambda kind: kind.code)
def test_every_error_arrives_as_itself(served: Served, channel: grpc.Channel, kind: type[FovealError]) -> None:
    served.raises = kind("told — with a dash", record_id="x", at=timedelta(seconds=1))
    with pytest.raises(FovealError) as caught:
        served.remote.call("stats", AT)
    assert (type(caught.value), caught.value.message) == (kind, "told — with a dash")
    assert caught.value.data == {"record_id": "x", "at": "PT1S"}
    failed = _failed(channel, "Stats", b"")
    assert failed.code().name == status_of(kind).grpc
    info, document = _details(failed)
    assert (info.reason, info.domain, document["code"]) == (kind.code, "foveal.dev", kind.code)


def test_an_error_too_long_for_a_header_is_cut(served: Served) -> None:
    served.raises = Invalid("x" * 100_000, what="y" * 100_000)
    with pytest.raises(Invalid) as caught:
        served.remote.call("stats", AT)
    assert len(caught.value.message) == 500


def test_a_fault_of_ours_tells_nothing_and_is_logged(served: Served, caplog: pytest.LogCaptureFixture) -> None:
    served.raises = ZeroDivisionError("a secret")
    with pytest.raises(FovealError, match="request id") as caught:
        served.remote.call("stats", AT)
    assert type(caught.value) is FovealError
    assert "a secret" in caplog.text
    served.raises = None
    assert served.remote.call("stats", AT).records == 0


def _framed(tag: int, data: bytes) -> bytes:
    """A field of a message, as bytes."""
    size, length = len(data), b""
    while size > 127:
        size, length = size >> 7, length + bytes([size & 127 | 128])
    return bytes([tag]) + length + bytes([size]) + data


def _deep(depth: int) -> bytes:
    """A write with metadata of lists in lists, deeper than any that the library itself would make."""
    data = b""
    for _ in range(depth):
        data = _framed(0x32, _framed(0x0A, data))
    return _framed(0x6A, _framed(0x0A, _framed(0x0A, b"k") + _framed(0x12, data)))


@pytest.mark.parametrize(
    "data",
    [
        b"\xff\xff\xff",
        b"\x0a\x05ab",
        b"\x0a\x02\xff\xfe",
        foveal_pb2.WriteRequest(text="x", actor_id="ada", cleared=["nonsense"]).SerializeToString(),
        foveal_pb2.WriteRequest(text="x", actor_id="ada", occurred_at={"seconds": 10**15}).SerializeToString(),
        foveal_pb2.WriteRequest(text="x", actor_id="ada", ttl={"seconds": 10**17}).SerializeToString(),
        _deep(1000),
    ],
    ids=["noise", "cut", "not utf-8", "cleared", "far", "long", "deep"],
)
def test_what_is_no_request_is_refused(served: Served, channel: grpc.Channel, data: bytes) -> None:
    failed = _failed(channel, "Write", data)
    assert failed.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert _details(failed)[0].reason == "invalid"
    assert served.remote.call("stats", AT).records == 0


def test_a_choice_that_is_not_made_is_refused(channel: grpc.Channel) -> None:
    asked = foveal_pb2.ForgetRequest(actor_id="ada", target={})
    assert "set one of" in _failed(channel, "Forget", asked.SerializeToString()).details()
    assert "needs target" in _failed(channel, "Forget", b"").details()


def test_a_message_over_the_limit_is_refused(memory: Memory) -> None:
    served = Served(memory, max_message_bytes=10_000)
    with pytest.raises(TooLarge):
        served.remote.call("write", {**AT, "text": "x" * 20_000})
    assert served.remote.call("write", {**AT, "text": "x" * 5_000}).ids
    served.close()


def test_an_unknown_procedure_is_unimplemented(served: Served, channel: grpc.Channel) -> None:
    assert _failed(channel, "Melt", b"").code() is grpc.StatusCode.UNIMPLEMENTED
    assert served.remote.call("stats", AT).records == 0


def test_a_key_lets_in_whom_it_is_for(memory: Memory) -> None:
    token = Keys(memory.keys).add("ada's", actors=["ada"], rights=["read", "write"]).token
    served = Served(memory, authenticate=Authenticator(memory.keys, Serving(auth="keys")).caller)
    with pytest.raises(Unauthenticated):
        served.remote.call("stats", AT)
    with GrpcRemote(served.server.address, key="guess") as wrong, pytest.raises(Unauthenticated):
        wrong.call("stats", AT)
    with GrpcRemote(served.server.address, key=token) as ada:
        assert ada.call("write", {"text": "Ada need not say who she is."}).ids
        for verb, said in (("stats", {"actor_id": "ben"}), ("reindex", {})):
            with pytest.raises(Forbidden):
                ada.call(verb, said)
        with pytest.raises(Forbidden):
            list(ada.timeline_stream({"actor_id": "ben"}))
    with grpc.insecure_channel(f"127.0.0.1:{served.server.port}") as channel:
        failed = _failed(channel, "Stats", b"", metadata=(("authorization", "Basic YWRh"),))
        assert failed.code() is grpc.StatusCode.UNAUTHENTICATED
    served.close()


def test_who_calls_too_often_learns_how_long_to_wait(memory: Memory) -> None:
    token = Keys(memory.keys).add("slow", rate=0.01, burst=1).token
    served = Served(memory, authenticate=Authenticator(memory.keys, Serving(auth="keys")).caller)
    with GrpcRemote(served.server.address, key=token) as slow:
        slow.call("stats", AT)
        with pytest.raises(RateLimited) as caught:
            slow.call("stats", AT)
    assert caught.value.data["retry_after"] == 100
    with grpc.insecure_channel(f"127.0.0.1:{served.server.port}") as channel:
        failed = _failed(channel, "Stats", b"", metadata=(("authorization", f"Bearer {token}"),))
    wait = RetryInfo()
    assert cast(Any, rpc_status).from_call(failed).details[2].Unpack(wait)
    assert wait.retry_delay.seconds == 100
    served.close()


def test_a_server_without_keys_is_not_for_the_world(memory: Memory) -> None:
    for host in ("0.0.0.0", "::", "memory.example.org"):
        with pytest.raises(Invalid, match="authenticate"):
            GrpcServer(Service(memory), host=host, port=0)
    token = Keys(memory.keys).add("all").token
    guard = Authenticator(memory.keys, Serving(auth="keys"))
    server = GrpcServer(Service(memory), host="0.0.0.0", port=0, authenticate=guard.caller)
    with GrpcRemote(f"grpc://127.0.0.1:{server.start().port}", key=token) as ada:
        assert ada.call("stats", AT).records == 0
    server.stop()


def test_two_servers_do_not_share_a_port(served: Served) -> None:
    with pytest.raises(Unavailable, match="cannot listen"):
        GrpcServer(Service(served.memory), port=served.server.port)


def test_a_request_id_is_kept_or_given(served: Served, channel: grpc.Channel) -> None:
    stub = cast(Any, MemoryServiceStub(channel))
    asked = foveal_pb2.StatsRequest(actor_id="ada")
    for said in ("r-7", "x" * 200, None):
        metadata = () if said is None else (("x-request-id", said),)
        _, call = stub.Stats.with_call(asked, metadata=metadata)
        back = dict(call.trailing_metadata())["x-request-id"]
        assert back == served.seen[-1].request_id
        assert (back == said) is (said == "r-7")
    failed = _failed(channel, "Stats", b"", metadata=(("x-request-id", "r-8"),))
    info, document = _details(failed)
    assert info.metadata["request_id"] == document["request_id"] == "r-8"


def test_health_follows_the_server(served: Served, channel: grpc.Channel) -> None:
    stub = _health(channel)
    for name in ("", SERVICE):
        assert stub.Check(health_pb2.HealthCheckRequest(service=name)).status == SERVING
    watch = stub.Watch(health_pb2.HealthCheckRequest(service=SERVICE))
    assert next(watch).status == SERVING
    served.server.serving(False)
    assert next(watch).status == NOT_SERVING
    assert stub.Check(health_pb2.HealthCheckRequest()).status == NOT_SERVING
    served.server.serving(True)
    assert next(watch).status == SERVING
    with ThreadPoolExecutor(1) as pool:
        stopping = pool.submit(served.server.stop)
        assert next(watch).status == NOT_SERVING
        watch.cancel()
        stopping.result(240)


def test_stopping_lets_calls_end_and_takes_no_more(memory: Memory) -> None:
    gate = Gate()
    served = Served(memory, authenticate=gate)
    where = f"127.0.0.1:{served.server.port}"
    with ThreadPoolExecutor(2) as pool, grpc.insecure_channel(where) as channel:
        watch = _health(channel).Watch(health_pb2.HealthCheckRequest())
        assert next(watch).status == SERVING
        running = pool.submit(served.remote.call, "write", {**AT, "text": "was under way"})
        assert gate.entered.wait(240)
        stopping = pool.submit(served.server.stop)
        assert next(watch).status == NOT_SERVING
        watch.cancel()
        gate.opened.set()
        assert running.result(240).ids
        stopping.result(240)
    with GrpcRemote(served.server.address) as late, pytest.raises(StoreUnavailable):
        late.call("stats", AT)
    assert memory.stats(actor_id="ada").records == 1
    served.close()


def test_reflection_tells_the_procedures_of_the_table(served: Served, channel: grpc.Channel) -> None:
    stub = cast(Any, reflection_pb2_grpc.ServerReflectionStub(channel))
    asked = reflection_pb2.ServerReflectionRequest(list_services="")
    [listed] = stub.ServerReflectionInfo(iter([asked]))
    names = {one.name for one in listed.list_services_response.service}
    assert {SERVICE, "grpc.health.v1.Health"} <= names
    service = foveal_pb2.DESCRIPTOR.services_by_name["MemoryService"]
    table = {one.rpc for one in VERBS.values() if one.rpc} | {one.rpc for one in STREAMS}
    assert set(service.methods_by_name) == table
    assert {name for name in dir(MemoryServiceStub(channel)) if name[0].isupper()} == table
    assert served.remote.call("stats", AT).records == 0


def test_every_procedure_of_the_table_answers(served: Served, channel: grpc.Channel) -> None:
    for verb in VERBS.values():
        if verb.rpc is None:
            continue
        call = channel.unary_unary(f"/{SERVICE}/{verb.rpc}", bytes, bytes)
        try:
            call(foveal_pb2.StatsRequest().SerializeToString())
        except grpc.RpcError as failed:
            code = cast(Any, failed).code()
            assert code in (grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.NOT_FOUND), verb.name


def test_a_server_runs_beside_others_in_one_process(memory: Memory) -> None:
    with serve_grpc(Service(memory), port=0) as first, GrpcServer(Service(memory), port=0) as second:
        for server in (first, second):
            with GrpcRemote(server.address) as remote:
                assert remote.call("stats", AT).records == 0
