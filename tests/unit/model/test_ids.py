"""Ids sort by the order they were made in, in any number of threads, and never repeat."""

import threading
from datetime import UTC, datetime, timedelta

from foveal.model.ids import new_id

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def test_ids_of_one_moment_keep_their_order() -> None:
    made = [new_id(NOW) for _ in range(2000)]
    assert made == sorted(set(made))
    assert new_id(NOW + timedelta(milliseconds=1)) > made[-1]


def test_threads_never_make_the_same_id() -> None:
    made: list[str] = []
    threads = [threading.Thread(target=lambda: made.extend(new_id(NOW) for _ in range(500))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(made)) == 4000
