"""The nodes that wrote into a memory."""

from __future__ import annotations

from collections import Counter

import msgspec

from foveal.engine.core import Core
from foveal.model.query import AllOf, AnyOf, Compare, Op, Sight
from foveal.model.results import Node


def nodes(core: Core, sight: Sight) -> list[Node]:
    """The nodes whose records reach this one, and all below it, with how much each wrote.

    Of a node below it is told that it wrote and how much, also when it keeps that to itself; never what.
    """
    own = sight.viewpoint.node
    under = AnyOf((Compare("node", Op.EQ, own), Compare("node", Op.PREFIX, own.rstrip("/") + "/")))
    parts = (under,) if sight.where is None else (sight.where, under)
    below = msgspec.structs.replace(sight, owner=True, where=AllOf(parts))
    seen: dict[str, Counter[str]] = {}
    for node, scope, count in core.store.nodes(sight):
        seen.setdefault(node, Counter())[scope] = count
    # What lies below is known whole; of the rest only what is seen.
    known: dict[str, Counter[str]] = {one: Counter(scopes) for one, scopes in seen.items()}
    for node, scope, count in core.store.nodes(below):
        known.setdefault(node, Counter())[scope] = count
    return [
        Node(node=node, records=scopes.total(), scopes=dict(scopes), seen=seen.get(node, Counter()).total())
        for node, scopes in sorted(known.items(), key=lambda one: one[0].split("/"))
    ]
