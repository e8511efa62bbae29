"""The messages of a framework's sessions as records: what they say as text, the messages themselves beside it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from msgspec import Struct

from foveal.engine.memory import View
from foveal.errors import Invalid
from foveal.model.record import Record

KIND = "message"
# A larger message is stored as the text of its record instead of in its metadata.
LARGE, PAGE = 60_000, 200


class Line(Struct, frozen=True):
    """A message as its framework writes it in JSON, with what it says and who says it."""

    message: Mapping[str, Any]
    text: str
    speaker: str


class Transcript:
    """The messages of one session, in their order. `form` names the framework whose messages they are."""

    def __init__(self, memory: View, session_id: str, form: str) -> None:
        self._memory = memory.view(session_id=session_id)
        self._form = form
        self._where = {"session_id": session_id, "kind": KIND, "metadata.form": form}

    def latest(self, limit: int | None = None) -> list[dict[str, Any]]:
        """The latest messages, oldest first; all of them without a limit."""
        newest = self._newest_first()
        records = list(newest if limit is None else islice(newest, limit))
        return [_message(record) for record in reversed(records)]

    def add(self, lines: Sequence[Line]) -> None:
        """Add messages to the end: all of them or, after an error, none."""
        if not lines:
            return
        written = self._memory.write_many([self._entry(line) for line in lines])
        if written.rejected:
            if written.fresh:
                self._memory.forget(list(written.fresh), hard=True)
            first = written.rejected[0]
            raise Invalid(f"item {first.index}: {first.message}")

    def pop(self) -> dict[str, Any] | None:
        """Forget the newest message and return it; None if there is none."""
        newest = next(self._newest_first(), None)
        if newest is None:
            return None
        self._memory.forget(newest.id)
        return _message(newest)

    def clear(self) -> None:
        """Forget all messages."""
        self._memory.forget(self._where)

    def _newest_first(self) -> Iterator[Record]:
        cursor: str | None = None
        while True:
            page = self._memory.browse.page(filters=self._where, limit=PAGE, cursor=cursor)
            yield from page.records
            cursor = page.cursor
            if cursor is None:
                return

    def _entry(self, line: Line) -> dict[str, Any]:
        try:
            stored = json.dumps(line.message, ensure_ascii=False)
        except TypeError as error:
            raise Invalid(f"an item is not JSON: {error}") from None
        large = len(stored) > LARGE
        return {
            "text": stored if large else line.text.strip() or stored,
            "kind": KIND,
            "speaker": line.speaker,
            "metadata": {"form": self._form, "item": None if large else line.message},
        }


def _message(record: Record) -> dict[str, Any]:
    item = record.metadata["item"]
    return json.loads(record.text) if item is None else dict(item)
