"""Numbers for the fields of messages, which never change their meaning."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct

from foveal.wire.messages import Message
from foveal.wire.slots import Slot


class Numbered(Struct, frozen=True, kw_only=True):
    """The numbers of a message: of each field with what it holds, and those that no field may have again."""

    fields: dict[str, tuple[int, str]]
    retired: tuple[int, ...] = ()


Lock = dict[str, Numbered]


def numbered(messages: Iterable[Message], lock: Mapping[str, Numbered]) -> Lock:
    """The numbers of all fields: what had one keeps it, what is new gets the next.

    A field that is gone, or that holds something else now, leaves its number retired. A message that is gone
    stays in the lock, and would come back with its numbers.
    """
    found = dict(lock)
    for message in messages:
        found[message.name] = _numbers(message.slots, found.get(message.name, Numbered(fields={})))
    return dict(sorted(found.items()))


def _numbers(slots: Iterable[Slot], known: Numbered) -> Numbered:
    held = {one.name: _held(one) for one in slots}
    kept = {name: entry for name, entry in known.fields.items() if held.get(name) == entry[1]}
    retired = {*known.retired, *(entry[0] for name, entry in known.fields.items() if name not in kept)}
    last = max([0, *retired, *(number for number, _ in kept.values())])
    for name, what in held.items():
        if name not in kept:
            last += 1
            kept[name] = (last, what)
    ordered = sorted(kept.items(), key=lambda one: one[1][0])
    return Numbered(fields=dict(ordered), retired=tuple(sorted(retired)))


def _held(slot: Slot) -> str:
    # Whether a single value is marked optional makes no difference on the wire.
    return f"repeated {slot.type}" if slot.label == "repeated" else slot.type
