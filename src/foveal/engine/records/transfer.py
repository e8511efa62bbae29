"""Export and import as JSON lines, migration between stores, and re-encoding."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from tempfile import mkstemp
from typing import Any, BinaryIO

import msgspec

from foveal.engine.records.write import embedded, entries
from foveal.engine.runtime.runtime import Runtime
from foveal.errors import Conflict, Corrupt, Forbidden, FovealError, Invalid
from foveal.model.crystal import Snapshot, StateCrystal
from foveal.model.ids import own_id
from foveal.model.query import Access, Viewpoint
from foveal.model.record import Group, Link, Record, Session
from foveal.model.results import Imported, Reindexed, Rejected
from foveal.ports.ledger import COMMON, KINDS
from foveal.ports.store import Encoder, Order
from foveal.ports.tables import (
    ENCODERS,
    OWNED,
    SHARED,
    Copied,
    Organism,
    Reading,
    Row,
    Sum,
    Sums,
    Table,
    Tables,
    Writing,
)
from foveal.ports.waiting import committed, require_wanted
from foveal.rules.drafts import checked_record
from foveal.rules.validation import checked_name, checked_node
from foveal.rules.visibility import may_change, oversees

BATCH = 256


def reindex(runtime: Runtime, progress: Callable[[int, int], None] | None = None) -> Reindexed:
    """Compute the vectors of this encoder next to those in use, then switch to them; a vector index gets them too,
    and the second look the vectors that it lacks.

    Each batch is stored at once, so an interrupted run resumes where it stopped. Until the last vector is stored,
    reads use the old vectors; records written in the meantime are included.
    """
    encoder = runtime.encoder
    total = runtime.store.vectors.count_unencoded(encoder)
    done, refused = 0, False
    while True:
        records = runtime.store.vectors.unencoded(encoder, BATCH)
        if not records:
            if runtime.store.vectors.adopt(encoder):
                indexed = _indexed(runtime, encoder, progress)
                looked_at = _looked_at(runtime, progress)
                return Reindexed(versions=done, encoder=encoder.id, indexed=indexed, looked_at=looked_at)
            if refused:
                # The versions that lack a vector are not among those that can be read.
                raise Corrupt("some records are damaged and cannot be encoded: run foveal repair")
            refused = True
            continue
        refused = False
        runtime.store.vectors.encode(encoder, embedded(runtime, records))
        # From here on it goes on to its end, whoever waits for it.
        committed()
        done += len(records)
        if progress is not None:
            progress(done, max(total, done))


def _indexed(runtime: Runtime, encoder: Encoder, progress: Callable[[int, int], None] | None) -> int | None:
    """Update the vector index. Returns how many records it took in; None without an index."""
    if not runtime.vector_sync.has_index:
        return None
    viewpoints = [Viewpoint(world=world, actor_id=actor) for world, actor in runtime.store.counts.organisms()]
    total = sum(runtime.vector_sync.waiting(viewpoint, encoder) for viewpoint in viewpoints)
    done = 0

    def report(count: int) -> None:
        nonlocal done
        done += count
        if progress is not None and count:
            progress(done, max(total, done))

    for viewpoint in viewpoints:
        runtime.vector_sync.sync(viewpoint, encoder, done=report)
    return done


def _looked_at(runtime: Runtime, progress: Callable[[int, int], None] | None) -> int | None:
    """Make the missing vectors of the second look. Returns how many versions got some; None without one.

    A server leaves them to its thread: a caller would wait for minutes.
    """
    second = runtime.second_look
    if second is None:
        return None
    done = 0
    for organism in runtime.store.counts.organisms():
        if not second.patient:
            second.lacking(organism)
            continue
        for count in second.catch_up(organism):
            done += count
            if progress is not None:
                progress(done, done)
    return done


def change_encoder(runtime: Runtime, embedder: Any) -> Reindexed:
    """Re-encode everything with a new encoder, then use it. If that fails, the previous encoder stays.

    Calls in progress finish with the encoder they started with.
    """
    with runtime.current.lock:
        new = replace(runtime.newest, embedder=runtime.encoder_of(embedder))
        # While nothing was ever written, there is nothing to encode, and a remote encoder need not be called.
        done = reindex(new) if new.store.vectors.encoder() else Reindexed(versions=0, encoder=new.embedder.id)
        runtime.current.runtime = new
    return done


FORMAT = "foveal-memory"
VERSION = 1


class Line(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """One line of an export: the header, a record version, a link, a group, a session, a crystal, a snapshot or a
    ledger row."""

    format: str | None = None
    version: int | None = None
    record: Record | None = None
    link: Link | None = None
    group: Group | None = None
    session: Session | None = None
    members: tuple[str, ...] = ()
    crystal: StateCrystal | None = None
    snapshot: Snapshot | None = None
    kind: str | None = None
    node: str | None = None
    row: dict[str, Any] | None = None


def export(runtime: Runtime, viewpoint: Viewpoint, path: Path) -> int:
    """Write an organism to a file, with versions, links, groups and crystals; an import computes vectors anew."""
    # The root of an organism is its owner; any other node exports what is visible to it.
    access = runtime.access(viewpoint, as_owner=viewpoint.node == "/")
    if path.exists():
        raise Conflict(f"{path} exists already", path=str(path))
    records = 0
    try:
        with _whole_file(path) as file:
            encode = msgspec.json.Encoder().encode
            for line in _all_lines(runtime, access):
                require_wanted()
                file.write(encode(line) + b"\n")
                records += line.record is not None and line.record.superseded_at is None
    except OSError as error:
        raise Invalid(f"cannot write {path}: {error.strerror}", path=str(path)) from error
    return records


@contextmanager
def _whole_file(path: Path) -> Generator[BinaryIO]:
    """A file that has its name only once all of it is written; after an error there is none."""
    handle, name = mkstemp(prefix=f".{path.name}.", dir=path.parent)
    unfinished = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        _give_name(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def _give_name(unfinished: Path, path: Path) -> None:
    try:
        # Unlike a rename, a link never replaces a file that somebody made meanwhile.
        os.link(unfinished, path)
    except FileExistsError:
        raise Conflict(f"{path} exists already", path=str(path)) from None
    except OSError:
        # Some file systems have no links.
        unfinished.rename(path)


def _all_lines(runtime: Runtime, access: Access) -> Iterator[Line]:
    yield Line(format=FORMAT, version=VERSION)
    for record in runtime.store.records.scan(access, order=Order.OLDEST):
        for version in runtime.store.records.history(access, record.id):
            yield Line(record=version)
    yield from _related_lines(runtime, access)
    yield from _ledger_lines(runtime, access)


def _related_lines(runtime: Runtime, access: Access) -> Iterator[Line]:
    """The lines for links, groups, sessions, crystals and snapshots."""
    for record in runtime.store.records.scan(access, order=Order.OLDEST):
        for link in runtime.store.links.of(access, record.id):
            if link.source_id == record.id:
                yield Line(link=link)
    for group in runtime.store.links.groups(access.viewpoint):
        yield Line(
            group=group, members=tuple(record.id for record in runtime.store.links.members(access, group.id))
        )
    for session in runtime.store.links.sessions(access):
        if session.started_at is not None:
            yield Line(session=session)
    for line in runtime.store.crystals.lineages(access.viewpoint):
        yield Line(crystal=runtime.store.crystals.get(access.viewpoint, line.crystal_id))
    for snapshot in runtime.store.snapshots.all(access.viewpoint):
        yield Line(snapshot=snapshot)


def _ledger_lines(runtime: Runtime, access: Access) -> Iterator[Line]:
    """The lines for visible ledger rows, each kind after the kinds it refers to."""
    for viewpoint in runtime.store.ledger.ledgers():
        own = viewpoint.organism == access.viewpoint.organism
        if own and (access.as_owner or viewpoint.node in (access.viewpoint.node, COMMON)):
            for kind in KINDS:
                for row in runtime.store.ledger.list_rows(viewpoint, kind):
                    yield Line(kind=kind.__name__, node=viewpoint.node, row=msgspec.to_builtins(row))


def import_(runtime: Runtime, viewpoint: Viewpoint, path: Path) -> Imported:
    """Read an exported file into an organism. Importing the same file again changes nothing."""
    # A node other than the root may import only what is its own.
    access = runtime.access(viewpoint, as_owner=viewpoint.node == "/", include_hidden=True)
    counts = {
        "records": 0,
        "versions": 0,
        "links": 0,
        "groups": 0,
        "sessions": 0,
        "crystals": 0,
        "snapshots": 0,
        "rows": 0,
        "known": 0,
    }
    rejected: list[Rejected] = []
    renamed: dict[str, str] = {}
    for number, line in enumerate(_lines(path), 1):
        # Importing the same file again continues, so it may stop after any line.
        require_wanted(repeatable=True)
        try:
            counts[_take(runtime, access, line, renamed)] += 1
        except FovealError as error:
            rejected.append(Rejected(index=number, code=error.code, message=error.message))
    return Imported(**counts, rejected=tuple(rejected))


def _lines(path: Path) -> list[Line]:
    decode = msgspec.json.Decoder(Line).decode
    try:
        lines = [decode(text) for text in path.read_bytes().splitlines() if text.strip()]
    except OSError as error:
        raise Invalid(f"cannot read {path}: {error.strerror}", path=str(path)) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Invalid(f"{path} is not an export of Foveal: {error}", path=str(path)) from error
    if not lines or lines[0].format != FORMAT:
        raise Invalid(f"{path} is not an export of Foveal", path=str(path))
    if (lines[0].version or 0) > VERSION:
        raise Invalid(f"{path} was exported by a newer release of Foveal: upgrade to import it")
    return lines[1:]


def _take(runtime: Runtime, access: Access, line: Line, renamed: dict[str, str]) -> str:
    """Import one line. Returns which counter it adds to.

    `renamed` maps ids in the file to those under which a node below the root imports the records.
    """
    if line.record is not None:
        record = checked_record(_moved(line.record, access.viewpoint, renamed))
        return _take_record(runtime, access, record, renamed)
    if line.link is not None:
        ends = {name: renamed.get(end := getattr(line.link, name), end) for name in ("source_id", "target_id")}
        link = msgspec.structs.replace(line.link, **ends)
        known = link in runtime.store.links.of(access, link.source_id)
        runtime.writes.link(access, link)
        return "known" if known else "links"
    if line.group is not None:
        node = _importer(access, line.group.node)
        members = [renamed.get(member, member) for member in line.members]
        return _take_group(runtime, access, msgspec.structs.replace(line.group, node=node), members)
    if line.session is not None:
        node = _importer(access, line.session.node)
        known = runtime.store.links.sessions(access, line.session.id)
        if any(session.started_at is not None and session.node in (node, "/") for session in known):
            return "known"
        runtime.store.links.put_session(access.viewpoint, msgspec.structs.replace(line.session, node=node))
        return "sessions"
    if line.crystal is not None:
        return _take_crystal(runtime, access.viewpoint, line.crystal)
    if line.snapshot is not None:
        node = _importer(access, line.snapshot.node)
        return _take_snapshot(runtime, access.viewpoint, msgspec.structs.replace(line.snapshot, node=node))
    if line.row is not None:
        return _take_row(runtime, access, line, renamed)
    raise Invalid("a line with neither a record, a link, a group, a session, a crystal nor a row of a ledger")


def _importer(access: Access, node: str) -> str:
    """The node to which an imported name belongs: its own, or the one that imports if that is not above it."""
    return checked_node(node) if oversees(access.viewpoint.node, checked_node(node)) else access.viewpoint.node


def _another_id(viewpoint: Viewpoint, taken: str) -> str:
    """Another id for what a node imports; always the same, so that it is imported once."""
    return f"{taken[:8]}{blake2b(f'{viewpoint.node} {taken}'.encode(), digest_size=9).hexdigest()}"


def _take_snapshot(runtime: Runtime, viewpoint: Viewpoint, snapshot: Snapshot) -> str:
    checked_name(snapshot.id, "id")
    known = {known.id for known in runtime.store.snapshots.all(viewpoint)}
    for snapshot_id in (snapshot.id, _another_id(viewpoint, snapshot.id)):
        if snapshot_id in known:
            return "known"
        try:
            own = msgspec.structs.replace(snapshot, id=snapshot_id)
            runtime.store.snapshots.put(viewpoint, own, dated=True)
        except Conflict:
            # Nobody may learn from this that another node has it.
            continue
        return "snapshots"
    return "known"


def _take_row(runtime: Runtime, access: Access, line: Line, renamed: Mapping[str, str]) -> str:
    kinds = {kind.__name__: kind for kind in KINDS}
    if line.kind not in kinds:
        raise Invalid(f"{line.kind!r} is not a kind of row; this release knows {', '.join(kinds)}")
    try:
        row = msgspec.convert(line.row, kinds[line.kind])
    except msgspec.ValidationError as error:
        raise Invalid(f"a row of the ledger is wrong: {error}") from None
    if another := renamed.get(getattr(row, "record_id", None) or ""):
        row = msgspec.structs.replace(row, record_id=another)
    importer = access.viewpoint
    owner = msgspec.structs.replace(
        importer, node=COMMON if line.node == COMMON else checked_node(line.node or "/")
    )
    if line.node == COMMON:
        if getattr(row, "node", ""):
            row = msgspec.structs.replace(row, node=_importer(access, getattr(row, "node", "/")))
    elif not oversees(importer.node, owner.node):
        raise Forbidden(f"a row of {owner.node} cannot be imported as {importer.node}")
    return "rows" if runtime.writes.put_row(owner, row, by=importer) else "known"


def _take_crystal(runtime: Runtime, viewpoint: Viewpoint, crystal: StateCrystal) -> str:
    below = viewpoint.node.rstrip("/") + "/"
    if checked_node(crystal.agent) != viewpoint.node and not crystal.agent.startswith(below):
        raise Forbidden(f"{crystal.crystal_id} belongs to {crystal.agent}: import it as that node, or as the root")
    checked_name(crystal.crystal_id, "crystal_id")
    known = {lineage.crystal_id for lineage in runtime.store.crystals.lineages(viewpoint)}
    for crystal_id in (crystal.crystal_id, _another_id(viewpoint, crystal.crystal_id)):
        if crystal_id in known:
            return "known"
        try:
            runtime.writes.put_crystal(viewpoint, msgspec.structs.replace(crystal, crystal_id=crystal_id))
        except Conflict:
            # Nobody may learn from this that another node has it.
            continue
        return "crystals"
    return "known"


def _take_group(runtime: Runtime, access: Access, group: Group, members: Sequence[str]) -> str:
    """Import a group. If there is a group of its id or name already, the members join that one."""
    groups = runtime.store.links.groups(access.viewpoint)
    ids = (group.id, _another_id(access.viewpoint, group.id))
    existing = next((known for known in groups if known.id in ids or _same_name(known, group)), None)
    target = existing or _put_group(runtime, access, group)
    runtime.writes.join(access, target.id, members)
    return "groups" if existing is None else "known"


def _same_name(known: Group, group: Group) -> bool:
    return known.name == group.name and known.node in (group.node, "/")


def _put_group(runtime: Runtime, access: Access, group: Group) -> Group:
    try:
        return runtime.store.links.put_group(access.viewpoint, group)
    except Conflict:
        # Nobody may learn from this that another node has it.
        own = msgspec.structs.replace(group, id=_another_id(access.viewpoint, group.id))
        return runtime.store.links.put_group(access.viewpoint, own)


def _take_record(runtime: Runtime, access: Access, record: Record, renamed: dict[str, str]) -> str:
    other = _another_id(access.viewpoint, record.id)
    if not access.as_owner and _needs_another_id(runtime, access, record.id, other):
        renamed[record.id] = other
        record = msgspec.structs.replace(record, id=other)
    versions = runtime.store.records.get(access, [record.id]) and runtime.store.records.history(access, record.id)
    for version in versions:
        if version.version == record.version:
            if version.text != record.text:
                raise Conflict(f"{record.id} is here with another text", record_id=record.id)
            return "known"
    if not access.as_owner and not may_change(record, access.viewpoint):
        raise Forbidden(f"{record.id} belongs to {record.node}: import it as that node, or as the root")
    entry = msgspec.structs.replace(entries(runtime, [record])[0], dated=True)
    if versions:
        runtime.writes.supersede(access, entry, runtime.encoder)
        return "versions"
    try:
        [(_, new)] = runtime.writes.append([entry], runtime.encoder)
    except Conflict:
        if access.as_owner:
            raise
        # Nobody may learn from this that another node has it.
        renamed[record.id] = other
        entry = msgspec.structs.replace(entry, record=msgspec.structs.replace(entry.record, id=other))
        [(_, new)] = runtime.writes.append([entry], runtime.encoder)
    return "records" if new else "known"


def _needs_another_id(runtime: Runtime, access: Access, record_id: str, other: str) -> bool:
    """Whether a node imports a record under another id: it has done so before, or could have guessed the id.

    It must not depend on what other nodes have stored.
    """
    seen = {record.id for record in runtime.store.records.get(access, [record_id, other])}
    return other in seen or (record_id not in seen and own_id(access.viewpoint.node, record_id) != record_id)


def _moved(record: Record, viewpoint: Viewpoint, renamed: Mapping[str, str]) -> Record:
    """The record as one of this organism. The import of the next version sets `superseded_at` again."""
    changes: dict[str, Any] = {
        "id": renamed.get(record.id, record.id),
        "parent_id": record.parent_id and renamed.get(record.parent_id, record.parent_id),
        "actor_id": viewpoint.actor_id,
        "address": msgspec.structs.replace(record.address, world=viewpoint.world, digits="", tape=0),
        "superseded_at": None,
    }
    return msgspec.structs.replace(record, **changes)


Progress = Callable[[int, int], None]

_BYTES = 16


class Summing:
    """Computes a checksum, independent of order, of the rows that pass through.

    >>> first, second = Summing(), Summing()
    >>> list(first.passing([(1, "tea"), (2, None)]))
    [(1, 'tea'), (2, None)]
    >>> list(second.passing([(2, None), (1, "tea")])) and second.sum == first.sum
    True
    >>> first.sum.rows
    2
    """

    def __init__(self) -> None:
        self._rows = 0
        self._total = 0
        self._encode = msgspec.msgpack.Encoder().encode

    def passing(self, rows: Iterable[Row]) -> Iterator[Row]:
        """The same rows; each is added to the checksum as it passes."""
        for row in rows:
            self._rows += 1
            # A sum instead of an exclusive or, so that two equal rows do not cancel out.
            self._total += int.from_bytes(blake2b(self._encode(row), digest_size=_BYTES).digest())
            yield row

    @property
    def sum(self) -> Sum:
        """The number and checksum of the rows so far."""
        return Sum(self._rows, f"{self._total % (1 << 8 * _BYTES):0{2 * _BYTES}x}")


def summed(rows: Iterable[Row]) -> Sum:
    """The number and checksum of rows.

    >>> summed([(1, "tea")]) == summed([(1, "Tea")])
    False
    """
    summing = Summing()
    for _ in summing.passing(rows):
        pass
    return summing.sum


# The journal numbers of the parts that belong to no organism. The other parts have the number of their organism.
_ENCODERS, _SHARED, _WHOLE = 0, -1, -2
_STEP = 200


def migrate(source: Tables, target: Tables, *, progress: Progress = lambda done, of: None) -> Copied:
    """Copy everything, each organism in one transaction, and verify what arrived against what was sent.

    The source is not changed. An interrupted copy is resumed; a complete one is left alone. `Conflict` if the
    target holds anything else.
    """
    if source.where == target.where:
        raise Invalid("the source and the target are the same store: name two")
    with source.reading() as old:
        organisms = old.organisms()
        with target.writing() as new:
            _compare_columns(old, new)
            journal = _begun(new, source.where, target.where, organisms)
        copy = _Copy(source.where, old, target, journal, progress)
        copy.part(_ENCODERS, ENCODERS)
        for organism in organisms:
            copy.part(organism.number, OWNED, organism)
        copy.part(_SHARED, SHARED)
        if _WHOLE not in journal:
            with target.writing() as new:
                new.set_marks(old.marks())
                new.note(_WHOLE, source.where, {})
            target.settle()
    numbers = [organism.number for organism in organisms]
    return Copied(
        source=source.where,
        target=target.where,
        actors=len(numbers),
        known=len(copy.known.intersection(numbers)),
        rows=sum(copy.tables.values()),
        tables={name: count for name, count in copy.tables.items() if count},
    )


def _compare_columns(old: Reading, new: Reading) -> None:
    for table in (*ENCODERS, *OWNED, *SHARED):
        if old.columns(table) != new.columns(table):
            raise Corrupt(f"the tables {table.name} of the two stores differ", table=table.name)


def _begun(new: Writing, source: str, target: str, organisms: Sequence[Organism]) -> dict[int, tuple[str, Sums]]:
    """The journal of what was copied before. Refuses a target that holds anything else."""
    journal = new.journal()
    other = next((origin for origin, _ in journal.values() if origin != source), None)
    if other is not None:
        raise Conflict(f"{target} holds a copy of {other}: name a target that is empty")
    known = {(organism.number, organism.world, organism.actor) for organism in organisms}
    foreign = any(
        organism.number not in journal or (organism.number, organism.world, organism.actor) not in known
        for organism in new.organisms()
    )
    if foreign or (not journal and any(new.count(table) for table in (*ENCODERS, *SHARED))):
        raise Conflict(f"{target} holds a memory already: name a target that is empty")
    return journal


class _Copy:
    """A copy in progress, made part by part."""

    def __init__(
        self,
        origin: str,
        old: Reading,
        target: Tables,
        journal: dict[int, tuple[str, Sums]],
        progress: Progress,
    ) -> None:
        self._origin, self._old, self._target, self._journal = origin, old, target, journal
        self._progress = progress
        self._total = sum(old.count(table) for table in (*ENCODERS, *OWNED, *SHARED))
        self._done = 0
        self.tables: dict[str, int] = {}
        self.known: set[int] = set()

    def part(self, number: int, tables: Sequence[Table], organism: Organism | None = None) -> None:
        """Copy the rows of an organism, or those that belong to none, unless they were copied before."""
        before = self._journal.get(number)
        if before is not None:
            sums = {table.name: summed(self._reported(self._old.rows(table, organism))) for table in tables}
            if sums == before[1] or self._whole_and_used(number, sums, before[1]):
                self.known.add(number)
                self._count(sums)
                return
            if number == _ENCODERS or _WHOLE in self._journal:
                who = f"{organism.actor} in the world {organism.world}" if organism else "the store"
                raise Conflict(
                    f"{who} has changed in {self._origin} since it was copied: stop all use of the source, and "
                    "copy to a target that is empty"
                )
            self._done -= sum(part.rows for part in sums.values())
        with self._target.writing() as new:
            if before is not None:
                new.clear(tables, organism)
            if organism is not None:
                new.add(organism)
            sums = {table.name: self._copied(new, table, organism) for table in tables}
            new.note(number, self._origin, sums)
        self._count(sums)

    def _whole_and_used(self, number: int, now: Sums, then: Sums) -> bool:
        """Whether the copy is complete and only the last use of a key, or the time of a job, has changed since."""
        rows = [{name: part.rows for name, part in sums.items() if name == "api_key"} for sums in (now, then)]
        return number == _SHARED and _WHOLE in self._journal and rows[0] == rows[1]

    def _copied(self, new: Writing, table: Table, organism: Organism | None) -> Sum:
        if table.kept:
            new.clear([table], organism)
        summing = Summing()
        rows = summing.passing(self._reported(self._old.rows(table, organism)))
        first = next(rows, None)
        if first is not None:
            new.put(table, organism, chain([first], rows))
        arrived = summed(new.rows(table, organism))
        if arrived != summing.sum:
            raise Corrupt(
                f"{table.name}: {summing.sum.rows} rows were sent and {arrived.rows} arrived, or some differ; "
                "nothing of this part was kept",
                table=table.name,
            )
        return arrived

    def _reported(self, rows: Iterator[Row]) -> Iterator[Row]:
        """The same rows, reporting progress as they pass."""
        for row in rows:
            self._done += 1
            if self._done % _STEP == 0 or self._done == self._total:
                self._progress(self._done, self._total)
            yield row

    def _count(self, sums: Sums) -> None:
        for name, part in sums.items():
            self.tables[name] = self.tables.get(name, 0) + part.rows
