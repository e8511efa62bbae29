"""Serve a memory over gRPC, and call it with generated stubs and with the Python client.

Run it with `python examples/grpc_walkthrough.py [memory.db]`. The server listens on a free port of this machine.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import grpc
from google.protobuf.struct_pb2 import Struct
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_status import rpc_status

from foveal import Authenticator, GrpcServer, Keys, Memory, Service, Serving, connect
from foveal.errors import NotFound
from foveal.wire import foveal_pb2
from foveal.wire.foveal_pb2_grpc import MemoryServiceStub


def with_stubs(address: str, token: str) -> None:
    """What a program in any language does with the stubs that its compiler generates from the .proto file."""
    headers = (("authorization", f"Bearer {token}"), ("x-request-id", "walk-1"))
    with grpc.insecure_channel(address) as channel:
        health: Any = health_pb2_grpc.HealthStub(channel)
        state = health.Check(health_pb2.HealthCheckRequest(service="foveal.memory.v1.MemoryService"), timeout=5)
        print("health:", health_pb2.HealthCheckResponse.ServingStatus.Name(state.status))

        memory: Any = MemoryServiceStub(channel)
        metadata = Struct()
        metadata.update({"port": "Lisbon", "days": 3})
        wanted = foveal_pb2.WriteRequest(text="Ada sails to Lisbon in May.", tags=["travel"], metadata=metadata)
        written, call = memory.Write.with_call(wanted, metadata=headers, timeout=5)
        print("request id:", dict(call.trailing_metadata())["x-request-id"])
        record = memory.Get(
            foveal_pb2.GetRequest(record_id=written.written.ids[0]), metadata=headers, timeout=5
        ).record
        print("stored:", record.text, "in tier", record.vitals.tier, "with", sorted(record.metadata.keys()))

        def log_entries() -> Iterator[foveal_pb2.WriteStreamRequest]:
            for day in range(1, 501):
                yield foveal_pb2.WriteStreamRequest(text=f"Log, day {day}: {day * 7} miles.", kind="log")

        streamed = memory.WriteStream(log_entries(), metadata=headers, timeout=60).written
        print("streamed:", len(streamed.ids), "records")
        filters = Struct()
        filters.update({"kind": "log"})
        asked = foveal_pb2.TimelineStreamRequest(newest_first=False, filters=filters)
        miles = [sent.record.text for sent in memory.TimelineStream(asked, metadata=headers, timeout=60)]
        print("came back:", len(miles), "from", repr(miles[0]), "to", repr(miles[-1]))
        questions = [
            foveal_pb2.ReadStreamRequest(query=query, token_budget=60)
            for query in ("Where does Ada sail?", "day 77")
        ]
        for answer in memory.ReadStream(iter(questions), metadata=headers, timeout=60):
            print("read:", len(answer.context.items), "items,", answer.context.tokens, "tokens")

        try:
            memory.Get(foveal_pb2.GetRequest(record_id="nobody"), metadata=headers, timeout=5)
        except grpc.RpcError as error:
            status: Any = rpc_status.from_call(error)  # pyright: ignore
            problem = Struct()
            status.details[1].Unpack(problem)
            print("refused:", error.code().name, dict(problem)["code"])  # pyright: ignore
        try:
            memory.Stats(foveal_pb2.StatsRequest(), timeout=5)
        except grpc.RpcError as error:
            print("without a key:", error.code().name)  # pyright: ignore


def with_client(url: str, token: str) -> None:
    """What a Python program does: it uses the verbs, the values and the errors of `Memory`."""
    with connect(url, key=token, ghost=False) as remote:
        ada = remote.view(actor_id="ada")
        print("found:", ada.search("Where does Ada sail?", k=1)[0].text)
        try:
            ada.get("nobody")
        except NotFound as error:
            print("raised:", type(error).__name__, "-", error)


def main() -> None:
    """Serve a memory, call it both ways, and stop."""
    with Memory(sys.argv[1] if len(sys.argv) > 1 else ":memory:") as memory:
        token = Keys(memory.keys).add("ada's", actors=["ada"], rights=["read", "write"]).token
        authenticator = Authenticator(memory.keys, Serving(auth="keys"))
        with GrpcServer(Service(memory), port=0, authenticate=authenticator.caller) as server:
            with_stubs(f"127.0.0.1:{server.port}", token)
            with_client(server.address, token)
        print("stopped; the memory holds", memory.stats(actor_id="ada").records, "records")


if __name__ == "__main__":
    main()
