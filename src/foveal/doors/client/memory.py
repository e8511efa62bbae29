"""A remote memory with the same verbs as a local one."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from pathlib import Path as FilePath
from typing import Any, Self, TypeVar, Unpack

from msgspec.structs import replace

from foveal.backends.documents import READERS
from foveal.doors.client.connect import Connection
from foveal.doors.client.outbox import Refused
from foveal.doors.client.remote import Transport
from foveal.engine.admin import Admin
from foveal.engine.async_memory import AsyncView
from foveal.engine.crystals.crystals import Crystals
from foveal.engine.entries import Nodes
from foveal.engine.ledger.knowledge import documents
from foveal.engine.ledger.ledger import Ledger
from foveal.engine.ledger.longterm import LongTerm
from foveal.engine.ledger.operational import Operational
from foveal.engine.lifecycle.lifecycle import Lifecycle
from foveal.engine.memory import View
from foveal.engine.past import Snapshots
from foveal.engine.records.relations import Groups, Links, Sessions
from foveal.engine.records.verbs import Browse
from foveal.engine.tape.tape import TapeVerbs
from foveal.errors import Invalid, NotFound
from foveal.model.query import At
from foveal.model.record import Scope
from foveal.model.results import Ingested, Skipped
from foveal.rules.drafts import viewpoint_of
from foveal.rules.validation import checked_path
from foveal.wire.calls import call_of
from foveal.wire.verbs import ALIASES, VERBS

T = TypeVar("T")
# The numbers of an import that add up over its files.
COUNTED = ("files", "added", "changed", "unchanged", "forgotten", "withheld")


def ask(remote: Transport, bound: At, name: str, words: tuple[Any, ...], said: Mapping[str, Any]) -> Any:
    """Call a verb from a bound viewpoint and return its answer.

    `words` are its positional arguments, `said` its keyword arguments.
    """
    call = call_of(name)
    known = {field.name for field in call.fields}
    viewpoint = {key: value for key, value in bound.items() if call.open or key in known}
    # Progress callbacks do not travel: the caller only waits for the answer.
    arguments = {key: value for key, value in call.named(words, said).items() if not callable(value)}
    return remote.call(call.verb.name, {**viewpoint, **arguments})


def _forwarded(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def verb(self: Any, *args: Any, **options: Any) -> Any:
        return ask(self._remote, self._bound, name, args, options)

    return verb


def elsewhere(facade: str) -> Callable[[type[T]], type[T]]:
    """Class decorator that forwards the verbs of a facade to the remote, except those the class itself defines."""

    def forward(cls: type[T]) -> type[T]:
        methods = {verb.method: name for name, verb in VERBS.items()} | {alias: alias for alias in ALIASES}
        for method, name in methods.items():
            owner, _, short = method.rpartition(".")
            if owner == facade and short not in vars(cls):
                setattr(cls, short, _forwarded(name, getattr(cls, short)))
        return cls

    return forward


class _RemoteFacade:
    """What a remote facade has in place of a memory: the transport and the bound viewpoint."""

    def __init__(self, remote: Transport, bound: At | None = None) -> None:
        self._remote = remote
        self._bound: At = bound or {}


@elsewhere("tape")
class RemoteTape(_RemoteFacade, TapeVerbs):
    """The glyph tape of a remote memory."""


@elsewhere("crystals")
class RemoteCrystals(_RemoteFacade, Crystals):
    """The windows and crystals of a remote memory."""


@elsewhere("operational")
class RemoteOperational(_RemoteFacade, Operational):
    """The events, metrics and machine state of a remote memory."""


@elsewhere("ledger")
class RemoteLedger(_RemoteFacade, Ledger):
    """The ledger of a remote memory."""


@elsewhere("longterm")
class RemoteLongTerm(_RemoteFacade, LongTerm):
    """The procedures, incidents, configuration changes and knowledge of a remote memory."""

    def ingest(
        self,
        path: str | FilePath,
        *,
        name: str | None = None,
        tags: Iterable[str] = (),
        again: bool = False,
        scope: Scope | str | None = None,
        keep_removed: bool = True,
        progress: Callable[[int, int], None] | None = None,
        **at: Unpack[At],
    ) -> Ingested:
        """Send a file or the files of a folder of this machine to the memory, which imports them as knowledge.

        Sent again, what changed is updated. Files that were removed since stay in the memory, whatever
        `keep_removed` says: the server does not see the folder.
        """
        place = checked_path(path).expanduser().resolve()
        if not place.exists():
            raise NotFound(f"there is no file or folder {path}", path=str(path))
        folder = place if place.is_dir() else place.parent
        files = documents(place, frozenset({".pdf", *READERS}))
        total = Ingested(files=0, added=0, changed=0, unchanged=0, forgotten=0)
        for number, file in enumerate(files, 1):
            try:
                content = b64encode(file.read_bytes()).decode()
                done = self.ingest_document(
                    file.relative_to(folder).as_posix(),
                    content,
                    encoding="base64",
                    folder=name or str(folder),
                    tags=tags,
                    again=again,
                    scope=scope,
                    **at,
                )
            except (OSError, Invalid) as error:
                if not place.is_dir():
                    raise (
                        error if isinstance(error, Invalid) else Invalid(f"{file} cannot be read: {error}")
                    ) from error
                total = replace(total, skipped=(*total.skipped, Skipped(path=str(file), reason=str(error))))
                continue
            counts = {key: getattr(total, key) + getattr(done, key) for key in COUNTED}
            total = replace(total, **counts)
            if progress is not None:
                progress(number, len(files))
        return total


@elsewhere("browse")
class RemoteBrowse(_RemoteFacade, Browse):
    """The pages, regions, addresses and earlier reads of a remote memory."""


@elsewhere("links")
class RemoteLinks(_RemoteFacade, Links):
    """The links, children and trees of a remote memory."""


@elsewhere("groups")
class RemoteGroups(_RemoteFacade, Groups):
    """The groups of a remote memory."""


@elsewhere("sessions")
class RemoteSessions(_RemoteFacade, Sessions):
    """The sessions of a remote memory."""


@elsewhere("snapshots")
class RemoteSnapshots(_RemoteFacade, Snapshots):
    """The snapshots of a remote memory."""


@elsewhere("lifecycle")
class RemoteLifecycle(_RemoteFacade, Lifecycle):
    """The lifecycle of a remote memory."""


@elsewhere("nodes")
class RemoteNodes(_RemoteFacade, Nodes):
    """The tree of agents of a remote memory."""


@elsewhere("admin")
class RemoteAdmin(_RemoteFacade, Admin):
    """The policies, actors and state of a remote memory."""


@elsewhere("")
class RemoteMemory(_RemoteFacade, View):
    """A memory behind a URL, with every verb of `Memory` that works remotely. The others raise `Unsupported`.

    Close it, or use it in a `with` statement.
    """

    def __init__(self, connection: Connection, bound: At | None = None) -> None:
        super().__init__(connection, bound)
        self.connection = connection

    def refused_writes(self) -> list[Refused]:
        """The queued writes that the server refused when they were sent, oldest first, and why."""
        outbox = self.connection.outbox
        return [] if outbox is None else outbox.outbox.refused()

    def view(self, **at: Unpack[At]) -> RemoteMemory:
        """The same memory with a viewpoint bound, so that calls need not repeat it."""
        viewpoint_of({"actor_id": "anyone", **self._bound}, at)
        return RemoteMemory(self.connection, {**self._bound, **at})

    @property
    def browse(self) -> RemoteBrowse:
        """Look through the memory without a question."""
        return RemoteBrowse(self._remote, self._bound)

    @property
    def links(self) -> RemoteLinks:
        """Links between records, children and trees."""
        return RemoteLinks(self._remote, self._bound)

    @property
    def groups(self) -> RemoteGroups:
        """Named groups of records."""
        return RemoteGroups(self._remote, self._bound)

    @property
    def sessions(self) -> RemoteSessions:
        """Conversations, with their start and end."""
        return RemoteSessions(self._remote, self._bound)

    @property
    def snapshots(self) -> RemoteSnapshots:
        """Named states of the memory."""
        return RemoteSnapshots(self._remote, self._bound)

    @property
    def lifecycle(self) -> RemoteLifecycle:
        """How records age."""
        return RemoteLifecycle(self._remote, self._bound)

    @property
    def nodes(self) -> RemoteNodes:
        """The tree of agents."""
        return RemoteNodes(self._remote, self._bound)

    @property
    def admin(self) -> RemoteAdmin:
        """The memory as a whole."""
        return RemoteAdmin(self._remote, self._bound)

    @property
    def tape(self) -> RemoteTape:
        """The glyph tape."""
        return RemoteTape(self._remote, self._bound)

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
        """Close the connections."""
        self._remote.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncRemoteMemory(AsyncView):
    """`RemoteMemory` for asynchronous callers: the same verbs, awaited."""

    def __init__(self, memory: RemoteMemory) -> None:
        super().__init__(memory)
        self._memory = memory

    async def close(self) -> None:
        """Close the connections."""
        self._memory.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
