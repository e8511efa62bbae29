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
    """Put a file in its place, whole or not at all, for its owner only."""
    make_folder(path.parent)
    half = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    try:
        with os.fdopen(os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(data)
        half.replace(path)
    except BaseException:
        half.unlink(missing_ok=True)
        raise


def make_folder(path: Path) -> None:
    """Make a folder, and those above it that are not there, for their owner only."""
    for one in (*reversed(path.parents), path):
        if not one.exists():
            one.mkdir(mode=0o700, exist_ok=True)


def read_file(path: Path) -> bytes | None:
    """What a file holds; None if there is none."""
    with suppress(OSError):
        return path.read_bytes()
    return None


class Seal:
    """Encrypts what is kept with a key, if there is one, and binds it to the name it is kept under."""

    def __init__(self, key: str | None, salt: Path) -> None:
        self._box: Any = None
        self.digest_key = b""
        if key:
            kept = read_file(salt)
            if kept is None:
                kept = secrets.token_bytes(16)
                write_file(salt, kept)
            secret = scrypt(key.encode(), salt=kept, n=1 << 14, r=8, p=1, dklen=64)
            self.digest_key = secret[32:]
            self._box = _library().AESGCM(secret[:32])

    def closed(self, data: bytes, name: str) -> bytes:
        """The data as it is kept."""
        if self._box is None:
            return data
        nonce = secrets.token_bytes(NONCE)
        return MARK + nonce + self._box.encrypt(nonce, data, name.encode())

    def opened(self, data: bytes, name: str) -> bytes | None:
        """The data as it was; None if it was not kept with this key, under this name."""
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
