"""The ghosts: the last good answers of servers, as files of the user."""

from __future__ import annotations

import logging
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path

import msgspec
from msgspec import Struct

from foveal.config import own_folder
from foveal.doors.client.sealing import Seal, read_file, write_file
from foveal.model.server import Ghost, Room
from foveal.ports.system import Clock, SystemClock
from foveal.rules.staleness import steadied

log = logging.getLogger("foveal.client")

MOST_BYTES = 64 * 1024 * 1024
LARGEST = 1024 * 1024
STATUS, META = "status.json", "_meta"
# How much of the room is left taken when the oldest had to go.
KEPT = 0.9
# How far stability moves before it is written down.
STEP = 0.05


class Place(Struct, frozen=True, kw_only=True):
    """Where a ghost belongs: the server and who asks it, whose memory it is about, and what was asked."""

    server: str
    actor: str
    room: Room
    question: str


class GhostStatus(Struct, frozen=True, kw_only=True):
    """How many ghosts there are, how big they are, and when a server last answered."""

    folder: str
    ghosts: dict[str, int]
    bytes: int
    oldest: datetime | None
    newest: datetime | None
    last_sync: str | None
    stability: dict[str, float]
    encrypted: bool


def default_folder() -> Path:
    """Where ghosts are kept when nobody says: in the user's cache folder."""
    return own_folder("cache") / "ghost"


@contextmanager
def _logged() -> Generator[None]:
    """What is kept for a bad day is no reason to fail on a good one."""
    try:
        yield
    except OSError as error:
        log.warning("a ghost could not be kept: %s", error)


