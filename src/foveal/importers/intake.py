"""Takes drafts into a memory: in batches, each record once, so that it can be stopped and run again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime

from msgspec import Struct, field

from foveal.engine.memory import View
from foveal.errors import Conflict, Invalid, NotFound
from foveal.importers.draft import Draft, LeftOut, Version
from foveal.model.ids import own_id
from foveal.model.query import Details
from foveal.model.record import Record

BATCH = 200
# A batch goes to a server as one request, whose body is bounded.
BATCH_CHARACTERS = 250_000
SAMPLES = 3
MOST_NOTES = 100


class Survey(Struct, kw_only=True):
    """What a file holds, counted without a memory."""

    records: int = 0
    versions: int = 0
    links: int = 0
    sessions: int = 0
    owners: dict[str, int] = field(default_factory=dict[str, int])
    speakers: dict[str, int] = field(default_factory=dict[str, int])
    first_at: datetime | None = None
    last_at: datetime | None = None
    samples: list[Draft] = field(default_factory=list[Draft])
    left_out: dict[str, int] = field(default_factory=dict[str, int])
    broken: list[LeftOut] = field(default_factory=list[LeftOut])


class Intake(Struct, kw_only=True):
    """What an import did. `rejected` says for each place in the file why nothing of it was stored."""

    records: int = 0
    versions: int = 0
    links: int = 0
    known: int = 0
    left_out: dict[str, int] = field(default_factory=dict[str, int])
    rejected: list[LeftOut] = field(default_factory=list[LeftOut])


def survey(drafts: Iterable[Draft | LeftOut]) -> Survey:
    """What a file holds.

    >>> survey([Draft(id="lines:1", text="Ada sails."), LeftOut(reason="a picture")]).left_out
    {'a picture': 1}
    """
    found = Survey()
    owners, speakers, left = Counter[str](), Counter[str](), Counter[str]()
    sessions: set[str] = set()
    for draft in drafts:
        if isinstance(draft, LeftOut):
            _leave_out(draft, left, found.broken)
            continue
        found.records += 1
        found.versions += len(draft.earlier)
        found.links += len(draft.links)
        if draft.owner is not None:
            owners[draft.owner] += 1
        speakers.update(
            [str(said)] if (said := draft.details.get("speaker") or draft.details.get("source")) else []
        )
        sessions.update([str(draft.details["session_id"])] if "session_id" in draft.details else [])
        if (at := draft.occurred_at) is not None:
            found.first_at = min(found.first_at or at, at)
            found.last_at = max(found.last_at or at, at)
        if len(found.samples) < SAMPLES:
            found.samples.append(draft)
    found.sessions = len(sessions)
    found.owners, found.speakers, found.left_out = (dict(each.most_common()) for each in (owners, speakers, left))
    return found


def _leave_out(what: LeftOut, counts: Counter[str], broken: list[LeftOut]) -> None:
    if not what.broken:
        counts[what.reason] += 1
    elif len(broken) < MOST_NOTES:
        broken.append(what)


def take(
    memory: View,
    drafts: Iterable[Draft | LeftOut],
    *,
    node: str = "/",
    progress: Callable[[int], None] = lambda done: None,
) -> Intake:
    """Store drafts in a memory, and tell `progress` how many are done.

    A draft that was stored before is left as it is, unless the file has a text that none of its versions had: that
    becomes the newest. So an import that was interrupted goes on when it is run again.
    """
    intake = _Intake(memory, node)
    for batch in _batches(drafts):
        intake.store([draft for draft in batch if isinstance(draft, Draft)])
        for each in batch:
            if isinstance(each, LeftOut):
                _leave_out(each, intake.left_out, intake.done.rejected)
        intake.seen += len(batch)
        progress(intake.seen)
    intake.link()
    intake.done.left_out = dict(intake.left_out.most_common())
    return intake.done


def _batches(drafts: Iterable[Draft | LeftOut]) -> Iterator[list[Draft | LeftOut]]:
    batch: list[Draft | LeftOut] = []
    size = 0
    for draft in drafts:
        length = len(draft.text) if isinstance(draft, Draft) else 0
        if batch and (len(batch) >= BATCH or size + length > BATCH_CHARACTERS):
            yield batch
            batch, size = [], 0
        batch.append(draft)
        size += length
    if batch:
        yield batch


class _Intake:
    """An import under way."""

    def __init__(self, memory: View, node: str) -> None:
        self._memory, self._node = memory, node
        self._links: dict[str, list[tuple[str, str]]] = {}
        self.left_out = Counter[str]()
        self.done = Intake()
        self.seen = 0

    def store(self, drafts: list[Draft]) -> None:
        """Store a batch: what is new in one write, and new texts of what is known one by one."""
        # A file may hold an id twice: the first of them is stored, the second is a later text of the same.
        own = {draft.id: own_id(self._node, draft.id) for draft in drafts}
        for draft in drafts:
            if draft.links:
                self._links[own[draft.id]] = [(own_id(self._node, target), kind) for target, kind in draft.links]
        known = (
            {record.id: record for record in self._memory.get_many(list(own.values()), touch=False)} if own else {}
        )
        fresh = {draft.id: draft for draft in reversed(drafts) if own[draft.id] not in known}
        stored = self._write(list(fresh.values())[::-1])
        for draft in drafts:
            if fresh.get(draft.id) is draft:
                if draft.id in stored:
                    self._grow(draft, own[draft.id], [_first(draft)])
            elif own[draft.id] in known or draft.id in stored:
                self._grow_known(draft, own[draft.id], known.get(own[draft.id]))

    def _details(self, draft: Draft) -> dict[str, object]:
        parent = draft.details.get("parent_id")
        return {**draft.details, **({"parent_id": own_id(self._node, parent)} if parent else {})}

    def _write(self, drafts: list[Draft]) -> set[str]:
        """Store drafts that are new, each with its first text. Returns the ids of those that were."""
        if not drafts:
            return set()
        items = [
            {
                **self._details(draft),
                **_at(first),
                "text": first.text,
                "id": draft.id,
                "idempotency_key": f"import:{draft.id}",
            }
            for draft in drafts
            for first in _versions(draft)[:1]
        ]
        written = self._memory.write_many(items)
        refused = {rejected.index: rejected for rejected in written.rejected}
        for index, rejected in refused.items():
            if rejected.code == Conflict.code:
                # Nobody sees it, and its id is taken.
                self.left_out["forgotten here before, or of another node"] += 1
            else:
                self._reject(drafts[index], rejected.message)
        self.done.records += len(written.ids) - len(written.duplicates)
        self.done.known += len(written.duplicates)
        return {draft.id for index, draft in enumerate(drafts) if index not in refused}

    def _grow_known(self, draft: Draft, record_id: str, record: Record | None) -> None:
        if not draft.earlier and record is not None and record.text == draft.text:
            self.done.known += 1
            return
        before = [version.text for version in self._memory.history(record_id)]
        if not self._grow(draft, record_id, before):
            self.done.known += 1

    def _grow(self, draft: Draft, record_id: str, before: list[str]) -> int:
        """Add the texts of a draft that its record never had, in their order. Returns how many."""
        added = 0
        versions = _versions(draft)
        for number, version in enumerate(versions, 1):
            if version.text in before:
                continue
            before.append(version.text)
            details = _true_from(version)
            if number == len(versions):
                details["metadata"] = draft.details.get("metadata")
                details["tags"] = draft.details.get("tags", ())
            try:
                self._memory.supersede(record_id, version.text, **details)
            except (Invalid, Conflict) as error:
                self._reject(draft, error.message)
                return added
            added += 1
        self.done.versions += added
        return added

    def link(self) -> None:
        """Add the links, now that all their ends are stored."""
        missing = [
            (source, kind, target, new)
            for source, links in self._links.items()
            for kind in dict.fromkeys(kind for _, kind in links)
            for target, new in self._missing(source, kind, {target for target, each in links if each == kind})
        ]
        for source, kind, target, new in missing:
            try:
                self._memory.links.add(source, target, kind=kind)
            except NotFound:
                self.left_out["a link to something that is not in the file"] += 1
            else:
                self.done.links += new

    def _missing(self, source: str, kind: str, targets: set[str]) -> list[tuple[str, bool]]:
        """The targets that a source is not seen to be linked to, and whether they are surely not."""
        try:
            links = [related.link for related in self._memory.links.related(source, kind=kind)]
        except NotFound:
            # The source was refused, which was said.
            return []
        # Of two links between the same records, one each way, only one is seen.
        ends = {end for link in links for end in (link.source_id, link.target_id)}
        seen = {link.target_id for link in links if link.source_id == source}
        return [(target, target not in ends) for target in sorted(targets - seen - {source})]

    def _reject(self, draft: Draft, message: str) -> None:
        if len(self.done.rejected) < MOST_NOTES:
            self.done.rejected.append(LeftOut(reason=message, place=draft.place, broken=True))


def _first(draft: Draft) -> str:
    return _versions(draft)[0].text


def _versions(draft: Draft) -> list[Version]:
    """The texts of a draft, oldest first."""
    return [*draft.earlier, Version(text=draft.text, occurred_at=draft.occurred_at)]


def _at(version: Version) -> Details:
    return {} if version.occurred_at is None else {"occurred_at": version.occurred_at}


def _true_from(version: Version) -> Details:
    return {} if version.occurred_at is None else {**_at(version), "valid_from": version.occurred_at}
