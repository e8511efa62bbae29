"""Between values in place of settings and rows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from foveal.backends.relational.stamps import moment, stamp
from foveal.model.override import Override


def override_values(override: Override) -> dict[str, Any]:
    """What `put_override` binds."""
    return {
        "name": override.name,
        "value": json.dumps(override.value),
        "changed_at": stamp(override.changed_at),
    }


def overrides_of(rows: Iterable[Sequence[Any]]) -> dict[str, Override]:
    """What the rows of `overrides_in_order` hold, by name."""
    return {
        name: Override(name=name, value=json.loads(value), changed_at=moment(changed_at))
        for name, value, changed_at in rows
    }
