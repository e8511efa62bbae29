"""Ghosts, the cached answers shown with their age while the server is away; and engrams."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from pathlib import Path
from typing import Any, Unpack, cast

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from foveal.compose import open_counter
from foveal.config import own_folder
from foveal.doors.client.encryption import Seal, read_file, write_file
from foveal.doors.client.remote import Transport, is_unreachable
from foveal.engine import paths
from foveal.engine.memory import View
from foveal.errors import CircuitOpen, Forbidden, FovealError, Invalid, NotFound, TooStale, Unauthenticated
from foveal.model.query import At
from foveal.model.results import AssembledContext, Context, Cut
from foveal.model.server import Engram, Ghost, GhostKind, Level, Manifest
from foveal.ports.system import Clock, SystemClock
from foveal.rules.rendering import CLOSE
from foveal.rules.validation import checked_name
from foveal.wire.calls import call_of
from foveal.wire.codec import to_json

BASE = {
    GhostKind.STATUS: timedelta(seconds=120),
    GhostKind.AGENTS: timedelta(seconds=60),
    GhostKind.READS: timedelta(seconds=120),
    GhostKind.CRYSTALS: timedelta(seconds=300),
}
WEIGHT = 0.1


def threshold(base: timedelta, stability: float) -> timedelta:
    """The age up to which an answer counts as fresh: `base`, or up to twice that for a stable server.

    >>> threshold(timedelta(seconds=120), 0.5)
    datetime.timedelta(seconds=180)
    """
    return base * (1 + min(1.0, max(0.0, stability)))


def level(age: timedelta, limit: timedelta) -> Level:
    """Whether an answer of this age is fresh, stale, or too old to show.

    >>> level(timedelta(seconds=119), timedelta(seconds=120)), level(timedelta(seconds=240), timedelta(seconds=120))
    (<Level.FRESH: 'fresh'>, <Level.REFUSE: 'refuse'>)
    """
    if age < limit:
        return Level.FRESH
    return Level.STALE if age < 2 * limit else Level.REFUSE


def steadied(stability: float, answered: bool) -> float:
    """The stability of a server, from 0 to 1, after one more call that it answered or not.

    >>> round(steadied(0.5, True), 2), round(steadied(0.5, False), 2)
    (0.55, 0.45)
    """
    return (1 - WEIGHT) * stability + WEIGHT * answered


def short_age(age: timedelta) -> str:
    """An age in short form.

    >>> short_age(timedelta(seconds=42)), short_age(timedelta(minutes=7)), short_age(timedelta(hours=50))
    ('42s', '7m', '2d')
    """
    seconds = max(0, int(age.total_seconds()))
    for unit, size in (("d", 86400), ("h", 3600), ("m", 60)):
        if seconds >= size:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"


log = logging.getLogger("foveal.client")

MOST_BYTES = 64 * 1024 * 1024
LARGEST = 1024 * 1024
STATUS, META = "status.json", "_meta"
# The share of the limit that stays used after the oldest files are removed.
KEPT = 0.9
# How far a stability score moves before it is saved.
STEP = 0.05


class Place(Struct, frozen=True, kw_only=True):
    """What identifies a ghost: the server and API key, the actor, the kind of answer, and the question."""

    server: str
    actor: str
    room: GhostKind
    question: str


class GhostStatus(Struct, frozen=True, kw_only=True):
    """The number and size of the ghosts, and when a server last answered."""

    folder: str
    ghosts: dict[str, int]
    bytes: int
    oldest: datetime | None
    newest: datetime | None
    last_sync: str | None
    stability: dict[str, float]
    encrypted: bool


def default_folder() -> Path:
    """The default folder for ghosts, in the user's cache folder."""
    return own_folder("cache") / "ghost"


@contextmanager
def _logged() -> Generator[None]:
    """Logs a failure to write the cache: the call itself succeeded and must not fail because of it."""
    try:
        yield
    except OSError as error:
        log.warning("a ghost could not be kept: %s", error)


