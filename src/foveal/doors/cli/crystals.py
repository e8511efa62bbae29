"""`foveal crystal`, engrams and ghosts."""

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
    everything: Annotated[bool, typer.Option("--all", help="Those that were reaped, too.")] = False,
) -> None:
    """List the crystals there are, oldest first."""
    from foveal.doors.cli import output

    with call.memory() as memory:
        found = [one for one in memory.crystals.lineages() if everything or not one.tombstone]

    def tell(page: Printer) -> None:
        rows = [
            (
                one.crystal_id,
                output.moment(one.timestamp),
                f"{one.tokens:,}",
                _life(one),
                " ".join(part for part in (one.agent if one.agent != "/" else "", one.branch_reason) if part),
            )
            for one in found
        ]
        page.table(("crystal", "made", "tokens", "life", "agent, reason"), rows, right=["tokens"])

    call.answer(found, tell, [one.crystal_id for one in found])
    if not found:
        call.note("there are no crystals")


def show(call: Invocation, crystal_id: CrystalId) -> None:
    """Show a crystal with all it holds."""
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
        found = memory.crystals.lineages()

    def tell(page: Printer) -> None:
        page.tree(_leaves(found, None))

    call.answer(found, tell, [one.crystal_id for one in found])
    if not found:
        call.note("there are no crystals")


def diff(
    call: Invocation,
    first: Annotated[str, typer.Argument(metavar="FIRST", help="The id of a crystal.")],
    second: Annotated[str, typer.Argument(metavar="SECOND", help="The id of the one to compare it with.")],
) -> None:
    """Say what the second of two crystals has that the first has not, and the other way round."""
    with call.memory() as memory:
        found = memory.crystals.diff(first, second)

    def tell(page: Printer) -> None:
        counts = f"{found.kept} kept, {len(found.added)} added, {len(found.removed)} removed"
        page.line(f"{counts}, {found.tokens:+} tokens")
        for mark, style, fragments in (("-", "red", found.removed), ("+", "green", found.added)):
            for one in fragments:
                page.item(mark, one.content, style)
        for name, (old, new) in {**found.task_state, **found.working_memory}.items():
            page.item("~", f"{name}: {old} -> {new}", "yellow")
        if found.summary is not None:
            page.item("-", found.summary[0] or "(no summary)", "red")
            page.item("+", found.summary[1] or "(no summary)", "green")

    call.answer(found, tell)


def resume(
    call: Invocation,
    crystal_id: CrystalId,
    form: Annotated[
        str, typer.Option("--format", metavar="NAME", help="Whose messages --json gives: openai or anthropic.")
    ] = "openai",
) -> None:
    """Put a crystal back: the messages to go on with."""
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
    undo: Annotated[bool, typer.Option("--undo", help="Let its time run again.")] = False,
) -> None:
    """Keep a crystal from being reaped."""
    with call.memory() as memory:
        line = (memory.crystals.uncherish if undo else memory.crystals.cherish)(crystal_id)
    call.answer(line, lambda page: page.line(f"{'uncherished' if undo else 'cherished'}  {crystal_id}"))


def compost(
    call: Invocation,
    crystal_id: CrystalId,
    hard: Annotated[bool, typer.Option("--hard", help="Its summary, too.")] = False,
) -> None:
    """Let a crystal go now.

    Its tombstone and summary stay, so that the tree stays whole.
    """
    with call.memory() as memory:
        done = memory.crystals.compost(crystal_id, hard=hard)
    _tell(call, done)


def reap(call: Invocation) -> None:
    """Let every crystal go whose time is over and that is not cherished."""
    with call.memory() as memory:
        done = memory.crystals.reap()
    _tell(call, done)


def _tell(call: Invocation, done: Reaped) -> None:
    from foveal.doors.cli.output import counted

    told = f"reaped {counted(done.reaped_count, 'crystal')}"
    if done.skipped_pinned or done.skipped_unexpired:
        told += f"; left {done.skipped_pinned:,} cherished, {done.skipped_unexpired:,} whose time is not over"
    call.answer(done, lambda page: page.line(told), done.ids)


