"""What the examination of a database says of actors that are too large for RAM, or will be soon."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foveal.doors.cli.cards import counted, size

if TYPE_CHECKING:
    from foveal.backends.postgres.store import Crowd, Sized
    from foveal.config import Settings

# Of a record, in each process that asks about its actor.
RECORD_BYTES = 800
LOOKED_AT, NAMED = 100, 5


def search_look(url: str, settings: Settings) -> str:
    """Where the actors of a database are searched, and what can be done about it."""
    from contextlib import closing

    from foveal.backends.postgres import PostgresStore

    most = settings.postgres.mirror_records
    with closing(PostgresStore(url, pool_size=1, mirror_records=most)) as store:
        return told(store.crowd(LOOKED_AT), most)


def told(crowd: Crowd, most: int) -> str:
    """The sizes in words.

    >>> from foveal.backends.postgres.store import Crowd, Sized
    >>> told(Crowd((Sized("default", "ada", 90, indexed=False),), inside=0, mirrored=90), 100)
    'all in RAM, 70.3 KB; near 100 records: ada (90): raise postgres.mirror_records to keep it in RAM beyond that'
    """
    if not crowd.largest:
        return "nobody yet"
    if most == 0:
        parts = ["all inside the database, as postgres.mirror_records says"]
    else:
        parts = [f"{'all' if not crowd.inside else 'the others'} in RAM, {size(crowd.mirrored * RECORD_BYTES)}"]
    large = [one for one in crowd.largest if one.records > most] if most else []
    near = [one for one in crowd.largest if most * 8 <= one.records * 10 and one.records <= most]
    if large:
        parts.insert(0, f"{counted(crowd.inside, 'actor')} inside the database: {_named(large, crowd.inside)}")
    waiting = [one for one in crowd.largest if one.wants_indexes(most) and not one.indexed]
    if waiting:
        parts.append(f"not ready: {_named(waiting)}: the first question has indexes built, which takes minutes")
    if near:
        parts.append(
            f"near {counted(most, 'record')}: {_named(near)}: raise postgres.mirror_records to keep "
            f"{'it' if len(near) == 1 else 'them'} in RAM beyond that"
        )
    return "; ".join(parts)


def _named(some: list[Sized], all_of_them: int = 0) -> str:
    shown = some[:NAMED]
    names = [f"{'' if one.world == 'default' else one.world + '/'}{one.actor} ({one.records:,})" for one in shown]
    more = max(all_of_them, len(some)) - len(shown)
    return ", ".join(names) + (f" and {more:,} more" if more > 0 else "")