class GhostCache:
    """Answers by server, actor and question, so that no caller sees another's. Processes may share a folder.

    Files are written atomically and readable by their owner only; with a key they are encrypted. When they take too
    many bytes the oldest are removed. A failure to write the cache is logged, not raised.
    """

    def __init__(
        self,
        folder: Path | None = None,
        *,
        key: str | None = None,
        most_bytes: int = MOST_BYTES,
        clock: Clock | None = None,
    ) -> None:
        self.folder = folder or default_folder()
        self._key = key
        self._most = most_bytes
        self._clock = clock or SystemClock()
        self._lock = threading.RLock()
        self._made_seal: Seal | None = None
        self._size: int | None = None
        self._stability: dict[str, float] | None = None
        self._written: dict[str, float] = {}

    def keep(self, place: Place, ghost: Ghost) -> Path:
        """Keep an answer, replacing an older one to the same question."""
        data = msgspec.json.encode(ghost)
        path = self._path(place)
        if len(data) > LARGEST:
            return path
        with self._lock, _logged():
            if place.room is GhostKind.STATUS:
                data = msgspec.json.encode({**self._statuses(), self._name(place): msgspec.Raw(data)})
            sealed = self._seal.closed(data, path.name)
            write_file(path, sealed)
            self._evict(len(sealed))
        return path

    def find(self, place: Place) -> Ghost | None:
        """The kept answer; None if there is none that can be read."""
        path = self._path(place)
        with self._lock:
            if place.room is GhostKind.STATUS:
                data = self._statuses().get(self._name(place))
            else:
                data = self._opened(path)
            if data is not None:
                with suppress(msgspec.DecodeError, UnicodeDecodeError):
                    return msgspec.json.decode(data, type=Ghost)
        return None

    def drop(self, place: Place) -> None:
        """Delete the answer to one question."""
        with self._lock:
            if place.room is GhostKind.STATUS:
                self._drop_status(self._name(place))
            else:
                self._path(place).unlink(missing_ok=True)

    def forget(self, server: str, actor: str) -> None:
        """Delete every answer about one actor: any of them may show or summarise what is to be forgotten."""
        bucket = self._bucket(server, actor)
        with self._lock:
            for path in self._files():
                if path.name.startswith(bucket):
                    path.unlink(missing_ok=True)
            self._drop_status(bucket)

    def clear(self) -> int:
        """Delete the ghosts of all servers. Returns how many there were."""
        with self._lock:
            count = sum(self.status().ghosts.values())
            for path in self._files():
                path.unlink(missing_ok=True)
            (self.folder / STATUS).unlink(missing_ok=True)
            self._size = None
            return count

    def note(self, server: str, answered: bool) -> None:
        """Record whether a server answered a call: the ghosts of a stable server stay fresh longer."""
        with self._lock:
            name = self._digest(server)
            scores = self._scores()
            scores[name] = steadied(scores.get(name, 0.0), answered)
            if abs(scores[name] - self._written.get(name, 0.0)) >= STEP:
                self.flush()

    def stability(self, server: str) -> float:
        """How reliably a server has answered, from 0 to 1."""
        with self._lock:
            return self._scores().get(self._digest(server), 0.0)

    def flush(self) -> None:
        """Save stability scores that are only in memory so far."""
        with self._lock, _logged():
            if self._stability is None or self._stability == self._written:
                return
            self._written = dict(self._stability)
            write_file(self.folder / META / "stability_score.json", msgspec.json.encode(self._written))
            write_file(self.folder / META / "last_sync.txt", self._clock.now().isoformat().encode())

    def status(self) -> GhostStatus:
        """Figures about the kept answers."""
        with self._lock:
            counts = {str(kind): 0 for kind in GhostKind}
            files = self._sizes()
            for *_, path in files:
                counts[path.parent.name] += 1
            counts[GhostKind.STATUS] = len(self._statuses())
            moments = [datetime.fromtimestamp(at, tz=UTC) for at, *_ in files]
            synced = read_file(self.folder / META / "last_sync.txt")
            return GhostStatus(
                folder=str(self.folder),
                ghosts=counts,
                bytes=sum(size for _, size, _ in files),
                oldest=min(moments, default=None),
                newest=max(moments, default=None),
                last_sync=synced.decode() if synced else None,
                stability={name: round(score, 3) for name, score in self._scores().items()},
                encrypted=self._key is not None,
            )

    def _evict(self, added: int) -> None:
        """Remove the oldest files when they take too many bytes; the size is measured once, then tracked."""
        self._size = self._most + 1 if self._size is None else self._size + added
        if self._size <= self._most:
            return
        files = self._sizes()
        self._size = sum(size for _, size, _ in files)
        if self._size <= self._most:
            return
        for _, size, path in sorted(files):
            if self._size <= self._most * KEPT:
                break
            path.unlink(missing_ok=True)
            self._size -= size

    def _sizes(self) -> list[tuple[float, int, Path]]:
        """The time of the last change, size and path of each file."""
        files: list[tuple[float, int, Path]] = []
        for path in self._files():
            # Another process may have deleted it.
            with suppress(FileNotFoundError):
                stat = path.stat()
                files.append((stat.st_mtime, stat.st_size, path))
        return files

    def _files(self) -> Iterator[Path]:
        for kind in GhostKind:
            if kind is not GhostKind.STATUS:
                yield from sorted((self.folder / kind).glob("*.json"))

    def _statuses(self) -> dict[str, msgspec.Raw]:
        data = self._opened(self.folder / STATUS)
        with suppress(msgspec.DecodeError, UnicodeDecodeError):
            return msgspec.json.decode(data or b"{}", type=dict[str, msgspec.Raw])
        return {}

    def _drop_status(self, prefix: str) -> None:
        before = self._statuses()
        after = {name: status for name, status in before.items() if not name.startswith(prefix)}
        if after != before:
            write_file(self.folder / STATUS, self._seal.closed(msgspec.json.encode(after), STATUS))

    def _scores(self) -> dict[str, float]:
        if self._stability is None:
            data = read_file(self.folder / META / "stability_score.json")
            self._stability = {}
            with suppress(msgspec.DecodeError, UnicodeDecodeError):
                self._stability = msgspec.json.decode(data or b"{}", type=dict[str, float])
            self._written = dict(self._stability)
        return self._stability

    @property
    def _seal(self) -> Seal:
        # Made on first use: deriving the key is slow and writes a salt.
        if self._made_seal is None:
            self._made_seal = Seal(self._key, self.folder / META / "salt")
        return self._made_seal

    def _opened(self, path: Path) -> bytes | None:
        data = read_file(path)
        return None if data is None else self._seal.opened(data, path.name)

    def _path(self, place: Place) -> Path:
        if place.room is GhostKind.STATUS:
            return self.folder / STATUS
        return self.folder / place.room / f"{self._name(place)}.json"

    def _name(self, place: Place) -> str:
        return f"{self._bucket(place.server, place.actor)}-{self._digest(place.question)}"

    def _bucket(self, server: str, actor: str) -> str:
        return self._digest(f"{server}\n{actor}")

    def _digest(self, text: str) -> str:
        return blake2b(text.encode("utf-8", "replace"), digest_size=12, key=self._seal.digest_key).hexdigest()


