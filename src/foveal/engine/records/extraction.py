"""A model reads turns in the background and draws facts from them; a budget of calls a day bounds the cost."""

from __future__ import annotations

import atexit
import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from hashlib import blake2b

import msgspec

from foveal.engine.records.remember import ATTEMPTS, Plan, facts_of, reconcile
from foveal.engine.runtime.runtime import Runtime
from foveal.errors import FovealError, Invalid, PreconditionFailed
from foveal.model.ids import new_id
from foveal.model.query import Access, AllOf, Compare, Op, Viewpoint
from foveal.model.record import Record
from foveal.model.results import Change, ModelUse, Move, Stats, What
from foveal.ports.models import Message, Tool
from foveal.ports.store import Order, PlannedMove
from foveal.ports.system import Organism
from foveal.rules.facts import FACT_KINDS, Statement
from foveal.rules.facts.readings import (
    INSTRUCTIONS,
    READER,
    SCHEMA,
    TOOL_NAME,
    Drawn,
    Reading,
    answers,
    drawn_from,
    note_of,
    question,
    readable,
    reading_of,
)
from foveal.rules.facts.records import BY_MODEL
from foveal.rules.facts.statements import PERSONS

LOG = logging.getLogger("foveal.extraction")
PART = "extraction"
# How many turns, and how many characters of them, one call reads at most.
MOST_TURNS, MOST_CHARACTERS = 12, 6_000
# How many moves of an actor are looked through for the calls of a day.
MOST_MOVES = 2_000
# How long one process reads the turns of an actor alone, unless it says that it is done.
LEASE = timedelta(minutes=5)
# How long closing a memory waits for a call that is being made; its turns are read the next time.
PATIENCE = timedelta(seconds=2)
# A thread without work ends after so many seconds.
IDLE = 5.0

_TOOL = Tool(name=TOOL_NAME, description="Keep what the turns state.", parameters=SCHEMA)
_TICK = timedelta(microseconds=1)

Stopping = Callable[[], bool]


def _job(organism: Organism) -> str:
    """The name under which the store keeps how far an actor's turns are read. It does not tell who the actor is."""
    return f"facts {blake2b(chr(0).join(organism).encode(), digest_size=12).hexdigest()}"


def enrol(runtime: Runtime, viewpoint: Viewpoint, turns: Sequence[Record]) -> None:
    """Note, with the first turns that an actor remembers, that a model reads the turns from these on."""
    name = _job(viewpoint.organism)
    if turns and runtime.store.server.ran_at(name) is None:
        runtime.store.server.ran(name, min(turn.recorded_at for turn in turns) - _TICK)


def extract(
    runtime: Runtime,
    organism: Organism,
    stopping: Stopping = lambda: False,
    abandoned: Stopping = lambda: False,
) -> int:
    """Let the model read what it has not read yet, newest first, within the budget. Returns how many calls it made.

    Every call is journalled in the transaction that stores its facts, so that a killed process loses none and
    reads none twice. `ModelUnavailable` and `CircuitOpen` are raised: what is left is read the next time. No call
    begins once it is `stopping`, and nothing is stored once it is `abandoned`.
    """
    viewpoint = Viewpoint(world=organism[0], actor_id=organism[1])
    name, holder, calls = _job(organism), new_id(runtime.clock.now()), 0
    if runtime.llm is None or runtime.store.server.ran_at(name) is None:
        return 0
    while not stopping() and runtime.store.server.lease(name, holder, runtime.clock.now(), LEASE):
        try:
            batch = _next_batch(runtime, viewpoint)
            if not batch or _today(runtime, viewpoint).calls >= runtime.llm_calls:
                break
            _read(runtime, viewpoint, batch, abandoned)
            calls += 1
        finally:
            runtime.store.server.release(name, holder)
    return calls


def _turns(runtime: Runtime, viewpoint: Viewpoint) -> tuple[Access, Iterator[Record]]:
    since = runtime.store.server.ran_at(_job(viewpoint.organism))
    owner = runtime.access(viewpoint, as_owner=True)
    parts = (
        Compare("recorded_at", Op.GT, since),
        Compare("source", Op.IN, tuple(sorted(PERSONS))),
        *(Compare("kind", Op.NE, kind) for kind in FACT_KINDS),
    )
    return owner, runtime.store.records.scan(msgspec.structs.replace(owner, where=AllOf(parts)), order=Order.NEWEST)


