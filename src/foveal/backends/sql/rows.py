"""Conversions between rows and model values, shared by the parts of a SQL store."""

from __future__ import annotations

import re
from collections import namedtuple
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from enum import Enum
from functools import cache, lru_cache
from operator import attrgetter
from types import NoneType
from typing import Any, Literal, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

import msgspec
import numpy as np
from numpy.typing import NDArray

from foveal.errors import Corrupt, EncoderMismatch
from foveal.model.ids import Address
from foveal.model.record import Linearity, Record, Scope, Tier, Vitals
from foveal.ports.store import Encoder
from foveal.rules.duplicates import words_number
from foveal.rules.trees import Sort
from foveal.rules.visibility import parent_node

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def to_micros(moment: datetime) -> int:
    """A moment as whole microseconds since 1970."""
    return (moment - _EPOCH) // _MICROSECOND


def to_micros_or_none(moment: datetime | None) -> int | None:
    """A moment as whole microseconds since 1970, or None."""
    return None if moment is None else to_micros(moment)


# What a conversion raises for a value that was damaged in the file.
_DAMAGE = (LookupError, TypeError, ValueError, OverflowError, msgspec.MsgspecError)


@contextmanager
def readable(what: str, **data: object) -> Generator[None, None, None]:
    """Raise `Corrupt` if what is stored cannot be converted; `what` names it.

    >>> with readable("the colour of a record"):
    ...     {"red": 1}["rad"]
    Traceback (most recent call last):
    foveal.errors.Corrupt: the colour of a record is damaged and cannot be read
    """
    try:
        yield
    except _DAMAGE as error:
        raise Corrupt(f"{what} is damaged and cannot be read", **data) from error


# The tables of structs that have another name.
_TABLES = {
    **{"Change": "journal", "FocusFragment": "crystal_fragment", "Group": "context_group", "Key": "api_key"},
    **{"Lineage": "crystal", "Move": "journal", "Recalled": "recollected", "StateCrystal": "crystal"},
    **{"IdempotentRequest": "errand", "TierSession": "session", "Worded": "phrase"},
}
# The columns that name a row: the first of these that it has.
_KEYS = (
    ("id",),
    ("crystal_id",),
    ("source_id", "target_id", "kind"),
    ("number",),
    ("subject",),
    ("key",),
    ("name",),
)


def table_of(kind: type[msgspec.Struct]) -> str:
    """The table whose rows are structs of this kind.

    >>> from foveal.model.ledger import ToolCall
    >>> table_of(ToolCall), table_of(Record)
    ('tool_call', 'record')
    """
    return _TABLES.get(kind.__name__) or re.sub(r"(?<=[a-z])(?=[A-Z])", "_", kind.__name__).lower()


@contextmanager
def readable_row(kind: type[msgspec.Struct], row: Any) -> Generator[None, None, None]:
    """Raise `Corrupt` with its table and key if a row cannot be converted to a struct of this kind."""
    try:
        yield
    except (*_DAMAGE, Corrupt) as error:
        if isinstance(error, Corrupt) and "table" in error.data:
            raise
        columns = getattr(row, "_fields", ())
        names = (getattr(kind, "key", None),) if getattr(kind, "key", None) in columns else ()
        names = names or next((key for key in _KEYS if set(key) <= set(columns)), ())
        key = " ".join(_shown(getattr(row, str(name))) for name in names)
        table = table_of(kind)
        raise Corrupt(
            f"the row {key} of the table {table} is damaged and cannot be read: run foveal repair",
            table=table,
            key=key,
        ) from error


def _shown(value: object) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


@lru_cache(maxsize=4096)
def from_micros(number: int) -> datetime:
    """The moment that is so many microseconds after 1970 began; `Corrupt` if no calendar has it."""
    with readable("a date"):
        return _EPOCH + number * _MICROSECOND


def from_micros_or_none(number: int | None) -> datetime | None:
    """The moment for a number of microseconds, or None."""
    return None if number is None else from_micros(number)


def names(stored: list[str] | str) -> tuple[str, ...]:
    """The names in a column, which is a list if the database has lists, and JSON otherwise.

    >>> names(["tea", "tin"]) == names('["tea","tin"]') == ("tea", "tin")
    True
    """
    return tuple(msgspec.json.decode(stored) if isinstance(stored, str) else stored)


def listed(names: Sequence[object]) -> str:
    """A list as JSON."""
    return msgspec.json.encode(list(names)).decode()


