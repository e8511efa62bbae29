"""Which turns are outdated, by the facts drawn from them: a later statement of the same thing updates them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from math import log

from msgspec.structs import replace

from foveal.engine.runtime.runtime import Runtime
from foveal.model.query import Access
from foveal.model.record import LinkKind, Record
from foveal.model.results import Hit
from foveal.rules.facts.records import fields_of
from foveal.rules.text import terms

# A turn says little beside its fact if it is at most this much longer, by this factor and this many characters.
_LONGER, _MORE = 2, 60


def latest_first(runtime: Runtime, access: Access, hits: Sequence[Hit], question: str) -> list[Hit]:
    """The hits with each turn that a later one updates below that one, which is added if it is missing.

    An update counts only if the question touches the fact that is updated, or the turn says little else. As many
    hits are returned as were given.
    """
    if not access.for_recall or access.as_of is not None or access.valid_at is not None or not hits:
        return list(hits)
    newer = _newer(runtime, access, {hit.id: hit.record for hit in hits}, question)
    if not newer:
        return list(hits)
    held = {hit.id: hit for hit in hits}
    missing = [turn for turns in newer.values() for turn in turns if turn not in held]
    added = {record.id: record for record in runtime.store.records.get(access, missing)} if missing else {}
    ordered: dict[str, Hit] = {}
    for hit in hits:
        for turn in newer.get(hit.id, ()):
            if turn in held:
                ordered.setdefault(turn, _raised(held[turn], hit.relevance))
            elif turn in added:
                parts = None if hit.parts is None else {"update": _log_odds(hit.relevance)}
                ordered.setdefault(turn, replace(hit, record=added[turn], parts=parts))
        updated_by = next((turn for turn in newer.get(hit.id, ()) if turn in ordered), None)
        ordered.setdefault(hit.id, replace(hit, replaced_by=hit.replaced_by or updated_by))
    return list(ordered.values())[: len(hits)]


def _raised(hit: Hit, relevance: float) -> Hit:
    """The hit with at least this relevance; what it gains is a part of its own, so that the parts still add up."""
    if hit.relevance >= relevance:
        return hit
    parts = hit.parts
    if parts is not None:
        parts = {**parts, "update": _log_odds(relevance) - _log_odds(hit.relevance)}
    return replace(hit, relevance=relevance, parts=parts)


def _log_odds(chance: float) -> float:
    held = min(max(chance, 1e-6), 1 - 1e-6)
    return log(held / (1 - held))


def _newer(runtime: Runtime, access: Access, turns: Mapping[str, Record], question: str) -> dict[str, list[str]]:
    """For each outdated turn, the turns whose facts update one of its own that is asked about, latest first."""
    # Facts are muted, and stand only behind their turns.
    seen = replace(access, where=None, for_recall=False)
    facts: dict[str, set[str]] = defaultdict(set)
    for link in runtime.store.trees.edges(seen, list(turns)):
        if link.kind == LinkKind.DERIVED_FROM and link.target_id in turns:
            facts[link.source_id].add(link.target_id)
    if not facts:
        return {}
    updates = [
        link
        for link in runtime.store.trees.edges(seen, list(facts))
        if link.kind == LinkKind.UPDATES and link.target_id in facts
    ]
    if not updates:
        return {}
    asked = set(terms(question))
    ends = {end for link in updates for end in (link.source_id, link.target_id)}
    told = {record.id: record for record in runtime.store.records.get(seen, list(ends))}
    sources: dict[str, set[str]] = defaultdict(set)
    for link in runtime.store.trees.edges(seen, [link.source_id for link in updates]):
        if link.kind == LinkKind.DERIVED_FROM:
            sources[link.source_id].add(link.target_id)
        elif link.kind == LinkKind.UPDATES and _stands_alone(told.get(link.source_id)):
            # What a person gave stands in no turn.
            sources[link.source_id].add(link.source_id)
    newer: dict[str, list[str]] = {}
    for link in sorted(updates, key=lambda link: link.source_id, reverse=True):
        for turn in facts[link.target_id]:
            if not _is_asked(asked, turns[turn], told.get(link.target_id), told.get(link.source_id)):
                continue
            newer.setdefault(turn, []).extend(
                later for later in sorted(sources[link.source_id], reverse=True) if later != turn
            )
    return newer


def _stands_alone(fact: Record | None) -> bool:
    return fact is not None and not fact.vitals.muted


def _is_said(fact: Record | None) -> bool:
    fields = None if fact is None else fields_of(fact)
    return fields is None or not fields.unsaid


def _is_asked(asked: Set[str], turn: Record, old: Record | None, new: Record | None) -> bool:
    """Whether a question with these words concerns a fact of a turn that was updated."""
    if old is None or new is None or not (_is_said(old) and _is_said(new)):
        return False
    if len(turn.text) <= _LONGER * len(old.text) + _MORE:
        return True
    return not asked.isdisjoint(terms(f"{old.text} {new.text}"))
