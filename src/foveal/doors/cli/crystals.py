"""The commands of crystals, engrams and ghosts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

from foveal.doors.cli import parsing
from foveal.doors.cli.invocation import Invocation, argument, flag, option
from foveal.doors.cli.output import Answer, Leaf, Printer, counted, moment, table
from foveal.errors import Invalid

if TYPE_CHECKING:
    from collections.abc import Sequence

    from foveal.model.crystal import Lineage, Reaped


CrystalId = Annotated[str, argument("ID", "The id of a crystal.")]


def ls(call: Invocation, everything: Annotated[bool, flag("--all", "Include reaped ones.")] = False) -> Answer:
    """List the crystals, oldest first."""

    def row(line: Lineage) -> Sequence[object]:
        agent = "" if line.agent == "/" else line.agent
        about = " ".join(part for part in (agent, line.branch_reason) if part)
        return (line.crystal_id, line.timestamp, line.tokens, _life(line), about)

    with call.memory() as memory:
        lineages = [line for line in memory.crystals.lineages() if everything or not line.tombstone]
    return table(
        lineages, ("crystal", "made", ">tokens", "life", "agent, reason"), row, empty="there are no crystals"
    )


def show(call: Invocation, crystal_id: CrystalId) -> Answer:
    """Show a crystal with its whole content."""
    with call.memory() as memory:
        crystal = memory.crystals.get(crystal_id)
        line = memory.crystals.lineage(crystal_id)[0]
    task = crystal.task_state
    pairs = [
        ("crystal", crystal.crystal_id),
        ("agent", crystal.agent),
        ("made", moment(crystal.timestamp)),
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
        for part in crystal.focus_fragments:
            heads = [f"turn {part.position}", part.role.value, part.linearity.name.lower(), part.hint]
            page.card(heads, part.content)

    return Answer(crystal, tell, [crystal.crystal_id])


def tree(call: Invocation) -> Answer:
    """Draw the crystals as the tree of their branches."""
    with call.memory() as memory:
        lineages = memory.crystals.lineages()
    ids = [line.crystal_id for line in lineages]
    return Answer(lineages, lambda page: page.tree(_leaves(lineages, None)), ids, "there are no crystals")


def diff(
    call: Invocation,
    first: Annotated[str, argument("FIRST", "The id of a crystal.")],
    second: Annotated[str, argument("SECOND", "The id of the one to compare it with.")],
) -> Answer:
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

    return Answer(difference, tell)


def resume(
    call: Invocation,
    crystal_id: CrystalId,
    form: Annotated[
        str, option("--format", "NAME", "The format of the messages with --json: openai or anthropic.")
    ] = "openai",
) -> Answer:
    """Restore a crystal as the messages to continue with."""
    with call.memory() as memory:
        resumed = memory.crystals.resume(crystal_id)
        messages = memory.crystals.messages(resumed.window, format=form)

    def tell(page: Printer) -> None:
        for turn in resumed.window.turns:
            page.card([turn.role.value, f"turn {turn.number}", turn.linearity.name.lower()], turn.content)

    document = {"messages": messages, "task_state": resumed.task_state, "working_memory": resumed.working_memory}
    return Answer(document, tell)


def crystallize(
    call: Invocation,
    messages: Annotated[
        Path, argument("FILE", "A JSON file with a list of messages, each with role and content; - reads stdin.")
    ],
    focus: Annotated[list[str] | None, option("--focus", "TEXT", "Keep turns that say this word for word.")] = None,
    ttl: Annotated[str, option("--ttl", "SPAN", "How long it is kept: 90, 15m, 12h, 7d, 2w.")] = "24h",
    parent: Annotated[str | None, option("--parent", "ID", "The crystal that it continues.")] = None,
    reason: Annotated[str | None, option("--reason", "TEXT", "Why it was made.")] = None,
    pin: Annotated[bool, flag("--pin", "Keep it from being reaped.")] = False,
) -> Answer:
    """Keep a conversation as a crystal."""
    turns = parsing.json_or_text(parsing.text_of(str(messages)))
    if not isinstance(turns, list):
        raise Invalid('the file must hold a list of messages, such as [{"role": "user", "content": "…"}]')
    with call.memory(fresh=True) as memory:
        crystal = memory.crystals.crystallize(
            cast("list[dict[str, Any]]", turns),
            focus,
            parsing.span(ttl, "--ttl") or 0.0,
            parent=parent,
            reason=reason,
            pin=pin,
        )
    kept = counted(len(crystal.focus_fragments), "turn")
    text = f"crystallized  {crystal.crystal_id}  {kept} kept word for word, {crystal.dropped:,} only in the summary"
    return Answer(crystal, text, [crystal.crystal_id])


def branch(
    call: Invocation,
    crystal_id: CrystalId,
    reason: Annotated[str, argument("REASON", "What the branch is to try.")],
    budget: Annotated[
        float | None, option("--budget", "SHARE", "How much it may bring back, as a share of its tokens.")
    ] = None,
) -> Answer:
    """Branch from a crystal, to try another direction."""
    with call.memory() as memory:
        child = memory.crystals.branch(crystal_id, reason, budget=budget)
    return Answer(child, f"branched  {child.crystal_id}  from {crystal_id}", [child.crystal_id])


def merge(
    call: Invocation,
    crystal_id: CrystalId,
    into: Annotated[str, argument("INTO", "The id of the crystal to merge it into.")],
    strategy: Annotated[
        str, option("--strategy", "NAME", "summarise, squash, rebase or cherry_pick.")
    ] = "summarise",
    pick: Annotated[list[str] | None, option("--pick", "ID", "A turn to take with cherry_pick.")] = None,
) -> Answer:
    """Merge a branch into another crystal.

    The result is a new crystal. A branch is merged once.
    """
    with call.memory() as memory:
        merged = memory.crystals.merge(crystal_id, into, strategy=strategy, pick=pick or ())
    return Answer(merged, f"merged  {merged.crystal_id}", [merged.crystal_id])


def cherish(
    call: Invocation,
    crystal_id: CrystalId,
    undo: Annotated[bool, flag("--undo", "Let it expire again.")] = False,
) -> Answer:
    """Keep a crystal from being reaped."""
    with call.memory() as memory:
        line = (memory.crystals.uncherish if undo else memory.crystals.cherish)(crystal_id)
    return Answer(line, f"{'uncherished' if undo else 'cherished'}  {crystal_id}")


def compost(
    call: Invocation,
    crystal_id: CrystalId,
    hard: Annotated[bool, flag("--hard", "Remove its summary, too.")] = False,
) -> Answer:
    """Remove a crystal now.

    Its tombstone and summary stay, so that the tree remains complete.
    """
    with call.memory() as memory:
        return _reaped(memory.crystals.compost(crystal_id, hard=hard))


def reap(call: Invocation) -> Answer:
    """Remove every expired crystal that is not cherished."""
    with call.memory() as memory:
        return _reaped(memory.crystals.reap())


def _reaped(reaped: Reaped) -> Answer:
    text = f"reaped {counted(reaped.reaped_count, 'crystal')}"
    if reaped.skipped_pinned or reaped.skipped_unexpired:
        text += f"; left {reaped.skipped_pinned:,} cherished, {reaped.skipped_unexpired:,} whose time is not over"
    return Answer(reaped, text, reaped.ids)


def _life(line: Lineage) -> str:
    if line.reaped_at is not None:
        return f"reaped {moment(line.reaped_at)}"
    return "cherished" if line.pinned else f"until {moment(line.expires_at)}"


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


Name = Annotated[str, argument("NAME", "The name of the engram.")]


def engram(
    call: Invocation,
    name: Name,
    state: Annotated[str, argument("STATE", "JSON or text; @FILE or - reads it.")],
) -> Answer:
    """Keep a state under a name until it is overwritten."""
    text = parsing.text_of(state.removeprefix("@")) if state.startswith("@") or state == "-" else state
    with call.memory(fresh=True) as memory:
        kept = memory.engram(name, parsing.json_or_text(text))
    return Answer(kept, f"kept  {kept.name}", [kept.name])


def manifest(call: Invocation, name: Name) -> Answer:
    """Show the state kept in an engram, with its age."""
    from foveal.doors.client.ghosts import short_age
    from foveal.wire.codec import document

    with call.memory() as memory:
        shown = memory.manifest(name)
    note = f"{short_age(shown.age)} old"
    return Answer(shown, lambda page: page.line(document(shown.state, indent=True)), [shown.name], notes=[note])


def status(call: Invocation) -> Answer:
    """Show which answers of servers are cached for when they are away."""
    from foveal.config import load_settings
    from foveal.doors.client.ghosts import GhostCache

    ghosts = GhostCache(key=load_settings().ghost_key).status()
    pairs = [
        ("folder", ghosts.folder),
        ("ghosts", ", ".join(f"{kind} {count:,}" for kind, count in ghosts.ghosts.items())),
        ("bytes", f"{ghosts.bytes:,}"),
        ("oldest", str(ghosts.oldest or "none")),
        ("last answer", ghosts.last_sync or "never"),
        ("stability", ", ".join(f"{score:.2f}" for score in ghosts.stability.values()) or "not known"),
        ("encrypted", "yes" if ghosts.encrypted else "no"),
    ]
    return Answer(ghosts, lambda page: page.facts(pairs))


def clear(call: Invocation) -> Answer:
    """Delete all cached answers of servers."""
    from foveal.doors.client.ghosts import GhostCache

    count = GhostCache().clear()
    return Answer({"cleared": count}, f"cleared  {count:,}")
