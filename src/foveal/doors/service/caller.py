"""Who calls, and what they may."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from msgspec import Struct

from foveal.errors import Forbidden
from foveal.model.server import Right
from foveal.wire.calls import Call


class Caller(Struct, frozen=True, kw_only=True):
    """Who calls, and what they may: in which worlds, on whose memory, with which verbs. None is any.

    `verbs` narrows `rights` further, by name. `subject` tells callers apart who have the same name.
    """

    name: str
    subject: str = ""
    worlds: tuple[str, ...] | None = None
    actors: tuple[str, ...] | None = None
    rights: tuple[Right, ...] = tuple(Right)
    verbs: tuple[str, ...] | None = None

    def admitted(self, call: Call, given: Mapping[str, Any], world: str) -> dict[str, Any]:
        """The arguments, with the only world and actor that the caller has filled in; `Forbidden` for any other.

        `world` is the one that a call means which names none.
        """
        verb = call.verb
        if verb.right not in self.rights or (self.verbs is not None and verb.name not in self.verbs):
            raise Forbidden(
                f"this key may not {verb.name}: it may {', '.join(self.verbs or self.rights) or 'nothing'}"
            )
        said = dict(given)
        if call.placed:
            self._place(said, "world", self.worlds, world)
            self._place(said, "actor_id", self.actors, None)
            for item in cast(list[Any], said["items"]) if isinstance(said.get("items"), list) else []:
                self._look(item)
        elif verb.right is Right.ADMIN and (self.worlds, self.actors) != (None, None):
            raise Forbidden(f"{verb.name} is about the whole store: it needs a key for all worlds and actors")
        return said

    def _place(self, said: dict[str, Any], name: str, allowed: tuple[str, ...] | None, default: str | None) -> None:
        if allowed is None:
            return
        if name not in said and (default is None or default not in allowed) and len(allowed) == 1:
            said[name] = allowed[0]
        if said.get(name, default) not in allowed:
            raise Forbidden(
                f"this key is not for {name} {said.get(name, default)!r}", **{name: said.get(name, default)}
            )

    def _look(self, item: Any) -> None:
        for name, allowed in (("world", self.worlds), ("actor_id", self.actors)):
            if allowed is not None and isinstance(item, Mapping) and name in item:
                if cast(Mapping[str, Any], item)[name] not in allowed:
                    raise Forbidden(f"this key is not for the {name} of an item")


ANYONE = Caller(name="anyone")