@cache
def row_type(columns: tuple[str, ...]) -> Any:
    """The type of a row with these columns as attributes; those that have no proper name have only a position."""
    return namedtuple("Row", columns, rename=True)  # pyright: ignore[reportUntypedNamedTuple]


S = TypeVar("S", bound=msgspec.Struct)


class _Field(NamedTuple):
    """A field of a struct that has a column of its name: how its value is stored and read, unless as it is."""

    name: str
    nullable: bool
    is_array: bool
    kinds: tuple[type, ...]
    store: Callable[[Any], Any] | None
    read: Callable[[Any], Any] | None


def values_of(struct: msgspec.Struct, array: Callable[[Any], Any] = listed, /, **others: Any) -> dict[str, Any]:
    """The values that a struct binds, by field, and those in `others`, which come first.

    `array` makes a value of a tuple of names. Any other tuple is stored as rows of its own, and is left out.

    >>> from foveal.model.crystal import Snapshot
    >>> values_of(Snapshot(id="s1", label="first", taken_at=from_micros(7)), organism=1)
    {'organism': 1, 'id': 's1', 'label': 'first', 'taken_at': 7}
    """
    for name, nullable, is_array, _, store, _ in _fields(type(struct)):
        if name not in others:
            value = getattr(struct, name)
            if value is not None or not nullable:
                value = store(value) if store else value
                value = array(value) if is_array else value
            others[name] = value
    return others


def struct_of(kind: type[S], row: Any, /, **others: Any) -> S:
    """The struct in a named row, each field from the column of its name, except those in `others`.

    A null in the column of a field that cannot be None stands for the default of the field. A row that is damaged
    raises `Corrupt` with its table and key.

    >>> from foveal.model.crystal import Snapshot
    >>> snapshot = Snapshot(id="s1", label="first", taken_at=from_micros(7))
    >>> struct_of(Snapshot, row_type(("id", "label", "taken_at"))("s1", "first", 7)) == snapshot
    True
    """
    with readable_row(kind, row):
        for name, nullable, _, kinds, _, read in _fields(kind):
            if name not in others:
                value = getattr(row, name)
                if value is not None:
                    if not isinstance(value, kinds):
                        raise TypeError(f"{name} is of the type {type(value).__name__}")
                    others[name] = read(value) if read else value
                elif nullable:
                    others[name] = None
        return kind(**others)


@cache
def _fields(kind: type[msgspec.Struct]) -> tuple[_Field, ...]:
    hints = get_type_hints(kind)
    fields: list[_Field] = []
    for name in kind.__struct_fields__:
        hint = hints[name]
        nullable = NoneType in get_args(hint)
        if nullable:
            hint, *others = [option for option in get_args(hint) if option is not NoneType]
            if others:
                raise TypeError(f"{kind.__name__}.{name} has no single type: {hints[name]}")
        is_array = get_origin(hint) is tuple
        if not is_array or _is_plain(get_args(hint)[0]):
            fields.append(_Field(name, nullable, is_array, _stored_as(hint), *_conversions(hint)))
        elif get_origin(get_args(hint)[0]) is not tuple and not _is_a(get_args(hint)[0], msgspec.Struct):
            raise TypeError(f"{kind.__name__}.{name} is stored neither in a column nor in rows of its own: {hint}")
    return tuple(fields)


def _stored_as(hint: Any) -> tuple[type, ...]:
    """The types that a database returns for a sound value of this type."""
    if hint in (datetime, timedelta, bool) or _is_a(hint, int):
        return (int,)
    if hint is float:
        return (float, int)
    if hint is bytes:
        return (bytes,)
    if get_origin(hint) is tuple:
        return (str, list, tuple)
    if _is_a(hint, Enum):
        return (str, int)
    # Texts, and everything that is kept as JSON, which some databases return as what it stands for.
    return (str, dict, list) if not _is_plain(hint) else (str,)


