"""How a whole store is copied into another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain

from foveal.errors import Conflict, Corrupt, Invalid
from foveal.ports.tables import (
    ENCODERS,
    OWNED,
    SHARED,
    Copied,
    Organism,
    Reading,
    Row,
    Sum,
    Sums,
    Table,
    Tables,
    Writing,
)
from foveal.rules.checksums import Summing, summed

Progress = Callable[[int, int], None]

# The parts that belong to nobody, in the journal of a copy. The others have the number of their organism.
_ENCODERS, _SHARED, _WHOLE = 0, -1, -2
_STEP = 200


def migrate(source: Tables, target: Tables, *, progress: Progress = lambda done, of: None) -> Copied:
    """Copy everything, each organism in one transaction, and compare what arrived with what was sent.

    The source is not changed. A copy that was broken off is gone on with; one that is whole is left alone. It is
    `Conflict` when the target holds anything else.
    """
    if source.where == target.where:
        raise Invalid("the source and the target are the same store: name two")
    with source.reading() as old:
        organisms = old.organisms()
        with target.writing() as new:
            _compare_columns(old, new)
            journal = _begun(new, source.where, target.where, organisms)
        copy = _Copy(source.where, old, target, journal, progress)
        copy.part(_ENCODERS, ENCODERS)
        for one in organisms:
            copy.part(one.number, OWNED, one)
        copy.part(_SHARED, SHARED)
        if _WHOLE not in journal:
            with target.writing() as new:
                new.set_marks(old.marks())
                new.note(_WHOLE, source.where, {})
            target.settle()
    own = [one.number for one in organisms]
    return Copied(
        source=source.where,
        target=target.where,
        actors=len(own),
        known=len(copy.known.intersection(own)),
        rows=sum(copy.tables.values()),
        tables={name: count for name, count in copy.tables.items() if count},
    )


def _compare_columns(old: Reading, new: Reading) -> None:
    for table in (*ENCODERS, *OWNED, *SHARED):
        if old.columns(table) != new.columns(table):
            raise Corrupt(f"the tables {table.name} of the two stores differ", table=table.name)


def _begun(new: Writing, source: str, target: str, organisms: Sequence[Organism]) -> dict[int, tuple[str, Sums]]:
    """What was copied before. Refuse a target that holds what was not."""
    journal = new.journal()
    other = next((whence for whence, _ in journal.values() if whence != source), None)
    if other is not None:
        raise Conflict(f"{target} holds a copy of {other}: name a target that is empty")
    known = {(one.number, one.world, one.actor) for one in organisms}
    strange = [
        one
        for one in new.organisms()
        if one.number not in journal or (one.number, one.world, one.actor) not in known
    ]
    if strange or (not journal and any(new.count(table) for table in (*ENCODERS, *SHARED))):
        raise Conflict(f"{target} holds a memory already: name a target that is empty")
    return journal


class _Copy:
    """A copy that is being made, part by part."""

    def __init__(
        self,
        whence: str,
        old: Reading,
        target: Tables,
        journal: dict[int, tuple[str, Sums]],
        progress: Progress,
    ) -> None:
        self._whence, self._old, self._target, self._journal = whence, old, target, journal
        self._progress = progress
        self._total = sum(old.count(table) for table in (*ENCODERS, *OWNED, *SHARED))
        self._done = 0
        self.tables: dict[str, int] = {}
        self.known: set[int] = set()

    def part(self, number: int, tables: Sequence[Table], organism: Organism | None = None) -> None:
        """Copy the rows of an organism, or those of nobody, unless that was done."""
        before = self._journal.get(number)
        if before is not None:
            sums = {one.name: summed(self._told(self._old.rows(one, organism))) for one in tables}
            if sums == before[1] or self._whole_and_used(number, sums, before[1]):
                self.known.add(number)
                self._count(sums)
                return
            if number == _ENCODERS or _WHOLE in self._journal:
                who = f"{organism.actor} in the world {organism.world}" if organism else "the store"
                raise Conflict(
                    f"{who} has changed in {self._whence} since it was copied: let nobody use the source, and copy "
                    "to a target that is empty"
                )
            self._done -= sum(one.rows for one in sums.values())
        with self._target.writing() as new:
            if before is not None:
                new.clear(tables, organism)
            if organism is not None:
                new.add(organism)
            sums = {one.name: self._copied(new, one, organism) for one in tables}
            new.note(number, self._whence, sums)
        self._count(sums)

    def _whole_and_used(self, number: int, now: Sums, then: Sums) -> bool:
        """Whether only the time of a key's last use, or of a job, is another than in a copy that is whole."""
        rows = [{name: one.rows for name, one in sums.items() if name == "api_key"} for sums in (now, then)]
        return number == _SHARED and _WHOLE in self._journal and rows[0] == rows[1]

    def _copied(self, new: Writing, table: Table, organism: Organism | None) -> Sum:
        if table.kept:
            new.clear([table], organism)
        summing = Summing()
        rows = summing.passing(self._told(self._old.rows(table, organism)))
        first = next(rows, None)
        if first is not None:
            new.put(table, organism, chain([first], rows))
        arrived = summed(new.rows(table, organism))
        if arrived != summing.sum:
            raise Corrupt(
                f"{table.name}: {summing.sum.rows} rows were sent and {arrived.rows} arrived, or not as they were; "
                "nothing of this part was kept",
                table=table.name,
            )
        return arrived

    def _told(self, rows: Iterator[Row]) -> Iterator[Row]:
        for row in rows:
            self._done += 1
            if self._done % _STEP == 0 or self._done == self._total:
                self._progress(self._done, self._total)
            yield row

    def _count(self, sums: Sums) -> None:
        for name, one in sums.items():
            self.tables[name] = self.tables.get(name, 0) + one.rows
