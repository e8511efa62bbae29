"""`Memory` and `AsyncMemory`, wired from a URL and `Settings`: opens the store, the bus, caches and models."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import unquote

import msgspec

import foveal
from foveal.backends.breaker import Breaker
from foveal.backends.documents import READERS
from foveal.config import DEFAULT_ACTOR, Settings, load_settings, names_postgres, sqlite_path
from foveal.engine.async_memory import AsyncView
from foveal.engine.async_verbs import AsyncLongTerm
from foveal.engine.ledger.operational import flush_all
from foveal.engine.ledger.records import kinds_of
from foveal.engine.lifecycle.scheduler import Scheduler
from foveal.engine.memory import View
from foveal.engine.records.extraction import Extraction, enrol
from foveal.engine.records.transfer import migrate as copy
from foveal.engine.runtime.facade import Filters, Moment
from foveal.engine.runtime.notices import Notifier
from foveal.engine.runtime.reads import PendingReads, RankingCache
from foveal.engine.runtime.runtime import Runtime
from foveal.engine.runtime.second_look import SecondLook
from foveal.engine.runtime.vector_sync import VectorSync
from foveal.errors import Conflict, FovealError, Invalid, Unsupported
from foveal.model.policy import MemoryConfig, MemoryPolicyConfig
from foveal.model.query import Access, At
from foveal.model.results import Repaired
from foveal.ports.models import LLM, Embedder, Extractive, Reranker, Summarizer, TokenCounter
from foveal.ports.store import Idempotency, Keys, Store
from foveal.ports.system import Bus, Cache, Clock, SystemClock, VectorIndex
from foveal.ports.tables import Copied, Tables
from foveal.rules.drafts import describe_others, viewpoint_of
from foveal.rules.recall.index import index_entry

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from foveal.backends.models.adapters import CachingEmbedder

    Reranking = Reranker | Callable[[str, Sequence[str]], Sequence[float]]
    Embedding = Embedder | Callable[[Sequence[str]], NDArray[np.float32] | Sequence[Sequence[float]]]


def migrate(source: str, target: str, *, progress: Callable[[int, int], None] = lambda done, total: None) -> Copied:
    """Copy a whole store, with all actors and worlds, into an empty one.

    The source is only read, in one snapshot, and the copy is compared with it. An interrupted copy continues where
    it stopped.
    """
    with closing(open_tables(source, read_only=True)) as old, closing(open_tables(target)) as new:
        return copy(old, new, progress=progress)


def repair(source: str | Path | None, target: str | Path, *, settings: Settings | None = None) -> Repaired:
    """Copy what can be read of a damaged memory file into a new one, and rebuild indexes, counts and vectors.

    The damaged file is only read. The answer lists what lost some of its content, and what could not be saved.
    """
    if names_postgres(source) or names_postgres(target):
        raise Unsupported("a database is repaired by its server: restore a backup, or see its documentation")
    from foveal.backends.models.static import shared_static
    from foveal.backends.sqlite.repair import salvage

    chosen = msgspec.structs.replace(settings or load_settings(), metabolism="off")
    damaged, new = sqlite_path(source)[0], sqlite_path(target)[0]
    if new.exists():
        raise Conflict(f"{new} exists already", path=str(new))
    done = salvage(damaged, new, partial(index_entry, pieces=shared_static().pieces))
    with Memory(new, settings=chosen) as memory:
        stored = memory.runtime.store.vectors.encoder()
        encoded, lost = 0, done.lost
        if stored is None or stored.id == memory.runtime.encoder.id:
            encoded = memory.admin.reindex().versions
        elif missing := memory.runtime.store.vectors.count_unencoded(stored):
            lost = [*lost, f"{missing} vectors, which {stored.id} made: run foveal reindex with it"]
    return Repaired(
        source=str(damaged),
        target=str(new),
        records=done.records,
        rows=done.rows,
        rebuilt=done.rebuilt,
        encoded=encoded,
        mended=tuple(done.mended),
        lost=tuple(lost),
    )


def _backed_up(url: str, path: str) -> None:
    """Copy a whole database, of all worlds and actors, into a new memory file."""
    target = Path(path)
    if target.exists():
        raise Conflict(f"{target} exists already", path=path)
    if not target.parent.is_dir():
        raise Invalid(f"there is no folder {target.parent} to back up into", path=path)
    unfinished = target.with_name(f".{target.name}.unfinished")
    unfinished.unlink(missing_ok=True)
    try:
        migrate(url, str(unfinished))
        unfinished.rename(target)
    finally:
        for rest in ("", "-wal", "-shm"):
            unfinished.with_name(f"{unfinished.name}{rest}").unlink(missing_ok=True)


def open_tables(url: str, *, read_only: bool = False) -> Tables:
    """Open the store at a URL or path as tables."""
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
    """The bus for notices: Redis if it is configured, else one inside this process."""
    if settings.redis is None:
        from foveal.backends.in_process import RingBus

        return RingBus(clock=clock)
    try:
        from foveal.backends.redis import RedisBus
    except ModuleNotFoundError as error:
        raise _missing(error) from None
    return RedisBus(settings.redis, prefix=settings.redis_prefix, clock=clock)


def open_cache(settings: Settings, told: Callable[[str, FovealError], None] | None = None) -> Cache | None:
    """The cache that processes share, if one is configured. `told` is called when it does not answer."""
    if settings.redis is None:
        return None
    try:
        from foveal.backends.redis import RedisCache
    except ModuleNotFoundError as error:
        raise _missing(error) from None
    return RedisCache(settings.redis, prefix=settings.redis_prefix, told=told)


def open_caches(settings: Settings, told: Callable[[str, FovealError], None] | None = None) -> list[Cache]:
    """The caches for rankings: one in this process, and behind it the shared one, if any."""
    if settings.kept_rankings < 1:
        return []
    from foveal.backends.in_process import LruCache

    shared = open_cache(settings, told)
    own = LruCache(settings.kept_rankings)
    return [own] if shared is None else [own, shared]


def open_index(settings: Settings) -> Callable[[], VectorIndex] | None:
    """A function that opens the external vector index, if one is configured."""
    name = settings.vector_index
    if name is None:
        return None
    if not name.startswith("chroma:///") or not name.removeprefix("chroma:///"):
        raise Invalid(f"there is no index of vectors {name!r}: use chroma:///path of a folder")
    if find_spec("chromadb") is None:
        raise Unsupported("the setting vector_index needs the package chromadb: pip install 'foveal[chroma]'")
    return partial(_chroma, index_folder(name))


def _vector_sync(store: Store, notifier: Notifier, index: VectorIndex | None, settings: Settings) -> VectorSync:
    """What follows the store: the given index of vectors, the one in the settings, or none."""
    sync = VectorSync(store, notifier, open_index(settings))
    if index is not None:
        sync.use(index)
    return sync


def _second_look(store: Store, fine: CachingEmbedder, notifier: Notifier) -> SecondLook:
    languages = getattr(fine.embedder, "languages", ())
    return SecondLook(store.fine_vectors, fine, notifier.degraded, languages=languages)


def index_folder(name: str) -> Path:
    """The folder in the name of an index: chroma:///path is relative, chroma:////path is absolute."""
    return Path(unquote(name.removeprefix("chroma:///"))).expanduser()


