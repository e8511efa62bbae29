"""An answer of a server that is away is shown, shown with its age, or not shown."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal.doors.client.ghosts import BASE, level, steadied, threshold
from foveal.model.server import GhostKind, Level

TICK = timedelta(microseconds=1)


@pytest.mark.parametrize("room", GhostKind)
@pytest.mark.parametrize("stability", [0.0, 1.0])
def test_the_levels_change_at_the_threshold_and_at_twice_it(room: GhostKind, stability: float) -> None:
    """D7."""
    limit = threshold(BASE[room], stability)
    assert limit == BASE[room] * (1 + stability)
    assert level(limit - TICK, limit) is Level.FRESH
    assert level(limit, limit) is Level.STALE
    assert level(2 * limit - TICK, limit) is Level.STALE
    assert level(2 * limit, limit) is Level.REFUSE


@given(st.lists(st.booleans(), max_size=200))
def test_stability_stays_between_nought_and_one_and_follows_what_happens(answers: list[bool]) -> None:
    stability = 0.0
    for answered in answers:
        after = steadied(stability, answered)
        assert after >= stability if answered else after <= stability
        stability = after
    assert 0 <= stability <= 1


def test_a_steady_server_is_trusted_twice_as_long() -> None:
    stability = 0.0
    for _ in range(100):
        stability = steadied(stability, True)
    assert stability > 0.99
