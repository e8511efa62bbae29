"""The second look: fine vectors of records, made in the background, and of the questions to compare with them."""

from __future__ import annotations

import atexit
import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from foveal.errors import FovealError, Invalid, ModelUnavailable, ReadOnly, StoreUnavailable, Unsupported
from foveal.model.query import Viewpoint
from foveal.model.record import Record
from foveal.model.search import Floats
from foveal.ports.models import Embedder
from foveal.ports.store import FineVectors
from foveal.ports.system import Organism
from foveal.rules.recall.index import fine_texts
from foveal.rules.text import UNKNOWN, language

LOG = logging.getLogger("foveal.second_look")
PART = "second look"
# The errors after which a question is answered by the first look alone.
AWAY = (ModelUnavailable, Unsupported, Invalid)

# How many versions are asked for at once, and how many have their vectors stored in one transaction.
AHEAD, BATCH = 129, 16
# A search waits for the vectors of no more versions than this, and no longer than so many seconds.
PATIENT, SECONDS = 128, 2.0
# More than anybody waits for: there are at least as many as were asked for, and nobody counted the rest.
MANY = 1 << 40
# Writers come first: the thread waits until none wrote for so many seconds, but no more than so many times.
QUIET, TIMES = 0.05, 200
# How many questions are encoded at once.
ASKING = 4
# A text is in another language if at least this share of its words is common there: logs and tables seldom are.
COMMON = 0.1
# A thread without work ends after so many seconds.
IDLE = 5.0

Degraded = Callable[[str, FovealError], None]


@dataclass
class _Pass:
    """How far an organism is done: all versions from `low` to `high`. `waiting` is None if it is not known."""

    high: int = 0
    low: int | None = None
    waiting: int | None = None