class GhostCache:
    """Answers by what was asked, of whom and about whom: nobody is shown another's. Processes may share a folder.

    Files are put in place whole, for their owner only; with a key they are encrypted. When there are too many bytes
    the oldest go. A cache that cannot be written is no reason to fail: what happened is logged.
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
        self._made: Seal | None = None
        self._size: int | None = None
        self._stability: dict[str, float] | None = None
        self._written: dict[str, float] = {}

    def keep(self, place: Place, ghost: Ghost) -> Path:
        """Keep an answer, in place of an older one to the same question."""
        data = msgspec.json.encode(ghost)
        path = self._path(place)
        if len(data) > LARGEST:
            return path
        with self._lock, _logged():
            if place.room is Room.STATUS:
                data = msgspec.json.encode({**self._statuses(), self._name(place): msgspec.Raw(data)})
            sealed = self._seal.closed(data, path.name)
            write_file(path, sealed)
            self._room_for(len(sealed))
        return path

    def find(self, place: Place) -> Ghost | None:
        """The answer that was kept; None if there is none that can be read."""
        path = self._path(place)
        with self._lock:
            if place.room is Room.STATUS:
                data = self._statuses().get(self._name(place))
            else:
                data = self._opened(path)
            if data is not None:
                with suppress(msgspec.DecodeError):
                    return msgspec.json.decode(data, type=Ghost)
        return None

    def drop(self, place: Place) -> None:
        """Let go of the answer to one question."""
        with self._lock:
            if place.room is Room.STATUS:
                self._drop_status(self._name(place))
            else:
                self._path(place).unlink(missing_ok=True)

    def forget(self, server: str, actor: str) -> None:
        """Let go of every answer about one actor: any of them may show, or sum up, what is to be forgotten."""
        bucket = self._bucket(server, actor)
        with self._lock:
            for path in self._files():
                if path.name.startswith(bucket):
                    path.unlink(missing_ok=True)
            self._drop_status(bucket)

    def clear(self) -> int:
        """Let go of all ghosts, of all servers. Gives how many."""
        with self._lock:
            gone = sum(self.status().ghosts.values())
            for path in self._files():
                path.unlink(missing_ok=True)
            (self.folder / STATUS).unlink(missing_ok=True)
            self._size = None
            return gone

    def note(self, server: str, answered: bool) -> None:
        """Count a call: a server that always answers is trusted longer when it does not."""
        with self._lock:
            name = self._digest(server)
            scores = self._scores()
            scores[name] = steadied(scores.get(name, 0.0), answered)
            if abs(scores[name] - self._written.get(name, 0.0)) >= STEP:
                self.flush()

    def stability(self, server: str) -> float:
        """How steady a server has been, from 0 to 1."""
        with self._lock:
            return self._scores().get(self._digest(server), 0.0)

    def flush(self) -> None:
        """Write down what is only known here."""
        with self._lock, _logged():
            if self._stability is None or self._stability == self._written:
                return
            self._written = dict(self._stability)
            write_file(self.folder / META / "stability_score.json", msgspec.json.encode(self._written))
            write_file(self.folder / META / "last_sync.txt", self._clock.now().isoformat().encode())

    def status(self) -> GhostStatus:
        """What is kept, in figures."""
        with self._lock:
            counts = {str(room): 0 for room in Room}
            found = self._sizes()
            for *_, path in found:
                counts[path.parent.name] += 1
            counts[Room.STATUS] = len(self._statuses())
            moments = [datetime.fromtimestamp(at, tz=UTC) for at, *_ in found]
            synced = read_file(self.folder / META / "last_sync.txt")
            return GhostStatus(
                folder=str(self.folder),
                ghosts=counts,
                bytes=sum(size for _, size, _ in found),
                oldest=min(moments, default=None),
                newest=max(moments, default=None),
                last_sync=synced.decode() if synced else None,
                stability={name: round(score, 3) for name, score in self._scores().items()},
                encrypted=self._key is not None,
            )

    def _room_for(self, more: int) -> None:
        """Let the oldest go when there is too much; what is there is counted once, then added up."""
        self._size = self._most + 1 if self._size is None else self._size + more
        if self._size <= self._most:
            return
        found = self._sizes()
        self._size = sum(size for _, size, _ in found)
        if self._size <= self._most:
            return
        for _, size, path in sorted(found):
            if self._size <= self._most * KEPT:
                break
            path.unlink(missing_ok=True)
            self._size -= size

    def _sizes(self) -> list[tuple[float, int, Path]]:
        found: list[tuple[float, int, Path]] = []
        for path in self._files():
            # Another process may have let go of it.
            with suppress(FileNotFoundError):
                told = path.stat()
                found.append((told.st_mtime, told.st_size, path))
        return found

    def _files(self) -> Iterator[Path]:
        for room in Room:
            if room is not Room.STATUS:
                yield from sorted((self.folder / room).glob("*.json"))

    def _statuses(self) -> dict[str, msgspec.Raw]:
        data = self._opened(self.folder / STATUS)
        with suppress(msgspec.DecodeError):
            return msgspec.json.decode(data or b"{}", type=dict[str, msgspec.Raw])
        return {}

    def _drop_status(self, begins: str) -> None:
        kept = self._statuses()
        left = {name: one for name, one in kept.items() if not name.startswith(begins)}
        if left != kept:
            write_file(self.folder / STATUS, self._seal.closed(msgspec.json.encode(left), STATUS))

    def _scores(self) -> dict[str, float]:
        if self._stability is None:
            data = read_file(self.folder / META / "stability_score.json")
            self._stability = {}
            with suppress(msgspec.DecodeError):
                self._stability = msgspec.json.decode(data or b"{}", type=dict[str, float])
            self._written = dict(self._stability)
        return self._stability

    @property
    def _seal(self) -> Seal:
        if self._made is None:
            self._made = Seal(self._key, self.folder / META / "salt")
        return self._made

    def _opened(self, path: Path) -> bytes | None:
        data = read_file(path)
        return None if data is None else self._seal.opened(data, path.name)

    def _path(self, place: Place) -> Path:
        if place.room is Room.STATUS:
            return self.folder / STATUS
        return self.folder / place.room / f"{self._name(place)}.json"

    def _name(self, place: Place) -> str:
        return f"{self._bucket(place.server, place.actor)}-{self._digest(place.question)}"

    def _bucket(self, server: str, actor: str) -> str:
        return self._digest(f"{server}\n{actor}")

    def _digest(self, text: str) -> str:
        return blake2b(text.encode("utf-8", "replace"), digest_size=12, key=self._seal.digest_key).hexdigest()
