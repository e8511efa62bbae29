"""The audit log: who administered or destroyed what, without any text."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import msgspec
from msgspec import Struct

from foveal.doors.service.service import Caller, ServiceCall, called_verbs
from foveal.errors import FovealError
from foveal.model.server import Right
from foveal.ports.system import Clock
from foveal.wire.verbs import VERBS

LOG = logging.getLogger("foveal.audit")
# Verbs that hide, erase or replace what is stored. Those of administrators are audited as well.
DESTRUCTIVE = frozenset(
    {"forget", "restore", "import_", "crystals.compost", "crystals.reap", "ledger.prune_patterns", "tape.drop"}
)


def is_audited(verb: str) -> bool:
    """Whether calls of a verb are audited.

    >>> is_audited("forget"), is_audited("reindex"), is_audited("read")
    (True, True, False)
    """
    return verb in DESTRUCTIVE or Right.ADMIN in VERBS[verb].rights


class AuditEntry(Struct, frozen=True, kw_only=True):
    """One call: when, with which key, what, about whose memory, and its outcome, "ok" or the code of the error."""

    at: str
    door: str
    verb: str
    key: str
    caller: str
    code: str
    request_id: str
    world: str | None = None
    actor_id: str | None = None
    about: str | None = None


class AuditLog:
    """An observer that logs the calls of administrators and those that destroy something.

    Each is a line of the log `foveal.audit` and, with a `path`, of that file, which is only ever appended to.
    """

    def __init__(self, clock: Clock, path: Path | None = None) -> None:
        self._clock = clock
        self._path = path
        self._lock = threading.Lock()

    @contextmanager
    def __call__(self, asked: ServiceCall) -> Generator[None]:
        """Observe one call."""
        try:
            yield
        except Exception as error:
            self._call(asked, error.code if isinstance(error, FovealError) else "internal")
            raise
        self._call(asked, "ok")

    def _call(self, asked: ServiceCall, code: str) -> None:
        world, actor = asked.said.get("world"), asked.said.get("actor_id")
        for verb in filter(is_audited, called_verbs(asked.call, asked.said)):
            self.note(
                verb,
                asked.caller,
                code=code,
                door=asked.door,
                request_id=asked.request_id,
                world=world if isinstance(world, str) else None,
                actor_id=actor if isinstance(actor, str) else None,
                about="erased" if verb == "forget" and asked.said.get("hard") is True else None,
            )

    def note(
        self,
        verb: str,
        caller: Caller,
        *,
        code: str,
        door: str,
        request_id: str,
        world: str | None = None,
        actor_id: str | None = None,
        about: str | None = None,
    ) -> None:
        """Log one call. A failure to write the file is an error in the log; the call has happened already."""
        entry = AuditEntry(
            at=self._clock.now().isoformat(),
            door=door,
            verb=verb,
            key=caller.subject,
            caller=caller.name,
            code=code,
            request_id=request_id,
            world=world,
            actor_id=actor_id,
            about=about,
        )
        fields = msgspec.to_builtins(entry)
        LOG.info("%s by %s: %s", verb, caller.subject or caller.name, code, extra={"told": fields})
        if self._path is None:
            return
        try:
            with self._lock:
                self._append(self._path, msgspec.json.encode(entry) + b"\n")
        except OSError as error:
            LOG.error("the audit log %s cannot be written: %s", self._path, error.strerror)

    def _append(self, path: Path, line: bytes) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        # One write for the whole line, so that processes that share the file do not mix their lines.
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(handle, line)
        finally:
            os.close(handle)