def _conversions(hint: Any) -> tuple[Callable[[Any], Any] | None, Callable[[Any], Any] | None]:
    """How a value of this type is stored, and how it is read."""
    if hint is datetime:
        return to_micros, from_micros
    if hint is timedelta:
        return (lambda span: span // _MICROSECOND), (lambda number: number * _MICROSECOND)
    if hint is bool:
        return None, bool
    if _is_a(hint, Enum):
        return attrgetter("value"), hint
    if _is_plain(hint):
        return None, None
    if get_origin(hint) is tuple:
        store, read = _conversions(get_args(hint)[0])
        if store is None or read is None:
            return None, names
        return (lambda items: tuple(map(store, items))), (lambda items: tuple(map(read, names(items))))
    return (lambda value: msgspec.json.encode(value).decode()), msgspec.json.Decoder(hint).decode


def _is_plain(hint: Any) -> bool:
    """Whether a database stores values of this type as they are, or an enum by such values."""
    return _is_a(hint, str, int, float, bytes) or get_origin(hint) is Literal


def _is_a(hint: Any, *kinds: type) -> bool:
    return isinstance(hint, type) and issubclass(hint, kinds)


Own = Mapping[str, Any]

SORTED_BY = {
    Sort.OCCURRED_AT: "r.occurred_at",
    Sort.RECORDED_AT: "r.recorded_at",
    Sort.IMPORTANCE: "v.importance",
    Sort.USES: "v.uses",
    Sort.USED_AT: "v.used_at",
    Sort.TIER: "v.tier",
    Sort.KIND: "r.kind",
}

# A read builds a hundred records, and a lookup is faster than calling the enum.
_SCOPES = {scope.value: scope for scope in Scope}
_LINEARITIES = {linearity.value: linearity for linearity in Linearity}
_TIERS = {tier.value: tier for tier in Tier}


def record_columns(world: str, actor: str) -> list[str]:
    """The columns of `record r join vitals v` for `record_of`; `world` and `actor` are SQL expressions."""
    return [
        *("r.id", "r.version", "r.node", "r.session_id", "r.region", "r.kind", "r.scope", "r.source", "r.speaker"),
        *("r.text", "r.tags", "r.metadata", "r.parent_id", "r.digits", "r.slice", "r.tape", "r.linearity"),
        *("r.idempotency_key", "r.occurred_at", "r.valid_from", "r.valid_to", "r.recorded_at", "r.superseded_at"),
        *("v.tier", "v.importance", "v.uses", "v.used_at", "v.pinned", "v.expires_at", "v.archived_at"),
        *("v.forgotten_at", "v.muted", world, actor),
    ]


# The types of the columns of a row, for each combination of them that was found to be sound.
_SOUND: set[tuple[type, ...]] = set()
_TEXT, _TEXT_OR_NONE, _WHOLE, _WHOLE_OR_NONE = (str,), (str, NoneType), (int,), (int, NoneType)
_TYPES: Sequence[tuple[type, ...]] = (
    *(_TEXT, _WHOLE, _TEXT, _TEXT_OR_NONE, _TEXT, _TEXT, _TEXT, _TEXT, _TEXT_OR_NONE),
    *(_TEXT, (str, list), _TEXT, _TEXT_OR_NONE, _TEXT, _WHOLE, _WHOLE, _WHOLE),
    *(_TEXT_OR_NONE, _WHOLE, _WHOLE, _WHOLE_OR_NONE, _WHOLE, _WHOLE_OR_NONE),
    *(_WHOLE, (float, int), _WHOLE, _WHOLE_OR_NONE, _WHOLE, _WHOLE_OR_NONE, _WHOLE_OR_NONE),
    *(_WHOLE_OR_NONE, _WHOLE, _TEXT, _TEXT),
)


def record_of(row: Sequence[Any]) -> Record:
    """The record in a row of `record_columns`; `Corrupt` with its id if the row is damaged."""
    try:
        types = tuple(map(type, row))
        if types not in _SOUND:
            _require_sound(row)
            _SOUND.add(types)
        return _converted(row)
    except (*_DAMAGE, Corrupt) as error:
        record_id = str(row[0])
        raise Corrupt(
            f"the record {record_id} is damaged and cannot be read: run foveal repair", record_id=record_id
        ) from error


def _require_sound(row: Sequence[Any]) -> None:
    for name, value, types in zip(record_columns("world", "actor"), row, _TYPES, strict=True):
        if not isinstance(value, types):
            raise TypeError(f"{name} is of the type {type(value).__name__}")


def tier_of(stored: int) -> Tier:
    """The tier that a number stands for.

    >>> tier_of(-1)
    Traceback (most recent call last):
    foveal.errors.Corrupt: the tier of a record is damaged and cannot be read
    """
    with readable("the tier of a record"):
        return Tier(stored)


_METADATA = msgspec.json.Decoder(dict[str, Any])


def _converted(row: Sequence[Any]) -> Record:
    # In the order of `record_columns`.
    # fmt: off
    (
        record_id, version, node, session_id, region, kind, scope, source, speaker,
        text, tags, metadata, parent_id, digits, time_slice, tape, linearity,
        idempotency_key, occurred_at, valid_from, valid_to, recorded_at, superseded_at,
        tier, importance, uses, used_at, pinned, expires_at, archived_at,
        forgotten_at, muted, world, actor,
    ) = row
    # fmt: on
    return Record(
        id=record_id,
        version=version,
        node=node,
        session_id=session_id,
        kind=kind,
        scope=_SCOPES[scope],
        source=source,
        speaker=speaker,
        text=text,
        tags=names(tags),
        metadata={} if metadata == "{}" else _METADATA.decode(metadata),
        parent_id=parent_id,
        address=Address(world=world, region=region, digits=digits, time_slice=time_slice, tape=tape),
        linearity=_LINEARITIES[linearity],
        idempotency_key=idempotency_key,
        occurred_at=from_micros(occurred_at),
        valid_from=from_micros(valid_from),
        valid_to=from_micros_or_none(valid_to),
        recorded_at=from_micros(recorded_at),
        superseded_at=from_micros_or_none(superseded_at),
        vitals=Vitals(
            tier=_TIERS[tier],
            importance=importance,
            uses=uses,
            used_at=from_micros_or_none(used_at),
            pinned=bool(pinned),
            expires_at=from_micros_or_none(expires_at),
            archived_at=from_micros_or_none(archived_at),
            forgotten_at=from_micros_or_none(forgotten_at),
            muted=bool(muted),
        ),
        actor_id=actor,
    )


def record_values(own: Own, record: Record) -> dict[str, Any]:
    """The values that `add_record` binds, except the tags, which each database stores in its own way."""
    return {
        **own,
        "id": record.id,
        "version": record.version,
        "node": record.node,
        "up": parent_node(record.node),
        "session_id": record.session_id,
        "region": record.region,
        "kind": record.kind,
        "scope": record.scope.value,
        "source": record.source,
        "speaker": record.speaker,
        "text": record.text,
        "metadata": msgspec.json.encode(record.metadata).decode(),
        "parent_id": record.parent_id,
        "digits": record.address.digits,
        "slice": record.address.time_slice,
        "tape": record.address.tape,
        "linearity": int(record.linearity),
        "idempotency_key": record.idempotency_key,
        "occurred_at": to_micros(record.occurred_at),
        "valid_from": to_micros(record.valid_from),
        "valid_to": to_micros_or_none(record.valid_to),
        "recorded_at": to_micros(record.recorded_at),
        "superseded_at": to_micros_or_none(record.superseded_at),
        "words": words_number(record),
    }


def vitals_values(own: Own, record_id: str, vitals: Vitals) -> dict[str, Any]:
    """The values that `add_vitals` and `change_vitals` bind."""
    return {
        **own,
        "id": record_id,
        "tier": int(vitals.tier),
        "importance": vitals.importance,
        "uses": vitals.uses,
        "used_at": to_micros_or_none(vitals.used_at),
        "pinned": vitals.pinned,
        "expires_at": to_micros_or_none(vitals.expires_at),
        "archived_at": to_micros_or_none(vitals.archived_at),
        "forgotten_at": to_micros_or_none(vitals.forgotten_at),
        "muted": vitals.muted,
    }


# Stands for an encoder that has no number yet.
NONE = -1


def active_of(rows: Sequence[Sequence[Any]]) -> tuple[int, Encoder, int] | None:
    """The number, description and generation of the encoder in use, from rows that begin with them."""
    for number, name, dimension, generation, *_ in rows:
        return number, Encoder(id=name, dimension=dimension), generation
    return None


def used(active: tuple[int, Encoder, int] | None, encoder: Encoder) -> tuple[int, int] | None:
    """The number and generation of the encoder in use, or None if there is none yet.

    Raises `EncoderMismatch` if another encoder is in use.
    """
    if active is None:
        return None
    number, stored, generation = active
    if stored != encoder:
        raise EncoderMismatch(
            f"the vectors were made by {stored.id} ({stored.dimension} numbers), the encoder is "
            f"{encoder.id} ({encoder.dimension}): run `foveal reindex`, or open it with {stored.id}",
            stored=stored.id,
            given=encoder.id,
        )
    return number, generation


def middle(rows: NDArray[np.float16]) -> NDArray[np.float32]:
    """The mean direction of the vectors of a record, as a unit vector.

    >>> middle(np.array([[1, 0], [0, 1]], np.float16)).round(3).tolist()
    [0.7070000171661377, 0.7070000171661377]
    """
    mean = rows.astype(np.float32).mean(axis=0)
    return (mean / max(float(np.linalg.norm(mean)), 1e-12)).astype(np.float32)