def _life(line: Lineage) -> str:
    from foveal.doors.cli import output

    if line.reaped_at is not None:
        return f"reaped {output.moment(line.reaped_at)}"
    return "cherished" if line.pinned else f"until {output.moment(line.expires_at)}"


def _leaves(lines: Sequence[Lineage], parent: str | None) -> list[Leaf]:
    known = {one.crystal_id for one in lines}
    found: list[Leaf] = []
    for one in lines:
        above = one.parent_crystal if one.parent_crystal in known else None
        if above == parent:
            told = [f"{one.tokens:,} tokens", _life(one), one.branch_reason or ""]
            mark = "†" if one.tombstone else "◆" if one.pinned else "◇"
            text = ", ".join(part for part in told if part)
            found.append((f"{mark} {one.crystal_id}", text, _leaves(lines, one.crystal_id)))
    return found


def _fragments(page: Printer, fragments: Sequence[FocusFragment]) -> None:
    for one in fragments:
        page.card([f"turn {one.position}", one.role.value, one.linearity.name.lower(), one.hint], one.content)


Name = Annotated[str, typer.Argument(metavar="NAME", help="What it is called.")]


def engram(
    call: Invocation,
    name: Name,
    state: Annotated[str, typer.Argument(metavar="STATE", help="JSON or text; @FILE or - reads it.")],
) -> None:
    """Keep a state where you are, under a name."""
    from foveal.doors.cli import invocation

    said = invocation.text_of(state.removeprefix("@")) if state.startswith("@") or state == "-" else state
    kept = engrams_of(call).engram(name, invocation.json_or_text(said), actor=call.at.get("actor_id", ""))
    call.answer(kept, lambda page: page.line(f"kept  {kept.name}  in {kept.path}"), [kept.name])


def manifest(call: Invocation, name: Name) -> None:
    """Show a state that an engram kept, with its age.

    One that is too old is refused.
    """
    from foveal.doors.client.ghosts import told_age
    from foveal.wire.codec import document

    found = engrams_of(call).manifest(name, actor=call.at.get("actor_id", ""))
    call.answer(found, lambda page: page.line(document(found.state, indent=True)), [found.name])
    call.note(f"{found.level}, {told_age(found.age)} old")


def status(call: Invocation) -> None:
    """Show what is kept of servers, for when they are away."""
    from foveal.config import load_settings
    from foveal.doors.client.ghosts import GhostCache

    found = GhostCache(key=load_settings().ghost_key).status()

    def tell(page: Printer) -> None:
        page.facts(
            [
                ("folder", found.folder),
                ("ghosts", ", ".join(f"{room} {count:,}" for room, count in found.ghosts.items())),
                ("bytes", f"{found.bytes:,}"),
                ("oldest", str(found.oldest or "none")),
                ("last answer", found.last_sync or "never"),
                ("stability", ", ".join(f"{score:.2f}" for score in found.stability.values()) or "not known"),
                ("encrypted", "yes" if found.encrypted else "no"),
            ]
        )

    call.answer(found, tell)


def clear(call: Invocation) -> None:
    """Let go of everything that is kept of servers."""
    from foveal.doors.client.ghosts import GhostCache

    gone = GhostCache().clear()
    call.answer({"cleared": gone}, lambda page: page.line(f"cleared  {gone:,}"))


def engrams_of(call: Invocation) -> Engrams:
    """What is kept where the call is made."""
    from foveal.config import load_settings
    from foveal.doors.client.connect import line_to
    from foveal.doors.client.ghosts import Engrams, GhostCache

    url = call.server
    if url is not None:
        return line_to(url).engrams
    return Engrams(GhostCache(key=load_settings().ghost_key), "here")
