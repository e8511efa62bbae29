"""What reads leave behind: the log and use counts still to be written, recalled texts, cached rankings."""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from zlib import crc32

import msgspec
import numpy as np
from msgspec import Struct

from foveal.errors import ReadOnly, Unavailable
from foveal.model.query import Access, Viewpoint
from foveal.model.record import Record
from foveal.model.results import Recollection, Use
from foveal.model.search import CandidateTable, Floats
from foveal.ports.store import Store
from foveal.ports.system import Cache, Clock
from foveal.rules.decay import used
from foveal.rules.duplicates import is_echo

# How many conversations are remembered, and how many recalled texts of each.
CONVERSATIONS, TEXTS = 256, 200

Conversation = tuple[str, str, str, str | None]


class Echoes:
    """The texts that reads returned, by conversation: from reads in this process and from the log of reads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._shown: OrderedDict[Conversation, OrderedDict[str, str]] = OrderedDict()
        self._logged: OrderedDict[Conversation, int] = OrderedDict()

    def heard(self, viewpoint: Viewpoint, records: Iterable[Record]) -> None:
        """Remember what a read returned."""
        with self._lock:
            shown = self._shown.setdefault(_conversation(viewpoint), OrderedDict())
            self._shown.move_to_end(_conversation(viewpoint))
            for record in records:
                shown[record.id] = record.text
                shown.move_to_end(record.id)
            while len(shown) > TEXTS:
                shown.popitem(last=False)
            while len(self._shown) > CONVERSATIONS:
                self._shown.popitem(last=False)

    def catch_up(self, store: Store, access: Access) -> None:
        """Add the texts that, by the log, other processes recalled, or this one before it was restarted."""
        conversation = _conversation(access.viewpoint)
        with self._lock:
            after = self._logged.get(conversation, 0)
            known = frozenset(self._shown.get(conversation, ()))
        last, ids = store.recall_log.recently_shown(access.viewpoint, after, TEXTS)
        unknown = [record_id for record_id in ids if record_id not in known]
        if unknown:
            self.heard(access.viewpoint, reversed(store.records.get(access, unknown)))
        with self._lock:
            self._logged[conversation] = last
            self._logged.move_to_end(conversation)
            while len(self._logged) > CONVERSATIONS:
                self._logged.popitem(last=False)

    def source(self, viewpoint: Viewpoint, text: str) -> str | None:
        """The id of the recalled record that a text repeats, if there is one."""
        with self._lock:
            known = self._shown.get(_conversation(viewpoint))
            shown = list(known.items()) if known else []
        echoed = (
            record_id
            for record_id, recalled in reversed(shown)
            if _near(text, recalled) and is_echo(text, recalled)
        )
        return next(echoed, None)


def _near(text: str, recalled: str) -> bool:
    """Whether two texts have about the same length: most do not, and need no closer comparison."""
    return abs(len(text) - len(recalled)) <= 8 + max(len(text), len(recalled)) // 20


def _conversation(viewpoint: Viewpoint) -> Conversation:
    return (viewpoint.world, viewpoint.actor_id, viewpoint.node, viewpoint.session_id)


# How long a ranking is cached.
TTL = timedelta(minutes=5)
# A cache lookup costs about a fifth of computing a ranking. While the hit rate over the last `_LAST` questions is
# below `_WORTH`, only one question in `_SAMPLED` is looked up, the same ones in every process.
_WORTH, _LAST, _SAMPLED = 1 / 8, 64, 16
_EPOCH, _MICROSECOND = datetime(1970, 1, 1, tzinfo=UTC), timedelta(microseconds=1)


class Ranking(msgspec.Struct, frozen=True, kw_only=True):
    """The best ids for a question with their scores, best first, before vitals are taken into account.

    `outlook` is that of the question, among so many `candidates`. `parts` are the components of the scores. The
    record `newer` seems to replace what the record `older` says. `lacking` counts the candidates without a second
    look; it is None if there was none at all.
    """

    ids: Sequence[str]
    scores: Floats
    outlook: float
    candidates: int
    parts: Mapping[str, Floats] = {}
    newer: str | None = None
    older: str | None = None
    lacking: int | None = None


class _CachedRanking(msgspec.Struct, frozen=True, array_like=True):
    """A ranking as bytes. It is valid from `since` to `until`, when one of its candidates expires."""

    ids: list[str]
    scores: bytes
    outlook: float
    candidates: int
    parts: dict[str, bytes]
    newer: str | None
    older: str | None
    lacking: int | None
    since: int
    until: int


class RankingCache:
    """Caches rankings in several caches, the nearest first; without any, it stores nothing and costs nothing.

    A key names everything that a ranking depends on: the release, the encoder, the question, the viewpoint, and the
    state of the memory as the store read it for this call. A cached ranking therefore equals a computed one,
    however old it is and whatever was written since. Vitals and texts are not cached; each call reads them from
    the store.
    """

    def __init__(self, caches: Sequence[Cache] = (), *, release: str = "", ttl: timedelta = TTL) -> None:
        self.caches = caches
        self._ttl = ttl
        self._release = release
        self._lock = threading.Lock()
        self.hits = 0
        self.misses = 0
        self._rate = 1.0

    def key(self, access: Access, question: str, k: int, encoder: str) -> str | None:
        """The cache key of a ranking, without the mark of the memory.

        None if the ranking is not cached: it depends on more than the key, or questions are hardly ever repeated.
        """
        dated = access.as_of is not None or access.valid_at is not None
        if not self.caches or dated or access.include_hidden or not access.for_recall or access.where is not None:
            return None
        at = access.viewpoint
        names = [
            self._release,
            encoder,
            at.world,
            at.actor_id,
            "" if access.as_owner else at.node,
            str(k),
            # The meaning of "last week" depends on the day.
            access.now.date().isoformat(),
            question,
        ]
        digest = blake2b(msgspec.msgpack.encode(names), digest_size=20)
        if self._rate < _WORTH and digest.digest()[0] % _SAMPLED:
            return None
        return f"ranking:{digest.hexdigest()}"

    def known(self, key: str | None, mark: str, now: datetime) -> Ranking | None:
        """The cached ranking for this key and mark, if it is still valid at this moment."""
        if key is None or not mark:
            return None
        key = _marked(key, mark)
        for place, cache in enumerate(self.caches):
            [value] = cache.get([key])
            cached = _unpacked(value)
            if cached is not None and cached.since <= _stamp(now) < cached.until:
                for nearer in self.caches[:place]:
                    nearer.put({key: value or b""}, self._ttl)
                self._count(hits=1)
                return Ranking(
                    ids=cached.ids,
                    scores=np.frombuffer(cached.scores, "<f4"),
                    outlook=cached.outlook,
                    candidates=cached.candidates,
                    parts={name: np.frombuffer(part, "<f4") for name, part in cached.parts.items()},
                    newer=cached.newer,
                    older=cached.older,
                    lacking=cached.lacking,
                )
        self._count(misses=1)
        return None

    def keep(self, key: str | None, ranking: Ranking, frame: CandidateTable, mark: str, now: datetime) -> None:
        """Cache a ranking, unless the memory changed between reading the mark and reading the candidates."""
        if (
            key is None
            or not mark
            or frame.corpus_info is None
            or frame.corpus_info.mark != mark
            or frame.until is None
        ):
            return
        key = _marked(key, mark)
        moment, ends = _stamp(now), frame.until
        cached = _CachedRanking(
            list(ranking.ids),
            ranking.scores.astype("<f4").tobytes(),
            ranking.outlook,
            ranking.candidates,
            {name: part.astype("<f4").tobytes() for name, part in ranking.parts.items()},
            ranking.newer,
            ranking.older,
            ranking.lacking,
            int(ends.max(initial=0, where=ends <= moment)),
            int(ends.min(initial=2**63 - 1, where=ends > moment)),
        )
        packed = msgspec.msgpack.encode(cached)
        for cache in self.caches:
            cache.put({key: crc32(packed).to_bytes(4) + packed}, self._ttl)

    def _count(self, *, hits: int = 0, misses: int = 0) -> None:
        with self._lock:
            self.hits += hits
            self.misses += misses
            self._rate += (hits - self._rate) / _LAST

    @property
    def away(self) -> str:
        """Why a cache is unavailable, or an empty string if none is."""
        return next((cache.away for cache in self.caches if cache.away), "")

    def close(self) -> None:
        """Close the caches."""
        for cache in self.caches:
            cache.close()


def _marked(key: str, mark: str) -> str:
    return f"{key}:{blake2b(mark.encode(), digest_size=16).hexdigest()}"


def _unpacked(value: bytes | None) -> _CachedRanking | None:
    """The cached ranking; None if there is none or its checksum is wrong."""
    if not value or crc32(value[4:]).to_bytes(4) != value[:4]:
        return None
    return msgspec.msgpack.decode(value[4:], type=_CachedRanking)


def _stamp(moment: datetime) -> int:
    return (moment - _EPOCH) // _MICROSECOND


# How many waiting reads and uses trigger a write, and how many reads are held at most while writing fails.
ENOUGH, MOST = 512, 1024


class _Touch(Struct, frozen=True):
    viewpoint: Viewpoint
    at: datetime
    used: Sequence[str]
    read: Recollection | None = None


class PendingReads:
    """Reads to log and uses to count, written in batches. A killed process loses those that still wait.

    A read raises the importance of what it used; fetching or finding a record only counts.
    """

    def __init__(self, store: Store, clock: Clock, *, logging: bool = True) -> None:
        self._store = store
        self._clock = clock
        self._logging = logging
        self._lock = threading.Lock()
        self._waiting: deque[_Touch] = deque(maxlen=MOST)
        self._uses: dict[tuple[str, str, str], Use] = {}
        self._enough = 0
        self._writable = True

    def add(self, viewpoint: Viewpoint, read: Recollection, ids: Sequence[str]) -> None:
        """Add a read and the ids it used. When enough wait they are written, unless the store is busy."""
        if self._writable and (self._logging or ids):
            self._add(_Touch(viewpoint, read.at, ids, read))

    def accessed(self, access: Access, ids: Sequence[str]) -> None:
        """Count a use of records that were fetched or found. One of a past state uses none."""
        if self._writable and ids and access.as_of is None and access.valid_at is None:
            self._add(_Touch(access.viewpoint, access.now, ids))

    def _add(self, touch: _Touch) -> None:
        with self._lock:
            self._waiting.append(touch)
            self._count(touch)
            self._enough += 1 + len(touch.used)
            enough = self._enough >= ENOUGH
        if enough:
            self.flush(wait=False)

    def _count(self, touch: _Touch) -> None:
        for record_id in touch.used:
            key = (*touch.viewpoint.organism, record_id)
            self._uses[key] = _more(self._uses.get(key), touch, record_id)

    def counted(self, record: Record) -> Record:
        """The record with the uses that still wait, so that a count never seems to lag behind."""
        with self._lock:
            use = self._uses.get((record.world, record.actor_id, record.id))
        if use is None:
            return record
        return msgspec.structs.replace(record, vitals=used(record.vitals, use.at, use.times, use.reads))

    @property
    def waiting(self) -> int:
        """The number of waiting reads."""
        return len(self._waiting)

    def flush(self, *, wait: bool = True) -> None:
        """Write the waiting reads. A read-only store drops them; a busy one is tried again later."""
        with self._lock:
            waiting = list(self._waiting)
            self._waiting.clear()
            self._uses.clear()
            self._enough = 0
        by_viewpoint: dict[Viewpoint, list[_Touch]] = {}
        for touch in waiting:
            by_viewpoint.setdefault(touch.viewpoint, []).append(touch)
        try:
            for viewpoint in list(by_viewpoint):
                self._write(viewpoint, by_viewpoint[viewpoint], wait)
                del by_viewpoint[viewpoint]
        except ReadOnly:
            self._writable = False
        except Unavailable:
            left = [touch for touches in by_viewpoint.values() for touch in touches]
            with self._lock:
                # If there are too many, the oldest are dropped.
                self._waiting = deque([*left, *self._waiting], maxlen=MOST)
                self._uses.clear()
                for touch in self._waiting:
                    self._count(touch)

    def _write(self, viewpoint: Viewpoint, touches: Sequence[_Touch], wait: bool) -> None:
        access = Access(viewpoint=viewpoint, now=self._clock.now())
        uses: dict[str, Use] = {}
        for touch in touches:
            for record_id in touch.used:
                uses[record_id] = _more(uses.get(record_id), touch, record_id)
        reads = [touch.read for touch in touches if touch.read is not None] if self._logging else []
        if reads or uses:
            self._store.recall_log.add(access, reads, list(uses.values()), wait=wait)


def _more(use: Use | None, touch: _Touch, record_id: str) -> Use:
    """The uses of a record with one more."""
    times, reads = (0, 0) if use is None else (use.times, use.reads)
    at = touch.at if use is None else max(use.at, touch.at)
    return Use(id=record_id, times=times + 1, reads=reads + (touch.read is not None), at=at)
