"""When a part is well, and when the whole is."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from foveal.backends.index.reader import FAR_BEHIND
from foveal.model.server import Component, State

# Without these nothing works: when one is down, all is. What else is down leaves less, not nothing.
ESSENTIAL = frozenset({"store", "disk"})
MEGABYTE, GIGABYTE = 1 << 20, 1 << 30
# Below the first nothing can be written soon; below the second somebody should look.
FULL, NARROW = 64 * MEGABYTE, GIGABYTE
SLOW = timedelta(milliseconds=250)
SKEW = timedelta(seconds=2)
# So many intervals may pass without a run.
LATE = 3


def overall(components: Iterable[Component]) -> State:
    """Down when an essential part is; degraded when any part is not well; else ok.

    >>> store = Component(name="store", state=State.OK, reason="")
    >>> overall([store, Component(name="embedder", state=State.DOWN, reason="away")]).value
    'degraded'
    """
    parts = list(components)
    if any(one.state is State.DOWN and one.name in ESSENTIAL for one in parts):
        return State.DOWN
    return State.OK if all(one.state is State.OK for one in parts) else State.DEGRADED


def store_health(took: timedelta) -> Component:
    """The store by how long a round trip took.

    >>> store_health(timedelta(milliseconds=2)).reason
    'answers'
    """
    slow = took > SLOW
    reason = "answers slowly" if slow else "answers"
    return Component(
        name="store",
        state=State.DEGRADED if slow else State.OK,
        reason=reason,
        figure=round(took.total_seconds() * 1000, 2),
        unit="ms",
    )


def index_health(waiting: int) -> Component:
    """The index by how many records wait for their vectors.

    >>> index_health(3).state.value
    'degraded'
    """
    return Component(
        name="index",
        state=State.DEGRADED if waiting else State.OK,
        reason="records wait for their vectors: run reindex" if waiting else "follows the store",
        figure=waiting,
        unit="records",
    )


def vectors_health(waiting: int | None) -> Component:
    """The index of vectors by how many records it does not have yet; None without an index.

    >>> [vectors_health(one).reason for one in (None, 3)]
    ['are in the store', 'follow the store']
    >>> vectors_health(FAR_BEHIND + 1).state.value
    'degraded'
    """
    if waiting is None:
        return Component(name="vectors", state=State.OK, reason="are in the store")
    behind = waiting > FAR_BEHIND
    return Component(
        name="vectors",
        state=State.DEGRADED if behind else State.OK,
        reason="are far behind the store, which compares each itself: run reindex"
        if behind
        else "follow the store",
        figure=waiting,
        unit="records",
    )


def disk_health(free: int, total: int) -> Component:
    """The disk by how much is free.

    >>> [disk_health(free, 100 * GIGABYTE).state.value for free in (5 * GIGABYTE, MEGABYTE)]
    ['ok', 'down']
    """
    state = State.DOWN if free < FULL else State.DEGRADED if free < NARROW else State.OK
    reason = {State.OK: "has room", State.DEGRADED: "is almost full", State.DOWN: "is full"}[state]
    share = f" ({100 * free / total:.0f} % free)" if total else ""
    return Component(name="disk", state=state, reason=reason + share, figure=round(free / GIGABYTE, 2), unit="GB")


def clock_health(wall: timedelta, steady: timedelta) -> Component:
    """The clock by how far it ran from a steady one since the start.

    >>> clock_health(timedelta(seconds=70), timedelta(seconds=10)).state.value
    'degraded'
    """
    skew = wall - steady
    jumped = abs(skew) > SKEW
    return Component(
        name="clock",
        state=State.DEGRADED if jumped else State.OK,
        reason="was set while the memory ran" if jumped else "runs steadily",
        figure=round(skew.total_seconds(), 3),
        unit="s",
    )


def scheduler_health(mode: str, last: datetime | None, hours: float, now: datetime) -> Component:
    """The scheduler by when records were last moved from tier to tier.

    >>> from datetime import UTC
    >>> noon = datetime(2026, 1, 5, 12, tzinfo=UTC)
    >>> scheduler_health("worker", noon - timedelta(hours=5), 1.0, noon).state.value
    'degraded'
    """
    if mode != "worker" or not hours:
        told = {"auto": "runs a little after writes", "off": "is switched off"}.get(mode, "is switched off")
        return Component(name="scheduler", state=State.OK, reason=told)
    if last is None:
        return Component(name="scheduler", state=State.DEGRADED, reason="never ran: start foveal worker")
    since = now - last
    late = since > LATE * timedelta(hours=hours)
    return Component(
        name="scheduler",
        state=State.DEGRADED if late else State.OK,
        reason="is late: is foveal worker running?" if late else "runs",
        figure=round(since.total_seconds(), 1),
        unit="s since",
    )
