"""What outlives a read: use counts and recall log waiting to be written, echoes, cached rankings."""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict, deque
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
from foveal.rules.duplicates import is_echo

# How many conversations are remembered, and how many texts of each.
CONVERSATIONS, TEXTS = 256, 200

Conversation = tuple[str, str, str, str | None]


class Echoes:
    """The texts that reads returned, by conversation: those of this process, and those that the log tells of."""

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
        """Take in what the log says that other processes, or this one before it was started again, recalled."""
        conversation = _conversation(access.viewpoint)
        with self._lock:
            after = self._logged.get(conversation, 0)
            known = frozenset(self._shown.get(conversation, ()))
        last, ids = store.recently_shown(access.viewpoint, after, TEXTS)
        unheard = [one for one in ids if one not in known]
        if unheard:
            self.heard(access.viewpoint, reversed(store.get(access, unheard)))
        with self._lock:
            self._logged[conversation] = last
            self._logged.move_to_end(conversation)
            while len(self._logged) > CONVERSATIONS:
                self._logged.popitem(last=False)

    def source(self, viewpoint: Viewpoint, text: str) -> str | None:
        """The id of the recalled record that a text repeats, if it does."""
        with self._lock:
            known = self._shown.get(_conversation(viewpoint))
            shown = list(known.items()) if known else []
        return next((one for one, said in reversed(shown) if _near(text, said) and is_echo(text, said)), None)


def _near(text: str, said: str) -> bool:
    """Whether two texts are about as long: most are not, and need no closer look."""
    return abs(len(text) - len(said)) <= 8 + max(len(text), len(said)) // 20


def _conversation(viewpoint: Viewpoint) -> Conversation:
    return (viewpoint.world, viewpoint.actor_id, viewpoint.node, viewpoint.session_id)


# So long a ranking is kept.
TTL = timedelta(minutes=5)
# Looking for a ranking costs about a fifth of making one. When fewer than so many of the last questions were known,
# only one in so many is looked for, the same ones in every process, until more are.
_WORTH, _LAST, _SAMPLED = 1 / 8, 64, 16
_EPOCH, _MICROSECOND = datetime(1970, 1, 1, tzinfo=UTC), timedelta(microseconds=1)


class Ranking(msgspec.Struct, frozen=True, kw_only=True):
    """The best ids for a question with their scores, best first, before their lives are looked at.

    `outlook` is that of the question, among so many `candidates`. `parts` are what the scores are made of. What the
    record `older` says seems to be replaced by what `newer` does.
    """

    ids: Sequence[str]
    scores: Floats
    outlook: float
    candidates: int
    parts: Mapping[str, Floats] = {}
    newer: str | None = None
    older: str | None = None


class _Kept(msgspec.Struct, frozen=True, array_like=True):
    """A ranking as bytes. It holds from `since` to `until`: then a record goes out of sight."""

    ids: list[str]
    scores: bytes
    outlook: float
    candidates: int
    parts: dict[str, bytes]
    newer: str | None
    older: str | None
    since: int
    until: int


class RankingCache:
    """Asks caches, the nearest first. Without any it knows nothing, and costs nothing.

    A key names all that a ranking depends on: the release, the encoder, the words, who looks, and the state of the
    memory as the store read it for this very call. So what is found is what would be made, however old it is and
    whoever wrote meanwhile. Lives and texts are not part of it: they are read from the store each time.
    """

    def __init__(self, caches: Sequence[Cache] = (), *, release: str = "") -> None:
        self.caches = caches
        self._release = release
        self._lock = threading.Lock()
        self.hits = 0
        self.misses = 0
        self._rate = 1.0

    def key(self, access: Access, question: str, k: int, encoder: str) -> str | None:
        """What such rankings are known by, beside the mark of the memory. None if they are not kept: they depend on
        more than that, or hardly anything is asked again."""
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
            # What "last week" means depends on the day.
            access.now.date().isoformat(),
            question,
        ]
        digest = blake2b(msgspec.msgpack.encode(names), digest_size=20)
        if self._rate < _WORTH and digest.digest()[0] % _SAMPLED:
            return None
        return f"ranking:{digest.hexdigest()}"

    def known(self, key: str | None, mark: str, now: datetime) -> Ranking | None:
        """The ranking, if one was made of what the mark names, and nothing went out of sight since or will have
        come into it."""
        if key is None or not mark:
            return None
        key = _marked(key, mark)
        for place, cache in enumerate(self.caches):
            [value] = cache.get([key])
            kept = _unpacked(value)
            if kept is not None and kept.since <= _stamp(now) < kept.until:
                for nearer in self.caches[:place]:
                    nearer.put({key: value or b""}, TTL)
                self._count(hits=1)
                return Ranking(
                    ids=kept.ids,
                    scores=np.frombuffer(kept.scores, "<f4"),
                    outlook=kept.outlook,
                    candidates=kept.candidates,
                    parts={name: np.frombuffer(part, "<f4") for name, part in kept.parts.items()},
                    newer=kept.newer,
                    older=kept.older,
                )
        self._count(misses=1)
        return None

    def keep(self, key: str | None, ranking: Ranking, frame: CandidateTable, mark: str, now: datetime) -> None:
        """Keep a ranking, unless somebody wrote between the reading of the mark and that of the frame."""
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
        kept = _Kept(
            list(ranking.ids),
            ranking.scores.astype("<f4").tobytes(),
            ranking.outlook,
            ranking.candidates,
            {name: part.astype("<f4").tobytes() for name, part in ranking.parts.items()},
            ranking.newer,
            ranking.older,
            int(ends.max(initial=0, where=ends <= moment)),
            int(ends.min(initial=2**63 - 1, where=ends > moment)),
        )
        packed = msgspec.msgpack.encode(kept)
        for cache in self.caches:
            cache.put({key: crc32(packed).to_bytes(4) + packed}, TTL)

    def _count(self, *, hits: int = 0, misses: int = 0) -> None:
        with self._lock:
            self.hits += hits
            self.misses += misses
            self._rate += (hits - self._rate) / _LAST

    @property
    def away(self) -> str:
        """Why a cache knows nothing now, if one does not."""
        return next((one.away for one in self.caches if one.away), "")

    def close(self) -> None:
        """Let go of the caches."""
        for one in self.caches:
            one.close()


