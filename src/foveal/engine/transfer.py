"""A memory as a file of JSON lines, out and in again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from foveal.engine.core import Core
from foveal.engine.write import entries
from foveal.errors import Conflict, Forbidden, FovealError, Invalid
from foveal.model.crystal import Snapshot, StateCrystal
from foveal.model.query import Sight, Viewpoint
from foveal.model.record import Group, Link, Record, Session
from foveal.model.results import Imported, Rejected
from foveal.ports.ledger import KINDS
from foveal.ports.store import Order
from foveal.rules.drafts import checked_record
from foveal.rules.validation import checked_name, checked_node
from foveal.rules.visibility import may_change

FORMAT = "foveal-memory"
VERSION = 1


class Line(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """One line: the head, a version of a record, a link, a group, a session, a crystal, a snapshot, or a row."""

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


def export(core: Core, viewpoint: Viewpoint, path: Path) -> int:
    """Write what an organism holds, with versions, links, groups and crystals; vectors are made anew at import."""
    # The root of an organism is its owner; any other node exports what it sees.
    sight = core.sight(viewpoint, owner=viewpoint.node == "/")
    if path.exists():
        raise Conflict(f"{path} exists already", path=str(path))
    encode = msgspec.json.Encoder().encode
    count = 0
    try:
        with path.open("xb") as file:
            path.chmod(0o600)
            file.write(encode(Line(format=FORMAT, version=VERSION)) + b"\n")
            for record in core.store.scan(sight, order=Order.OLDEST):
                count += 1
                for version in core.store.history(sight, record.id):
                    file.write(encode(Line(record=version)) + b"\n")
            for line in _bonds(core, sight):
                file.write(encode(line) + b"\n")
            for line in _ledger_lines(core, sight):
                file.write(encode(line) + b"\n")
    except OSError as error:
        raise Invalid(f"cannot write {path}: {error.strerror}", path=str(path)) from error
    return count


def _bonds(core: Core, sight: Sight) -> Iterator[Line]:
    """What ties the records together, and what stands beside them: links, groups, sessions, crystals."""
    for record in core.store.scan(sight, order=Order.OLDEST):
        for link in core.store.links(sight, record.id):
            if link.source_id == record.id:
                yield Line(link=link)
    for group in core.store.groups(sight.viewpoint):
        yield Line(group=group, members=tuple(one.id for one in core.store.members(sight, group.id)))
    for session in core.store.sessions(sight):
        if session.started_at is not None:
            yield Line(session=session)
    for line in core.store.lineages(sight.viewpoint):
        yield Line(crystal=core.store.crystal(sight.viewpoint, line.crystal_id))
    for snapshot in core.store.snapshots(sight.viewpoint):
        yield Line(snapshot=snapshot)


def _ledger_lines(core: Core, sight: Sight) -> Iterator[Line]:
    """The rows of the ledgers that a sight may see, each kind after those it hangs on."""
    for viewpoint in core.store.ledgers():
        own = viewpoint.organism == sight.viewpoint.organism
        if own and (sight.owner or viewpoint.node == sight.viewpoint.node):
            for kind in KINDS:
                for row in core.store.list_rows(viewpoint, kind):
                    yield Line(kind=kind.__name__, node=viewpoint.node, row=msgspec.to_builtins(row))


def import_(core: Core, viewpoint: Viewpoint, path: Path) -> Imported:
    """Read an exported file into an organism; run again, it finds everything there already."""
    # Whoever is not the root brings in what is its own, and no more.
    sight = core.sight(viewpoint, owner=viewpoint.node == "/", hidden=True)
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
    for number, line in enumerate(_lines(path), 1):
        try:
            counts[_take(core, sight, line)] += 1
        except FovealError as error:
            rejected.append(Rejected(index=number, code=error.code, message=error.message))
    return Imported(**counts, rejected=tuple(rejected))


def _lines(path: Path) -> list[Line]:
    decode = msgspec.json.Decoder(Line).decode
    try:
        lines = [decode(text) for text in path.read_bytes().splitlines() if text.strip()]
    except OSError as error:
        raise Invalid(f"cannot read {path}: {error.strerror}", path=str(path)) from error
    except msgspec.DecodeError as error:
        raise Invalid(f"{path} is not an export of Foveal: {error}", path=str(path)) from error
    if not lines or lines[0].format != FORMAT:
        raise Invalid(f"{path} is not an export of Foveal", path=str(path))
    if (lines[0].version or 0) > VERSION:
        raise Invalid(f"{path} was exported by a newer release of Foveal: upgrade to import it")
    return lines[1:]


def _take(core: Core, sight: Sight, line: Line) -> str:
    """Bring one line in, and say what it was."""
    if line.record is not None:
        return _take_record(core, sight, checked_record(_moved(line.record, sight.viewpoint)))
    if line.link is not None:
        known = line.link in core.store.links(sight, line.link.source_id)
        core.store.link(sight, line.link)
        return "known" if known else "links"
    if line.group is not None:
        return _take_group(core, sight, line.group, line.members)
    if line.session is not None:
        known = core.store.sessions(sight, line.session.id)
        if known and known[0].started_at is not None:
            return "known"
        core.store.put_session(sight.viewpoint, line.session)
        return "sessions"
    if line.crystal is not None:
        return _take_crystal(core, sight.viewpoint, line.crystal)
    if line.snapshot is not None:
        return _take_snapshot(core, sight.viewpoint, line.snapshot)
    if line.row is not None:
        return _take_row(core, sight, line)
    raise Invalid("a line with neither a record, a link, a group, a session, a crystal nor a row of a ledger")


def _take_snapshot(core: Core, viewpoint: Viewpoint, snapshot: Snapshot) -> str:
    checked_name(snapshot.id, "id")
    if snapshot.id in {one.id for one in core.store.snapshots(viewpoint)}:
        return "known"
    core.store.put_snapshot(viewpoint, snapshot, dated=True)
    return "snapshots"


def _take_row(core: Core, sight: Sight, line: Line) -> str:
    kinds = {kind.__name__: kind for kind in KINDS}
    if line.kind not in kinds:
        raise Invalid(f"{line.kind!r} is not a kind of row; this release knows {', '.join(kinds)}")
    try:
        row = msgspec.convert(line.row, kinds[line.kind])
    except msgspec.ValidationError as error:
        raise Invalid(f"a row of the ledger is wrong: {error}") from None
    place = msgspec.structs.replace(sight.viewpoint, node=checked_node(line.node or "/"))
    below = sight.viewpoint.node.rstrip("/") + "/"
    if place.node != sight.viewpoint.node and not place.node.startswith(below):
        raise Forbidden(f"a row of {place.node} cannot be brought in as {sight.viewpoint.node}")
    return "rows" if core.store.put_row(place, row) else "known"


def _take_crystal(core: Core, viewpoint: Viewpoint, crystal: StateCrystal) -> str:
    below = viewpoint.node.rstrip("/") + "/"
    if checked_node(crystal.agent) != viewpoint.node and not crystal.agent.startswith(below):
        raise Forbidden(f"{crystal.crystal_id} belongs to {crystal.agent}: import it as that node, or as the root")
    checked_name(crystal.crystal_id, "crystal_id")
    known = {one.crystal_id for one in core.store.lineages(viewpoint)}
    if crystal.crystal_id in known:
        return "known"
    core.store.put_crystal(viewpoint, crystal)
    return "crystals"


def _take_group(core: Core, sight: Sight, group: Group, members: Sequence[str]) -> str:
    """Bring a group in: its members join the one that has its name here already, if there is one."""
    here = [one for one in core.store.groups(sight.viewpoint) if group.id == one.id or group.name == one.name]
    if not here:
        here = [core.store.put_group(sight.viewpoint, group)]
        core.store.join(sight, here[0].id, members)
        return "groups"
    core.store.join(sight, here[0].id, members)
    return "known"


def _take_record(core: Core, sight: Sight, record: Record) -> str:
    versions = core.store.get(sight, [record.id]) and core.store.history(sight, record.id)
    for version in versions:
        if version.version == record.version:
            if version.text != record.text:
                raise Conflict(f"{record.id} is here with another text", record_id=record.id)
            return "known"
    if not sight.owner and not may_change(record, sight.viewpoint):
        raise Forbidden(f"{record.id} belongs to {record.node}: import it as that node, or as the root")
    entry = msgspec.structs.replace(entries(core, [record])[0], dated=True)
    if versions:
        core.store.supersede(sight, entry, core.encoder)
        return "versions"
    [(_, new)] = core.store.append([entry], core.encoder)
    return "records" if new else "known"


def _moved(record: Record, viewpoint: Viewpoint) -> Record:
    """The record as one of this organism. Its end is set again by the version that follows it."""
    changes: dict[str, Any] = {
        "actor_id": viewpoint.actor_id,
        "address": msgspec.structs.replace(record.address, world=viewpoint.world, digits="", tape=0),
        "superseded_at": None,
    }
    return msgspec.structs.replace(record, **changes)
