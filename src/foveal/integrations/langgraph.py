"""A store for LangGraph, and with it for LangChain agents, LangMem and Deep Agents."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from itertools import islice
from typing import Any, TypeAlias, TypedDict, cast

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
    get_text_at_path,
    validate_op_namespace,
)

from foveal.doors.client import RemoteMemory
from foveal.engine.memory import View
from foveal.errors import Conflict, NotFound
from foveal.integrations import keyed
from foveal.integrations.errors import raised_as
from foveal.model.record import Record
from foveal.model.results import Hit
from foveal.ports.system import Clock, SystemClock

Namespace: TypeAlias = tuple[str, ...]
KIND, REGION = "item", "store:"
PAGE = 200


class Indexing(TypedDict, total=False):
    """Which parts of a value a search looks at: paths such as "text" or "messages[*].content"; "$" is all of it."""

    fields: list[str]


class FovealStore(BaseStore):
    """A LangGraph store whose items are records of a memory.

    Items are found by words and meaning without an embedding function, survive a restart, and keep their history.
    Values must be JSON objects of at most 64 KiB. One store is one actor's memory: give each user a view of their
    own if namespaces alone should not keep them apart.
    """

    __slots__ = ("_clock", "_fields", "_memory", "ttl_config")

    supports_ttl = True

    def __init__(
        self,
        memory: View | RemoteMemory,
        *,
        index: Indexing | None = None,
        ttl: TTLConfig | None = None,
        clock: Clock | None = None,
    ) -> None:
        if index and set(index) - {"fields"}:
            raise ValueError("index takes only fields: the memory has its own encoder; pass embedder= to Memory")
        self._memory = memory
        self._fields = (index or {}).get("fields") or ["$"]
        self.ttl_config = ttl
        self._clock = clock or SystemClock()

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Carry out operations. Reads see what was stored before; of several puts of a key, the last holds."""
        listed = list(ops)
        puts: dict[tuple[Namespace, str], PutOp] = {}
        results: list[Result] = []
        with raised_as(ValueError):
            for op in listed:
                validate_op_namespace(op)
                match op:
                    case GetOp():
                        results.append(self._got(op))
                    case SearchOp():
                        results.append(self._searched(op))
                    case ListNamespacesOp():
                        results.append(self._namespaces(op))
                    case PutOp():
                        _check_value(op)
                        puts[op.namespace, op.key] = op
                        results.append(None)
            self._put_all(list(puts.values()))
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """`batch`, in a thread."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _got(self, op: GetOp) -> Item | None:
        record = keyed.stored(self._memory, KIND, [(op.namespace, op.key)]).get((op.namespace, op.key))
        if record is None or not _is_item(record):
            return None
        if op.refresh_ttl:
            self._refresh([record])
        return _item(record)

    def _searched(self, op: SearchOp) -> list[SearchItem]:
        hits = self._ranked(op) if op.query else self._listed(op)
        passing = (hit for hit in hits if _is_item(hit[0]) and _passes(hit[0], op))
        kept = list(islice(passing, op.offset, op.offset + op.limit))
        if op.refresh_ttl:
            self._refresh([record for record, _ in kept])
        return [_search_item(record, score) for record, score in kept]

    def _ranked(self, op: SearchOp) -> Iterator[tuple[Record, float | None]]:
        """Items by relevance, then those that are not indexed."""
        where, k, seen = _within(op.namespace_prefix), op.offset + op.limit, set[str]()
        while True:
            hits: list[Hit] = self._memory.search(op.query or "", k=k, filters=where, min_relevance=0.0)
            for hit in hits:
                if hit.record.id not in seen:
                    seen.add(hit.record.id)
                    yield hit.record, hit.relevance
            if len(hits) < k:
                break
            k *= 4
        for record, _ in self._listed(op):
            if record.id not in seen:
                yield record, None

    def _listed(self, op: SearchOp) -> Iterator[tuple[Record, float | None]]:
        """Items in the order in which their keys were first put."""
        cursor: str | None = None
        while True:
            where = _within(op.namespace_prefix)
            page = self._memory.browse.page(filters=where, limit=PAGE, newest_first=False, cursor=cursor)
            for record in page.records:
                yield record, None
            cursor = page.cursor
            if cursor is None:
                return

    def _namespaces(self, op: ListNamespacesOp) -> list[Namespace]:
        stored = (
            _namespace(region.region)
            for region in self._memory.browse.regions()
            if region.region.startswith(REGION)
        )
        matching = {
            namespace[: op.max_depth]
            for namespace in stored
            if all(_matches(namespace, condition) for condition in op.match_conditions or ())
        }
        return sorted(matching)[op.offset : op.offset + op.limit]

    def _put_all(self, puts: Sequence[PutOp]) -> None:
        stored = keyed.stored(self._memory, KIND, [(op.namespace, op.key) for op in puts])
        for op in puts:
            record = stored.get((op.namespace, op.key))
            if op.value is not None:
                self._put(op, record)
            elif record is not None:
                self._memory.forget(record.id, hard=True)

    def _put(self, op: PutOp, record: Record | None) -> None:
        details: dict[str, Any] = {
            "metadata": {"key": op.key, "value": op.value, "ttl": op.ttl},
            "ttl": None if op.ttl is None else timedelta(minutes=op.ttl),
        }
        text = _text(op, self._fields)
        if record is None:
            fixed = {"region": _region(op.namespace), "tier": "semantic"}
            record_id = keyed.put(self._memory, KIND, (op.namespace, op.key), text, fixed=fixed, details=details)
        else:
            record_id = record.id
            self._memory.supersede(record_id, text, **details)
            if record.vitals.muted and op.index is not False:
                self._memory.unmute(record_id)
        if op.index is False:
            self._memory.mute(record_id)

    def _refresh(self, records: Iterable[Record]) -> None:
        """Give what was read its whole time to live again, once a tenth of it has passed."""
        now = self._clock.now()
        for record in records:
            minutes, expires = record.metadata.get("ttl"), record.vitals.expires_at
            if minutes is None or expires is None:
                continue
            span = timedelta(minutes=minutes)
            if expires - now < 0.9 * span:
                try:
                    self._memory.supersede(record.id, record.text, ttl=span, expected_version=record.version)
                except (Conflict, NotFound):
                    # It was put again or deleted meanwhile, which decides its time to live.
                    continue


def _region(namespace: Namespace) -> str:
    """The region of a namespace. A label contains no period, and a region no number sign."""
    return REGION + ".".join(label.replace("%", "%25").replace("#", "%23") for label in namespace)


def _namespace(region: str) -> Namespace:
    labels = region.removeprefix(REGION).split(".")
    return tuple(label.replace("%23", "#").replace("%25", "%") for label in labels)


def _within(prefix: Namespace) -> dict[str, Any]:
    """The filter of what lies in a namespace or below it."""
    if not prefix:
        return {"kind": KIND, "region": {"prefix": REGION}}
    region = _region(prefix)
    return {"kind": KIND, "or": [{"region": region}, {"region": {"prefix": f"{region}."}}]}


def _text(op: PutOp, fields: Sequence[str]) -> str:
    """What a search looks at: the texts at the paths, or else all of the value."""
    paths = op.index or fields
    found = [text for path in paths if path != "$" for text in get_text_at_path(op.value, path)]
    if "$" in paths or not found:
        found.append(_plain(cast(Mapping[str, Any], op.value)))
    return "\n".join(found).strip() or op.key


def _plain(value: object) -> str:
    """A value as words: names of fields help a search, brackets and quotes do not."""
    if isinstance(value, Mapping):
        fields = cast(Mapping[str, Any], value)
        return "\n".join(f"{name}: {_plain(inner)}" for name, inner in fields.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_plain, cast(Sequence[Any], value)))
    return str(value)


def _check_value(op: PutOp) -> None:
    value = cast(object, op.value)
    if value is not None and not isinstance(value, Mapping):
        raise ValueError(f"the value of key {op.key!r} must be a JSON object, not {type(value).__name__}")


def _is_item(record: Record) -> bool:
    """Whether a record holds an item; another program may have written anything into the region."""
    return isinstance(record.metadata.get("key"), str) and isinstance(record.metadata.get("value"), Mapping)


def _passes(record: Record, op: SearchOp) -> bool:
    value = record.metadata["value"]
    return all(_holds(value.get(name), wanted) for name, wanted in (op.filter or {}).items())


def _holds(value: Any, wanted: Any) -> bool:
    """Whether a stored value is as wanted. A mapping is compared field by field, or holds operators."""
    if isinstance(wanted, Mapping):
        inner = cast(Mapping[str, Any], wanted)
        if any(name.startswith("$") for name in inner):
            return all(_compared(value, operator, operand) for operator, operand in inner.items())
        return isinstance(value, Mapping) and all(
            _holds(cast(Mapping[str, Any], value).get(name), part) for name, part in inner.items()
        )
    return value == (list(cast(Sequence[Any], wanted)) if isinstance(wanted, tuple) else wanted)


def _compared(value: Any, operator: str, operand: Any) -> bool:
    match operator:
        case "$eq":
            return value == operand
        case "$ne":
            return value != operand
        case "$gt" | "$gte" | "$lt" | "$lte":
            if value is None:
                return False
            left, right = float(value), float(operand)
            return {"$gt": left > right, "$gte": left >= right, "$lt": left < right, "$lte": left <= right}[
                operator
            ]
        case _:
            raise ValueError(f"{operator!r} is not an operator: use $eq, $ne, $gt, $gte, $lt or $lte")


def _matches(namespace: Namespace, condition: MatchCondition) -> bool:
    path = cast(Namespace, tuple(condition.path))
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[-len(path) :]
    return len(part) == len(path) and all(wanted in ("*", label) for label, wanted in zip(part, path, strict=True))


def _fields(record: Record) -> dict[str, Any]:
    return {
        "namespace": _namespace(record.region),
        "key": record.metadata["key"],
        "value": dict(record.metadata["value"]),
        "created_at": record.occurred_at,
        "updated_at": record.recorded_at,
    }


def _item(record: Record) -> Item:
    return Item(**_fields(record))


def _search_item(record: Record, score: float | None) -> SearchItem:
    return SearchItem(**_fields(record), score=score)
