"""A URL or `Settings` becomes a wired `Memory` or `AsyncMemory`; opens bus, cache, models."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Self
from urllib.parse import unquote

import foveal
from foveal.backends.breaker import Breaker
from foveal.config import Settings, load_settings, names_postgres, sqlite_path
from foveal.engine.async_memory import AsyncView
from foveal.engine.ledger.operational import flush_all
from foveal.engine.lifecycle.scheduler import Scheduler
from foveal.engine.memory import View
from foveal.engine.records.transfer import migrate as copy
from foveal.engine.runtime.notices import Notifier
from foveal.engine.runtime.reads import PendingReads, RankingCache
from foveal.engine.runtime.runtime import Runtime
from foveal.engine.runtime.vector_sync import VectorSync
from foveal.errors import Invalid, Unsupported
from foveal.model.policy import MemoryConfig, MemoryPolicyConfig
from foveal.ports.models import LLM, Embedder, Extractive, Reranker, Summarizer, TokenCounter
from foveal.ports.store import Idempotency, Keys, Store
from foveal.ports.system import Bus, Cache, Clock, SystemClock, VectorIndex
from foveal.ports.tables import Copied, Tables

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from foveal.backends.models.adapters import CachingEmbedder

    Reranking = Reranker | Callable[[str, Sequence[str]], Sequence[float]]
    Embedding = Embedder | Callable[[Sequence[str]], NDArray[np.float32] | Sequence[Sequence[float]]]


def migrate(source: str, target: str, *, progress: Callable[[int, int], None] = lambda done, total: None) -> Copied:
    """Copy everything that one store holds, of all actors and worlds, into an empty one.

    The source is only read, at one moment. Whatever arrived was compared with what was sent. A copy that was broken
    off goes on where it stopped.
    """
    with closing(open_tables(source, read_only=True)) as old, closing(open_tables(target)) as new:
        return copy(old, new, progress=progress)


def open_tables(url: str, *, read_only: bool = False) -> Tables:
    """The store that a URL or a path names, as its tables."""
    if url.removeprefix("sqlite:///") == ":memory:":
        raise Unsupported("a memory in RAM cannot be copied whole: use `export` and `import`")
    if names_postgres(url):
        return _postgres_tables(url, read_only)
    from foveal.backends.sqlite.tables import SqliteTables

    path, _ = sqlite_path(url)
    return SqliteTables(path, read_only=read_only)


def _postgres_tables(url: str, read_only: bool) -> Tables:
    try:
        from foveal.backends.postgres.tables import PostgresTables
    except ModuleNotFoundError as error:
        raise Unsupported(
            f"{error.name} is not installed: pip install 'foveal[postgres]' to keep memory in Postgres"
        ) from None
    return PostgresTables(url, read_only=read_only)


def open_bus(settings: Settings, clock: Clock | None = None) -> Bus:
    """What carries notices: between processes, or inside this one."""
    if settings.redis is None:
        from foveal.backends.in_process import RingBus

        return RingBus(clock=clock)
    try:
        from foveal.backends.redis import RedisBus
    except ModuleNotFoundError as error:
        raise _missing(error) from None
    return RedisBus(settings.redis, prefix=settings.redis_prefix, clock=clock)


def open_cache(settings: Settings) -> Cache | None:
    """The cache that processes share, if any."""
    if settings.redis is None:
        return None
    try:
        from foveal.backends.redis import RedisCache
    except ModuleNotFoundError as error:
        raise _missing(error) from None
    return RedisCache(settings.redis, prefix=settings.redis_prefix)


def open_caches(settings: Settings) -> list[Cache]:
    """What keeps rankings: a cache in this process, and behind it the one that processes share, if any."""
    if settings.kept_rankings < 1:
        return []
    from foveal.backends.in_process import LruCache

    shared = open_cache(settings)
    own = LruCache(settings.kept_rankings)
    return [own] if shared is None else [own, shared]


def open_index(settings: Settings) -> Callable[[], VectorIndex] | None:
    """What opens the index of vectors, if there is one."""
    name = settings.vector_index
    if name is None:
        return None
    if not name.startswith("chroma:///") or not name.removeprefix("chroma:///"):
        raise Invalid(f"there is no index of vectors {name!r}: use chroma:///path of a folder")
    if find_spec("chromadb") is None:
        raise Unsupported("the setting vector_index needs the package chromadb: pip install 'foveal[chroma]'")
    return partial(_chroma, index_folder(name))


def index_folder(name: str) -> Path:
    """The folder that the name of an index means: chroma:///path is relative, chroma:////path absolute."""
    return Path(unquote(name.removeprefix("chroma:///"))).expanduser()


def _chroma(folder: Path) -> VectorIndex:
    from foveal.backends.chroma import ChromaVectorStore

    return ChromaVectorStore(folder)


def open_llm(settings: Settings) -> LLM | None:
    """The language model that the settings name, if any."""
    if settings.llm is None:
        return None
    from foveal.backends.models.llm import OpenAIModel

    url, _, model = settings.llm.partition("#")
    if not model:
        raise Invalid(f"the language model {settings.llm!r} names no model: write {settings.llm}#<model>")
    return OpenAIModel(url, model=model, key=settings.llm_key, breaker=open_breaker(settings))


