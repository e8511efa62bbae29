"""`Runtime`, the parts that every flow works with, and access to what can change: the encoder and the policies."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cached_property
from threading import Lock
from typing import Any

from foveal.engine.runtime.event_ring import EventRings
from foveal.engine.runtime.notices import Notifier
from foveal.engine.runtime.reads import Echoes, PendingReads, RankingCache
from foveal.engine.runtime.vector_sync import VectorSync
from foveal.engine.runtime.writes import WritePath
from foveal.errors import FovealError, ModelUnavailable
from foveal.model.policy import MemoryConfig, MemoryPolicyConfig, Override, PolicyValue
from foveal.model.query import Access, Filter, Viewpoint
from foveal.ports.models import Embedder, Extractive, Pieces, Reader, Reranker, Summarizer, TokenCounter
from foveal.ports.store import Encoder, Store
from foveal.ports.system import Clock, Machine
from foveal.rules.lifecycle import amended, governed, told
from foveal.rules.summaries import Summarise, remembering, summary


@dataclass
class Succession:
    """Holds the runtime that replaced the earlier ones when the encoder changed."""

    runtime: Runtime | None = None
    lock: Lock = field(default_factory=Lock)


def _unchanged(embedder: Embedder) -> Embedder:
    return embedder


@dataclass(frozen=True)
class Runtime:
    """The store, the encoder, the word pieces, the token counter and the clock of one memory."""

    store: Store
    embedder: Embedder
    pieces: Pieces
    counter: TokenCounter
    clock: Clock
    touches: PendingReads
    machine: Machine
    vector_sync: VectorSync
    config: MemoryConfig = field(default_factory=MemoryConfig)
    summarizer: Summarizer = field(default_factory=Extractive)
    reranker: Reranker | None = None
    reranker_limit: timedelta = timedelta(milliseconds=150)
    policy: MemoryPolicyConfig = field(default_factory=MemoryPolicyConfig)
    readers: Mapping[str, Reader] = field(default_factory=dict[str, Reader])
    rings: EventRings = field(default_factory=EventRings)
    echoes: Echoes = field(default_factory=Echoes)
    rankings: RankingCache = field(default_factory=RankingCache)
    notifier: Notifier | None = None
    wrote: Callable[[Viewpoint, int], None] = lambda _viewpoint, _count: None
    summarise: Summarise = field(default_factory=lambda: remembering(summary))
    encoder_of: Callable[[Any], Embedder] = _unchanged
    succession: Succession = field(default_factory=Succession)

    @cached_property
    def writes(self) -> WritePath:
        """The path of every change for which there is a notice."""
        return WritePath(self.store, self.vector_sync, self.notifier)

    @property
    def newest(self) -> Runtime:
        """This runtime, or the one that replaced it. A fork has a store of its own and is never replaced."""
        now = self.succession.runtime
        return now if now is not None and now.store is self.store else self

    @property
    def encoder(self) -> Encoder:
        """The id and dimension of the encoder, taken from the store while the encoder is unavailable."""
        try:
            return Encoder(id=self.embedder.id, dimension=self.embedder.dimension)
        except ModelUnavailable:
            known = self.store.vectors.encoder()
            if known is None or known.id != self.embedder.id:
                raise
            return known

    def degraded(self, component: str, error: FovealError) -> None:
        """Publish a notice, if there is a bus, that a part is unavailable and work continues without it."""
        if self.notifier is not None:
            self.notifier.degraded(component, error)

    def access(
        self,
        viewpoint: Viewpoint,
        *,
        where: Filter | None = None,
        as_of: datetime | None = None,
        valid_at: datetime | None = None,
        as_owner: bool = False,
        include_hidden: bool = False,
        for_recall: bool = False,
    ) -> Access:
        """What a call may see from this viewpoint now."""
        return Access(
            viewpoint=viewpoint,
            now=self.clock.now(),
            where=where,
            as_of=as_of,
            valid_at=valid_at,
            as_owner=as_owner,
            include_hidden=include_hidden,
            for_recall=for_recall,
        )


def current(runtime: Runtime) -> Runtime:
    """The runtime with the overrides that its store holds at this moment; other processes may change them."""
    overrides = runtime.store.server.overrides()
    if not overrides:
        return runtime
    policy, config = governed(runtime.policy, runtime.config, _values(overrides))
    return replace(runtime, policy=policy, config=config)


def listed(runtime: Runtime) -> list[PolicyValue]:
    """Every policy value, and where it comes from."""
    return told(runtime.policy, runtime.config, runtime.store.server.overrides().values())


def amend(runtime: Runtime, values: Mapping[str, Any], reset: Collection[str]) -> list[PolicyValue]:
    """Set some overrides in the store and remove others. Returns every policy value as it is then."""
    now = runtime.clock.now()

    def change(overrides: Mapping[str, Override]) -> dict[str, Override]:
        wanted = amended(_values(overrides), values, reset, runtime.policy, runtime.config)
        return {
            name: overrides[name]
            if name in overrides and overrides[name].value == value
            else Override(name=name, value=value, changed_at=now)
            for name, value in wanted.items()
        }

    return told(runtime.policy, runtime.config, runtime.store.server.override(change).values())


def _values(overrides: Mapping[str, Override]) -> dict[str, Any]:
    return {name: override.value for name, override in overrides.items()}
