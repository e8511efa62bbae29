"""Values of the model as a model reads them: short, and without what it cannot use."""

from __future__ import annotations

import json
from typing import Any

from foveal.model.record import Record
from foveal.model.results import Context, Forgotten, Hit, Page, Written
from foveal.rules.addresses import path_of
from foveal.rules.text import gist
from foveal.wire.codec import plain

SCHEME = "memory://"
# How many characters of a text a list shows.
SHOWN = 600

NOTHING = "Nothing found: memory holds nothing that is likely to help with this."
NOTHING_RELEVANT = "Nothing found that is likely to help. What follows has another reason, such as being recent:"
# No counter of tokens needs more than this for the line.
SAYING_SO = 40

Brief = dict[str, Any]


def uri_of(record: Record) -> str:
    """The URI of a record: its address as a path, behind the scheme."""
    return SCHEME + path_of(record.address, record.id)


def listed(record: Record) -> Brief:
    """A record in a list: what is empty is left out, and a long text is cut."""
    text = record.text if len(record.text) <= SHOWN else gist(record.text, SHOWN)
    told: Brief = {
        "id": record.id,
        "text": text,
        "at": record.occurred_at.isoformat(timespec="seconds"),
        "kind": record.kind,
        "by": record.speaker or record.source,
        "tags": list(record.tags),
        "version": record.version if record.version > 1 else None,
        "pinned": record.vitals.pinned or None,
        "cut": len(record.text) > SHOWN or None,
    }
    return {name: value for name, value in told.items() if value not in (None, [])}


def found(hits: list[Hit]) -> Brief:
    """What a search found, best first; what a later record seems to say anew names that one."""
    return {"records": [_found(one) for one in hits]}


def _found(hit: Hit) -> Brief:
    told = {**listed(hit.record), "relevance": round(hit.relevance, 2)}
    return told if hit.replaced_by is None else {**told, "replaced_by": hit.replaced_by}


def whole(records: list[Record]) -> Brief:
    """Records with all that a model may want to know of one."""
    return {"records": [_whole(one) for one in records]}


def _whole(record: Record) -> Brief:
    more: Brief = {
        "text": record.text,
        "cut": None,
        "uri": uri_of(record),
        "version": record.version,
        "tier": plain(record.vitals.tier),
        "importance": round(record.vitals.importance, 3),
        "recorded_at": record.recorded_at.isoformat(timespec="seconds"),
        "superseded_at": plain(record.superseded_at),
        "valid_to": plain(record.valid_to),
        "session_id": record.session_id,
        "parent_id": record.parent_id,
        "metadata": plain(record.metadata) or None,
    }
    return {name: value for name, value in {**listed(record), **more}.items() if value is not None}


def page(one: Page) -> Brief:
    """A page of a timeline, with the cursor to the next."""
    told: Brief = {"records": [listed(record) for record in one.records]}
    return told if one.cursor is None else {**told, "cursor": one.cursor}


def context(one: Context) -> Brief:
    """A context: its text, what it took, the ids to ask further with, and whether nothing in it is relevant."""
    return {
        "text": one.text,
        "tokens": one.tokens,
        "ids": [item.id for item in one.items],
        "left_out": len(one.receipt.cut),
        "nothing_relevant": one.receipt.nothing_relevant,
    }


def worded(answer: Any, told: Brief) -> str:
    """What a model reads of an answer: a context as it stands, anything else as JSON, nothing in words."""
    match answer:
        case Context():
            return known(answer) or NOTHING
        case []:
            return NOTHING
        case _:
            return json.dumps(told, ensure_ascii=False)


def known(one: Context) -> str:
    """The text of a context. If nothing in it is relevant, that is said above it, as long as there is room."""
    receipt = one.receipt
    says_so = receipt.nothing_relevant and one.text and one.tokens + SAYING_SO <= receipt.token_budget
    return f"{NOTHING_RELEVANT}\n{one.text}" if says_so else one.text


def written(one: Written) -> Brief:
    """What became of a text: stored, or known already."""
    return {"id": one.id, "stored": not (one.duplicates or one.echoes)}


def version(record: Record) -> Brief:
    """A record that was changed."""
    return {"id": record.id, "version": record.version, "pinned": record.vitals.pinned}


def forgotten(one: Forgotten) -> Brief:
    """What was forgotten, what is pinned and stayed, and the move that `foveal undo` takes back."""
    told: Brief = {"ids": list(one.ids), "pinned": list(one.pinned)}
    return told if one.move is None else {**told, "undo": one.move}


def invoked(answer: Any) -> Brief:
    """What a path answered."""
    return plain(answer)
