"""Other systems' server paths, filled with the same texts and vectors: ChromaDB's server, and mem0 on pgvector."""

from __future__ import annotations

import importlib
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any
from uuid import uuid4

from bench.filling import ACTOR, batches
from bench.subject import BATCH, Subject
from foveal.backends.models.static import StaticEmbedder

_WAIT_TRIES = 600
# It adds one memory after the other: more of them at once would only take longer.
_MEM0_BATCH = 25


@contextmanager
def chroma(folder: Path, records: int) -> Generator[Subject]:
    """ChromaDB's own server on this machine, with a collection of so many texts."""
    folder.mkdir(parents=True, exist_ok=True)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    program = str(Path(sys.executable).with_name("chroma"))
    command = [program, "run", "--path", str(folder), "--host", "127.0.0.1", "--port", str(port)]
    with (folder / "log").open("ab") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        _wait(port, process)
        yield _collection(port, records)
    finally:
        process.terminate()
        process.wait()


def _wait(port: int, process: subprocess.Popen[bytes]) -> None:
    waiting = threading.Event()
    for _ in range(_WAIT_TRIES):
        with socket.socket() as asking:
            if asking.connect_ex(("127.0.0.1", port)) == 0:
                return
        assert process.poll() is None, "chroma did not start"
        waiting.wait(0.1)
    raise AssertionError("chroma does not listen")


def _collection(port: int, records: int) -> Subject:
    chromadb: Any = importlib.import_module("chromadb")
    settings = chromadb.Settings(anonymized_telemetry=False)
    client = chromadb.HttpClient(host="127.0.0.1", port=port, settings=settings)
    embedder, numbers = StaticEmbedder(), count()
    held = client.get_or_create_collection(
        f"notes-{records}", embedding_function=None, metadata={"hnsw:space": "cosine"}
    )
    run = uuid4().hex

    def put(texts: Sequence[str]) -> None:
        ids = [f"{run}-{next(numbers)}" for _ in texts]
        held.add(ids=ids, documents=list(texts), embeddings=embedder.embed(texts))

    for _, texts in batches(records, held.count()):
        put(texts)

    def search(question: str) -> object:
        return held.query(query_embeddings=embedder.embed([question], asking=True), n_results=10)

    return Subject("ChromaDB server", put, search, batch=BATCH)


class _Encoder:
    """Our encoder as mem0 asks for one."""

    def __init__(self) -> None:
        self._own = StaticEmbedder()

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        return self._own.embed([text], asking=memory_action == "search")[0].tolist()

    def embed_batch(self, texts: Sequence[str], memory_action: str | None = None) -> list[list[float]]:
        return self._own.embed(texts, asking=memory_action == "search").tolist()


def mem0(packages: Path, folder: Path, url: str, records: int) -> Subject:
    """mem0 without a language model (`infer=False`), over pgvector on the same server, with our encoder."""
    folder.mkdir(parents=True, exist_ok=True)
    # It reads these when it is imported. The key is asked for and never used.
    os.environ.update(MEM0_TELEMETRY="False", MEM0_DIR=str(folder), OPENAI_API_KEY="none")
    sys.path.append(str(packages.resolve()))
    memories: Any = importlib.import_module("mem0").Memory
    encoder = _Encoder()
    config = {"connection_string": url, "embedding_model_dims": 256, "collection_name": "note", "hnsw": True}
    held = memories.from_config(
        {
            "vector_store": {"provider": "pgvector", "config": config},
            "history_db_path": str(folder / f"history-{records}.db"),
        }
    )
    held.embedding_model = encoder
    for _, texts in batches(records, int(held.vector_store.col_info()["count"])):
        payloads = [{"data": text, "user_id": ACTOR, "hash": "", "text_lemmatized": text} for text in texts]
        ids = [str(uuid4()) for _ in texts]
        held.vector_store.insert(vectors=encoder.embed_batch(texts), payloads=payloads, ids=ids)

    def write(texts: Sequence[str]) -> None:
        held.add([{"role": "user", "content": one} for one in texts], user_id=ACTOR, infer=False)

    def search(question: str) -> object:
        return held.search(question, filters={"user_id": ACTOR}, top_k=10)

    return Subject("mem0 on pgvector", write, search, batch=_MEM0_BATCH)