def _next_batch(runtime: Runtime, viewpoint: Viewpoint) -> list[Record]:
    """The newest turns of one place and session that no model has read, in the order of time."""
    owner, turns = _turns(runtime, viewpoint)
    batch: list[Record] = []
    room, latest = MOST_CHARACTERS, None
    for turn in turns:
        latest = max(latest or turn.recorded_at, turn.recorded_at)
        if batch and (turn.node, turn.scope, turn.session_id) != (
            batch[0].node,
            batch[0].scope,
            batch[0].session_id,
        ):
            continue
        size = len(readable(turn))
        if size == 0 or _is_read(runtime, owner, turn):
            continue
        if batch and (len(batch) == MOST_TURNS or size > room):
            break
        batch.append(turn)
        room -= size
    if not batch and latest is not None:
        # All is read: the next time only later turns are looked at.
        runtime.store.server.ran(_job(viewpoint.organism), latest)
    return batch[::-1]


def _is_read(runtime: Runtime, owner: Access, turn: Record) -> bool:
    moves = runtime.store.lifecycle.journal(owner, record_id=turn.id, limit=20)
    return any(move.who == READER for move in moves)


def _read(runtime: Runtime, viewpoint: Viewpoint, turns: Sequence[Record], abandoned: Stopping) -> None:
    """Let the model read some turns, and store what they bear out with a note of the reading."""
    llm = runtime.llm
    if llm is None:
        return
    asked = [Message(role="system", content=INSTRUCTIONS), Message(role="user", content=question(turns))]
    reading = Reading(model=llm.model, turns=len(turns))
    given = None
    try:
        reply = llm.complete(asked, tools=[_TOOL])
        reading = msgspec.structs.replace(reading, tokens_in=reply.tokens_in or 0, tokens_out=reply.tokens_out or 0)
        given = answers(dict(reply.calls[0].arguments) if reply.calls else reply.text)
    except Invalid as error:
        LOG.info("the model gave an answer that cannot be read: %s", error)
    found, refused = given if given is not None else ([], 1)
    kept = [drawn for answer in found if (drawn := drawn_from(answer, turns)) is not None]
    refused += len(found) - len(kept)
    if not abandoned():
        _store(runtime, viewpoint, turns, kept, msgspec.structs.replace(reading, refused=refused))


def _store(
    runtime: Runtime, viewpoint: Viewpoint, turns: Sequence[Record], drawn: Sequence[Drawn], reading: Reading
) -> None:
    for attempt in range(ATTEMPTS):
        plan = Plan(known=[], by=BY_MODEL, others={each.statement: each.others for each in drawn if each.others})
        stated = _unstated(runtime, viewpoint, turns, drawn)
        reconcile(runtime, viewpoint, stated, plan)
        made = sum(len(act.move.made) for act in plan.moves)
        now = runtime.clock.now()
        note = Move(
            id=new_id(now),
            at=now,
            who=READER,
            what=What.LEARNED,
            why=note_of(msgspec.structs.replace(reading, facts=made)),
            changes=tuple(Change(record_id=turn.id, before=turn.vitals, after=turn.vitals) for turn in turns),
        )
        try:
            owner = runtime.access(viewpoint, as_owner=True)
            runtime.writes.apply(owner, [*plan.moves, PlannedMove(move=note)], runtime.encoder)
            return
        except PreconditionFailed:
            # Another process updated one of the facts in the meantime.
            if attempt + 1 == ATTEMPTS:
                raise