def open_breaker(settings: Settings) -> Breaker:
    """What stands before a server of another."""
    said = settings.breaker
    return Breaker(failures=said.failures, reset=timedelta(seconds=said.seconds))


def open_summarizer(llm: LLM | None) -> Summarizer:
    """What makes summaries: a language model, else the sentences themselves."""
    if llm is None:
        return Extractive()
    from foveal.backends.models.llm import ModelSummarizer

    return ModelSummarizer(llm)


def _missing(error: ModuleNotFoundError) -> Unsupported:
    return Unsupported(f"the setting redis needs the package redis: pip install 'foveal[redis]' ({error})")


class Memory(View):
    """The memory of agents, in one file.

    `url` is a path, `sqlite:///path`, `":memory:"`, or None for a file in the user's data folder. `embedder`
    is any `Embedder`, or a function from texts to vectors. `config` says how memories age, `policy` how the budget
    of a read is parted. `reranker` is any `Reranker`, or a function from a question and texts to scores. `bus`
    carries notices of what happens; without one, and without the setting `redis`, they stay in this process:
    `memory.bus.subscribe()`. `vector_index` keeps the vectors beside the store, and is searched in its place.

    Close it, or use it in a `with`.
    """

    def __init__(
        self,
        url: str | Path | None = None,
        *,
        settings: Settings | None = None,
        embedder: Embedding | None = None,
        clock: Clock | None = None,
        config: MemoryConfig | None = None,
        policy: MemoryPolicyConfig | None = None,
        reranker: Reranking | None = None,
        bus: Bus | None = None,
        vector_index: VectorIndex | None = None,
    ) -> None:
        from foveal.backends.in_process import ThisMachine
        from foveal.backends.models.static import shared_static
        from foveal.engine.lifecycle.run import InlineMetabolism

        chosen = settings or load_settings()
        self._schedule = chosen.scheduler
        pace = InlineMetabolism()
        self._encoder = open_embedder(embedder, chosen)
        self.llm = open_llm(chosen)
        store = open_store(url if url is not None else chosen.url, chosen)
        ticking = clock or SystemClock()
        values = policy or chosen.policy
        self.bus: Bus = bus or open_bus(chosen, ticking)
        self._owns_bus = bus is None
        notifier = Notifier(self.bus, ticking)
        vector_sync = VectorSync(store, notifier, open_index(chosen))
        if vector_index is not None:
            vector_sync.use(vector_index)
        runtime = Runtime(
            store=store,
            vector_sync=vector_sync,
            embedder=self._encoder,
            pieces=shared_static(),
            counter=open_counter(chosen.tokenizer),
            clock=ticking,
            touches=PendingReads(store, ticking, logging=chosen.recall_log),
            config=config or chosen.memory,
            summarizer=open_summarizer(self.llm),
            policy=values,
            reranker=open_reranker(reranker, chosen),
            reranker_limit=timedelta(milliseconds=chosen.reranker_ms),
            machine=ThisMachine(),
            notifier=notifier,
            readers={".pdf": _pdf_text},
            rankings=RankingCache(open_caches(chosen), release=foveal.__version__),
            encoder_of=partial(open_embedder, settings=chosen),
        )
        self._pace = pace if chosen.metabolism == "auto" and runtime.config.enable_auto_migration else None
        if self._pace is not None:
            runtime = replace(runtime, wrote=partial(pace.wrote, runtime))
            pace.opened(runtime)
        super().__init__(runtime, {"world": values.default_world})

    @property
    def runtime(self) -> Runtime:
        """What its flows work with."""
        return self._runtime

    def close(self) -> None:
        """Release the store. Everything acknowledged is in it already; what reads left behind is written now."""
        try:
            flush_all(self._runtime)
            self._runtime.touches.flush()
            self._runtime.vector_sync.close(lambda: self._runtime.encoder)
            if self._pace is not None:
                self._pace.closing(self._runtime)
        finally:
            self._runtime.store.close()
            self._encoder.close()
            self._runtime.rankings.close()
            if self._owns_bus:
                self.bus.close()

    @property
    def keys(self) -> Keys:
        """Where the keys of a server are kept; the service behind its doors makes and checks them."""
        return self._runtime.store.server

    @property
    def idempotency(self) -> Idempotency:
        """Where a server keeps what came under a key and is done once."""
        return self._runtime.store.server

    def scheduler(self) -> Scheduler:
        """What keeps this memory in order; a `Worker` runs it."""
        return Scheduler(self._runtime, self._schedule)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncMemory(AsyncView):
    """`Memory` for asynchronous callers: the same verbs, awaited.

    Opening and closing run in a thread. `async with` waits until the memory is open, and so does the first verb; an
    error of opening it is raised there.
    """

    def __init__(
        self,
        url: str | Path | None = None,
        *,
        settings: Settings | None = None,
        embedder: Embedding | None = None,
        clock: Clock | None = None,
        config: MemoryConfig | None = None,
        policy: MemoryPolicyConfig | None = None,
        reranker: Reranking | None = None,
        bus: Bus | None = None,
        vector_index: VectorIndex | None = None,
    ) -> None:
        opener = ThreadPoolExecutor(1, thread_name_prefix="foveal-open")
        self._opening = opener.submit(
            Memory,
            url,
            settings=settings,
            embedder=embedder,
            clock=clock,
            config=config,
            policy=policy,
            reranker=reranker,
            bus=bus,
            vector_index=vector_index,
        )
        opener.shutdown(wait=False)
        super().__init__(make=self._opening.result)

    @property
    def bus(self) -> Bus:
        """What carries notices of this memory. While the memory is being opened, this waits for it."""
        return self._opening.result().bus

    async def close(self) -> None:
        """Release the store. Everything acknowledged is in it already."""
        memory = await asyncio.wrap_future(self._opening)
        await asyncio.to_thread(memory.close)

    async def __aenter__(self) -> Self:
        await asyncio.wrap_future(self._opening)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


