"""Ghosts, the cached answers shown with their age while the server is away; and engrams."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Generator, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from foveal.compose import open_counter
from foveal.config import own_folder
from foveal.doors.client.encryption import Seal, read_file, write_file
from foveal.doors.client.remote import Transport, is_unreachable
from foveal.errors import (
    CircuitOpen,
    Forbidden,
    FovealError,
    Invalid,
    NotFound,
    StoreUnavailable,
    TimedOut,
    TooStale,
    Unauthenticated,
)
from foveal.model.results import AssembledContext, Context, Cut
from foveal.model.server import Ghost, GhostKind, Level, Manifest
from foveal.ports.system import Clock, SystemClock
from foveal.rules.rendering import CLOSE
from foveal.wire.calls import call_of
from foveal.wire.codec import to_json
from foveal.wire.verbs import SLOW

BASE = {
    GhostKind.STATUS: timedelta(seconds=120),
    GhostKind.MAP: timedelta(seconds=120),
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
META, INDEX = "_meta", "_index.json"
# The kinds of ghosts that share one file; the others have a folder, with a file each.
TABLES = {GhostKind.STATUS: "status.json", GhostKind.MAP: "map.json"}
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
        self._synced: datetime | None = None

    def keep(self, place: Place, ghost: Ghost) -> Path:
        """Keep an answer, replacing an older one to the same question."""
        data = msgspec.json.encode(ghost)
        path = self._path(place)
        if len(data) > LARGEST:
            return path
        with self._lock, _logged():
            if place.room in TABLES:
                data = msgspec.json.encode({**self._table(path), self._name(place): msgspec.Raw(data)})
            sealed = self._seal.closed(data, path.name)
            write_file(path, sealed)
            self._evict(len(sealed))
            if place.room is GhostKind.AGENTS:
                self._index_agents(path.name, msgspec.json.encode({"verb": ghost.verb, "at": ghost.at}))
        return path

    def find(self, place: Place) -> Ghost | None:
        """The kept answer; None if there is none that can be read."""
        path = self._path(place)
        with self._lock:
            if place.room in TABLES:
                data = self._table(path).get(self._name(place))
            else:
                data = self._opened(path)
            if data is not None:
                with suppress(msgspec.DecodeError, UnicodeDecodeError):
                    return msgspec.json.decode(data, type=Ghost)
        return None

    def drop(self, place: Place) -> None:
        """Delete the answer to one question."""
        with self._lock:
            if place.room in TABLES:
                self._drop_rows(self._name(place))
            else:
                self._path(place).unlink(missing_ok=True)
                self._index_agents()

    def forget(self, server: str, actor: str) -> None:
        """Delete every answer about one actor: any of them may show or summarise what is to be forgotten."""
        bucket = self._bucket(server, actor)
        with self._lock:
            for path in self._files():
                if path.name.startswith(bucket):
                    path.unlink(missing_ok=True)
            self._drop_rows(bucket)
            self._index_agents()

    def clear(self) -> int:
        """Delete the ghosts of all servers. Returns how many there were."""
        with self._lock:
            count = sum(self.status().ghosts.values())
            for path in self._files():
                path.unlink(missing_ok=True)
            for name in (*TABLES.values(), f"{GhostKind.AGENTS}/{INDEX}"):
                (self.folder / name).unlink(missing_ok=True)
            self._size = None
            return count

    def note(self, server: str, answered: bool) -> None:
        """Record whether a server answered a call: the ghosts of a stable server stay fresh longer."""
        with self._lock:
            name = self._digest(server)
            scores = self._scores()
            scores[name] = steadied(scores.get(name, 0.0), answered)
            if answered:
                self._synced = self._clock.now()
            if abs(scores[name] - self._written.get(name, 0.0)) >= STEP:
                self.flush()

    def stability(self, server: str) -> float:
        """How reliably a server has answered, from 0 to 1."""
        with self._lock:
            return self._scores().get(self._digest(server), 0.0)

    def flush(self) -> None:
        """Save stability scores that are only in memory so far."""
        with self._lock, _logged():
            if self._stability is not None and self._stability != self._written:
                self._written = dict(self._stability)
                write_file(self.folder / META / "stability_score.json", msgspec.json.encode(self._written))
            # Only an answer moves it: a server that is away is not in step.
            if self._synced is not None:
                write_file(self.folder / META / "last_sync.txt", self._synced.isoformat().encode())
                self._synced = None

    def status(self) -> GhostStatus:
        """Figures about the kept answers."""
        with self._lock:
            counts = {str(kind): 0 for kind in GhostKind}
            files = self._sizes()
            for *_, path in files:
                counts[path.parent.name] += 1
            counts |= {str(kind): len(self._table(self.folder / name)) for kind, name in TABLES.items()}
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
            if kind not in TABLES:
                yield from (path for path in sorted((self.folder / kind).glob("*.json")) if path.name != INDEX)

    def _table(self, path: Path) -> dict[str, msgspec.Raw]:
        data = self._opened(path)
        with suppress(msgspec.DecodeError, UnicodeDecodeError):
            return msgspec.json.decode(data or b"{}", type=dict[str, msgspec.Raw])
        return {}

    def _drop_rows(self, prefix: str) -> None:
        for table in TABLES.values():
            before = self._table(self.folder / table)
            after = {name: ghost for name, ghost in before.items() if not name.startswith(prefix)}
            if after != before:
                write_file(self.folder / table, self._seal.closed(msgspec.json.encode(after), table))

    def _index_agents(self, name: str | None = None, entry: bytes = b"") -> None:
        """Bring the index of agents' states up to date: the verb and the time of each file that is there."""
        path = self.folder / GhostKind.AGENTS / INDEX
        before = self._table(path)
        after = {file: told for file, told in before.items() if (path.parent / file).exists()}
        after |= {} if name is None else {name: msgspec.Raw(entry)}
        if after != before:
            write_file(path, self._seal.closed(msgspec.json.encode(after), INDEX))

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
        if place.room in TABLES:
            return self.folder / TABLES[place.room]
        return self.folder / place.room / f"{self._name(place)}.json"

    def _name(self, place: Place) -> str:
        return f"{self._bucket(place.server, place.actor)}-{self._digest(place.question)}"

    def _bucket(self, server: str, actor: str) -> str:
        return self._digest(f"{server}\n{actor}")

    def _digest(self, text: str) -> str:
        return blake2b(text.encode("utf-8", "replace"), digest_size=12, key=self._seal.digest_key).hexdigest()


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
        case Manifest():
            return replace(answer, age=answer.age + age)
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
    **dict.fromkeys(("ledger.get_agent_state", "ledger.get_agent_states", "manifest"), GhostKind.AGENTS),
    **{
        name: GhostKind.CRYSTALS
        for name in ("crystals.get", "crystals.lineages", "crystals.lineage", "crystals.diff", "crystals.resume")
    },
    "tape.map": GhostKind.MAP,
}
# Kept although it changes something: a resumed crystal counts as used.
KEPT_TOO = frozenset({"crystals.resume"})
# How long a live call may take before the ghost is shown, if there is one.
QUICK = timedelta(milliseconds=500)
# Not kept: files, answers computed from the arguments alone, and what is only true of the live store.
NOT_KEPT = frozenset({"export", "check", "tape.encode", "tape.decode"}) | {
    f"crystals.{name}" for name in ("window", "add", "messages", "pulse", "merge_windows")
}
ERASING = frozenset({"forget", "undo", "restore", "crystals.compost", "crystals.reap"})
ERASING_PATHS = frozenset({"self.memory.forget", "self.memory.compost", "void.entropy.pour"})

