"""What a billion memories take: sizes, servers and costs, computed from what one record was measured to take."""

from __future__ import annotations

from dataclasses import dataclass

# Measured with `python -m bench.scale` at 10,000 records of about twenty words, 256 numbers a vector.
BYTES_A_RECORD = 2_260
# Of these, the vector and what else the mirror reads; in RAM a number of a vector takes one byte.
MIRROR_BYTES_A_RECORD = 256 + 500 + 2 * 30
# What one server is given, so that a copy of it is made in hours and not in days.
SERVER_BYTES = 10**12
FULL = 0.6
COPIES = 2
DOLLARS_A_GIGABYTE_MONTH = 0.10
DOLLARS_A_SERVER_MONTH = 1_500
RECORDS_AN_ACTOR = 10_000
ACTIVE = 0.02
PARTITIONS = 16


@dataclass(frozen=True)
class Size:
    """What so many records take."""

    records: int

    @property
    def stored(self) -> float:
        """Bytes on the primary servers."""
        return self.records * BYTES_A_RECORD

    @property
    def servers(self) -> int:
        """Primary servers, each filled as far as leaves room to work."""
        return max(1, -int(-self.stored // (SERVER_BYTES * FULL)))

    @property
    def actors(self) -> int:
        """Actors, if each holds the usual number of records."""
        return self.records // RECORDS_AN_ACTOR

    @property
    def mirrors(self) -> float:
        """Bytes of RAM for the actors that are at work at the same time, over all processes."""
        return self.records * ACTIVE * MIRROR_BYTES_A_RECORD

    @property
    def partition(self) -> float:
        """Bytes of the largest table and its indexes in one partition of one server."""
        return self.stored / self.servers / PARTITIONS

    @property
    def dollars(self) -> float:
        """A month: disks and machines, with every server copied once."""
        disks = self.stored / FULL / 10**9 * DOLLARS_A_GIGABYTE_MONTH
        return COPIES * (disks + self.servers * DOLLARS_A_SERVER_MONTH)


def table() -> str:
    """The figures as a Markdown table."""
    heads = ("records", "actors", "stored", "servers", "a partition", "mirrors in RAM", "a month")
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    for power in (6, 7, 8, 9):
        one = Size(10**power)
        cells = (f"10^{power}", f"{one.actors:,}", _bytes(one.stored), f"{one.servers}", _bytes(one.partition))
        lines.append("| " + " | ".join((*cells, _bytes(one.mirrors), f"${one.dollars:,.0f}")) + " |")
    return "\n".join(lines)


def _bytes(count: float) -> str:
    for unit, size in (("TB", 10**12), ("GB", 10**9), ("MB", 10**6)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count:.0f} B"


if __name__ == "__main__":
    print(table())
