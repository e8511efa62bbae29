"""Private files, encrypted if a key is set."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from hashlib import scrypt
from importlib import import_module
from pathlib import Path
from typing import Any

from foveal.errors import Unsupported

MARK = b"FVG1"
NONCE = 12


def write_file(path: Path, data: bytes) -> None:
    """Write a file atomically, readable by its owner only."""
    make_folder(path.parent)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    try:
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(data)
        temporary.replace(path)
    finally:
        # It is there only if something failed.
        temporary.unlink(missing_ok=True)


def make_folder(path: Path) -> None:
    """Create a folder and its missing parents, accessible to their owner only."""
    for folder in (*reversed(path.parents), path):
        if not folder.exists():
            folder.mkdir(mode=0o700, exist_ok=True)


def read_file(path: Path) -> bytes | None:
    """The content of a file; None if it cannot be read."""
    with suppress(OSError):
        return path.read_bytes()
    return None


class Seal:
    """Encrypts data with a key, if one is set, and binds it to the name it is stored under."""

    def __init__(self, key: str | None, salt: Path) -> None:
        self._box: Any = None
        self.digest_key = b""
        if key:
            salt_bytes = read_file(salt)
            if salt_bytes is None:
                salt_bytes = secrets.token_bytes(16)
                write_file(salt, salt_bytes)
            secret = scrypt(key.encode(), salt=salt_bytes, n=1 << 14, r=8, p=1, dklen=64)
            self.digest_key = secret[32:]
            self._box = _library().AESGCM(secret[:32])

    def closed(self, data: bytes, name: str) -> bytes:
        """The data as it is stored: encrypted if there is a key."""
        if self._box is None:
            return data
        nonce = secrets.token_bytes(NONCE)
        return MARK + nonce + self._box.encrypt(nonce, data, name.encode())

    def opened(self, data: bytes, name: str) -> bytes | None:
        """The original data; None if it was not stored with this key under this name."""
        if self._box is None:
            return None if data.startswith(MARK) else data
        if not data.startswith(MARK):
            return None
        start = len(MARK) + NONCE
        try:
            return self._box.decrypt(data[len(MARK) : start], data[start:], name.encode())
        except import_module("cryptography.exceptions").InvalidTag:
            return None


def _library() -> Any:
    try:
        return import_module("cryptography.hazmat.primitives.ciphers.aead")
    except ImportError as error:
        raise Unsupported(f"a key for ghosts needs cryptography: pip install 'foveal[http]' ({error})") from error
