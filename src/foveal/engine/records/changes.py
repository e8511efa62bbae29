"""Changes to records other than their text: forget, erase, pin, mute, reinforce, undo."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from foveal.engine.records import write
from foveal.engine.records.remember import derived_facts
from foveal.engine.runtime.runtime import Runtime
from foveal.errors import Conflict, Forbidden, Invalid, NotFound, Pinned
from foveal.model.glyph import Tape
from foveal.model.ids import new_id
from foveal.model.query import Access, Details, Viewpoint
from foveal.model.record import Link, LinkKind, Record, Scope, Tier, Vitals
from foveal.model.results import Change, EraseReceipt, Forgotten, Metabolised, Move, What
from foveal.ports.store import Erasure, NewRecord, Order, PlannedMove
from foveal.rules.crystals import redacted, telling
from foveal.rules.decay import reinforced
from foveal.rules.drafts import ENTRY, is_task, next_version
from foveal.rules.facts.records import fields_of
from foveal.rules.filters import names_something, parsed_filter
from foveal.rules.lifecycle import ASKED, forgetting, turned_back


def texts_of(runtime: Runtime, access: Access, ids: Iterable[str]) -> list[str]:
    """The texts of all versions of these records, including versions that are not visible from the node."""
    wide = msgspec.structs.replace(access, where=None, as_owner=True, include_hidden=True)
    return [version.text for record_id in ids for version in runtime.store.records.history(wide, record_id)]


def redact(runtime: Runtime, viewpoint: Viewpoint, texts: Iterable[str]) -> tuple[str, ...]:
    """Remove texts from every crystal of an organism, cherished ones too. Returns the ids of changed crystals."""
    passages = telling(texts)
    # Erasing applies to every node, so look from the root.
    root = msgspec.structs.replace(viewpoint, node="/")
    ids: list[str] = []
    for line in runtime.store.crystals.lineages(root) if passages else ():
        crystal = redacted(runtime.store.crystals.get(root, line.crystal_id), passages)
        if crystal is not None:
            runtime.writes.put_crystal(root, crystal, instead=True)
            ids.append(line.crystal_id)
    return tuple(ids)


def undo(runtime: Runtime, access: Access, move_id: str) -> Move:
    """Undo a move: restore what it changed and forget the records it created. Returns the move that did so."""
    moves = runtime.store.lifecycle.journal(access, move_id=move_id, limit=1)
    if not moves:
        raise NotFound(f"there is no move {move_id!r} here", move_id=move_id)
    move = moves[0]
    if move.undone_at is not None:
        raise Conflict(f"the move {move_id} was undone already", move_id=move_id)
    if move.what is What.SUPERSEDED:
        _restore_text(runtime, access, move)
    tape = _built(runtime, access, move)
    narrower = _narrowed(runtime, access, move) if move.what is What.WIDENED else ()
    changes = [_reverted(move, change) for change in move.changes]
    for record in runtime.store.records.get(msgspec.structs.replace(access, include_hidden=True), move.made):
        forgotten = msgspec.structs.replace(record.vitals, forgotten_at=access.now)
        changes.append(Change(record_id=record.id, before=record.vitals, after=forgotten))
    undoing = Move(
        id=new_id(access.now),
        at=access.now,
        who=access.viewpoint.node,
        what=What.UNDONE,
        why=f"undid {move.what} {move.id}",
        changes=tuple(changes),
    )
    reopened = _reopened(runtime, access, move) if move.what is What.LEARNED else ()
    restored = _uncorrected(runtime, access, move) if move.what is What.CORRECTED else ()
    act = PlannedMove(
        move=undoing,
        undoes=move.id,
        versions=(*narrower, *reopened, *restored),
        unlinks=_made_links(runtime, access, move),
    )
    if not runtime.writes.apply(access, [act], runtime.encoder):
        raise Conflict("the record moved again since: undo its later moves first", move_id=move_id)
    if tape is not None:
        runtime.writes.drop_tape(access.viewpoint, tape.number)
    return undoing


def _built(runtime: Runtime, access: Access, move: Move) -> Tape | None:
    """The tape that a move built, if it is still there; `Conflict` if it is in use."""
    if move.what is not What.TAPED:
        return None
    for tape in runtime.store.tapes.all(access.viewpoint):
        if tape.number == move.version:
            if tape.active:
                raise Conflict(f"tape {tape.number} is in use: switch to another first", move_id=move.id)
            return tape
    return None


def _reopened(runtime: Runtime, access: Access, move: Move) -> tuple[NewRecord, ...]:
    """The next versions of the facts that a move had closed: they hold again."""
    made = set(move.made)
    wide = msgspec.structs.replace(access, where=None, include_hidden=True)
    links = runtime.store.trees.edges(wide, move.made) if made else []
    closed = [link.target_id for link in links if link.kind == LinkKind.UPDATES and link.source_id in made]
    return tuple(
        write.entries(
            runtime,
            [
                next_version(record, record.text, {"valid_from": record.valid_from, "valid_to": None}, access.now)
                for record in runtime.store.records.get(access, closed)
                if record.valid_to is not None and record.version > 1
            ],
        )
    )


def _uncorrected(runtime: Runtime, access: Access, move: Move) -> tuple[NewRecord, ...]:
    """The next versions of the facts that a correction changed: they are as before it."""
    wide = msgspec.structs.replace(access, where=None, include_hidden=True)
    versions: list[Record] = []
    for record in runtime.store.records.get(wide, [change.record_id for change in move.changes]):
        history = runtime.store.records.history(wide, record.id)
        written = [place for place, version in enumerate(history) if _written_by(version, move)]
        if not written:
            continue
        if written[-1] != len(history) - 1 or written[-1] == 0:
            raise Conflict(f"{record.id} has a later version: undo that first", record_id=record.id)
        earlier = history[written[-1] - 1]
        span = Details(valid_from=earlier.valid_from, valid_to=earlier.valid_to, metadata=dict(earlier.metadata))
        versions.append(next_version(record, earlier.text, span, access.now))
    return tuple(write.entries(runtime, versions))


def _written_by(version: Record, move: Move) -> bool:
    fields = fields_of(version)
    return fields is not None and fields.move == move.id


def _made_links(runtime: Runtime, access: Access, move: Move) -> tuple[Link, ...]:
    """The links that a move of facts made between records that stay."""
    if move.what not in (What.LEARNED, What.CORRECTED):
        return ()
    ids = [change.record_id for change in move.changes if change.record_id not in move.made]
    links = runtime.store.trees.edges(msgspec.structs.replace(access, where=None, include_hidden=True), ids)
    if move.what is What.CORRECTED:
        return tuple(link for link in links if link.created_at == move.at)
    # The turn that said the same again.
    return tuple(
        link
        for link in links
        if link.kind == LinkKind.DERIVED_FROM
        and link.target_id == move.record_id
        and link.source_id not in move.made
    )


def _reverted(move: Move, change: Change) -> Change:
    reverted = turned_back(change)
    if move.what is not What.EXPIRED:
        return reverted
    # With its old expiry the record would expire again at once.
    return msgspec.structs.replace(reverted, after=msgspec.structs.replace(reverted.after, expires_at=None))


# How many records one move widens, and how many moves are shown.
WIDENED_AT_ONCE, MOST_EXAMPLES = 200, 20


def widen(runtime: Runtime, access: Access, *, dry_run: bool = False) -> Metabolised:
    """Make the records that the root wrote as LOCAL GLOBAL, by new versions with the same text.

    Only the root sees such records: for another node there is nothing to widen.
    """
    where = parsed_filter({"node": "/", "scope": Scope.LOCAL.value, "kind": {"ne": ENTRY}})
    old = [
        record
        for record in runtime.store.records.scan(msgspec.structs.replace(access, where=where), order=Order.OLDEST)
        if not is_task(record)
    ]
    moves: list[Move] = []
    for start in range(0, len(old), WIDENED_AT_ONCE):
        part = old[start : start + WIDENED_AT_ONCE]
        move = Move(
            id=new_id(access.now),
            at=access.now,
            who=access.viewpoint.node,
            what=What.WIDENED,
            why="what the root writes is for all its agents",
            changes=tuple(
                Change(record_id=record.id, before=record.vitals, after=record.vitals) for record in part
            ),
        )
        act = PlannedMove(move=move, versions=_rescoped(runtime, access, part, Scope.GLOBAL))
        if dry_run or runtime.writes.apply(access, [act], runtime.encoder):
            moves.append(move)
    widened = sum(len(move.changes) for move in moves)
    counts = {What.WIDENED.value: widened} if widened else {}
    return Metabolised(moves=widened, counts=counts, examples=tuple(moves[:MOST_EXAMPLES]), dry_run=dry_run)


def _narrowed(runtime: Runtime, access: Access, move: Move) -> tuple[NewRecord, ...]:
    """The versions that undo a widening; those of records that were narrowed since are left as they are."""
    hidden = msgspec.structs.replace(access, include_hidden=True)
    records = runtime.store.records.get(hidden, [change.record_id for change in move.changes])
    return _rescoped(runtime, access, [record for record in records if record.scope is Scope.GLOBAL], Scope.LOCAL)


def _rescoped(runtime: Runtime, access: Access, records: Sequence[Record], scope: Scope) -> tuple[NewRecord, ...]:
    versions = [
        next_version(record, record.text, {"scope": scope, "valid_from": record.valid_from}, access.now)
        for record in records
    ]
    new_versions = zip(write.entries(runtime, versions), records, strict=True)
    return tuple(msgspec.structs.replace(entry, was=record.vitals) for entry, record in new_versions)


def _restore_text(runtime: Runtime, access: Access, move: Move) -> None:
    versions = runtime.store.records.history(access, move.record_id)
    if versions[-1].version != move.version:
        raise Conflict(f"{move.record_id} has a later version: undo that first", record_id=move.record_id)
    earlier = next((version for version in versions if version.version == versions[-1].version - 1), None)
    if earlier is None:
        raise Forbidden(f"the version of {move.record_id} before it is not yours to see", record_id=move.record_id)
    write.supersede(runtime, access.viewpoint, move.record_id, earlier.text, {}, versions[-1].version)


def undo_consolidation(runtime: Runtime, access: Access, sources: Sequence[Record]) -> list[str]:
    """Undo the consolidations that these records went into, before they are forgotten, muted or superseded.

    The other sources become separate records again. Returns the ids of the consolidated records.
    """
    consolidated: list[str] = []
    wide = msgspec.structs.replace(access, where=None, include_hidden=True)
    for record in sources:
        # Only archived semantic records can have been consolidated.
        if record.vitals.tier is not Tier.SEMANTIC or record.vitals.archived_at is None:
            continue
        for move in runtime.store.lifecycle.journal(wide, record_id=record.id, limit=20):
            if move.what is What.CONSOLIDATED and move.undone_at is None:
                consolidated += move.made
                try:
                    undo(runtime, wide, move.id)
                except Conflict:
                    # A source has moved since: then only the consolidated record is forgotten.
                    ids = [each.id for each in runtime.store.records.get(wide, move.made)]
                    runtime.writes.revise(
                        wide, ids, lambda each: msgspec.structs.replace(each.vitals, forgotten_at=access.now)
                    )
    return consolidated


# A depth that no family reaches.
DEEPEST = 10_000


def forget(
    runtime: Runtime,
    viewpoint: Viewpoint,
    target: str | Sequence[str] | Mapping[str, Any],
    *,
    hard: bool,
    cascade: bool = False,
    why: str = ASKED,
) -> Forgotten:
    """Hide or erase one record, several, or all that match a filter; with `cascade`, their descendants too."""
    runtime.touches.flush()
    # Records that are forgotten or expired already can still be erased.
    access = runtime.access(viewpoint, include_hidden=hard)
    records = targets(runtime, access, target)
    pinned = [record.id for record in records if record.vitals.pinned]
    if pinned and isinstance(target, str):
        raise Pinned(f"{target} is pinned: unpin it first", record_id=target)
    consolidated = undo_consolidation(runtime, access, records)
    # What was drawn from these records alone goes with them.
    facts = derived_facts(runtime, access, [record.id for record in records if not record.vitals.pinned])
    records = [*records, *(fact for fact in facts if fact not in records)]
    pinned += [record.id for record in facts if record.vitals.pinned and record.id not in pinned]
    if cascade:
        return _forget_trees(runtime, access, [record.id for record in records], hard=hard)
    ids = [record.id for record in records if not record.vitals.pinned]
    if hard:
        # Consolidated records contain what the erased ones said.
        wide = msgspec.structs.replace(access, where=None)
        derived = [record.id for record in runtime.store.records.get(wide, consolidated) if record.id not in ids]
        texts = texts_of(runtime, wide, [*ids, *derived])
        erasure = runtime.writes.erase(wide, [*ids, *derived]) if ids else Erasure()
        crystals = redact(runtime, viewpoint, texts)
        return Forgotten(
            ids=tuple(ids),
            pinned=tuple(pinned),
            erased=True,
            lingers=not erasure.settled,
            crystals=crystals,
            removed={**erasure.removed, "crystals": len(crystals)},
        )
    # Undoing a consolidation changed the vitals of its sources.
    current = runtime.store.records.get(access, [record.id for record in records]) if consolidated else records
    move = _hide(runtime, access, [record for record in current if not record.vitals.pinned], why)
    return Forgotten(ids=tuple(ids), pinned=tuple(pinned), move=move)


def erase_actors(runtime: Runtime, world: str, actors: Sequence[str]) -> EraseReceipt:
    """Erase everything of some actors of a world: records, ledgers, crystals, logs and their names."""
    runtime.touches.flush()
    removed: Counter[str] = Counter()
    settled = True
    for actor in actors:
        viewpoint = Viewpoint(world=world, actor_id=actor)
        owner = runtime.access(viewpoint, as_owner=True, include_hidden=True)
        ids = [record.id for record in runtime.store.records.scan(owner, order=Order.OLDEST)]
        runtime.rings.drop(viewpoint.organism)
        erasure = runtime.writes.erase_all(viewpoint, ids)
        removed.update(erasure.removed)
        settled = settled and erasure.settled
    return EraseReceipt(world=world, actors=len(actors), removed=dict(removed), lingers=not settled)


def _forget_trees(runtime: Runtime, access: Access, ids: Sequence[str], *, hard: bool) -> Forgotten:
    """Forget records and their descendants; erased texts are removed from crystals too."""
    texts: dict[str, list[str]] = {}
    if hard:
        below = [record.id for top in ids for record in runtime.store.trees.descendants(access, top, DEEPEST)]
        texts = {each: texts_of(runtime, access, [each]) for each in dict.fromkeys([*ids, *below])}
    forgotten = runtime.writes.forget_tree(access, ids, hard=hard, move_id=new_id(access.now))
    erased = [text for record_id in forgotten.ids for text in texts.get(record_id, ())]
    return msgspec.structs.replace(forgotten, crystals=redact(runtime, access.viewpoint, erased))


def _hide(runtime: Runtime, access: Access, records: Sequence[Record], why: str) -> str | None:
    """Hide records as one move. Returns its id, with which it can be undone; None if there was nothing to hide."""
    while records:
        move = forgetting(new_id(access.now), records, access.viewpoint.node, access.now, why)
        if runtime.writes.apply(access, [PlannedMove(move=move)], runtime.encoder):
            return move.id
        # Another process has changed some of them in the meantime.
        records = runtime.store.records.get(access, [record.id for record in records])
    return None


def targets(runtime: Runtime, access: Access, target: str | Sequence[str] | Mapping[str, Any]) -> list[Record]:
    """The records that a target names; `NotFound` for an id that is not visible."""
    if isinstance(target, Mapping):
        where = parsed_filter(target)
        if where is None or not names_something(where):
            raise Invalid("a filter that asks for nothing would forget everything: name what to forget")
        return list(runtime.store.records.scan(msgspec.structs.replace(access, where=where), order=Order.OLDEST))
    ids = [target] if isinstance(target, str) else list(dict.fromkeys(target))
    records = runtime.store.records.get(access, ids)
    visible = {record.id for record in records}
    for record_id in ids:
        if record_id not in visible:
            raise NotFound(f"there is no record {record_id!r} here", record_id=record_id)
    return records


def pin(runtime: Runtime, access: Access, record_id: str, *, pinned: bool) -> Record:
    """Pin a record, or unpin it."""
    return runtime.writes.revise(
        access, [record_id], lambda record: msgspec.structs.replace(record.vitals, pinned=pinned)
    )[0]


def mute(runtime: Runtime, access: Access, record_id: str, *, muted: bool) -> Record:
    """Mute a record, or unmute it. Muting undoes its consolidation, which would still show what the record says."""
    if muted:
        undo_consolidation(runtime, access, runtime.store.records.get(access, [record_id]))
    return runtime.writes.revise(
        access, [record_id], lambda record: msgspec.structs.replace(record.vitals, muted=muted)
    )[0]


def reinforce(runtime: Runtime, access: Access, record_id: str, factor: float | None) -> Record:
    """Raise the importance of a record, and set its last use to now."""
    if factor is not None and (not isinstance(factor, int | float) or not factor > 0):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise Invalid("factor must be a number above 0")

    def stronger(record: Record) -> Vitals:
        return msgspec.structs.replace(
            record.vitals,
            importance=reinforced(
                record.vitals.importance, factor or runtime.config.kind(record.kind).reinforcement
            ),
            used_at=access.now,
        )

    return runtime.writes.revise(access, [record_id], stronger)[0]
