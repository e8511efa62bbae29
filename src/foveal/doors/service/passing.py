"""How whoever starts a server gets into its console: by a ticket that works once."""

from __future__ import annotations

import hmac
import multiprocessing
import secrets
import threading
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol

from foveal.doors.service.keys import new_key_id, new_token
from foveal.errors import Unauthenticated
from foveal.model.server import Key, Right
from foveal.rules.keys import digest_of, key_id_of, opens, refuse_ended

MARK = "once_"
# Long enough to find the browser, short enough for a line that stays in a terminal.
TICKET = timedelta(hours=1)
SESSION = timedelta(hours=12)
_AGAIN = "start `foveal console` again for another, or sign in with a key"


class _Turn(Protocol):
    """A lock that only the first caller gets: of threads, or of processes."""

    def acquire(self, block: bool = ...) -> bool: ...


class _Flag(Protocol):
    def is_set(self) -> bool: ...
    def set(self) -> None: ...


class _Threads:
    """The turn of the threads of one process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def acquire(self, block: bool = True) -> bool:
        return self._lock.acquire(blocking=block)


@dataclass(frozen=True)
class Pass:
    """A ticket, and the session of the console that it is exchanged for, once.

    The session opens everything until it runs out, is ended, or the server stops. It is kept nowhere.
    """

    ticket: str
    session: str
    made_at: datetime
    turn: _Turn = field(default_factory=_Threads)
    over: _Flag = field(default_factory=threading.Event)

    def exchange(self, ticket: str, now: datetime) -> tuple[str, datetime]:
        """The token of the session and when it runs out, for who brings the ticket first."""
        if not hmac.compare_digest(ticket.encode(), self.ticket.encode()):
            raise Unauthenticated(f"this is no one-time token of this server: {_AGAIN}")
        if now >= self.made_at + TICKET:
            raise Unauthenticated(f"the one-time token has run out: {_AGAIN}")
        if not self.turn.acquire(False):
            raise Unauthenticated(f"the one-time token was used already: {_AGAIN}")
        return self.session, self.made_at + SESSION

    def key(self, key_id: str | None) -> tuple[Key, bytes] | None:
        """The key that the session stands for, if that is its id, and the hash of its token."""
        if key_id is None or key_id != key_id_of(self.session) or self.over.is_set():
            return None
        end = self.made_at + SESSION
        key = Key(id=key_id, name="console", rights=tuple(Right), created_at=self.made_at, expires_at=end)
        return key, digest_of(self.session)

    def end(self, token: str, now: datetime) -> bool:
        """End the session that a token is of; whether there was one to end."""
        found = self.key(key_id_of(token))
        if found is None or not opens(token, found[1]):
            return False
        refuse_ended(found[0], now)
        self.over.set()
        return True


def new_pass(now: datetime, *, processes: bool = False) -> Pass:
    """A fresh pass; with `processes`, one that several processes may be started with."""
    ticket, session = MARK + secrets.token_hex(32), new_token(new_key_id())
    if not processes:
        return Pass(ticket, session, now)
    spawn = multiprocessing.get_context("spawn")
    return Pass(ticket, session, now, spawn.Lock(), spawn.Event())
