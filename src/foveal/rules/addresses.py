"""The ternary map: digits of vectors, neighbouring cells, and addresses as paths."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from os.path import commonprefix
from urllib.parse import unquote_to_bytes

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from foveal.errors import InvalidAddress
from foveal.model.ids import Address


def adjoining(digits: str) -> tuple[str, ...]:
    """The neighbouring cells of the same level, in the order of their digits.

    Two cells are neighbours if they are corners of the same triangle, or the corners at which two such triangles
    meet: `…01` and `…10`, `…0122` and `…0211`. So every cell has three neighbours, except the three corners of the
    whole map, which have two; and the relation is symmetric.

    >>> adjoining("01"), adjoining("00"), adjoining("122"), adjoining("")
    (('00', '02', '10'), ('01', '02'), ('120', '121', '211'), ())
    """
    if not digits:
        return ()
    *stem, last = digits
    above = "".join(stem)
    beside = [above + digit for digit in "012" if digit != last]
    # Go up as long as the path runs into the same corner; the neighbour's path is mirrored from there.
    trunk = digits.rstrip(last)
    if trunk:
        turn = trunk[-1]
        beside.append(trunk[:-1] + last + turn * (len(digits) - len(trunk)))
    return tuple(sorted(beside))


def stem(prefixes: Sequence[str]) -> str:
    """The smallest cell that contains all of these.

    >>> stem(["010", "012"]), stem([])
    ('01', '')
    """
    return commonprefix(list(prefixes))


def held(counts: Mapping[str, int], prefixes: Sequence[str]) -> list[int]:
    """The total count under each prefix, from the counts at each path.

    >>> held({"01": 2, "02": 1}, ["", "01", "1"])
    [3, 2, 0]
    """
    lengths = {len(prefix) for prefix in prefixes}
    totals: Counter[str] = Counter()
    for digits, count in counts.items():
        for length in lengths:
            if length <= len(digits):
                totals[digits[:length]] += count
    return [totals[prefix] for prefix in prefixes]


def shared(digits: str, other: str) -> int:
    """How many leading digits two cells share.

    >>> shared("0120", "0112"), shared("1", "2")
    (2, 0)
    """
    count = 0
    for ours, theirs in zip(digits, other, strict=False):
        if ours != theirs:
            break
        count += 1
    return count


_PLAIN = frozenset("-_+=,()")
_NAME = re.compile(r"(.+)@d(\d{1,18})t(\d{1,18})(?:~v(\d{1,18}))?\.md", re.DOTALL)
# Device names, which Windows does not allow for files.
_DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)", re.I)


def path_of(address: Address, key: str) -> str:
    """The path for an address and a key, such as the id of a record: `/world/region/0/1/2/key….md`.

    Every address and key has exactly one path, and `address_of` reverses it. Each digit is a folder, so the folder
    of a cell contains everything in that cell.

    >>> path_of(Address(world="earth", region="agent:ada", digits="01", time_slice=17), "tea/1")
    '/earth/agent%3Aada/0/1/tea%2F1@d2t17.md'
    """
    tape = f"~v{address.tape}" if address.tape else ""
    name = f"{escaped(key)}@d{address.depth}t{address.time_slice}{tape}.md"
    return "/" + "/".join([escaped(address.world), escaped(address.region), *address.digits, name])


def address_of(path: str) -> tuple[Address, str]:
    """The address and the key of a path; `InvalidAddress` for any other path.

    >>> address_of("/earth/agent%3Aada/0/1/tea%2F1@d2t17.md")[1]
    'tea/1'
    """
    _, *folders, name = path.split("/") if path.startswith("/") else ["", ""]
    match = _NAME.fullmatch(name)
    if (
        match is None
        or len(folders) < 2
        or not all(folders)
        or not all(digit in ("0", "1", "2") for digit in folders[2:])
    ):
        raise InvalidAddress(f"{path[:80]!r} is not of the form /world/region/0/1/2/key@d<depth>t<slice>.md")
    address = Address(
        world=unescaped(folders[0]),
        region=unescaped(folders[1]),
        digits="".join(folders[2:]),
        depth=int(match[2]),
        time_slice=int(match[3]),
        tape=int(match[4] or 0),
    )
    key = unescaped(match[1])
    # Accept only the canonical form, so that two paths never mean the same.
    if path_of(address, key) != path:
        raise InvalidAddress(f"{path[:80]!r} is not how that address is written as a path")
    return address, key


def escaped(name: str) -> str:
    """A name that is valid for a folder on any system: letters and digits stay, the rest is percent-encoded.

    >>> escaped("agent:ada"), escaped(".."), escaped("Zoë")
    ('agent%3Aada', '%2E%2E', 'Zoë')
    """
    last = len(name) - 1
    # A file system that uses another Unicode normal form would change such a name.
    ascii_only = unicodedata.normalize("NFC", name) != name
    device = _DEVICES.fullmatch(name.partition(".")[0]) is not None

    def stays(place: int, char: str) -> bool:
        if char in ". ":
            return 0 < place < last
        if device and place == 0:
            return False
        return char in _PLAIN or (char.isalnum() and (char.isascii() or not ascii_only))

    return "".join(
        char if stays(place, char) else "".join(f"%{byte:02X}" for byte in char.encode())
        for place, char in enumerate(name)
    )


def unescaped(name: str) -> str:
    """The name that `escaped` wrote."""
    try:
        return unquote_to_bytes(name).decode()
    except UnicodeDecodeError:
        raise InvalidAddress(f"{name[:80]!r} is not a name in a path") from None


LEVELS = 9


class Plane(Struct, frozen=True):
    """The map of one tape: two directions of the vector space, fixed together with the tape.

    `centre` and `spread` are those of the coordinates of everyday text, so that cells fill evenly.
    """

    axes: NDArray[np.float32]
    centre: tuple[float, float]
    spread: tuple[float, float]


@lru_cache(maxsize=16)
def generic_plane(dimension: int) -> Plane:
    """The plane for an encoder without its own: two fixed random directions.

    >>> generic_plane(8).axes.shape
    (8, 2)
    """
    axes = np.random.default_rng(dimension).standard_normal((dimension, 2)).astype(np.float32)
    axes /= np.linalg.norm(axes, axis=0)
    spread = 1 / math.sqrt(dimension)
    return Plane(axes, (0.0, 0.0), (spread, spread))


def fitted_plane(vectors: NDArray[np.float32]) -> Plane:
    """The plane in which vectors differ most: their two principal directions, with the signs fixed.

    The largest component of a direction is positive, and all are rounded, so that every run gives the same plane.
    Fewer than three vectors span no plane and get the generic one.

    >>> fitted_plane(np.array([[1, 0, 0], [-1, 0, 0], [0, 0.5, 0], [0, -0.5, 0]], np.float32)).axes.tolist()
    [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]
    """
    wide = vectors.astype(np.float64)
    away = wide - wide.mean(axis=0) if len(wide) else wide
    if len(wide) < 3 or vectors.shape[1] < 2 or not np.any(away):
        return generic_plane(vectors.shape[1])
    _, directions = np.linalg.eigh(away.T @ away)
    axes = directions[:, [-1, -2]]
    axes = axes * np.sign(axes[np.abs(axes).argmax(axis=0), [0, 1]])
    axes = np.round(axes, 6).astype(np.float32) + 0
    points = wide @ axes.astype(np.float64)
    (x, y), (broad, high) = points.mean(axis=0).round(6).tolist(), points.std(axis=0).round(6).tolist()
    return Plane(axes, (x, y), (max(broad, 1e-6), max(high, 1e-6)))


def corners(vector: NDArray[np.float32], plane: Plane) -> tuple[float, float, float]:
    """How near a vector is to each corner of the triangle: three weights that add up to 1.

    The normal distribution function makes the coordinates about uniform on a square, and the square
    is folded onto the triangle without changing areas.
    """
    x, y = (float(value) for value in vector @ plane.axes)
    u = 0.5 * (1 + math.erf((x - plane.centre[0]) / (plane.spread[0] * math.sqrt(2))))
    v = 0.5 * (1 + math.erf((y - plane.centre[1]) / (plane.spread[1] * math.sqrt(2))))
    side = math.sqrt(u)
    return (1 - side, side * (1 - v), side * v)


def digits(weights: tuple[float, float, float], levels: int = LEVELS) -> str:
    """The path from the root to the cell of a point: at each level, the corner nearest to it.

    The three corner triangles leave a hole in the middle. A point in the hole goes to the edge of the nearest
    corner triangle; a tie goes to the lower digit.

    >>> digits((1.0, 0.0, 0.0), 3), digits((0.2, 0.5, 0.3), 2)
    ('000', '12')
    """
    path = ""
    a, b, c = weights
    for _ in range(levels):
        corner = 0 if a >= b and a >= c else 1 if b >= c else 2
        path += "012"[corner]
        a = max(0.0, 2 * a - (corner == 0))
        b = max(0.0, 2 * b - (corner == 1))
        c = max(0.0, 2 * c - (corner == 2))
        total = a + b + c
        a, b, c = a / total, b / total, c / total
    return path