class SecondLook:
    """Makes the fine vectors of organisms that are written to or searched, newest first, in a thread of its own.

    A search that is `patient` waits while only a few versions are without vectors. What a killed process leaves
    undone is done when the organism is next searched or written to.
    """

    def __init__(
        self,
        vectors: FineVectors,
        embedder: Embedder,
        degraded: Degraded,
        *,
        languages: Sequence[str] = (),
        patient: bool = True,
    ) -> None:
        self.embedder = embedder
        self.patient = patient
        self._languages = languages
        self._vectors, self._degraded = vectors, degraded
        self._asking = ThreadPoolExecutor(ASKING, thread_name_prefix="foveal-question")
        self._lock = threading.Condition()
        self._passes: dict[Organism, _Pass] = {}
        self._pending: dict[Organism, _Pass] = {}
        self._caught_up: dict[Organism, _Pass] = {}
        self._thread: threading.Thread | None = None
        self._writes = 0
        self._urgent = self._stopping = self._read_only = False

    @property
    def encoder(self) -> str:
        """The id of the encoder."""
        return self.embedder.id

    def reads(self, text: str, *, common: float = 0) -> bool:
        """Whether the encoder reads the language of a text, as far as that can be told; `common` is as for that."""
        return not self._languages or language(text, common=common) in (*self._languages, UNKNOWN)

    def ask(self, texts: Sequence[str]) -> Future[Floats]:
        """Begin to encode the forms of a question, while the first look goes on."""
        with self._lock:
            # Under the lock: nobody closes the pool in between.
            if self._stopping:
                raise StoreUnavailable("the memory is closed")
            return self._asking.submit(self.embedder.embed, texts, asking=True)

    def wrote(self, organism: Organism, count: int) -> None:
        """Note that versions were written."""
        with self._lock:
            done = self._want(organism)
            if done is not None and done.waiting is not None:
                done.waiting += count
            self._writes += 1

    def lacking(self, organism: Organism) -> None:
        """Note that a search met versions without vectors, which another process may have written."""
        with self._lock:
            self._want(organism)

    def searched(self, organism: Organism) -> None:
        """Note that an organism is about to be searched, and wait for the last few vectors of it."""
        with self._lock:
            if organism in self._passes and organism not in self._pending:
                return
            if self._want(organism) is None:
                return
            self._urgent = True
            self._lock.notify_all()
            if self.patient:
                self._lock.wait_for(lambda: not self._worth_waiting(organism), SECONDS)

    def _worth_waiting(self, organism: Organism) -> bool:
        done = self._pending.get(organism)
        return done is not None and (done.waiting is None or done.waiting <= PATIENT)

    def _want(self, organism: Organism) -> _Pass | None:
        """Put an organism on the list of the thread, and start that if necessary; None if nothing can be stored."""
        if self._read_only or self._stopping:
            return None
        done = self._pending[organism] = self._passes.setdefault(organism, _Pass())
        if self._thread is None or not self._thread.is_alive():
            # A process that ends while the encoder runs would crash: a memory that was not closed stops it then.
            atexit.unregister(self.close)
            atexit.register(self.close)
            self._thread = threading.Thread(target=self._run, name="foveal-second-look", daemon=True)
            self._thread.start()
        return done

    def _run(self) -> None:
        while (organism := self._next()) is not None:
            try:
                done = sum(1 for _ in self._batches(organism, self._passes[organism], AHEAD))
            except FovealError as error:
                LOG.info("the second look waits: %s", error)
                self._degraded(PART, error)
                with self._lock:
                    self._read_only = self._read_only or isinstance(error, ReadOnly)
                    self._pending.clear()
                    self._passes.clear()
                    self._lock.notify_all()
                continue
            with self._lock:
                if not done:
                    self._pending.pop(organism, None)
                self._urgent = bool(self._pending) and self._urgent
                self._lock.notify_all()

    def _next(self) -> Organism | None:
        """The organism that was noted last, once writers are quiet or a search waits; None to end the thread."""
        with self._lock:
            if not self._lock.wait_for(lambda: self._pending or self._stopping, IDLE) or self._stopping:
                self._thread = None
                return None
            for _ in range(TIMES):
                before = self._writes
                if self._lock.wait_for(lambda: self._urgent or self._stopping, QUIET) or before == self._writes:
                    break
            return None if self._stopping else next(reversed(self._pending), None)

    def _batches(self, organism: Organism, done: _Pass, most: int) -> Iterator[int]:
        """Make the vectors of the newest versions that have none, at most so many, batch by batch."""
        viewpoint = Viewpoint(world=organism[0], actor_id=organism[1])
        missing = self._missing(viewpoint, done, most)
        for start in range(0, len(missing), BATCH):
            if self._stopping:
                return
            batch = missing[start : start + BATCH]
            self._vectors.put(viewpoint, self.encoder, [(seq, self._embedded(record)) for seq, record in batch])
            with self._lock:
                if done.waiting is not None:
                    done.waiting = max(0, done.waiting - len(batch))
            yield len(batch)

    def _missing(self, viewpoint: Viewpoint, done: _Pass, most: int) -> list[tuple[int, Record]]:
        if done.high:
            missing = self._vectors.missing(viewpoint, self.encoder, most, above=done.high)
            if missing:
                done.high = missing[0][0]
                if len(missing) == most:
                    done.low = missing[-1][0]
                return missing
        if done.low == 0:
            return []
        missing = self._vectors.missing(viewpoint, self.encoder, most, below=done.low)
        if missing:
            done.high = max(done.high, missing[0][0])
        done.low = missing[-1][0] if len(missing) == most else 0
        if done.waiting is None:
            done.waiting = len(missing) if len(missing) < most else MANY
        return missing

    def _embedded(self, record: Record) -> Floats:
        if not self.reads(record.text, common=COMMON):
            # A vector of zeros says that there is nothing to wait for: the first look decides.
            return np.zeros((1, self.embedder.dimension), np.float32)
        return np.asarray(self.embedder.embed(fine_texts(record.text)), np.float32)

    def catch_up(self, organism: Organism, most: int | None = None) -> Iterator[int]:
        """Make the vectors of one organism here and now, at most about so many; yields the size of each batch.

        A later call looks only at what was written since.
        """
        done, made = self._caught_up.setdefault(organism, _Pass()), 0
        while most is None or made < most:
            before = made
            for count in self._batches(organism, done, AHEAD):
                made += count
                yield count
            if made == before:
                return

    def close(self) -> None:
        """Stop after the batch that is being made."""
        atexit.unregister(self.close)
        with self._lock:
            self._stopping = True
            thread = self._thread
            self._lock.notify_all()
        self._asking.shutdown()
        if thread is not None:
            thread.join()
