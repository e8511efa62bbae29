"""Engrams: states kept under names until they are overwritten."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Unpack

from foveal.engine.ledger.rows import Rows, place_of, scope_of_row
from foveal.engine.runtime.facade import Facade, checks_arguments
from foveal.errors import NotFound
from foveal.model.ledger import Engram
from foveal.model.query import At
from foveal.model.record import Scope
from foveal.model.server import Manifest
from foveal.rules.drafts import viewpoint_of
from foveal.rules.validation import checked_json, checked_name


@checks_arguments
class EngramVerbs(Facade):
    """Verbs that keep a state under a name, and show it."""

    def engram(self, name: str, state: Any, *, scope: Scope | str | None = None, **at: Unpack[At]) -> Engram:
        """Keep a state, which is any JSON value, under a name until it is overwritten.

        Those of the root are seen by every node, those of another node by that node alone, unless `scope` says
        otherwise.
        """
        viewpoint = viewpoint_of(self._bound, at)
        by_default = Scope.GLOBAL if viewpoint.node == "/" else Scope.LOCAL
        row = Engram(
            name=checked_name(name, "name"), state=checked_json(state, "state"), kept_at=self._runtime.clock.now()
        )
        place = place_of(viewpoint, by_default if scope is None else scope_of_row(scope))
        return Rows(self._runtime, viewpoint).set(row, place)

    def manifest(self, name: str, **at: Unpack[At]) -> Manifest:
        """The state kept under a name, with its age: this node's own, or else the one that all nodes see."""
        rows = Rows(self._runtime, viewpoint_of(self._bound, at)).get(Engram, [checked_name(name, "name")])
        if not rows:
            raise NotFound(f"there is no engram {name!r} here: keep one with engram(name, state)", name=name)
        age = max(timedelta(0), self._runtime.clock.now() - rows[0].kept_at)
        return Manifest(name=name, state=rows[0].state, at=rows[0].kept_at, age=age, node=rows[0].node)