def _chroma(folder: Path) -> VectorIndex:
    try:
        from foveal.backends.chroma import ChromaVectorStore
    except ModuleNotFoundError as error:
        raise Unsupported(f"{error.name} is not installed: pip install 'foveal[chroma]'") from None
    return ChromaVectorStore(folder)


def open_llm(settings: Settings) -> LLM | None:
    """The language model in the settings, if any."""
    if settings.llm is None:
        return None
    from foveal.backends.models.llm import OpenAIModel

    url, _, model = settings.llm.partition("#")
    if not model:
        raise Invalid(f"the language model {settings.llm!r} names no model: write {settings.llm}#<model>")
    return OpenAIModel(url, model=model, key=settings.llm_key, breaker=open_breaker(settings))


def open_breaker(settings: Settings) -> Breaker:
    """The circuit breaker for calls to an external server."""
    limits = settings.breaker
    return Breaker(failures=limits.failures, reset=timedelta(seconds=limits.seconds))


def open_summarizer(llm: LLM | None) -> Summarizer:
    """The summarizer: the language model, or without one the most telling sentences."""
    if llm is None:
        return Extractive()
    from foveal.backends.models.llm import ModelSummarizer

    return ModelSummarizer(llm)


def _missing(error: ModuleNotFoundError) -> Unsupported:
    return Unsupported(f"the setting redis needs the package redis: pip install 'foveal[redis]' ({error})")


