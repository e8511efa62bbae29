"""Which notices a caller hears."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from foveal.doors.service.caller import Caller
from foveal.errors import Forbidden, Invalid
from foveal.model.notice import Kind, Notice
from foveal.model.server import Right
from foveal.ports.system import Bus, Heard, Subscription


def heard_by(caller: Caller) -> Heard:
    """A caller hears of the memories it may name: those of its worlds and actors, with all their nodes.

    What is of no memory, as an encoder that is away, is for callers of the whole store.
    """

    def heard(notice: Notice) -> bool:
        return _covers(caller.worlds, notice.world) and _covers(caller.actors, notice.actor_id)

    return heard


def _covers(allowed: tuple[str, ...] | None, name: str | None) -> bool:
    return allowed is None or name in allowed


def kinds_of(names: Iterable[str]) -> frozenset[Kind]:
    """The kinds of notices by their names; "memory" is all that begin so."""
    found: set[Kind] = set()
    for name in names:
        some = {one for one in Kind if one.value == name or one.value.startswith(f"{name}.")}
        if not some:
            raise Invalid(f"there is no kind of notice {name!r}: there are {', '.join(Kind)}")
        found |= some
    return frozenset(found)


def listen(
    bus: Bus,
    caller: Caller,
    *,
    after: str | None = None,
    kinds: Iterable[str] = (),
    wake: Callable[[], None] | None = None,
) -> Subscription:
    """The notices that a caller may hear, from now or from after the one with this id."""
    if Right.READ not in caller.rights or (caller.verbs is not None and "read" not in caller.verbs):
        raise Forbidden("this key may not listen: it may not read")
    return bus.subscribe(after, kinds=kinds_of(kinds), heard=heard_by(caller), wake=wake)