def create_memory_service(url: str | Path | None = None, *, settings: Settings | None = None) -> Memory:
    """A memory to hand to `MemoryClient`."""
    return Memory(url, settings=settings)


def _pdf_text(data: bytes) -> str:
    from foveal.backends.models.adapters import pdf_text

    return pdf_text(data)


def open_store(url: str | Path | None, settings: Settings) -> Store:
    """The store that a URL or a path means."""
    if names_postgres(url):
        return _postgres(str(url), settings)
    from foveal.backends.sqlite import SqliteStore

    if isinstance(url, str) and url.removeprefix("sqlite:///") == ":memory:":
        return SqliteStore(":memory:")
    path, read_only = sqlite_path(url)
    return SqliteStore(path, synchronous=settings.synchronous, read_only=read_only)


def _postgres(url: str, settings: Settings) -> Store:
    try:
        from foveal.backends.postgres import PostgresStore
    except ModuleNotFoundError as error:
        raise Unsupported(
            f"{error.name} is not installed: pip install 'foveal[postgres]' to keep memory in Postgres"
        ) from None
    said = settings.postgres
    near = timedelta(seconds=said.staleness)
    return PostgresStore(
        url,
        pool_size=said.pool_size,
        replica=said.replica,
        staleness=near,
        mirror_records=said.mirror_records,
    )


def open_embedder(embedder: Embedding | None, settings: Settings) -> CachingEmbedder:
    """The encoder that was given, or that the settings name, with a cache before it."""
    from foveal.backends.models.adapters import CachingEmbedder

    if embedder is None:
        # Ours is faster than a question to another machine.
        shared = None if settings.encoder == "static" else open_cache(settings)
        return CachingEmbedder(_named_embedder(settings), shared=shared)
    from foveal.backends.models.adapters import encoder_of

    return CachingEmbedder(encoder_of(embedder))


def _named_embedder(settings: Settings) -> Embedder:
    name = settings.encoder
    if name == "static":
        from foveal.backends.models.static import shared_static

        return shared_static()
    if name.startswith("onnx:"):
        from foveal.backends.models.onnx import OnnxEmbedder

        return OnnxEmbedder(Path(name.removeprefix("onnx:")).expanduser())
    if name.startswith(("http://", "https://")):
        from foveal.backends.models.http import HttpEmbedder

        url, _, model = name.partition("#")
        if not model:
            raise Invalid(f"the encoder {name!r} names no model: write {name}#<model>")
        return HttpEmbedder(url, model=model, key=settings.encoder_key, breaker=open_breaker(settings))
    raise Invalid(f"there is no encoder {name!r}: use static, onnx:<folder> or http(s)://host/v1#<model>")


def open_reranker(reranker: Reranking | None, settings: Settings) -> Reranker | None:
    """The reranker that was given, or that the settings name, if any."""
    if reranker is not None:
        from foveal.backends.models.adapters import CallingReranker

        return reranker if hasattr(reranker, "scores") else CallingReranker(reranker)  # pyright: ignore[reportArgumentType, reportReturnType]
    if settings.reranker_ms < 1:
        raise Invalid("reranker_ms must be at least 1")
    name = settings.reranker
    if name is None:
        return None
    if not name.startswith("onnx:"):
        raise Invalid(f"there is no reranker {name!r}: use onnx:<folder>")
    from foveal.backends.models.onnx import OnnxReranker

    return OnnxReranker(Path(name.removeprefix("onnx:")).expanduser())


def open_counter(name: str) -> TokenCounter:
    """The token counter of this name."""
    if name == "estimate":
        from foveal.backends.models.adapters import EstimateCounter

        return EstimateCounter()
    from foveal.backends.models.adapters import NAMES, BpeCounter

    if name not in NAMES:
        raise Invalid(f"there is no tokenizer {name!r}: use {', '.join(NAMES)} or estimate")
    return BpeCounter(name)