class Memory(View):
    """The memory of agents, in one file.

    `url` is a path, `sqlite:///path`, `postgresql://...`, `":memory:"`, or None for a file in the user's data
    folder. `embedder` is an `Embedder`, or a function from texts to vectors. `config` sets how memories age,
    `policy` how the budget of a read is divided. `reranker` is a `Reranker`, or a function from a question and
    texts to scores. `bus` carries notices of changes; without one, and without the setting `redis`, they stay in
    this process: `memory.bus.subscribe()`. `vector_index` holds the vectors beside the store, and is searched
    instead of it. `second_look` is the encoder, or a function, that looks again at the best candidates.

    Close it, or use it in a `with` statement.
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
        second_look: Embedding | None = None,
    ) -> None:
        from foveal.backends.in_process import ThisMachine
        from foveal.backends.models.static import shared_static
        from foveal.engine.lifecycle.run import InlineMetabolism

        chosen = settings or load_settings()
        self._schedule = chosen.scheduler
        self._extraction: Extraction | None = None
        pace = InlineMetabolism()
        self._encoder = open_embedder(embedder, chosen)
        self._fine = open_second_look(second_look, embedder, chosen)
        self.llm = open_llm(chosen)
        place = url if url is not None else chosen.url
        store = open_store(place, chosen)
        clock = clock or SystemClock()
        values = policy or chosen.policy
        self.bus: Bus = bus or open_bus(chosen, clock)
        self._owns_bus = bus is None
        notifier = Notifier(self.bus, clock)
        store.on_damage(partial(notifier.fault, "store"))
        self._second_look = self._fine and _second_look(store, self._fine, notifier)
        runtime = Runtime(
            store=store,
            second_look=self._second_look,
            vector_sync=_vector_sync(store, notifier, vector_index, chosen),
            embedder=self._encoder,
            pieces=shared_static(),
            counter=open_counter(chosen.tokenizer),
            clock=clock,
            touches=PendingReads(store, clock, logging=chosen.recall_log),
            config=config or chosen.memory,
            summarizer=open_summarizer(self.llm),
            llm=self.llm,
            llm_calls=chosen.llm_calls,
            policy=values,
            reranker=open_reranker(reranker, chosen),
            reranker_limit=timedelta(milliseconds=chosen.reranker_ms),
            machine=ThisMachine(),
            notifier=notifier,
            readers={".pdf": _pdf_text, **READERS},
            rankings=RankingCache(
                open_caches(chosen, notifier.degraded),
                release=foveal.__version__,
                ttl=timedelta(seconds=chosen.cache_seconds),
            ),
            encoder_of=partial(open_embedder, settings=chosen),
            backup=partial(_backed_up, str(place)) if names_postgres(place) else None,
        )
        self._pace = pace if chosen.metabolism == "auto" and runtime.config.enable_auto_migration else None
        if self._pace is not None:
            runtime = replace(runtime, wrote=partial(pace.wrote, runtime))
            pace.opened(runtime)
        if self.llm is not None and chosen.llm_calls:
            self._extraction = Extraction() if chosen.metabolism == "auto" else None
            noted = enrol if self._extraction is None else self._extraction.remembered
            runtime = replace(runtime, remembered=partial(noted, runtime))
        actor = chosen.actor_id or DEFAULT_ACTOR
        self._actor_checked = chosen.actor_id is not None
        super().__init__(runtime, {"world": values.default_world, "actor_id": actor})

    @property
    def runtime(self) -> Runtime:
        """The parts that all verbs work with."""
        return self._runtime

    def other_actors(self) -> dict[str, int]:
        """How many memories each other actor of this world has, if the default actor has none."""
        bound = viewpoint_of(self._bound, {})
        actors = [actor for world, actor in self._runtime.store.counts.organisms() if world == bound.world]
        if bound.actor_id in actors:
            return {}
        return {actor: self.view(actor_id=actor).stats().records for actor in sorted(actors)}

    def _access(
        self,
        at: At,
        filters: Filters | None = None,
        as_of: Moment | None = None,
        valid_at: Moment | None = None,
    ) -> Access:
        if "actor_id" not in at and not self._actor_checked:
            # Once: a memory that seems empty often belongs to somebody else.
            self._actor_checked = True
            if others := self.other_actors():
                warnings.warn(
                    describe_others(others, self._bound.get("actor_id", ""), "pass actor_id={!r}"), stacklevel=4
                )
        return super()._access(at, filters, as_of, valid_at)

    def close(self) -> None:
        """Close the store. Acknowledged writes are already in it; pending counts of reads are written now."""
        try:
            if self._extraction is not None:
                self._extraction.close()
            if self._second_look is not None:
                self._second_look.close()
            flush_all(self._runtime)
            self._runtime.touches.flush()
            self._runtime.vector_sync.close(lambda: self._runtime.encoder)
            if self._pace is not None:
                self._pace.closing(self._runtime)
        finally:
            self._runtime.store.close()
            self._encoder.close()
            if self._fine is not None:
                self._fine.close()
            self._runtime.rankings.close()
            if self._owns_bus:
                self.bus.close()

    @property
    def keys(self) -> Keys:
        """The API keys in the store, for the service that makes and checks them."""
        return self._runtime.store.server

    @property
    def idempotency(self) -> Idempotency:
        """The requests with an idempotency key in the store, for the service that answers each once."""
        return self._runtime.store.server

    def scheduler(self) -> Scheduler:
        """The schedule of the upkeep of this memory; a `Worker` runs it."""
        return Scheduler(self._runtime, self._schedule)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncMemory(AsyncView):
    """`Memory` for asynchronous callers: the same verbs, awaited.

    Opening and closing run in a thread. `async with` waits until the memory is open, and so does the first verb,
    which raises the error if it cannot be opened.
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
        second_look: Embedding | None = None,
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
            second_look=second_look,
        )
        opener.shutdown(wait=False)
        super().__init__(make=self._opening.result)

    @property
    def bus(self) -> Bus:
        """The bus that carries notices of this memory. Waits until the memory is open."""
        return self._opening.result().bus

    async def close(self) -> None:
        """Close the store. Acknowledged writes are already in it."""
        memory = await asyncio.wrap_future(self._opening)
        await asyncio.to_thread(memory.close)

    async def __aenter__(self) -> Self:
        await asyncio.wrap_future(self._opening)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


