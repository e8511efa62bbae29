"""A memory that is somewhere else, with the verbs of one that is here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from types import TracebackType
from typing import Any, Self, TypeVar, Unpack

from foveal.doors.client.connect import Connection
from foveal.doors.client.ghosts import PATHS
from foveal.doors.client.remote import Transport
from foveal.engine import paths
from foveal.engine.async_memory import AsyncView
from foveal.engine.crystals.crystals import Crystals
from foveal.engine.ledger.ledger import Ledger
from foveal.engine.ledger.longterm import LongTerm
from foveal.engine.ledger.operational import Operational
from foveal.engine.memory import View
from foveal.engine.paths import Path
from foveal.engine.tape.tape import TapeVerbs
from foveal.model.query import At
from foveal.model.server import Engram, Manifest
from foveal.rules.drafts import viewpoint_of
from foveal.wire.calls import call_of
from foveal.wire.verbs import ALIASES, VERBS

T = TypeVar("T")


def ask(remote: Transport, bound: At, name: str, words: tuple[Any, ...], said: Mapping[str, Any]) -> Any:
    """What a verb answers, from a viewpoint that was bound before."""
    call = call_of(name)
    known = {one.name for one in call.fields}
    place = {key: value for key, value in bound.items() if call.open or key in known}
    # Whoever wants to be told how far it is waits here instead.
    given = {key: value for key, value in call.named(words, said).items() if not callable(value)}
    return remote.call(call.verb.name, {**place, **given})


def _forwarded(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def verb(self: Any, *words: Any, **said: Any) -> Any:
        return ask(self._remote, self._bound, name, words, said)

    return verb


def elsewhere(facade: str) -> Callable[[type[T]], type[T]]:
    """Let every verb of a facade ask the remote, but those that the class has of its own."""

    def forward(kind: type[T]) -> type[T]:
        for name in (*VERBS, *ALIASES):
            room, _, short = name.rpartition(".")
            if room == facade and short not in vars(kind):
                setattr(kind, short, _forwarded(name, getattr(kind, short)))
        return kind

    return forward


class _Room:
    """What stands in for the memory of a facade: the remote, and the viewpoint."""

    def __init__(self, remote: Transport, bound: At | None = None) -> None:
        self._remote = remote
        self._bound: At = bound or {}


@elsewhere("tape")
class RemoteTaping(_Room, TapeVerbs):
    """The glyph tape of a memory that is somewhere else."""


@elsewhere("crystals")
class RemoteCrystals(_Room, Crystals):
    """Windows and crystals of a memory that is somewhere else."""


@elsewhere("operational")
class RemoteOperational(_Room, Operational):
    """What happens now, where the memory is."""


@elsewhere("ledger")
class RemoteLedger(_Room, Ledger):
    """What agents do, kept by a memory that is somewhere else."""


@elsewhere("longterm")
class RemoteLongTerm(_Room, LongTerm):
    """What lasts, kept by a memory that is somewhere else."""


@elsewhere("")
class RemoteMemory(_Room, View):
    """A memory behind a URL: every verb of `Memory` that travels. What does not is `Unsupported`, and says so.

    Close it, or use it in a `with`.
    """

    def __init__(self, line: Connection, bound: At | None = None) -> None:
        super().__init__(line, bound)
        self.line = line

    def engram(self, name: str, state: Any) -> Engram:
        """Keep a state where the client is, under a name."""
        return self.line.engrams.engram(name, state, actor=self._bound.get("actor_id", ""))

    def manifest(self, name: str) -> Manifest:
        """The state that an engram kept, with its age; `TooStale` when it is too old to show."""
        return self.line.engrams.manifest(name, actor=self._bound.get("actor_id", ""))

    def invoke(self, path: str, **arguments: Any) -> dict[str, Any]:
        """Do what a path names, here or where the memory is. The answer is plain."""
        if path in PATHS:
            return paths.invoke(self, path, arguments, PATHS)
        return ask(self._remote, self._bound, "invoke", (path,), arguments)

    def paths(self) -> list[Path]:
        """Every path there is, where the memory is and here."""
        return [
            *ask(self._remote, self._bound, "paths", (), {}),
            *(one for one in paths.listed(PATHS) if one.path in PATHS),
        ]

    def view(self, **at: Unpack[At]) -> RemoteMemory:
        """The same memory with a viewpoint bound, so that calls need not repeat it."""
        viewpoint_of({"actor_id": "anyone", **self._bound}, at)
        return RemoteMemory(self.line, {**self._bound, **at})

    @property
    def tape(self) -> RemoteTaping:
        """The glyph tape."""
        return RemoteTaping(self._remote, self._bound)

    @property
    def crystals(self) -> RemoteCrystals:
        """Windows and crystals, from the same viewpoint."""
        return RemoteCrystals(self._remote, self._bound)

    @property
    def operational(self) -> RemoteOperational:
        """What happens now: events, metrics, the state of the machine."""
        return RemoteOperational(self._remote, self._bound)

    @property
    def ledger(self) -> RemoteLedger:
        """What agents do: goals, tasks, tool calls, decisions, patterns, states."""
        return RemoteLedger(self._remote, self._bound)

    @property
    def longterm(self) -> RemoteLongTerm:
        """What lasts: procedures, incidents, configuration changes, knowledge."""
        return RemoteLongTerm(self._remote, self._bound)

    def close(self) -> None:
        """Let go of the connections."""
        self._remote.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class AsyncRemoteMemory(AsyncView):
    """`RemoteMemory` for asynchronous callers: the same verbs, awaited."""

    def __init__(self, memory: RemoteMemory) -> None:
        super().__init__(memory)
        self._memory = memory

    async def close(self) -> None:
        """Let go of the connections."""
        self._memory.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
