"""The named queries of `queries.sql`."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources

_NAME = re.compile(r"^-- (\w+) --$", re.MULTILINE)


@cache
def _queries() -> dict[str, str]:
    text = resources.files(__package__).joinpath("queries.sql").read_text(encoding="utf-8")
    parts = _NAME.split(text)
    return {name: body.strip() for name, body in zip(parts[1::2], parts[2::2], strict=True)}


def query(name: str) -> str:
    """The text of a query; those that depend on who looks have `{sight}` in it."""
    return _queries()[name]