ENGRAM = "engram"


class Engrams:
    """The engrams for one server, or for the memory in this process."""

    def __init__(self, cache: GhostCache, server: str, clock: Clock | None = None) -> None:
        self.cache = cache
        self._server = server
        self._clock = clock or SystemClock()

    def engram(self, name: str, state: Any, *, actor: str) -> Engram:
        """Keep a state under a name, replacing an older one."""
        ghost = Ghost(verb=ENGRAM, at=self._clock.now(), answer=to_json(state), name=checked_name(name, "name"))
        path = self.cache.keep(self._place(name, actor), ghost)
        return Engram(name=name, path=str(path), at=ghost.at)

    def manifest(self, name: str, *, actor: str) -> Manifest:
        """The state kept under a name, with its age; `TooStale` if it is too old to show."""
        ghost = self.cache.find(self._place(name, actor))
        if ghost is None:
            raise NotFound(f"there is no engram {name!r} here: keep one with engram(name, state)", name=name)
        age, trust = aged(ghost, self._clock, BASE[GhostKind.AGENTS], self.cache.stability(self._server))
        if trust is Level.REFUSE:
            raise TooStale(
                f"the engram {name!r} is {short_age(age)} old: too old to show", age_seconds=age.total_seconds()
            )
        return Manifest(name=name, state=ghost.answer, at=ghost.at, age=age, level=trust)

    def _place(self, name: str, actor: str) -> Place:
        # Stored apart from the answers, so that forgetting an actor's answers does not delete engrams.
        owner = f"{ENGRAM}\n{actor}"
        return Place(server=self._server, actor=owner, room=GhostKind.AGENTS, question=f"{ENGRAM}\n{name}")