class Collection:
    """One collection of a long-term memory, with the calls that a collection of ChromaDB has for texts.

    They go through the memory: its encoder and its relevance, and the distance of a text is 1 less its relevance.
    """

    def __init__(self, view: View, name: str) -> None:
        self._view, self.name = view, name
        [self._kind] = kinds_of([name])

    def add(
        self,
        ids: Sequence[str],
        documents: Sequence[str],
        metadatas: Sequence[Mapping[str, Any]] | None = None,
    ) -> None:
        """Store texts under these ids. As in ChromaDB, an id that is there already stays as it is."""
        known = {record.id for record in self._view.get_many(ids)}
        about = metadatas or [{} for _ in ids]
        self._view.write_many(
            {"id": key, "text": text, "metadata": metadata, "kind": self._kind}
            for key, text, metadata in zip(ids, documents, about, strict=True)
            if key not in known
        )

    def query(self, query_texts: Sequence[str], n_results: int = 10) -> dict[str, list[list[Any]]]:
        """The nearest texts to each query: ids, documents, metadatas and distances, a list for each query."""
        found = [self._view.longterm.semantic_search(text, [self.name], n_results) for text in query_texts]
        return {
            "ids": [[result.id for result in results] for results in found],
            "documents": [[result.content for result in results] for results in found],
            "metadatas": [[{"id": result.id, **result.metadata} for result in results] for results in found],
            "distances": [[1.0 - result.relevance for result in results] for results in found],
        }

    def count(self) -> int:
        """How many texts the collection has."""
        return self._view.stats(filters={"kind": self._kind}).records


class LongTermMemory(AsyncLongTerm):
    """Long-term memory by itself: a memory file, and its vectors in a folder of ChromaDB.

    It is the `longterm` of an actor, by default the one of the settings or "me", with an attribute for each
    collection. The encoder is the memory's own, so nothing is downloaded. Close it when you are done.
    """

    def __init__(self, db_path: str, chroma_path: str, *, actor_id: str | None = None) -> None:
        self.db_path = db_path
        self.chroma = _chroma(Path(chroma_path))
        self.memory = Memory(db_path, vector_index=self.chroma)
        view = self.memory.view(actor_id=actor_id or load_settings().actor_id or DEFAULT_ACTOR)
        super().__init__(view.longterm)
        self.decisions_collection = Collection(view, "decisions")
        self.incidents_collection = Collection(view, "incidents")
        self.procedures_collection = Collection(view, "procedures")
        self.knowledge_collection = Collection(view, "knowledge")

    async def close(self) -> None:
        """Close the file and the folder."""
        await asyncio.to_thread(self.memory.close)


def create_memory_service(url: str | Path | None = None, *, settings: Settings | None = None) -> Memory:
    """A memory to pass to `MemoryClient`."""
    return Memory(url, settings=settings)