OnGhost = Callable[[str, timedelta, Level], None]


class GhostTransport:
    """Keeps the answers of a remote and returns them while the server is away: fresh, marked as stale, or refused.

    A read that takes longer than `quick` shows the ghost as well, if there is one that is not too old; the live
    call goes on in a thread and refreshes it. Slowness does not count as a failure. Writes wait for their answer.

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
        quick: timedelta = QUICK,
    ) -> None:
        self._remote = remote
        self.cache = cache
        self._quick = quick
        self._lock = threading.Lock()
        self._under_way: dict[Place, Future[Any]] = {}
        self._erasures = 0
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
        safe = call_of(name).verb.safe
        if name in NOT_KEPT or not (safe or name in KEPT_TOO):
            return self._remote.call(name, arguments, key=key)
        place = self._place(name, arguments)
        try:
            if not safe or name in SLOW or not self._is_shown(place):
                return self._live(name, arguments, place, key)
            future = self._begun(name, arguments, place)
            try:
                return future.result(self._quick.total_seconds())
            except TimeoutError:
                return self._ghost(name, place, TimedOut(f"the server takes longer than {self._quick} for {name}"))
        except FovealError as error:
            if not is_unreachable(error):
                raise
            self._away(error)
            return self._ghost(name, place, error)

    def _live(self, name: str, arguments: Mapping[str, Any], place: Place, key: str | None = None) -> Any:
        """The answer of the remote, which is kept."""
        erasures = self._erasures
        try:
            answer = self._remote.call(name, arguments, key=key)
        except FovealError as error:
            if not is_unreachable(error):
                self.cache.note(self.server, True)
                if isinstance(error, NotFound | Forbidden | Unauthenticated):
                    self.cache.drop(place)
            raise
        self.cache.note(self.server, True)
        # An answer from before an erasure may hold what was erased.
        if erasures == self._erasures:
            self.cache.keep(place, Ghost(verb=name, at=self._clock.now(), answer=to_json(answer)))
        return answer

    def _begun(self, name: str, arguments: Mapping[str, Any], place: Place) -> Future[Any]:
        """The live call in a thread of its own, or the one about the same question that is still under way."""
        with self._lock:
            known = self._under_way.get(place)
            if known is not None:
                return known
            future = self._under_way[place] = Future[Any]()

        def work() -> None:
            try:
                future.set_result(self._live(name, arguments, place))
            except FovealError as error:
                future.set_exception(error)
            finally:
                if not future.done():
                    # The error itself goes to the hook of threads, which prints it.
                    future.set_exception(StoreUnavailable(f"the call of {name} broke off"))
                with self._lock:
                    del self._under_way[place]

        # A daemon: a server that hangs must not keep the process from ending.
        threading.Thread(target=work, name="foveal-live-call", daemon=True).start()
        return future

    def _is_shown(self, place: Place) -> bool:
        ghost = self.cache.find(place)
        if ghost is None:
            return False
        stability = self.cache.stability(self.server)
        return aged(ghost, self._clock, self._base[place.room], stability)[1] is not Level.REFUSE

    def _away(self, error: FovealError) -> None:
        if not isinstance(error, CircuitOpen):
            self.cache.note(self.server, False)

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
        self._erasures += 1
        # With an API key for one actor, calls need not name the actor.
        for actor in {_actor(arguments), ""}:
            self.cache.forget(self.server, actor)

    def _ghost(self, name: str, place: Place, error: FovealError) -> Any:
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