class Kept:
    """The engrams of one actor, as the paths use them."""

    def __init__(self, engrams: Engrams, actor: str) -> None:
        self._engrams = engrams
        self._actor = actor

    def view(self, **at: Unpack[At]) -> Kept:
        """The engrams of another actor, if one is named."""
        return Kept(self._engrams, at.get("actor_id", self._actor))

    def engram(self, name: str, state: Any) -> Engram:
        """Keep a state under a name."""
        return self._engrams.engram(name, state, actor=self._actor)

    def manifest(self, name: str) -> Manifest:
        """The state kept under a name."""
        return self._engrams.manifest(name, actor=self._actor)

    def invoke(self, path: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Call one of the client's paths."""
        return paths.invoke(cast(View, self), path, arguments, PATHS)


def _engram(memory: Kept, *, name: str, state: Any) -> dict[str, Any]:
    """Keep a state on the client's machine, under a name."""
    return to_json(memory.engram(name, state))


def _manifest(memory: Kept, *, name: str) -> dict[str, Any]:
    """Return the state kept in an engram, with its age; one that is too old is refused."""
    return to_json(memory.manifest(name))


# The paths that run on the client.
PATHS: paths.Paths = {"self.memory.engram": _engram, "self.memory.manifest": _manifest}


def aged(ghost: Ghost, clock: Clock, base: timedelta, stability: float) -> tuple[timedelta, Level]:
    """The age of a ghost, and whether it is fresh, stale, or too old to show."""
    age = max(timedelta(0), clock.now() - ghost.at)
    return age, level(age, threshold(base, stability))


Count = Callable[[str], int]


def labelled(answer: Any, age: timedelta, level: Level, count: Callable[[str], Count]) -> Any:
    """The answer, marked as a ghost if its type allows it: contexts do, and stay within their budget.

    `count` returns the token counter of a name.
    """
    match answer:
        case Context() if level is Level.STALE:
            return _stale(answer, age, count(answer.receipt.counter))
        case Context():
            return _degraded(answer, age)
        case AssembledContext() if level is Level.STALE:
            text = f"{mark(age)}\n{answer.text}"
            tokens = count("o200k_base")(text)
            return replace(answer, text=text, total_tokens=tokens) if tokens <= answer.max_tokens else answer
        case _:
            return answer


def mark(age: timedelta) -> str:
    """The line above an old text."""
    return f"[GHOST] the memory is away; this is from {short_age(age)} ago"


def _degraded(context: Context, age: timedelta) -> Context:
    receipt = context.receipt
    return replace(context, receipt=replace(receipt, degraded=(*receipt.degraded, f"ghost: {short_age(age)} old")))


def _stale(context: Context, age: timedelta, count: Count) -> Context:
    """The context below its mark, without its last lines where both do not fit the budget."""
    body = context.text.removesuffix(CLOSE).splitlines()
    budget = context.receipt.token_budget
    items = list(context.items)
    cut: list[Cut] = []
    text = _marked(body, age)
    tokens = count(text)
    while len(body) > 1 and tokens > budget:
        body, removed = _shorter(body)
        last = next((item for item in reversed(items) if item.text == removed), None)
        if last is not None:
            items.remove(last)
            cut.append(Cut(id=last.id, reason="budget", relevance=last.relevance))
        text = _marked(body, age)
        tokens = count(text)
    if tokens > budget:
        text, tokens = "", 0
    receipt = replace(context.receipt, chosen=len(items), tokens=tokens, cut=(*context.receipt.cut, *cut))
    periphery = context.periphery if len(body) > 1 else ()
    return _degraded(
        replace(context, text=text, tokens=tokens, items=tuple(items), periphery=periphery, receipt=receipt), age
    )


def _marked(body: list[str], age: timedelta) -> str:
    return "\n".join([mark(age), *body, CLOSE]) if len(body) > 1 else mark(age)


def _shorter(body: list[str]) -> tuple[list[str], str]:
    """The body without its last entry and any heading left empty by that, and the entry that was removed."""
    start = len(body) - 1
    while start > 1 and body[start].startswith("  "):
        start -= 1
    end = start
    while end > 1 and body[end - 1].startswith("[") and body[end - 1].endswith("]"):
        end -= 1
    return body[:end], "\n".join(body[start:])


# The kind of ghost that each verb gives; all others are reads.
KINDS = {
    **dict.fromkeys(
        ("stats", "get_stats", "outline", "nodes", "regions", "paths", "operational.get_system_snapshot"),
        GhostKind.STATUS,
    ),
    **dict.fromkeys(("ledger.get_agent_state", "ledger.get_agent_states"), GhostKind.AGENTS),
    **{
        name: GhostKind.CRYSTALS
        for name in ("crystals.get", "crystals.lineages", "crystals.lineage", "crystals.diff")
    },
}
# Not kept: files, answers computed from the arguments alone, and what is only true of the live store.
NOT_KEPT = frozenset({"export", "check", "tape.encode", "tape.decode"}) | {
    f"crystals.{name}" for name in ("window", "add", "messages", "pulse", "merge_windows")
}
ERASING = frozenset({"forget", "undo", "restore", "crystals.compost", "crystals.reap"})
ERASING_PATHS = frozenset({"self.memory.forget", "self.memory.compost", "void.entropy.pour"})

OnGhost = Callable[[str, timedelta, Level], None]


class GhostTransport:
    """Keeps the answers of a remote and returns them while the server is away: fresh, marked as stale, or refused.

    `on_ghost` is called for every ghost with the verb, its age and its level.
    """

    def __init__(
        self,
        remote: Transport,
        cache: GhostCache,
        *,
        server: str,
        clock: Clock | None = None,
        base: Mapping[GhostKind, timedelta] = BASE,
        on_ghost: OnGhost | None = None,
    ) -> None:
        self._remote = remote
        self.cache = cache
        self._clock = clock or SystemClock()
        self._base = base
        self._on_ghost = on_ghost
        self.server = server
        self._thread = threading.local()

    @property
    def last(self) -> tuple[timedelta, Level] | None:
        """The age and level of this thread's last answer; None if it came live from the server."""
        return getattr(self._thread, "last", None)

    def call(self, name: str, arguments: Mapping[str, Any], *, key: str | None = None) -> Any:
        """The answer of the remote, or while it is away the last answer to the same question."""
        self._thread.last = None
        if name in ERASING or (name == "invoke" and arguments.get("path") in ERASING_PATHS):
            return self._erase(name, arguments, key)
        if not call_of(name).verb.safe or name in NOT_KEPT:
            return self._remote.call(name, arguments, key=key)
        place = self._place(name, arguments)
        try:
            answer = self._remote.call(name, arguments)
        except FovealError as error:
            if is_unreachable(error):
                return self._ghost(name, place, error)
            self.cache.note(self.server, True)
            if isinstance(error, NotFound | Forbidden | Unauthenticated):
                self.cache.drop(place)
            raise
        self.cache.note(self.server, True)
        self.cache.keep(place, Ghost(verb=name, at=self._clock.now(), answer=to_json(answer)))
        return answer

    def close(self) -> None:
        """Save the stability scores and close the remote."""
        self.cache.flush()
        self._remote.close()

    def _erase(self, name: str, arguments: Mapping[str, Any], key: str | None) -> Any:
        """Call a verb that erases, and drop the actor's ghosts, so that erased content cannot come back from here.

        They are dropped before the call, because it may fail, and after it, because others may have read meanwhile.
        """
        self._forget(arguments)
        try:
            return self._remote.call(name, arguments, key=key)
        finally:
            self._forget(arguments)

    def _forget(self, arguments: Mapping[str, Any]) -> None:
        # With an API key for one actor, calls need not name the actor.
        for actor in {_actor(arguments), ""}:
            self.cache.forget(self.server, actor)

    def _ghost(self, name: str, place: Place, error: FovealError) -> Any:
        if not isinstance(error, CircuitOpen):
            self.cache.note(self.server, False)
        ghost = self.cache.find(place)
        if ghost is None:
            raise error
        age, trust = aged(ghost, self._clock, self._base[place.room], self.cache.stability(self.server))
        if trust is Level.REFUSE:
            raise TooStale(
                f"the server is away, and its last answer is {short_age(age)} old: too old to show",
                age_seconds=age.total_seconds(),
            ) from error
        try:
            answer = call_of(name).understood(ghost.answer)
        except Invalid:
            # Another release kept it, in another form.
            raise error from None
        self._thread.last = age, trust
        if self._on_ghost is not None:
            self._on_ghost(name, age, trust)
        return labelled(answer, age, trust, lambda counter: open_counter(counter).count)

    def _place(self, name: str, arguments: Mapping[str, Any]) -> Place:
        question = msgspec.json.encode([name, dict(arguments)], order="deterministic").decode()
        kind = KINDS.get(name, GhostKind.READS)
        return Place(server=self.server, actor=_actor(arguments), room=kind, question=question)


def _actor(arguments: Mapping[str, Any]) -> str:
    return str(arguments.get("actor_id") or "")
