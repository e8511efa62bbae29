"""Which cells of the ternary tree lie beside each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from os.path import commonprefix


def adjoining(digits: str) -> tuple[str, ...]:
    """The cells of the same level that lie beside a cell, in the order of their digits.

    Two cells are beside each other when they are corners of the same triangle, or when they are the corners in
    which two such triangles meet: `…01` and `…10`, `…0122` and `…0211`. So every cell has three neighbours, but
    for the three corners of the whole, which have two; and if a lies beside b, b lies beside a.

    >>> adjoining("01"), adjoining("00"), adjoining("122"), adjoining("")
    (('00', '02', '10'), ('01', '02'), ('120', '121', '211'), ())
    """
    if not digits:
        return ()
    *stem, last = digits
    above = "".join(stem)
    beside = [above + digit for digit in "012" if digit != last]
    # Go up as long as the path runs into the same corner: there the neighbour's path turns round.
    trunk = digits.rstrip(last)
    if trunk:
        turn = trunk[-1]
        beside.append(trunk[:-1] + last + turn * (len(digits) - len(trunk)))
    return tuple(sorted(beside))


def stem(prefixes: Sequence[str]) -> str:
    """The smallest cell that holds all of these.

    >>> stem(["010", "012"]), stem([])
    ('01', '')
    """
    return commonprefix(list(prefixes))


def held(counts: Mapping[str, int], prefixes: Sequence[str]) -> list[int]:
    """How many lie under each prefix, if so many lie at each path.

    >>> held({"01": 2, "02": 1}, ["", "01", "1"])
    [3, 2, 0]
    """
    lengths = {len(one) for one in prefixes}
    found: Counter[str] = Counter()
    for digits, count in counts.items():
        for length in lengths:
            if length <= len(digits):
                found[digits[:length]] += count
    return [found[one] for one in prefixes]


def shared(digits: str, other: str) -> int:
    """How many digits two cells share from the root on.

    >>> shared("0120", "0112"), shared("1", "2")
    (2, 0)
    """
    count = 0
    for one, two in zip(digits, other, strict=False):
        if one != two:
            break
        count += 1
    return count
