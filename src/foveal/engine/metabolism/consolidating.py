"""The pass that makes one fact of several that say nearly the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
import numpy as np

from foveal.engine.core import Core
from foveal.engine.metabolism.slicing import owner, performed
from foveal.engine.telling import WHO
from foveal.engine.write import entries
from foveal.errors import ModelUnavailable
from foveal.model.ids import new_id
from foveal.model.query import Details, Viewpoint
from foveal.model.record import Linearity, Link, LinkKind, Record, Tier
from foveal.model.results import Move, What
from foveal.ports.store import Act
from foveal.rules.drafts import drafted
from foveal.rules.duplicates import compatible, stars
from foveal.rules.lifecycle import archived
from foveal.rules.summaries import faithful, kept

# New facts are compared with the newest of those that are there: the work grows with what comes, not with what is.
WINDOW, AT_ONCE = 20_000, 256
# How long a consolidated fact may be, beside the longest of its sources.
CHARACTERS = 400


def consolidate(core: Core, viewpoint: Viewpoint | None = None, *, dry_run: bool = False) -> Iterator[Move]:
    """Near-duplicates of L4 become one record that they are linked to; they themselves go to the archive."""
    if not core.config.enable_compression:
        return
    for world, actor in [viewpoint.organism] if viewpoint else core.store.organisms():
        place = Viewpoint(world=world, actor_id=actor)
        while fresh := core.store.arrivals(owner(core, place), AT_ONCE):
            yield from _compared(core, place, fresh, dry_run)
            if dry_run:
                break
            core.store.settle(place, [one.id for one in fresh])


def _compared(core: Core, place: Viewpoint, fresh: Sequence[Record], dry_run: bool) -> Iterator[Move]:
    vectors = core.store.facts(place, core.encoder, WINDOW)
    clusters = stars([one.id for one in fresh], vectors, core.config.similarity, core.config.smallest_cluster)
    for cluster in clusters:
        found = core.store.get(owner(core, place), cluster)
        same = [one for one in found if _may_join(one, found[0])]
        if len(same) >= core.config.smallest_cluster:
            act = _merged(core, place, same)
            if act is not None:
                yield from performed(core, place, [act], dry_run=dry_run)


def _may_join(record: Record, middle: Record) -> bool:
    """Whether a record may go into a summary with another.

    Whoever may see the one must be able to see the other, or the summary would tell it.
    """
    life = record.vitals
    free = not (life.pinned or life.muted or life.expires_at or record.valid_to)
    free = free and record.linearity is not Linearity.PRESERVED
    same = (record.node, record.scope) == (middle.node, middle.scope)
    return free and same and compatible(record.text, middle.text)


def _merged(core: Core, place: Viewpoint, records: Sequence[Record]) -> Act | None:
    """The move that puts one record in the place of several; None when it would not say what they say."""
    texts = [one.text for one in records]
    try:
        text = core.summarizer.summarise(texts, max(CHARACTERS, *map(len, texts)))
        vectors = core.embedder.embed([text, *texts])
    except ModelUnavailable as error:
        core.degraded("summarizer", error)
        return None
    middle = vectors[1:].mean(axis=0)
    cosine = float(vectors[0] @ middle / max(float(np.linalg.norm(middle)), 1e-12))
    if not text or not faithful(cosine, kept(texts, text)):
        return None
    now = core.clock.now()
    made = _drafted(core, place, records, text)
    links = tuple(
        Link(source_id=one.id, target_id=made.id, kind=LinkKind.CONSOLIDATED_INTO, created_at=now)
        for one in records
    )
    why = f"{len(records)} facts say nearly the same"
    move = Move(
        id=new_id(now),
        at=now,
        who=WHO,
        what=What.CONSOLIDATED,
        why=why,
        changes=tuple(archived(one, why, now).change for one in records),
        made=(made.id,),
    )
    return Act(move=move, entries=tuple(entries(core, [made])), links=links)


def _drafted(core: Core, place: Viewpoint, records: Sequence[Record], text: str) -> Record:
    now = core.clock.now()
    first = max(records, key=lambda one: (one.vitals.importance, one.occurred_at))
    speakers = {one.speaker for one in records}
    said: Details = {
        "kind": "consolidated",
        "tier": Tier.SEMANTIC,
        "importance": first.vitals.importance,
        "region": first.region,
        "scope": first.scope,
        "source": WHO,
        "speaker": first.speaker if len(speakers) == 1 else None,
        "tags": sorted({tag for one in records for tag in one.tags})[:32],
        "occurred_at": max(one.occurred_at for one in records),
        "valid_from": min(one.valid_from for one in records),
        "metadata": {"compressed_from": len(records), "original_ids": [one.id for one in records]},
    }
    writer = msgspec.structs.replace(place, node=first.node)
    return msgspec.structs.replace(drafted(text, said, writer, now, new_id(now)), idempotency_key=None)