def _marked(key: str, mark: str) -> str:
    return f"{key}:{blake2b(mark.encode(), digest_size=16).hexdigest()}"


def _unpacked(value: bytes | None) -> _Kept | None:
    """What was kept. What is not whole is not taken for a ranking."""
    if not value or crc32(value[4:]).to_bytes(4) != value[:4]:
        return None
    return msgspec.msgpack.decode(value[4:], type=_Kept)


def _stamp(moment: datetime) -> int:
    return (moment - _EPOCH) // _MICROSECOND


# This many waiting reads and uses are written together. While they cannot be, so many reads at most are kept.
ENOUGH, MOST = 512, 1024


class _Touch(Struct, frozen=True):
    viewpoint: Viewpoint
    read: Recollection
    used: Sequence[str]


class PendingReads:
    """Reads to log and uses to count. None is acknowledged: a killed process loses those that wait."""

    def __init__(self, store: Store, clock: Clock, *, logging: bool = True) -> None:
        self._store = store
        self._clock = clock
        self._logging = logging
        self._lock = threading.Lock()
        self._waiting: deque[_Touch] = deque(maxlen=MOST)
        self._writable = True

    def add(self, viewpoint: Viewpoint, read: Recollection, used: Sequence[str]) -> None:
        """Keep a read and the ids it used; when enough wait, they are written if nobody else is writing."""
        if not self._writable or not (self._logging or used):
            return
        with self._lock:
            self._waiting.append(_Touch(viewpoint, read, used))
            enough = sum(1 + len(one.used) for one in self._waiting) >= ENOUGH
        if enough:
            self.flush(wait=False)

    @property
    def waiting(self) -> int:
        """How many reads wait."""
        return len(self._waiting)

    def flush(self, *, wait: bool = True) -> None:
        """Write what waits. A store that cannot be written keeps nothing; one that is busy is tried again later."""
        with self._lock:
            waiting = list(self._waiting)
            self._waiting.clear()
        by_viewpoint: dict[Viewpoint, list[_Touch]] = {}
        for one in waiting:
            by_viewpoint.setdefault(one.viewpoint, []).append(one)
        try:
            for viewpoint in list(by_viewpoint):
                self._write(viewpoint, by_viewpoint[viewpoint], wait)
                del by_viewpoint[viewpoint]
        except ReadOnly:
            self._writable = False
        except Unavailable:
            left = [one for touches in by_viewpoint.values() for one in touches]
            with self._lock:
                # The newest stay when there are too many.
                self._waiting = deque([*left, *self._waiting], maxlen=MOST)

    def _write(self, viewpoint: Viewpoint, touches: Sequence[_Touch], wait: bool) -> None:
        access = Access(viewpoint=viewpoint, now=self._clock.now())
        times = Counter(one for touch in touches for one in touch.used)
        last = {one: touch.read.at for touch in touches for one in touch.used}
        uses = [Use(id=one, times=times[one], at=last[one]) for one in times]
        reads = [touch.read for touch in touches] if self._logging else []
        self._store.log_reads(access, reads, uses, wait=wait)
