"""A memory as a file of JSON lines, out and in again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from foveal.engine.core import Core
from foveal.engine.write import entries
from foveal.errors import Conflict, FovealError, Invalid
from foveal.model.link import Group, Link
from foveal.model.outcome import Imported, Rejected
from foveal.model.record import Record
from foveal.model.sight import Sight, Viewpoint
from foveal.ports.store import Order
from foveal.rules.drafting import checked_record

FORMAT = "foveal-memory"
VERSION = 1


class Line(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """One line of the file: the head, a version of a record, a link, or a group with its members."""

    format: str | None = None
    version: int | None = None
    record: Record | None = None
    link: Link | None = None
    group: Group | None = None
    members: tuple[str, ...] = ()


def export(core: Core, viewpoint: Viewpoint, path: Path) -> int:
    """Write all records of an organism with versions, links and groups; vectors are made anew at import."""
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
            for record in core.store.scan(sight, order=Order.OLDEST):
                for link in core.store.links(sight, record.id):
                    if link.source_id == record.id:
                        file.write(encode(Line(link=link)) + b"\n")
            for group in core.store.groups(viewpoint):
                members = tuple(one.id for one in core.store.members(sight, group.id))
                file.write(encode(Line(group=group, members=members)) + b"\n")
    except OSError as error:
        raise Invalid(f"cannot write {path}: {error.strerror}", path=str(path)) from error
    return count


def import_(core: Core, viewpoint: Viewpoint, path: Path) -> Imported:
    """Read an exported file into an organism; run again, it finds everything there already."""
    sight = core.sight(viewpoint, owner=True, hidden=True)
    counts = {"records": 0, "versions": 0, "links": 0, "groups": 0, "known": 0}
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
        known = line.group in core.store.groups(sight.viewpoint)
        core.store.put_group(sight.viewpoint, line.group)
        core.store.join(sight, line.group.id, line.members)
        return "known" if known else "groups"
    raise Invalid("a line with neither a record, a link nor a group")


def _take_record(core: Core, sight: Sight, record: Record) -> str:
    versions = core.store.get(sight, [record.id]) and core.store.history(sight, record.id)
    for version in versions:
        if version.version == record.version:
            if version.text != record.text:
                raise Conflict(f"{record.id} is here with another text", record_id=record.id)
            return "known"
    entry = entries(core, [record])[0]
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
