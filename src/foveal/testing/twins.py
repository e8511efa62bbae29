"""Runs one random sequence of calls on the oracle and on a store, and compares the answers."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Generic, TypeVar

import msgspec
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from foveal.errors import FovealError
from foveal.model.crystal import Snapshot
from foveal.model.query import Access, Viewpoint
from foveal.model.record import STORED_SCOPES, Group, Link, Record, Session, Tier
from foveal.ports.store import Order, Store
from foveal.rules.trees import Sort
from foveal.testing.builders import (
    ENCODER,
    START,
    ManualClock,
    by_vector,
    by_words,
    entry,
    move_of,
    seen_by,
    vector_of,
    version_after,
)
from foveal.testing.oracle import Oracle

Knowing = TypeVar("Knowing")
Tested = TypeVar("Tested")


class Pair(RuleBasedStateMachine, Generic[Knowing, Tested]):
    """An oracle and the part of a store that is compared with it, with a shared clock and the used ids."""

    def __init__(self, oracle: Knowing, open_at: Callable[[Path], Store], part: Callable[[Store], Tested]) -> None:
        super().__init__()
        self.folder = TemporaryDirectory()
        self.store = open_at(Path(self.folder.name) / "store")
        self.oracle, self.tested = oracle, part(self.store)
        self.clock = ManualClock()
        self.viewpoint = Viewpoint(actor_id="ada")
        self.ids: list[str] = ["nothing"]
        self.last: list[Record] = []
        self._steps = -1

    def both(self, call: Callable[[Knowing | Tested], Any]) -> Any:
        """The answer of both, or None if both raise the same error."""
        expected, answer = _answer(call, self.oracle), _answer(call, self.tested)
        assert answer == expected
        return None if isinstance(answer, type) else answer

    def rests(self) -> bool:
        """Whether to compare everything now: after the first step, and then after every fourth."""
        self._steps += 1
        return self._steps % 4 == 0

    def access(self, **more: Any) -> Access:
        return seen_by(self.viewpoint, self.clock.now(), **more)

    def one(self, which: int) -> str:
        return self.ids[which % len(self.ids)]

    def teardown(self) -> None:
        self.store.close()
        self.folder.cleanup()


def _answer(call: Callable[[Knowing], Any], store: Knowing) -> Any:
    try:
        return call(store)
    except FovealError as error:
        return type(error)


_TEXTS = st.sampled_from(["red apple", "green apple", "blue sky", "the red sky at night", "東京の空", "…"])
_ACTORS = st.sampled_from(["ada", "eve"])
_NODES = st.sampled_from(["/", "/a", "/a/b", "/c"])
_WHICH = st.integers(0, 9)


class Twins(Pair[Oracle, Store]):
    """Random steps with records: write, change, link, move, forget, search, and compare with an earlier moment."""

    def __init__(self, open_at: Callable[[Path], Store]) -> None:
        super().__init__(Oracle(), open_at, lambda store: store)

    @rule(actor=_ACTORS, node=_NODES, session=st.sampled_from([None, "x", "z"]))
    def look_from(self, actor: str, node: str, session: str | None) -> None:
        self.viewpoint = Viewpoint(actor_id=actor, node=node, session_id=session)

    @rule(minutes=st.sampled_from([1, 30, 90]))
    def wait(self, minutes: int) -> None:
        self.clock.turn(timedelta(minutes=minutes))

    @rule(
        text=_TEXTS,
        scope=st.sampled_from(STORED_SCOPES),
        key=st.sampled_from([None, None, "k1", "k2"]),
        ttl=st.sampled_from([None, None, 0, 3600]),
        region=st.sampled_from([None, "x"]),
        parent=st.one_of(st.none(), _WHICH),
    )
    def append(
        self, text: str, scope: str, key: str | None, ttl: int | None, region: str | None, parent: int | None
    ) -> None:
        details = {"scope": scope, "idempotency_key": key, "ttl": ttl, "region": region}
        details |= {} if parent is None else {"parent_id": self.one(parent)}
        new = entry(text, self.clock.now(), self.viewpoint, **details)
        if self.both(lambda store: store.records.append([new], ENCODER)):
            self.ids.append(new.record.id)

    @rule(texts=st.lists(_TEXTS, min_size=2, max_size=3), which=_WHICH, clash=st.booleans())
    def append_batch(self, texts: list[str], which: int, clash: bool) -> None:
        batch = [entry(text, self.clock.now(), self.viewpoint) for text in texts]
        if clash:
            batch.append(entry("x", self.clock.now(), self.viewpoint, id=self.one(which)))
        if self.both(lambda store: store.records.append(batch, ENCODER)):
            self.ids += [new.record.id for new in batch]

    @rule(which=_WHICH, text=_TEXTS, back=st.sampled_from([0, 60, 120]), stale=st.booleans())
    def supersede(self, which: int, text: str, back: int, stale: bool) -> None:
        records = self.oracle.records.get(self.access(), [self.one(which)]) or self.last[:1]
        if records:
            now = self.clock.now()
            version = version_after(records[0], text, now, valid_from=now - timedelta(minutes=back))
            if stale:
                version = msgspec.structs.replace(
                    version, record=msgspec.structs.replace(version.record, version=records[0].version)
                )
            self.both(lambda store: store.records.supersede(self.access(), version, ENCODER))
            self.both(lambda store: store.records.history(self.access(), records[0].id))
            self.last = records

    @rule(
        which=_WHICH, change=st.sampled_from([{"pinned": True}, {"muted": True}, {"importance": 0.9}, {"uses": 2}])
    )
    def revise(self, which: int, change: dict[str, Any]) -> None:
        ids = [self.one(which)]
        self.both(
            lambda store: store.records.revise(
                self.access(), ids, lambda record: msgspec.structs.replace(record.vitals, **change)
            )
        )

    @rule(which=_WHICH)
    def forget(self, which: int) -> None:
        now = self.clock.now()
        self.both(
            lambda store: store.records.revise(
                self.access(),
                [self.one(which)],
                lambda record: msgspec.structs.replace(record.vitals, forgotten_at=now),
            )
        )

    @rule(which=_WHICH, hidden=st.booleans())
    def erase(self, which: int, hidden: bool) -> None:
        self.both(lambda store: store.records.erase(self.access(include_hidden=hidden), [self.one(which)]).settled)

    @rule(
        which=_WHICH,
        life=st.sampled_from([{"tier": Tier.SEMANTIC}, {"tier": Tier.SESSION}, {"archived_at": START}]),
    )
    def make_a_move(self, which: int, life: dict[str, Any]) -> None:
        records = self.oracle.records.get(self.access(include_hidden=True), [self.one(which)])
        acts = [move_of(record, self.clock.now(), **life) for record in records]
        self.both(lambda store: store.lifecycle.apply(self.access(), acts, ENCODER))

    @rule(a=_WHICH, b=_WHICH, weight=st.sampled_from([0.5, 1.0]))
    def link(self, a: int, b: int, weight: float) -> None:
        link = Link(source_id=self.one(a), target_id=self.one(b), weight=weight, created_at=self.clock.now())
        self.both(lambda store: store.links.link(self.access(), link))

    @rule(a=_WHICH, b=_WHICH)
    def unlink(self, a: int, b: int) -> None:
        self.both(lambda store: store.links.unlink(self.access(), self.one(a), self.one(b), None))

    @rule(which=_WHICH, group=st.sampled_from(["g", "h"]), name=st.sampled_from("nm"), make=st.booleans())
    def join(self, which: int, group: str, name: str, make: bool) -> None:
        if make:
            new = Group(id=group, name=name, created_at=self.clock.now(), node=self.viewpoint.node)
            self.both(lambda store: store.links.put_group(self.viewpoint, new))
            self.both(lambda store: store.links.groups(self.viewpoint))
        self.both(lambda store: store.links.join(self.access(), group, [self.one(which)]))
        self.both(lambda store: store.links.members(self.access(), group))

    @rule(which=_WHICH)
    def recover(self, which: int) -> None:
        self.both(
            lambda store: store.records.revise(
                self.access(include_hidden=True),
                [self.one(which)],
                lambda record: msgspec.structs.replace(record.vitals, forgotten_at=None),
            )
        )

    @rule(which=_WHICH, back=st.sampled_from([30, 100]))
    def look_back(self, which: int, back: int) -> None:
        then = self.clock.now() - timedelta(minutes=back)
        for moments in ({"as_of": then}, {"valid_at": then}, {"as_of": then, "valid_at": then}):
            self.both(lambda store, at=moments: list(store.records.scan(self.access(**at), order=Order.OLDEST)))
            self.both(lambda store, at=moments: store.records.get(self.access(**at), [self.one(which)]))

    @rule(question=_TEXTS)
    def search(self, question: str) -> None:
        words, vector, recalling = question.split(), vector_of(question), self.access(for_recall=True)
        assert set(by_words(self.tested, self.access(), words, 99)) == self.oracle.records.with_words(
            recalling, words
        )
        near = by_vector(self.tested, self.access(), vector, 99)
        assert _rounded(near) == _rounded(self.oracle.records.cosines(recalling, vector))

    @rule(which=_WHICH, parent=_WHICH)
    def move(self, which: int, parent: int) -> None:
        records = self.oracle.records.get(self.access(), [self.one(which)])
        if records:
            version = version_after(records[0], records[0].text, self.clock.now(), parent_id=self.one(parent))
            self.both(lambda store: store.records.supersede(self.access(), version, ENCODER))

    @rule(which=_WHICH, hard=st.booleans())
    def fell(self, which: int, hard: bool) -> None:
        self.both(
            lambda store: msgspec.structs.replace(
                store.trees.forget(self.access(include_hidden=hard), [self.one(which)], hard=hard), removed={}
            )
        )

    @rule(which=_WHICH, sort=st.sampled_from(Sort), descending=st.booleans(), depth=st.integers(0, 4))
    def look_below(self, which: int, sort: Sort, descending: bool, depth: int) -> None:
        record_id = self.one(which)
        self.both(
            lambda store: store.trees.children(self.access(), record_id, sort=sort, descending=descending, limit=3)
        )
        self.both(lambda store: store.trees.descendants(self.access(), record_id, depth))
        self.both(lambda store: store.trees.ancestors(self.access(), record_id))
        self.both(lambda store: store.trees.edges(self.access(), [record_id, self.one(which + 1)]))

    @rule(name=st.sampled_from("xy"), ended=st.booleans())
    def hold_session(self, name: str, ended: bool) -> None:
        now = self.clock.now()
        session = Session(
            id=name,
            actor_id=self.viewpoint.actor_id,
            started_at=now,
            ended_at=now if ended else None,
            node=self.viewpoint.node,
        )
        self.both(lambda store: store.links.put_session(self.viewpoint, session))

    @rule(everyone=st.booleans())
    def expire(self, everyone: bool) -> None:
        whose = None if everyone else self.viewpoint
        now = self.clock.now()
        self.both(lambda store: {record.id for record in store.lifecycle.expired(now, whose, 99)})

    @rule(node=_NODES)
    def look_up_keys(self, node: str) -> None:
        self.both(lambda store: store.records.keyed(self.access(), node, ["k1", "k2"]))

    @rule(which=_WHICH, text=_TEXTS, key=st.sampled_from([None, "k1", "k3"]))
    def file(self, which: int, text: str, key: str | None) -> None:
        now = self.clock.now()
        fresh = [entry(text, now, self.viewpoint, idempotency_key=key)]
        later = [
            version_after(record, text, now) for record in self.oracle.records.get(self.access(), [self.one(which)])
        ]
        if self.both(lambda store: store.records.write_batch(self.access(), fresh, later, ENCODER)):
            self.ids += [new.record.id for new in fresh]

    @rule(number=st.integers(0, 3))
    def take_snapshot(self, number: int) -> None:
        taken = Snapshot(id=f"s{number}", label="x", taken_at=self.clock.now(), node=self.viewpoint.node)
        self.both(lambda store: store.snapshots.put(self.viewpoint, taken))

    @rule(back=st.sampled_from([0, 1, 60]))
    def compare(self, back: int) -> None:
        moments = [snapshot.taken_at for snapshot in self.both(lambda store: store.snapshots.all(self.viewpoint))]
        until = self.clock.now() + timedelta(days=1)
        for since in (*moments, self.clock.now() - timedelta(minutes=back)):
            self.both(lambda store, since=since: store.snapshots.changes(self.access(), since, until))

    @rule(which=_WHICH)
    def inspect(self, which: int) -> None:
        self.both(lambda store: store.records.history(self.access(), self.one(which)))
        self.both(lambda store: store.links.of(self.access(), self.one(which)))

    @invariant()
    def they_hold_the_same(self) -> None:
        if not self.rests():
            return
        self.both(lambda store: list(store.records.scan(self.access(), order=Order.NEWEST)))
        self.both(lambda store: store.counts.regions(self.access(as_owner=True)))
        self.both(lambda store: store.counts.marks(self.access(), order=Order.NEWEST, every=2))
        self.both(lambda store: store.counts.nodes(self.access(as_owner=True)))
        self.both(lambda store: store.links.sessions(self.access()))
        self.both(lambda store: store.counts.stats(self.access(as_owner=True, include_hidden=True)))
        self.both(lambda store: store.counts.organisms())
        self.both(lambda store: store.lifecycle.journal(self.access(), limit=99))
        self.both(lambda store: [store.lifecycle.tier_sessions(tier) for tier in Tier])
        self.both(lambda store: store.lifecycle.uncompared(self.access(as_owner=True), 99))


def _rounded(scores: dict[str, float]) -> dict[str, float]:
    return {record_id: round(score, 2) + 0.0 for record_id, score in sorted(scores.items())}


class TwinsContract:
    """The store and the oracle give the same answers and the same errors."""

    def test_the_store_answers_as_the_oracle_does(self, open_at: Callable[[Path], Store]) -> None:
        class Story(Twins):
            def __init__(self) -> None:
                super().__init__(open_at)

        run_state_machine_as_test(
            Story,
            settings=settings(max_examples=40, stateful_step_count=40, deadline=None),
        )
