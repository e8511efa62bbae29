"""`Runtime`: the fixed parts every flow works with, and the holder of what can change (encoder, policies)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from threading import Lock
from typing import Any

from foveal.engine.runtime.event_ring import EventRings
from foveal.engine.runtime.notices import Notifier
from foveal.engine.runtime.reads import Echoes, PendingReads, RankingCache
from foveal.engine.runtime.vector_sync import VectorSync
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
    """Which core has taken the place of those before it: one with another encoder."""

    runtime: Runtime | None = None
    lock: Lock = field(default_factory=Lock)


def _as_it_is(given: Embedder) -> Embedder:
    return given


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
    encoder_of: Callable[[Any], Embedder] = _as_it_is
    succession: Succession = field(default_factory=Succession)

    @property
    def newest(self) -> Runtime:
        """This core, or the one that took its place. A fork, which has a store of its own, keeps its own."""
        now = self.succession.runtime
        return now if now is not None and now.store is self.store else self

    @property
    def encoder(self) -> Encoder:
        """The name of the encoder, as the store keeps it; the store knows it also while the encoder is away."""
        try:
            return Encoder(id=self.embedder.id, dimension=self.embedder.dimension)
        except ModelUnavailable:
            known = self.store.encoder()
            if known is None or known.id != self.embedder.id:
                raise
            return known

    def degraded(self, component: str, error: FovealError) -> None:
        """Tell, if anyone may hear it, that a part is away and the work goes on without it."""
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
        """What may be seen now from this viewpoint."""
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
    """The core with what its store keeps at this moment: another process may have changed it just now."""
    kept = runtime.store.overrides()
    if not kept:
        return runtime
    policy, config = governed(runtime.policy, runtime.config, _values(kept))
    return replace(runtime, policy=policy, config=config)


def listed(runtime: Runtime) -> list[PolicyValue]:
    """Every value, and where it comes from."""
    return told(runtime.policy, runtime.config, runtime.store.overrides().values())


def amend(runtime: Runtime, values: Mapping[str, Any], reset: Collection[str]) -> list[PolicyValue]:
    """Keep some values in the store, and give others up. Gives every value as it is then."""
    now = runtime.clock.now()

    def change(kept: Mapping[str, Override]) -> dict[str, Override]:
        wanted = amended(_values(kept), values, reset, runtime.policy, runtime.config)
        return {
            name: kept[name]
            if name in kept and kept[name].value == value
            else Override(name=name, value=value, changed_at=now)
            for name, value in wanted.items()
        }

    return told(runtime.policy, runtime.config, runtime.store.override(change).values())


def _values(kept: Mapping[str, Override]) -> dict[str, Any]:
    return {name: one.value for name, one in kept.items()}
