"""Servers die, connections are cut, locks are held, clocks disagree: nothing acknowledged is lost or done twice."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from time import monotonic

import msgspec
import psutil
import psycopg
import pytest
from tests.stories.waiting import MOST, until

from foveal import Memory
from foveal.backends.postgres import PostgresStore, connection
from foveal.backends.postgres.gates import MOST_WAITING
from foveal.errors import StoreUnavailable, Unavailable
from foveal.model.query import Viewpoint
from foveal.model.record import Record, Vitals
from foveal.model.results import Use
from foveal.ports.store import Order
from foveal.testing.builders import ENCODER, START, entry, seen_by
from foveal.testing.servers import Cluster

pytestmark = pytest.mark.server


@pytest.fixture
def store(database: str) -> Iterator[PostgresStore]:
    store = PostgresStore(database, pool_size=2)
    yield store
    store.close()


def _kept(url: str) -> list[str]:
    with Memory(url) as memory:
        return [one.text for one in memory.timeline(actor_id="ada", limit=10_000)]


class Load:
    """A writer that goes on until all is stored, and repeats under the same key what was not acknowledged."""

    def __init__(self, url: str, texts: int) -> None:
        self.acknowledged: set[str] = set()
        self.half_way = threading.Event()
        self._texts = texts
        self._memory = Memory(url)

    def run(self) -> None:
        end = time.monotonic() + MOST
        with self._memory as memory:
            for number in range(self._texts):
                text = f"note {number}"
                while text not in self.acknowledged:
                    try:
                        memory.write(text, actor_id="ada", idempotency_key=text)
                    except Unavailable as error:
                        assert error.retry
                        assert time.monotonic() < end, "the store does not come back"
                    else:
                        self.acknowledged.add(text)
                if number == self._texts // 3:
                    self.half_way.set()


def _loaded(load: Load, fault: Callable[[], None]) -> None:
    with ThreadPoolExecutor(1) as other:
        running = other.submit(load.run)
        assert load.half_way.wait(MOST)
        fault()
        running.result(timeout=MOST)


def test_a_server_that_is_killed_and_started_again_loses_nothing_and_stores_nothing_twice() -> None:
    with Cluster(careful=True) as cluster:
        url = cluster.create()
        load = Load(url, 60)

        def fault() -> None:
            cluster.kill()
            cluster.start()

        _loaded(load, fault)
        assert sorted(_kept(url)) == sorted(load.acknowledged)
        assert len(load.acknowledged) == 60


def test_a_promoted_replica_knows_all_that_was_acknowledged_and_goes_on() -> None:
    with Cluster(careful=True) as primary:
        url = primary.create()
        Memory(url).close()
        with primary.replica() as replica:
            primary.administer("alter system set synchronous_standby_names to '*'")
            primary.administer("select pg_reload_conf()")
            # It takes effect a little later, and what was committed before that may die with the server.
            synchronous = "select true from pg_stat_replication where sync_state = 'sync'"
            until(lambda: primary.administer(synchronous) == [(True,)])
            both = f"postgresql://foveal@/memory_1?host={primary.folder},{replica.folder}"
            load = Load(f"{both}&target_session_attrs=read-write", 60)

            def fault() -> None:
                primary.kill()
                replica.promote()

            _loaded(load, fault)
            assert sorted(_kept(replica.url("memory_1"))) == sorted(load.acknowledged)


def test_idle_connections_that_were_cut_are_replaced_without_a_word(store: PostgresStore, cluster: Cluster) -> None:
    store.records.append([entry("before")], ENCODER)
    _cut(cluster)
    store.records.append([entry("after")], ENCODER)
    _cut(cluster)
    assert len(list(store.records.scan(seen_by(), order=Order.OLDEST))) == 2


def test_a_connection_that_is_cut_in_the_middle_undoes_all_of_the_call(
    store: PostgresStore, cluster: Cluster
) -> None:
    [(one, _)] = store.records.append([entry("a note")], ENCODER)

    def change(record: Record) -> Vitals:
        _cut(cluster)
        return msgspec.structs.replace(record.vitals, pinned=True)

    with pytest.raises(StoreUnavailable) as caught:
        store.records.revise(seen_by(), [one.id], change)
    assert caught.value.retry
    assert not store.records.get(seen_by(), [one.id])[0].vitals.pinned


def _cut(cluster: Cluster) -> None:
    cluster.administer("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'foveal'")


def test_a_full_pool_is_unavailable_and_gets_well_by_itself(database: str) -> None:
    store = PostgresStore(database, pool_size=2, wait_seconds=5.0)
    [(one, _)] = store.records.append([entry("a note")], ENCODER)
    inside: list[str] = []

    def change(record: Record) -> Vitals:
        # Both connections are taken: this call has one, the transaction inside it the other.
        with ThreadPoolExecutor(1) as waiting, store._db.reading():  # pyright: ignore[reportPrivateUsage]
            with pytest.raises(StoreUnavailable, match="pool_size") as caught:
                waiting.submit(store.records.get, seen_by(), [one.id]).result()
            inside.append(caught.value.code)
        return record.vitals

    store.records.revise(seen_by(), [one.id], change)
    assert inside == ["store_unavailable"]
    assert store.records.get(seen_by(), [one.id]) != []
    store.close()


def test_a_lock_that_is_held_too_long_is_unavailable(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "LOCK_MILLISECONDS", 100)
    store = PostgresStore(database)
    [(one, _)] = store.records.append([entry("a note")], ENCODER)
    with psycopg.connect(database) as holding:
        holding.execute("set foveal.every_world to 'on'")
        holding.execute("select * from foveal.organism for update")
        with pytest.raises(StoreUnavailable) as caught:
            store.records.append([entry("another")], ENCODER)
        assert caught.value.retry
        with pytest.raises(StoreUnavailable):
            store.recall_log.add(seen_by(), [], [Use(id=one.id, times=1, reads=1, at=START)], wait=False)
        # Readers wait for nobody.
        assert store.records.get(seen_by(), [one.id]) != []
    store.records.append([entry("another")], ENCODER)
    store.close()


def test_of_many_that_ask_for_a_lease_at_once_one_gets_it(database: str) -> None:
    stores = [PostgresStore(database) for _ in range(2)]
    now = datetime.now(UTC)
    with ThreadPoolExecutor(8) as many:
        asked = [
            many.submit(
                stores[number % 2].server.lease, "metabolism", f"worker {number}", now, timedelta(minutes=1)
            )
            for number in range(16)
        ]
    assert sum(one.result() for one in asked) == 1
    for store in stores:
        store.close()


def test_clocks_that_disagree_by_five_minutes_do_not_share_a_lease(store: PostgresStore) -> None:
    now, minute = datetime.now(UTC), timedelta(minutes=1)
    assert store.server.lease("metabolism", "right", now, minute)
    for wrong in (now + 5 * minute, now - 5 * minute):
        assert not store.server.lease("metabolism", "wrong", wrong, minute)
    store.server.release("metabolism", "right")
    assert store.server.lease("metabolism", "wrong", now + 5 * minute, minute)
    assert not store.server.lease("metabolism", "right", now, minute)


def _signal(cluster: Cluster, number: signal.Signals) -> None:
    """Send a signal to every process of a server."""
    first = psutil.Process(cluster.pid)
    for process in (first, *first.children(recursive=True)):
        process.send_signal(number)


def test_a_frozen_primary_is_left_for_the_replica_that_was_promoted() -> None:
    with Cluster() as primary:
        url = primary.create()
        with Memory(url) as memory:
            memory.write("before", actor_id="ada")
        with primary.replica() as replica:
            both = f"postgresql://foveal@/memory_1?host={primary.folder},{replica.folder}"
            with Memory(f"{both}&target_session_attrs=read-write") as memory:
                memory.write("on the first", actor_id="ada")
                with ThreadPoolExecutor(12) as callers:
                    _signal(primary, signal.SIGSTOP)
                    try:
                        # All connections of the pool wait for the frozen server, and more calls for a connection.
                        frozen = monotonic()
                        stuck = [
                            callers.submit(memory.write, f"stuck {number}", actor_id=f"actor {number}")
                            for number in range(12)
                        ]
                        replica.promote()
                        failed = [call.exception(timeout=MOST) for call in stuck]
                        assert monotonic() - frozen < 30
                        assert {type(error) for error in failed} <= {type(None), StoreUnavailable}
                        began = monotonic()
                        for number in range(5):
                            memory.write(f"after {number}", actor_id="ada")
                        assert monotonic() - began < 15
                        texts = {record.text for record in memory.timeline(actor_id="ada")}
                        # What the replica had not received yet is lost: replication is asynchronous here.
                        assert {"before", *(f"after {number}" for number in range(5))} <= texts
                        for number, error in enumerate(failed):
                            kept = len(memory.timeline(actor_id=f"actor {number}"))
                            assert kept == (0 if error else 1)
                    finally:
                        _signal(primary, signal.SIGCONT)


def test_writers_that_wait_for_one_actor_leave_the_connections_to_the_others(database: str) -> None:
    store = PostgresStore(database, pool_size=3)
    ada, ben = Viewpoint(actor_id="ada"), Viewpoint(actor_id="ben")
    store.records.append([entry("a note of Ben", viewpoint=ben), entry("a note of Ada", viewpoint=ada)], ENCODER)
    with psycopg.connect(database) as holder, ThreadPoolExecutor(6) as callers:
        holder.execute("set foveal.every_world to 'on'")
        holder.execute("select number from foveal.organism where actor = 'ada' for update")
        writers = [
            callers.submit(store.records.append, [entry(f"note {number}", viewpoint=ada)], ENCODER)
            for number in range(6)
        ]
        until(lambda: sum(not writer.done() for writer in writers) == 6)
        began = monotonic()
        for number in range(5):
            assert len(store.records.append([entry(f"note {number}", viewpoint=ben)], ENCODER)) == 1
            assert list(store.records.scan(seen_by(ben), order=Order.NEWEST))
        assert monotonic() - began < 5
        holder.rollback()
        assert all(writer.result(timeout=MOST) for writer in writers)
    store.close()


def test_only_so_many_calls_wait_for_one_actor(database: str) -> None:
    store = PostgresStore(database, pool_size=2)
    store.records.append([entry("first")], ENCODER)
    with psycopg.connect(database) as holder, ThreadPoolExecutor(MOST_WAITING + 1) as callers:
        holder.execute("set foveal.every_world to 'on'")
        holder.execute("select number from foveal.organism where actor = 'ada' for update")
        writers = [
            callers.submit(store.records.append, [entry(f"note {number}")], ENCODER)
            for number in range(MOST_WAITING + 1)
        ]
        gates = store._db._gates._gates  # pyright: ignore[reportPrivateUsage]
        until(lambda: any(gate.inside == MOST_WAITING + 1 for gate in list(gates.values())))
        with pytest.raises(StoreUnavailable, match="calls wait to write") as caught:
            store.records.append([entry("one too many")], ENCODER)
        assert caught.value.retry and caught.value.data["retry_after"] == 1
        holder.rollback()
        assert all(writer.result(timeout=MOST) for writer in writers)
    store.close()
