"""The command that imports what Foveal or another program exported."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from foveal.doors.cli.invocation import Code, Invocation, argument, flag, option
from foveal.doors.cli.output import Answer, Printer, counted, moment
from foveal.errors import Invalid

if TYPE_CHECKING:
    from foveal.importers import Draft, Format, LeftOut, Survey
    from foveal.importers.vault import Notes
    from foveal.model.results import Imported

# The header of an export is shorter than this.
_HEADER = 1_000


def import_(
    call: Invocation,
    path: Annotated[Path, argument("FILE", "A file, folder or zip archive.")],
    form: Annotated[str | None, option("--format", "NAME", "What it is, if that is not to be recognised.")] = None,
    dry: Annotated[bool, flag("--dry-run", "Only show what would be imported.")] = False,
    user: Annotated[
        str | None, option("--user", "NAME", "Only the memories of this user, of a file with those of several.")
    ] = None,
    each: Annotated[bool, flag("--each-user", "The memories of each user, for the actor of that name.")] = False,
) -> Answer:
    """Import what Foveal or another program exported.

    It is recognised by its content, and dates, speakers and ids are kept. What is known already is not changed, so
    an import that was interrupted goes on when it is run again.
    """
    from foveal.importers import Source, recognised, survey
    from foveal.importers.vault import is_notes, read_notes

    source = Source(path)
    if form is None and source.is_text and _is_export(path):
        return _import_export(call, path, dry)
    if form is None and is_notes(source):
        return _import_notes(call, path, read_notes(source), dry)
    chosen = recognised(source, form)
    try:
        found = survey(_owned(chosen.read(source), user))
    except Invalid as error:
        raise type(error)(f"{error.message} (taken for {chosen.title})", **error.data) from error
    if not found.records:
        what = f"{chosen.title} without anything to import" if chosen.recognises(source) else f"not {chosen.title}"
        raise Invalid(f"{path} is {what}{_reasons(found)}", path=str(path))
    if dry:
        return _preview(path, chosen, found)
    if user is None and not each and len(found.owners) > 1:
        owners = [f"{name} ({count:,})" for name, count in list(found.owners.items())[:8]]
        raise Invalid(
            f"{path} holds the memories of {len(found.owners):,} users: {', '.join(owners)}. Pass --user NAME with "
            "--actor-id, or --each-user to import each for the actor of that name"
        )
    if each:
        shares = [(name, name) for name in found.owners] or [(None, None)]
    else:
        shares = [(user, None)]
    return _take(call, path, chosen, found, shares)


def _is_export(path: Path) -> bool:
    from foveal.engine.records.transfer import FORMAT
    from foveal.importers.files import opened

    with opened(path) as file:
        first = next((line for line in iter(lambda: file.readline(_HEADER), b"") if line.strip()), b"")
    return b'"format"' in first and FORMAT.encode() in first


def _import_export(call: Invocation, path: Path, dry: bool) -> Answer:
    if dry:
        return Answer({"format": "foveal"}, f"{path} is an export of Foveal")
    with call.memory(fresh=True) as memory:
        imported = memory.admin.import_(path)
    return _imported(imported, [f"{path}, line {each.index + 1}: {each.message}" for each in imported.rejected])


def _imported(imported: Imported, notes: Sequence[str]) -> Answer:
    text = (
        f"imported {counted(imported.records, 'record')}, {counted(imported.versions, 'later version')}, "
        f"{counted(imported.links, 'link')}; {imported.known:,} known already"
    )
    return Answer(imported, text, notes=notes, code=Code.INVALID if imported.rejected else Code.OK)


def _import_notes(call: Invocation, path: Path, notes: Notes, dry: bool) -> Answer:
    """Import a folder of notes that Foveal exported; a text that its record never had is its newest version."""
    from foveal.importers.vault import take_notes

    told = [f"left out: a file that is no part of the export ({len(notes.others):,})"] if notes.others else []
    if dry:
        edited = len(notes.edited)
        text = f"{path} is an export of Foveal with {counted(notes.count, 'note')}, {edited:,} of them edited"
        return Answer({"format": "foveal", "records": notes.count, "edited": edited}, text, notes=told)
    with call.memory(fresh=True) as memory:
        imported, rejected = take_notes(memory, notes)
    return _imported(imported, [*told, *(f"{path}, {each.place}: {each.reason}" for each in rejected)])


def _owned(drafts: Iterable[Draft | LeftOut], user: str | None) -> Iterator[Draft | LeftOut]:
    """What belongs to a user; everything without one."""
    from foveal.importers import Draft

    return (draft for draft in drafts if user is None or not isinstance(draft, Draft) or draft.owner == user)


def _take(
    call: Invocation, path: Path, chosen: Format, found: Survey, shares: Sequence[tuple[str | None, str | None]]
) -> Answer:
    """Import the share of each user; with it, the actor for whom it is."""
    from foveal.importers import Intake, Source, take

    show = call.progress("Importing")
    steps = found.records + sum(found.left_out.values()) + len(found.broken)
    done = Intake()
    with call.memory(fresh=True) as memory:
        for user, actor in shares:
            own = memory if actor is None else memory.view(actor_id=actor)
            part = take(
                own,
                _owned(chosen.read(Source(path)), user),
                node=call.at.get("node", "/"),
                progress=lambda count: show(min(count, steps), steps),
            )
            done = Intake(
                records=done.records + part.records,
                versions=done.versions + part.versions,
                links=done.links + part.links,
                known=done.known + part.known,
                left_out=part.left_out,
                rejected=part.rejected if part.rejected else done.rejected,
            )
    parts = [counted(done.records, "record")]
    parts += [counted(done.versions, "later version")] if done.versions else []
    parts += [counted(done.links, "link")] if done.links else []
    text = f"imported {', '.join(parts)}" + (f"; {done.known:,} known already" if done.known else "")
    notes = [f"left out: {reason} ({count:,})" for reason, count in done.left_out.items()]
    notes += [f"{path}, {each.place}: {each.reason}" for each in done.rejected]
    return Answer(done, text, notes=notes, code=Code.INVALID if done.rejected else Code.OK)


def _reasons(found: Survey) -> str:
    told = [f"{broken.place}: {broken.reason}" for broken in found.broken[:1]] + list(found.left_out)[:3]
    return f": {'; '.join(told)}" if told else ""


def _preview(path: Path, chosen: Format, found: Survey) -> Answer:
    from foveal.model.display import brief

    def tell(page: Printer) -> None:
        page.line(f"{path} is {chosen.title}")
        facts = [
            (
                "records",
                f"{found.records:,}" + (f" in {counted(found.sessions, 'session')}" if found.sessions else ""),
            ),
            ("older texts", f"{found.versions:,}" if found.versions else ""),
            ("links", f"{found.links:,}" if found.links else ""),
            (
                "dates",
                f"{moment(found.first_at)} to {moment(found.last_at)}" if found.first_at else "none in the file",
            ),
            ("said by", _listed(found.speakers)),
            ("users", _listed(found.owners)),
        ]
        page.facts([(name, text) for name, text in facts if text])
        for sample in found.samples:
            page.card([sample.id], brief(sample.text, 200))
        for reason, count in found.left_out.items():
            page.line(f"left out: {reason} ({count:,})")
        for broken in found.broken:
            page.line(f"left out: {broken.place}: {broken.reason}")
        page.line("nothing was imported: run it again without --dry-run")

    return Answer({"format": chosen.name, **{name: getattr(found, name) for name in found.__struct_fields__}}, tell)


def _listed(counts: Mapping[str, int]) -> str:
    shown = [f"{name} ({count:,})" for name, count in list(counts.items())[:6]]
    return ", ".join([*shown, f"and {len(counts) - 6:,} more"] if len(counts) > 6 else shown)