def _pdf_text(data: bytes) -> str:
    from foveal.backends.models.adapters import pdf_text

    return pdf_text(data)


def open_store(url: str | Path | None, settings: Settings) -> Store:
    """Open the store at a URL or path."""
    if names_postgres(url):
        return _postgres(str(url), settings)
    from foveal.backends.sqlite import SqliteStore

    if isinstance(url, str) and url.removeprefix("sqlite:///") == ":memory:":
        return SqliteStore(":memory:", quota=settings.quotas.actor)
    path, read_only = sqlite_path(url)
    seconds = settings.store_timeout
    return SqliteStore(
        path,
        synchronous=settings.synchronous,
        read_only=read_only,
        quota=settings.quotas.actor,
        timeout=None if seconds is None else timedelta(seconds=seconds),
    )


def _postgres(url: str, settings: Settings) -> Store:
    try:
        from foveal.backends.postgres import PostgresStore
        from foveal.backends.postgres.connection import WAIT_SECONDS
    except ModuleNotFoundError as error:
        raise Unsupported(
            f"{error.name} is not installed: pip install 'foveal[postgres]' to keep memory in Postgres"
        ) from None
    options = settings.postgres
    return PostgresStore(
        url,
        pool_size=options.pool_size,
        replica=options.replica,
        staleness=timedelta(seconds=options.staleness),
        mirror_records=options.mirror_records,
        quota=settings.quotas.actor,
        wait_seconds=WAIT_SECONDS if settings.store_timeout is None else settings.store_timeout,
    )


def open_embedder(embedder: Embedding | None, settings: Settings) -> CachingEmbedder:
    """The given encoder, or the one in the settings, with a cache in front of it."""
    from foveal.backends.models.adapters import CachingEmbedder

    if embedder is None:
        # The bundled encoder is faster than a request to another machine.
        shared = None if settings.encoder == "static" else open_cache(settings)
        return CachingEmbedder(_named_embedder(settings.encoder, settings), shared=shared)
    from foveal.backends.models.adapters import encoder_of

    return CachingEmbedder(encoder_of(embedder))


# How many vectors of questions and passages are cached for the second look.
_FINE_ROOM = 512


def open_second_look(
    given: Embedding | None, first: Embedding | None, settings: Settings
) -> CachingEmbedder | None:
    """The encoder of the second look: the given one, or the one in the settings.

    By default it is the bundled one, if the first look is the bundled table and onnxruntime is installed.
    """
    from foveal.backends.models.adapters import CachingEmbedder, encoder_of

    if given is not None:
        return CachingEmbedder(encoder_of(given), _FINE_ROOM)
    name = settings.second_look
    if name is None:
        bundled = first is None and settings.encoder == "static" and find_spec("onnxruntime") is not None
        name = "minilm" if bundled else "off"
    if name == "off":
        return None
    shared = open_cache(settings) if name.startswith("http") else None
    return CachingEmbedder(_named_embedder(name, settings), _FINE_ROOM, shared=shared)


def _named_embedder(name: str, settings: Settings) -> Embedder:
    if name == "static":
        from foveal.backends.models.static import shared_static

        return shared_static()
    if name == "minilm":
        from foveal.backends.models.onnx import shared_minilm

        return shared_minilm()
    if name == "multilingual":
        from foveal.backends.models.onnx import shared_multilingual

        return shared_multilingual()
    if name.startswith("onnx:"):
        from foveal.backends.models.onnx import OnnxEmbedder

        return OnnxEmbedder(Path(name.removeprefix("onnx:")).expanduser())
    if name.startswith(("http://", "https://")):
        from foveal.backends.models.http import HttpEmbedder

        url, _, model = name.partition("#")
        if not model:
            raise Invalid(f"the encoder {name!r} names no model: write {name}#<model>")
        return HttpEmbedder(url, model=model, key=settings.encoder_key, breaker=open_breaker(settings))
    raise Invalid(
        f"there is no encoder {name!r}: use static, minilm, multilingual, onnx:<folder> or http(s)://host/v1#<model>"
    )


def open_reranker(reranker: Reranking | None, settings: Settings) -> Reranker | None:
    """The given reranker, or the one in the settings, if any."""
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
    """The token counter with this name."""
    if name == "estimate":
        from foveal.backends.models.tokens import EstimateCounter

        return EstimateCounter()
    from foveal.backends.models.tokens import NAMES, BpeCounter

    if name not in NAMES:
        raise Invalid(f"there is no tokenizer {name!r}: use {', '.join(NAMES)} or estimate")
    return BpeCounter(name)
