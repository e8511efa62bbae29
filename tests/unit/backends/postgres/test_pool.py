"""A connection that has lost what it was taught is taught again."""

import pytest

from foveal.backends.postgres import PostgresStore
from foveal.model.query import Viewpoint
from foveal.ports.store import Order
from foveal.testing.builders import ENCODER, entry, seen_by

pytestmark = pytest.mark.server

ADA = Viewpoint(actor_id="ada")


def test_a_connection_that_forgot_how_to_find_an_organism_goes_on(database: str) -> None:
    store = PostgresStore(database, pool_size=1)
    for number in range(1, 8):
        store.records.append([entry(f"number {number}", viewpoint=ADA)], ENCODER)
        with store._db.apart() as connection:  # pyright: ignore[reportPrivateUsage]
            # Whatever was prepared, the driver lets it go.
            connection.execute(f"drop table if exists nothing_{number}".encode())
            left = connection.execute("select count(*) from pg_prepared_statements").fetchall()
        assert left == [(0,)]
        assert len(list(store.records.scan(seen_by(ADA), order=Order.NEWEST))) == number
    store.close()
