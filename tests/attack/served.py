"""A server with a memory to steal from, and the keys of an attacker who may use a memory of their own."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import msgspec
from tests.attack.conftest import Place
from tests.stories.waiting import MOST
from tests.support.every_verb import Known, everything, grown

from foveal.doors.server import Server
from foveal.doors.service import Keys
from foveal.engine.memory import View
from foveal.model.server import Serving

# Ada's memory holds the secret; Eve attacks from hers; Bob writes all the while, and loses nothing.
OWN_WORD = "harmless"
# Callers need a key, and no rate keeps them from trying.
OPEN_TO_KEYS = Serving(port=0, grpc_port=0, rate=0, auth="keys", request_timeout=MOST)


@dataclass
class Target:
    """A server under attack, with what it must keep."""

    server: Server
    key: str
    revoked: str
    hers: Known
    mine: Known
    before: list[Any]
    folder: Path
    notes: list[str]

    @property
    def bob(self) -> View:
        """Somebody who has nothing to do with all this."""
        return self.server.memory.view(actor_id="bob")

    def go_on(self) -> None:
        """Write something while the attack goes on."""
        self.notes.append(self.bob.write(f"Note {len(self.notes)} of Bob.").id)

    def examine(self) -> None:
        """Ada's memory is as it was, Bob's has all that was acknowledged, and the server answers."""
        assert everything(self.server.memory, "ada", self.folder) == self.before
        assert [record.id for record in self.bob.get_many(self.notes)] == self.notes
        assert httpx2.get(f"{self.server.url}/livez", timeout=MOST).status_code == 200
        assert self.server.memory.admin.check() == []


@contextmanager
def served(place: Place, serving: Serving = OPEN_TO_KEYS) -> Generator[Target]:
    """A server at all doors."""
    settings = msgspec.structs.replace(place.settings, server=serving)
    with Server(settings, url=place.url, worker=False) as server:
        keys = Keys(server.memory.keys)
        key = keys.add("eve", actors=["eve"], rights=["read", "write"]).token
        revoked = keys.add("old", rights=["read", "write"])
        keys.revoke(revoked.key.id)
        hers = grown(server.memory.view(actor_id="ada"))
        mine = grown(server.memory.view(actor_id="eve"), OWN_WORD)
        before = everything(server.memory, "ada", place.folder)
        target = Target(server, key, revoked.token, hers, mine, before, place.folder, [])
        yield target
        target.examine()
