"""A knowledge graph in a memory: entities, their observations, and the relations between them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import msgspec
from msgspec import Struct, field

from foveal.doors.mcp.tools import Principal
from foveal.doors.service import Service
from foveal.engine.records.relations import links_of
from foveal.errors import Conflict, Invalid, NotFound, Pinned, TooLarge
from foveal.importers.draft import Draft
from foveal.importers.graph import PREFIX, entity_draft, link_kind, observation_draft
from foveal.model.ids import new_id
from foveal.model.record import Link, Record
from foveal.model.results import Forgotten, Hit, Page, Written
from foveal.rules.drafts import viewpoint_of
from foveal.rules.rendering import visible
from foveal.wire.calls import call_of
from foveal.wire.problems import raised

# How many entities, observations and relations one call may bring, and how many records one may go through.
MOST_SENT, MOST_READ, PAGE = 2_000, 50_000, 1_000
# How many entities a search finds by words and meaning, and the least relevance of each.
FOUND, LIKELY = 10, 0.5


class Entity(Struct, frozen=True, rename="camel"):
    """An entity as a client sends it and gets it."""

    name: str
    entity_type: str
    observations: list[str]


class Relation(Struct, frozen=True, rename={"source": "from", "target": "to", "kind": "relationType"}):
    """A relation as a client sends it and gets it."""

    source: str
    target: str
    kind: str


class Additions(Struct, frozen=True, rename="camel"):
    """New observations of an entity."""

    entity_name: str
    contents: list[str]


class Deletions(Struct, frozen=True, rename="camel"):
    """Observations to delete from an entity."""

    entity_name: str
    observations: list[str]


class Node(Struct):
    """An entity of the graph: its records, of which a node of agents may see several, and its observations."""

    name: str
    kind: str
    ids: list[str]
    observations: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def told(self) -> dict[str, Any]:
        """The entity for a client."""
        return _plain(Entity(self.name, self.kind, list(self.observations)))

    def says(self, needle: str) -> bool:
        """Whether its name, its type or an observation contains a text in lower case."""
        return any(needle in text.lower() for text in (self.name, self.kind, *self.observations))


Nodes = dict[str, Node]
Given = TypeVar("Given")


class Graph:
    """The graph in the memory of a principal, through the verbs that the principal may use. It blocks."""

    def __init__(self, service: Service, principal: Principal) -> None:
        self._service = service
        self._principal = principal

    def create_entities(self, entities: list[Entity]) -> list[dict[str, Any]]:
        """Store the entities whose names are new, and return them."""
        _require_few(len(entities) + sum(len(one.observations) for one in entities))
        wanted = {one.name: one for one in reversed(entities)}
        if not all(name.strip() for name in wanted):
            raise Invalid("an entity needs a name")
        known = self._named(wanted)
        fresh = [one for name, one in reversed(wanted.items()) if name not in known]
        drafts = {one.name: entity_draft(one.name, one.entity_type) for one in fresh}
        self._write(drafts, lambda: self._named(drafts).keys(), {})
        self._observe(self._named(drafts), {one.name: one.observations for one in fresh})
        stored = self._named(drafts)
        return [stored[name].told() for name in drafts if name in stored]

    def create_relations(self, relations: list[Relation]) -> list[dict[str, Any]]:
        """Store the relations that are new, and return them."""
        _require_few(len(relations))
        nodes = self._required(name for one in relations for name in (one.source, one.target))
        known = {_plain_key(one) for one in self._relations(nodes)}
        fresh = {_plain_key(one): one for one in relations if _plain_key(one) not in known}
        for source, target, kind in fresh:
            ends = {"source_id": nodes[source].ids[0], "target_id": nodes[target].ids[0]}
            self._ask("link", **ends, kind=kind)
        return [_plain(one) for one in fresh.values()]

    def add_observations(self, observations: list[Additions]) -> list[dict[str, Any]]:
        """Store what is new of these observations, and return it; `NotFound` for an entity that is not there."""
        _require_few(sum(1 + len(one.contents) for one in observations))
        nodes = self._required(one.entity_name for one in observations)
        wanted: dict[str, list[str]] = {}
        results: list[dict[str, Any]] = []
        for one in observations:
            seen = {*nodes[one.entity_name].observations, *wanted.get(one.entity_name, ())}
            added = [text for text in dict.fromkeys(one.contents) if text.strip() and text not in seen]
            wanted.setdefault(one.entity_name, []).extend(added)
            results.append({"entityName": one.entity_name, "addedObservations": added})
        self._observe(nodes, wanted)
        return results

    def delete_entities(self, entity_names: list[str]) -> None:
        """Forget entities with their observations; their relations are hidden with them."""
        _require_few(len(entity_names))
        nodes = self._named(entity_names).values()
        self._forget([one for node in nodes for one in (*node.ids, *_flat(node.observations.values()))])

    def delete_observations(self, deletions: list[Deletions]) -> None:
        """Forget observations."""
        _require_few(sum(1 + len(one.observations) for one in deletions))
        nodes = self._named(one.entity_name for one in deletions)
        gone: list[str] = []
        for one in deletions:
            said = nodes[one.entity_name].observations if one.entity_name in nodes else {}
            # A client saw them without unseen characters.
            gone += _flat(ids for text, ids in said.items() if {text, visible(text)} & {*one.observations})
        self._forget(gone)

    def delete_relations(self, relations: list[Relation]) -> None:
        """Remove relations."""
        _require_few(len(relations))
        nodes = self._named(name for one in relations for name in (one.source, one.target))
        for source, target, kind in {_plain_key(one) for one in relations}:
            if source in nodes and target in nodes:
                for start in nodes[source].ids:
                    for end in nodes[target].ids:
                        self._ask("unlink", source_id=start, target_id=end, kind=kind)

    def read_graph(self) -> dict[str, Any]:
        """All entities and relations."""
        return self._told(self._nodes())

    def search_nodes(self, query: str) -> dict[str, Any]:
        """The entities that contain the query, then those that a search by words and meaning finds."""
        nodes = self._nodes()
        found = {name: node for name, node in nodes.items() if node.says(query.lower())}
        if query.strip():
            hits: list[Hit] = self._ask("search", query=query, k=FOUND, filters=_OF_GRAPHS, min_relevance=LIKELY)
            owners = {
                one: node for node in nodes.values() for one in (*node.ids, *_flat(node.observations.values()))
            }
            found |= {owners[hit.id].name: owners[hit.id] for hit in hits if hit.id in owners}
        return self._told(found)

    def open_nodes(self, names: list[str]) -> dict[str, Any]:
        """The entities with these names, and their relations."""
        _require_few(len(names))
        return self._told(self._named(names))

    def _told(self, nodes: Nodes) -> dict[str, Any]:
        relations = [_plain(one) for one in self._relations(nodes)]
        return {"entities": [node.told() for node in nodes.values()], "relations": relations}

    def _ask(self, verb: str, **given: Any) -> Any:
        return self._principal.ask(self._service, verb, given)

    def _records(self, *conditions: Mapping[str, Any]) -> list[Record]:
        """The records of the graph that fit, oldest first."""
        found: list[Record] = []
        more: dict[str, Any] = {}
        while True:
            page: Page = self._ask(
                "page", filters={"and": [_OF_GRAPHS, *conditions]}, limit=PAGE, newest_first=False, **more
            )
            found += page.records
            if page.cursor is None:
                return found
            if len(found) >= MOST_READ:
                raise TooLarge(
                    f"the graph has more than {MOST_READ:,} entities and observations: open nodes by name"
                )
            more = {"cursor": page.cursor}

    def _named(self, names: Iterable[str]) -> Nodes:
        wanted = list(dict.fromkeys(names))
        return self._nodes({"metadata.name": {"in": wanted}}) if wanted else {}

    def _required(self, names: Iterable[str]) -> Nodes:
        wanted = list(names)
        nodes = self._named(wanted)
        for name in wanted:
            if name not in nodes:
                raise NotFound(f"Entity with name {name} not found", entity=name)
        return nodes

    def _nodes(self, *conditions: Mapping[str, Any]) -> Nodes:
        """The entities that fit, by name, with their observations."""
        nodes: Nodes = {}
        for record in self._records({"kind": "entity"}, *conditions):
            name = record.metadata.get("name")
            if isinstance(name, str):
                nodes.setdefault(name, Node(name, _type_of(record, name), [])).ids.append(record.id)
        owners = {one: node for node in nodes.values() for one in node.ids}
        under = ({"parent_id": {"in": list(owners)}},) if conditions else ()
        for record in self._records({"kind": "fact"}, *under) if owners else ():
            if record.parent_id in owners:
                node = owners[record.parent_id]
                node.observations.setdefault(record.text.removeprefix(f"{node.name}: "), []).append(record.id)
        return nodes

    def _relations(self, nodes: Nodes) -> list[Relation]:
        """The relations that start or end at these entities, oldest first."""
        names = {one: node.name for node in nodes.values() for one in node.ids}
        links = self._links(list(names)) if names else []
        others = {end for link in links for end in (link.source_id, link.target_id)} - names.keys()
        if others:
            further = self._nodes({"id": {"in": sorted(others)}})
            names |= {one: node.name for node in further.values() for one in node.ids}
        ends = [(names.get(link.source_id), names.get(link.target_id), link.kind) for link in links]
        return [
            Relation(source, target, kind)
            for source, target, kind in dict.fromkeys(ends)
            if source is not None and target is not None
        ]

    def _links(self, ids: Sequence[str]) -> list[Link]:
        # The verb shows one link between two records; here all of them are wanted, under the same right.
        given = {**self._principal.at, "record_id": ids[0]}
        said = self._service.admitted(call_of("related"), given, self._principal.caller)
        runtime = self._service.memory.runtime.newest
        at = {name: value for name, value in said.items() if name != "record_id"}
        return links_of(runtime, runtime.access(viewpoint_of({"world": self._service.world}, at)), ids)

    def _observe(self, nodes: Nodes, wanted: Mapping[str, Sequence[str]]) -> None:
        """Store observations under entities; those that are there already are left as they are."""
        drafts = {
            (name, text): observation_draft(name, text)
            for name, texts in wanted.items()
            for text in texts
            if name in nodes and text.strip() and text not in nodes[name].observations
        }
        parents = {draft.id: nodes[name].ids[0] for (name, _), draft in drafts.items()}

        def known() -> Iterable[tuple[str, str]]:
            return [(node.name, text) for node in self._named(wanted).values() for text in node.observations]

        self._write(drafts, known, parents)

    def _write(
        self, drafts: Mapping[Given, Draft], known: Callable[[], Iterable[Given]], parents: Mapping[str, str]
    ) -> None:
        """Store drafts. What was forgotten still has its id, so that what takes its place gets another one."""
        refused = self._write_many(list(drafts.values()), parents)
        taken = {index for index, code, _ in refused if code == Conflict.code}
        # Another process may have stored the same in the meantime.
        there = {*known()} if taken else set[Given]()
        again = [draft for index, (key, draft) in enumerate(drafts.items()) if index in taken and key not in there]
        now = self._service.memory.runtime.clock.now()
        anew = [msgspec.structs.replace(draft, id=f"{PREFIX}:{new_id(now)}") for draft in again]
        moved = {new.id: parents[old.id] for new, old in zip(anew, again, strict=True) if old.id in parents}
        left = [(code, told) for index, code, told in refused if index not in taken]
        left += [(code, told) for _, code, told in self._write_many(anew, moved)]
        for code, told in left:
            raise raised({"code": code, "detail": told})

    def _write_many(self, drafts: Sequence[Draft], parents: Mapping[str, str]) -> list[tuple[int, str, str]]:
        items = [
            {
                **{name: value for name, value in draft.details.items() if name != "parent_id"},
                **({"parent_id": parents[draft.id]} if draft.id in parents else {}),
                **{"text": draft.text, "id": draft.id, "source": "assistant"},
            }
            for draft in drafts
        ]
        if not items:
            return []
        written: Written = self._ask("write_many", items=items)
        return [(one.index, one.code, one.message) for one in written.rejected]

    def _forget(self, ids: list[str]) -> None:
        if ids:
            forgotten: Forgotten = self._ask("forget", target=ids)
            if forgotten.pinned:
                raise Pinned(f"the pinned ones of these were kept: unpin them first ({len(forgotten.pinned)})")


_OF_GRAPHS = {"id": {"prefix": f"{PREFIX}:"}}


def _type_of(record: Record, name: str) -> str:
    text = record.text
    if text.startswith(f"{name} (") and text.endswith(")"):
        return text[len(name) + 2 : -1]
    return record.tags[0] if record.tags else ""


def _plain(value: Struct) -> dict[str, Any]:
    return msgspec.to_builtins(value)


def _plain_key(relation: Relation) -> tuple[str, str, str]:
    return relation.source, relation.target, link_kind(relation.kind)


def _flat(lists: Iterable[Sequence[str]]) -> list[str]:
    return [one for each in lists for one in each]


def _require_few(sent: int) -> None:
    if sent > MOST_SENT:
        raise TooLarge(
            f"{sent:,} things in one call; the limit is {MOST_SENT:,}: send them in parts", limit=MOST_SENT
        )
