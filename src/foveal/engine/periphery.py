"""The edge of a read: in short what stands around that it does not quote."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping

from foveal.engine.core import Core
from foveal.model.query import Sight
from foveal.model.record import Record, Rendition, Scope, Subject
from foveal.model.results import Hit
from foveal.rules.rendering import in_short
from foveal.rules.summaries import EXTRACTIVE, summary

# Of so many sessions, or regions, it is asked what they say in short.
ASKED = 6
# A cell of so many digits is summed up if it holds so many records that are left out, in so many characters.
DIGITS, LEAST, CHARACTERS = 3, 3, 200


def periphery(
    core: Core, sight: Sight, budget: int, hits: Mapping[str, Hit], shown: Collection[str]
) -> list[tuple[Rendition, str, int]]:
    """What sessions say in short that hold much of what was found and is not shown, each with its line and cost.

    They take a share of the budget at most, and none of one that is short. Where no session is summed up, regions
    are; where those are not either, cells of the map, if the policy wants them.
    """
    policy = core.policy
    if budget < policy.periphery_from_tokens or sight.where or sight.as_of or sight.valid_at:
        return []
    left = [hit for one, hit in hits.items() if one not in shown]
    known = _renditions(core, sight, Subject.SESSION, left) or _renditions(core, sight, Subject.REGION, left)
    if not known and policy.periphery_cells:
        known = _cells(sight, left)
    room = int(policy.periphery_ratio * budget)
    chosen: list[tuple[Rendition, str, int]] = []
    for rendition in known:
        line = in_short(rendition)
        cost = core.counter.count(line + "\n")
        if cost <= room and not _mostly_shown(rendition, shown):
            chosen.append((rendition, line, cost))
            room -= cost
    return sorted(chosen, key=lambda one: one[0].first_at)


def _renditions(core: Core, sight: Sight, kind: Subject, left: Collection[Hit]) -> list[Rendition]:
    """What the sessions, or regions, that hold most of these hits say in short, the richest first."""
    worth: Counter[str] = Counter()
    for hit in left:
        subject = hit.record.session_id if kind is Subject.SESSION else hit.record.region
        if subject is not None:
            worth[subject] += hit.relevance  # pyright: ignore[reportArgumentType]
    best = [subject for subject, _ in worth.most_common(ASKED)]
    found = core.store.renditions(sight, kind, subjects=best, limit=4 * ASKED) if best else []
    return sorted(found, key=lambda one: best.index(one.subject))


def _cells(sight: Sight, left: Collection[Hit]) -> list[Rendition]:
    """What is left out of the cells that hold most of it, in short, the richest first."""
    worth: Counter[tuple[str, str, Scope]] = Counter()
    records: dict[tuple[str, str, Scope], list[Record]] = {}
    for hit in left:
        place = (hit.record.address.digits[:DIGITS], hit.record.node, hit.record.scope)
        worth[place] += hit.relevance  # pyright: ignore[reportArgumentType]
        records.setdefault(place, []).append(hit.record)
    best = [place for place, _ in worth.most_common() if len(records[place]) >= LEAST][:ASKED]
    return [_summed_up(sight, place, records[place]) for place in best]


def _summed_up(sight: Sight, place: tuple[str, str, Scope], records: list[Record]) -> Rendition:
    ordered = sorted(records, key=lambda one: (one.occurred_at, one.id))
    return Rendition(
        kind=Subject.CELL,
        subject=f"#{place[0]}",
        node=place[1],
        scope=place[2],
        text=summary([one.text for one in ordered], CHARACTERS),
        records=len(ordered),
        sources=tuple(sorted((one.id, one.version) for one in ordered)),
        first_at=ordered[0].occurred_at,
        last_at=ordered[-1].occurred_at,
        maker=EXTRACTIVE,
        made_at=sight.now,
    )


def _mostly_shown(rendition: Rendition, shown: Collection[str]) -> bool:
    return 2 * sum(one in shown for one, _ in rendition.sources) > len(rendition.sources)
