"""What a URL or a path names."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

from foveal.errors import Invalid
from foveal.folders import own_folder


def default_path() -> Path:
    """Where a memory lies when nobody says: in the user's data folder."""
    return own_folder("data") / "memory.db"


def names_postgres(url: str | Path | None) -> bool:
    """Whether a URL names a Postgres database."""
    return isinstance(url, str) and url.startswith(("postgresql://", "postgres://"))


def sqlite_path(url: str | Path | None) -> tuple[Path, bool]:
    """The file a URL names, and whether it is to be opened read-only.

    `sqlite:///memory.db` is relative, `sqlite:////var/memory.db` absolute; `?mode=ro` reads only.
    """
    if url is None:
        return default_path(), False
    if isinstance(url, str) and "://" in url:
        parts = urlsplit(url)
        if parts.scheme != "sqlite" or parts.netloc or len(parts.path) < 2:
            raise Invalid(f"{url!r} is not a memory: use a path, sqlite:///path, postgresql://… or :memory:")
        mode = parse_qs(parts.query).get("mode", ["rw"])[-1]
        if mode not in ("rw", "ro"):
            raise Invalid(f"mode {mode!r} in {url!r} is not rw or ro")
        return Path(unquote(parts.path[1:])).expanduser(), mode == "ro"
    if not str(url).strip():
        raise Invalid("the path of the memory is empty")
    return Path(url).expanduser(), False
