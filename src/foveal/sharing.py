"""What stands beside the store of a memory when the settings name it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote

from foveal.backends.breaker import Breaker
from foveal.config import Settings
from foveal.errors import Invalid, Unsupported
from foveal.ports.models import LLM, Extractive, Summarizer
from foveal.ports.system import Bus, Cache, Clock, VectorIndex


def open_bus(settings: Settings, clock: Clock | None = None) -> Bus:
    """What carries notices: between processes, or inside this one."""
    if settings.redis is None:
        from foveal.backends.bus import RingBus

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
    from foveal.backends.cache import LruCache

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
    from foveal.backends.llm.openai import OpenAIModel

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
    from foveal.backends.summarizers.model import ModelSummarizer

    return ModelSummarizer(llm)


def _missing(error: ModuleNotFoundError) -> Unsupported:
    return Unsupported(f"the setting redis needs the package redis: pip install 'foveal[redis]' ({error})")
