"""Queries by their names."""

from __future__ import annotations

import re
from importlib import resources

_NAME = re.compile(r"^-- (\w+) --$", re.MULTILINE)


def named(package: str) -> dict[str, str]:
    """Every query of the folder `queries` of a package, by the name that stands above it.

    >>> sorted(named("foveal.backends.sqlite"))[:2]
    ['activate_encoder', 'activate_tape']
    """
    folder = resources.files(package).joinpath("queries")
    files = (file.read_text(encoding="utf-8") for file in folder.iterdir() if file.name.endswith(".sql"))
    parts = [part for text in files for part in _NAME.split(text)[1:]]
    return {name: body.strip() for name, body in zip(parts[::2], parts[1::2], strict=True)}