def _unstated(
    runtime: Runtime, viewpoint: Viewpoint, turns: Sequence[Record], drawn: Sequence[Drawn]
) -> list[tuple[Record, list[Statement]]]:
    """The statements of each turn but those that a fact drawn from the same turn makes already."""
    facts = facts_of(runtime, runtime.access(viewpoint, as_owner=True))
    made = {
        (source, fields.subject.casefold(), fields.attribute)
        for _, fields in facts
        for source in fields.sources
        if fields.attribute != "instruction"
    }
    rules = {source for record, fields in facts for source in fields.sources if record.kind == "instruction"}
    return [
        (
            turn,
            [
                each.statement
                for each in drawn
                if each.turn.id == turn.id
                and (turn.id, each.statement.subject.casefold(), each.statement.attribute) not in made
                and not (each.statement.kind == "instruction" and turn.id in rules)
            ],
        )
        for turn in turns
    ]


def _today(runtime: Runtime, viewpoint: Viewpoint) -> ModelUse:
    """What a model read for an actor since midnight, in UTC, from the notes in the journal."""
    owner = runtime.access(viewpoint, as_owner=True)
    midnight = owner.now.replace(hour=0, minute=0, second=0, microsecond=0)
    moves = runtime.store.lifecycle.journal(owner, limit=MOST_MOVES)
    notes = [reading_of(move.why) for move in moves if move.who == READER and move.at >= midnight]
    readings = [reading for reading in notes if reading is not None]
    return ModelUse(
        model="" if runtime.llm is None else runtime.llm.model,
        calls=len(readings),
        calls_a_day=runtime.llm_calls,
        turns=sum(reading.turns for reading in readings),
        facts=sum(reading.facts for reading in readings),
        refused=sum(reading.refused for reading in readings),
        tokens_in=sum(reading.tokens_in for reading in readings),
        tokens_out=sum(reading.tokens_out for reading in readings),
    )


def with_model_use(runtime: Runtime, access: Access, stats: Stats) -> Stats:
    """The statistics with what a model read today. Only the root sees that: it is about turns of all nodes."""
    if runtime.llm is None or runtime.llm_calls < 1 or access.viewpoint.node != "/":
        return stats
    return msgspec.structs.replace(stats, model=_today(runtime, access.viewpoint))


class Extraction:
    """Reads the turns of the actors who remember something, in a thread of its own."""

    def __init__(self) -> None:
        self._lock = threading.Condition()
        self._pending: dict[Organism, Runtime] = {}
        self._busy = self._stopping = self._abandoned = False
        self._thread: threading.Thread | None = None

    def remembered(self, runtime: Runtime, viewpoint: Viewpoint, turns: Sequence[Record]) -> None:
        """Note that an actor remembered turns."""
        enrol(runtime, viewpoint, turns)
        with self._lock:
            if self._stopping:
                return
            self._pending[viewpoint.organism] = runtime
            if self._thread is None or not self._thread.is_alive():
                atexit.unregister(self.close)
                atexit.register(self.close)
                self._thread = threading.Thread(target=self._run, name="foveal-extraction", daemon=True)
                self._thread.start()
            self._lock.notify_all()

    def wait(self, seconds: float) -> bool:
        """Wait until nothing is left to do. Returns whether that came true in time."""
        with self._lock:
            return self._lock.wait_for(lambda: not self._pending and not self._busy, seconds)

    def _run(self) -> None:
        while (work := self._next()) is not None:
            organism, runtime = work
            try:
                extract(runtime.newest, organism, lambda: self._stopping, lambda: self._abandoned)
            except FovealError as error:
                LOG.info("the extraction of facts waits: %s", error)
                if not self._stopping:
                    runtime.degraded(PART, error)
            finally:
                with self._lock:
                    self._busy = False
                    self._lock.notify_all()

    def _next(self) -> tuple[Organism, Runtime] | None:
        with self._lock:
            if not self._lock.wait_for(lambda: self._pending or self._stopping, IDLE) or self._stopping:
                self._thread = None
                return None
            self._busy = True
            return self._pending.popitem()

    def close(self) -> None:
        """Stop. A call that is being made is waited for only shortly; its turns are read the next time."""
        atexit.unregister(self.close)
        with self._lock:
            self._stopping = True
            self._pending.clear()
            thread = self._thread
            self._lock.notify_all()
        if thread is not None and thread is not threading.current_thread():
            thread.join(PATIENCE.total_seconds())
        self._abandoned = True
