"""The paths: names for the operations of a memory, the same at every door."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from foveal.errors import Invalid, NotFound
from foveal.model.crystal import DAY, WIDEST, ContextWindow, Reaped
from foveal.model.query import At
from foveal.model.record import Linearity
from foveal.rules.drafts import require_known

if TYPE_CHECKING:
    from foveal.engine.memory import View

Answer = dict[str, Any]

_AT = frozenset(At.__annotations__)


class Path(Struct, frozen=True, kw_only=True):
    """A path: its name, its help, the arguments it requires and those it accepts."""

    path: str
    help: str
    needs: tuple[str, ...]
    takes: tuple[str, ...]


def _crystallize(
    memory: View,
    *,
    context: ContextWindow | Sequence[Mapping[str, Any]],
    focus_hints: Sequence[str] | None = None,
    ttl: float = DAY.total_seconds(),
    task_state: Mapping[str, Any] | None = None,
    working_memory: Mapping[str, Any] | None = None,
    parent: str | None = None,
    reason: str | None = None,
    pin: bool = False,
) -> Answer:
    """Store a context, which is a window or a list of messages, as a crystal."""
    crystal = memory.crystals.crystallize(
        context,
        focus_hints,
        ttl,
        task_state=task_state,
        working_memory=working_memory,
        parent=parent,
        reason=reason,
        pin=pin,
    )
    fragments = crystal.focus_fragments
    return {
        "crystal_id": crystal.crystal_id,
        "preserved_count": sum(fragment.linearity is Linearity.PRESERVED for fragment in fragments),
        "required_count": sum(fragment.linearity is Linearity.REQUIRED for fragment in fragments),
        "dropped_count": crystal.dropped,
        "summary_length": len(crystal.history_summary),
        "expires_at": crystal.expires_at,
        "pinned": crystal.pinned,
    }


def _resume(memory: View, *, crystal_id: str, max_tokens: int = WIDEST, format: str = "openai") -> Answer:
    """Restore a crystal: its state, and the messages to continue with."""
    resumed = memory.crystals.resume(crystal_id, max_tokens=max_tokens)
    return {
        "crystal_id": crystal_id,
        "restored_fragments": len(resumed.crystal.focus_fragments),
        "task_id": resumed.task_state.task_id,
        "task_status": resumed.task_state.status,
        "working_memory": resumed.working_memory,
        "window_turn_count": len(resumed.window.turns),
        "messages": memory.crystals.messages(resumed.window, format=format),
    }


def _cherish(memory: View, *, crystal_id: str, uncherish: bool = False) -> Answer:
    """Protect a crystal from being reaped; with uncherish, let it expire again."""
    crystals = memory.crystals
    line = crystals.uncherish(crystal_id) if uncherish else crystals.cherish(crystal_id)
    return {"crystal_id": crystal_id, "pinned": line.pinned, "expires_at": line.expires_at}


def _compost(memory: View, *, crystal_id: str, hard: bool = False) -> Answer:
    """Drop the content of a crystal now. Its tombstone and summary stay; with hard, only the tombstone."""
    return _reaped(memory.crystals.compost(crystal_id, hard=hard))


def _engram(memory: View, *, name: str, state: Any) -> Answer:
    """Keep a state under a name until it is overwritten."""
    kept = memory.engram(name, state)
    return {"key": kept.name, "at": kept.kept_at, "node": kept.node}


def _manifest(memory: View, *, name: str) -> Answer:
    """The state kept under a name, with its age."""
    shown = memory.manifest(name)
    age = shown.age.total_seconds()
    return {"key": shown.name, "state": shown.state, "at": shown.at, "age_seconds": age, "node": shown.node}


def _recall(memory: View, *, query: str, token_budget: int = 2048) -> Answer:
    """The context to give a model for a question, within a token budget."""
    context = memory.read(query, token_budget=token_budget)
    return {"text": context.text, "ids": [item.id for item in context.items], "receipt": context.receipt}


def _forget(memory: View, *, target: str | Sequence[str] | Mapping[str, Any], hard: bool = False) -> Answer:
    """Hide records: one id, several, or all that match a filter; with hard, erase them for good."""
    forgotten = memory.forget(target, hard=hard)
    return {"ids": forgotten.ids, "pinned": forgotten.pinned, "erased": forgotten.erased}


def _pour(memory: View) -> Answer:
    """Reap every crystal that has expired and is not cherished."""
    return _reaped(memory.crystals.reap())


def _reaped(reaped: Reaped) -> Answer:
    return {
        "reaped_count": reaped.reaped_count,
        "ids": reaped.ids,
        "skipped_pinned": reaped.skipped_pinned,
        "skipped_unexpired": reaped.skipped_unexpired,
    }


def _consolidate(memory: View, dry_run: bool = False) -> Answer:
    """Run the lifecycle now: move due records to their next tier, and merge near-duplicates."""
    done = memory.lifecycle.run(dry_run=dry_run)
    return {"moves": done.moves, "counts": done.counts, "summaries": done.summaries, "dry_run": done.dry_run}


Paths = Mapping[str, Callable[..., Answer]]

PATHS: Paths = {
    "self.memory.crystallize": _crystallize,
    "self.memory.resume": _resume,
    "self.memory.cherish": _cherish,
    "self.memory.compost": _compost,
    "self.memory.engram": _engram,
    "self.memory.manifest": _manifest,
    "self.memory.recall": _recall,
    "self.memory.forget": _forget,
    "self.memory.consolidate": _consolidate,
    "void.entropy.pour": _pour,
}
# The verbs that each path calls: a caller may invoke a path if it may use all of them.
CALLS: Mapping[str, tuple[str, ...]] = {
    "self.memory.crystallize": ("crystals.crystallize",),
    "self.memory.resume": ("crystals.resume",),
    "self.memory.cherish": ("crystals.cherish", "crystals.uncherish"),
    "self.memory.compost": ("crystals.compost",),
    "self.memory.engram": ("engram",),
    "self.memory.manifest": ("manifest",),
    "self.memory.recall": ("read",),
    "self.memory.forget": ("forget",),
    "self.memory.consolidate": ("metabolise",),
    "void.entropy.pour": ("crystals.reap",),
}


def listed() -> list[Path]:
    """All paths with their help."""
    return [_described(name, run) for name, run in PATHS.items()]


def _described(name: str, run: Callable[..., Answer]) -> Path:
    parameters = [each for each in inspect.signature(run).parameters.values() if each.name != "memory"]
    return Path(
        path=name,
        help=inspect.getdoc(run) or "",
        needs=tuple(each.name for each in parameters if each.default is inspect.Parameter.empty),
        takes=tuple(each.name for each in parameters if each.default is not inspect.Parameter.empty),
    )


def invoke(memory: View, path: str, arguments: Mapping[str, Any]) -> Answer:
    """Run the operation that a path names; `NotFound` with a suggestion for an unknown path."""
    run = PATHS.get(path)
    if run is None:
        raise NotFound(f"there is no path {path!r}: {_nearest(path, list(PATHS))}", path=path, known=list(PATHS))
    described = _described(path, run)
    at = {name: value for name, value in arguments.items() if name in _AT}
    own = {name: value for name, value in arguments.items() if name not in _AT}
    require_known(own, frozenset({*described.needs, *described.takes, *_AT}))
    missing = [name for name in described.needs if name not in own]
    if missing:
        raise Invalid(f"{path} needs {', '.join(missing)}", path=path, missing=missing)
    return run(memory.view(**at), **own)


def _nearest(path: str, known: Sequence[str]) -> str:
    ends = {name.rpartition(".")[2]: name for name in known}
    near = difflib.get_close_matches(path, known, 1, 0.5)
    by_end = difflib.get_close_matches(path.rpartition(".")[2], ends, 1)
    nearest = ends[by_end[0]] if by_end else near[0] if near else None
    return f"did you mean {nearest!r}?" if nearest else f"there are {', '.join(known)}"
