"""The commands of crystals, engrams and ghosts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from foveal.doors.cli.invocation import Invocation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from foveal.doors.cli.output import Leaf, Printer
    from foveal.doors.client.ghosts import Engrams
    from foveal.model.crystal import FocusFragment, Lineage, Reaped


CrystalId = Annotated[str, typer.Argument(metavar="ID", help="The id of a crystal.")]


def ls(
    call: Invocation,
    everything: Annotated[bool, typer.Option("--all", help="Include reaped ones.")] = False,
) -> None:
    """List the crystals, oldest first."""
    from foveal.doors.cli import output

    with call.memory() as memory:
        lineages = [line for line in memory.crystals.lineages() if everything or not line.tombstone]

    def tell(page: Printer) -> None:
        rows = [
            (
                line.crystal_id,
                output.moment(line.timestamp),
                f"{line.tokens:,}",
                _life(line),
                " ".join(part for part in (line.agent if line.agent != "/" else "", line.branch_reason) if part),
            )
            for line in lineages
        ]
        page.table(("crystal", "made", "tokens", "life", "agent, reason"), rows, right=["tokens"])

    call.answer(lineages, tell, [line.crystal_id for line in lineages], empty="there are no crystals")


def show(call: Invocation, crystal_id: CrystalId) -> None:
    """Show a crystal with its whole content."""
    from foveal.doors.cli import output

    with call.memory() as memory:
        crystal = memory.crystals.get(crystal_id)
        line = memory.crystals.lineage(crystal_id)[0]
    task = crystal.task_state
    pairs = [
        ("crystal", crystal.crystal_id),
        ("agent", crystal.agent),
        ("made", output.moment(crystal.timestamp)),
        ("life", _life(line)),
        ("used", str(crystal.uses) if crystal.uses else ""),
        ("parent", crystal.parent_crystal or ""),
        ("depth", str(crystal.branch_depth)),
        ("reason", crystal.branch_reason or ""),
        ("task", f"{task.task_id} {task.description} ({task.status}, {task.progress:.0%})".strip()),
        ("turns", f"{crystal.turns:,}, of which {crystal.dropped:,} are only in the summary"),
        ("tokens", f"{crystal.summary_tokens:,} summary, {crystal.focus_tokens:,} focus"),
    ]

    def tell(page: Printer) -> None:
        page.facts((name, value) for name, value in pairs if value)
        if crystal.working_memory:
            page.line()
            page.facts((str(name), str(value)) for name, value in crystal.working_memory.items())
        if crystal.history_summary:
            page.line()
            page.line(crystal.history_summary)
        if crystal.focus_fragments:
            page.line()
            _fragments(page, crystal.focus_fragments)

    call.answer(crystal, tell, [crystal.crystal_id])


def tree(call: Invocation) -> None:
    """Draw the crystals as the tree of their branches."""
    with call.memory() as memory:
        lineages = memory.crystals.lineages()

    ids = [line.crystal_id for line in lineages]
    call.answer(lineages, lambda page: page.tree(_leaves(lineages, None)), ids, empty="there are no crystals")


def diff(
    call: Invocation,
    first: Annotated[str, typer.Argument(metavar="FIRST", help="The id of a crystal.")],
    second: Annotated[str, typer.Argument(metavar="SECOND", help="The id of the one to compare it with.")],
) -> None:
    """Compare two crystals: what the second adds and what it lacks."""
    with call.memory() as memory:
        difference = memory.crystals.diff(first, second)

    def tell(page: Printer) -> None:
        counts = f"{difference.kept} kept, {len(difference.added)} added, {len(difference.removed)} removed"
        page.line(f"{counts}, {difference.tokens:+} tokens")
        for mark, style, fragments in (("-", "red", difference.removed), ("+", "green", difference.added)):
            for fragment in fragments:
                page.item(mark, fragment.content, style)
        for name, (old, new) in {**difference.task_state, **difference.working_memory}.items():
            page.item("~", f"{name}: {old} -> {new}", "yellow")
        if difference.summary is not None:
            page.item("-", difference.summary[0] or "(no summary)", "red")
            page.item("+", difference.summary[1] or "(no summary)", "green")

    call.answer(difference, tell)


def resume(
    call: Invocation,
    crystal_id: CrystalId,
    form: Annotated[
        str,
        typer.Option(
            "--format", metavar="NAME", help="The format of the messages with --json: openai or anthropic."
        ),
    ] = "openai",
) -> None:
    """Restore a crystal as the messages to continue with."""
    with call.memory() as memory:
        resumed = memory.crystals.resume(crystal_id)
        messages = memory.crystals.messages(resumed.window, format=form)

    def tell(page: Printer) -> None:
        for turn in resumed.window.turns:
            page.card([turn.role.value, f"turn {turn.number}", turn.linearity.name.lower()], turn.content)

    call.answer(
        {"messages": messages, "task_state": resumed.task_state, "working_memory": resumed.working_memory}, tell
    )


def cherish(
    call: Invocation,
    crystal_id: CrystalId,
    undo: Annotated[bool, typer.Option("--undo", help="Let it expire again.")] = False,
) -> None:
    """Keep a crystal from being reaped."""
    with call.memory() as memory:
        line = (memory.crystals.uncherish if undo else memory.crystals.cherish)(crystal_id)
    call.answer(line, lambda page: page.line(f"{'uncherished' if undo else 'cherished'}  {crystal_id}"))


def compost(
    call: Invocation,
    crystal_id: CrystalId,
    hard: Annotated[bool, typer.Option("--hard", help="Remove its summary, too.")] = False,
) -> None:
    """Remove a crystal now.

    Its tombstone and summary stay, so that the tree remains complete.
    """
    with call.memory() as memory:
        reaped = memory.crystals.compost(crystal_id, hard=hard)
    _answer_reaped(call, reaped)


def reap(call: Invocation) -> None:
    """Remove every expired crystal that is not cherished."""
    with call.memory() as memory:
        reaped = memory.crystals.reap()
    _answer_reaped(call, reaped)


def _answer_reaped(call: Invocation, reaped: Reaped) -> None:
    from foveal.doors.cli.output import counted

    text = f"reaped {counted(reaped.reaped_count, 'crystal')}"
    if reaped.skipped_pinned or reaped.skipped_unexpired:
        text += f"; left {reaped.skipped_pinned:,} cherished, {reaped.skipped_unexpired:,} whose time is not over"
    call.answer(reaped, lambda page: page.line(text), reaped.ids)


def _life(line: Lineage) -> str:
    from foveal.doors.cli import output

    if line.reaped_at is not None:
        return f"reaped {output.moment(line.reaped_at)}"
    return "cherished" if line.pinned else f"until {output.moment(line.expires_at)}"


def _leaves(lines: Sequence[Lineage], parent: str | None) -> list[Leaf]:
    known = {line.crystal_id for line in lines}
    leaves: list[Leaf] = []
    for line in lines:
        above = line.parent_crystal if line.parent_crystal in known else None
        if above == parent:
            parts = [f"{line.tokens:,} tokens", _life(line), line.branch_reason or ""]
            mark = "†" if line.tombstone else "◆" if line.pinned else "◇"
            text = ", ".join(part for part in parts if part)
            leaves.append((f"{mark} {line.crystal_id}", text, _leaves(lines, line.crystal_id)))
    return leaves


def _fragments(page: Printer, fragments: Sequence[FocusFragment]) -> None:
    for fragment in fragments:
        heads = [f"turn {fragment.position}", fragment.role.value, fragment.linearity.name.lower(), fragment.hint]
        page.card(heads, fragment.content)


Name = Annotated[str, typer.Argument(metavar="NAME", help="The name of the engram.")]


def engram(
    call: Invocation,
    name: Name,
    state: Annotated[str, typer.Argument(metavar="STATE", help="JSON or text; @FILE or - reads it.")],
) -> None:
    """Keep a state on this machine, under a name."""
    from foveal.doors.cli import invocation

    text = invocation.text_of(state.removeprefix("@")) if state.startswith("@") or state == "-" else state
    kept = engrams_of(call).engram(name, invocation.json_or_text(text), actor=call.at.get("actor_id", ""))
    call.answer(kept, lambda page: page.line(f"kept  {kept.name}  in {kept.path}"), [kept.name])


def manifest(call: Invocation, name: Name) -> None:
    """Show the state kept in an engram, with its age.

    One that is too old is refused.
    """
    from foveal.doors.client.ghosts import short_age
    from foveal.wire.codec import document

    shown = engrams_of(call).manifest(name, actor=call.at.get("actor_id", ""))
    call.answer(shown, lambda page: page.line(document(shown.state, indent=True)), [shown.name])
    call.note(f"{shown.level}, {short_age(shown.age)} old")


def status(call: Invocation) -> None:
    """Show which answers of servers are cached for when they are away."""
    from foveal.config import load_settings
    from foveal.doors.client.ghosts import GhostCache

    ghosts = GhostCache(key=load_settings().ghost_key).status()

    def tell(page: Printer) -> None:
        page.facts(
            [
                ("folder", ghosts.folder),
                ("ghosts", ", ".join(f"{kind} {count:,}" for kind, count in ghosts.ghosts.items())),
                ("bytes", f"{ghosts.bytes:,}"),
                ("oldest", str(ghosts.oldest or "none")),
                ("last answer", ghosts.last_sync or "never"),
                ("stability", ", ".join(f"{score:.2f}" for score in ghosts.stability.values()) or "not known"),
                ("encrypted", "yes" if ghosts.encrypted else "no"),
            ]
        )

    call.answer(ghosts, tell)


def clear(call: Invocation) -> None:
    """Delete all cached answers of servers."""
    from foveal.doors.client.ghosts import GhostCache

    count = GhostCache().clear()
    call.answer({"cleared": count}, lambda page: page.line(f"cleared  {count:,}"))


def engrams_of(call: Invocation) -> Engrams:
    """The engrams on this machine that belong to the memory of the call."""
    from foveal.config import load_settings
    from foveal.doors.client.connect import line_to
    from foveal.doors.client.ghosts import Engrams, GhostCache

    url = call.server
    if url is not None:
        return line_to(url).engrams
    return Engrams(GhostCache(key=load_settings().ghost_key), "here")
