"""Addresses as paths of files, for tools of models that speak paths."""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import unquote_to_bytes

from foveal.errors import InvalidAddress
from foveal.model.ids import Address

_PLAIN = frozenset("-_+=,()")
_NAME = re.compile(r"(.+)@d(\d+)t(\d+)(?:~v(\d+))?\.md", re.DOTALL)
# Names of devices, which no file on Windows may have.
_DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)", re.I)


def path_of(address: Address, key: str) -> str:
    """The path of what lies at an address under a key, such as the id of a record: `/world/region/0/1/2/key….md`.

    Every address and key has one path, and `address_of` gives them back. Each digit is a folder, so that the
    folder of a cell holds everything in it.

    >>> path_of(Address(world="earth", region="agent:ada", digits="01", time_slice=17), "tea/1")
    '/earth/agent%3Aada/0/1/tea%2F1@d2t17.md'
    """
    tape = f"~v{address.tape}" if address.tape else ""
    name = f"{escaped(key)}@d{address.depth}t{address.time_slice}{tape}.md"
    return "/" + "/".join([escaped(address.world), escaped(address.region), *address.digits, name])


def address_of(path: str) -> tuple[Address, str]:
    """The address and the key that a path writes; `InvalidAddress` for any other path.

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
    found = Address(
        world=unescaped(folders[0]),
        region=unescaped(folders[1]),
        digits="".join(folders[2:]),
        depth=int(match[2]),
        time_slice=int(match[3]),
        tape=int(match[4] or 0),
    )
    key = unescaped(match[1])
    # Only the path that we would write is one: two paths never mean the same.
    if path_of(found, key) != path:
        raise InvalidAddress(f"{path[:80]!r} is not how that address is written as a path")
    return found, key


def escaped(name: str) -> str:
    """A name that can be a folder on any system: letters and digits stay, the rest is written as `%` and its bytes.

    >>> escaped("agent:ada"), escaped(".."), escaped("Zoë")
    ('agent%3Aada', '%2E%2E', 'Zoë')
    """
    last = len(name) - 1
    # A system that stores names in another normal form would change these.
    ascii_only = unicodedata.normalize("NFC", name) != name
    device = _DEVICES.fullmatch(name.partition(".")[0]) is not None

    def stays(place: int, one: str) -> bool:
        if one in ". ":
            return 0 < place < last
        if device and place == 0:
            return False
        return one in _PLAIN or (one.isalnum() and (one.isascii() or not ascii_only))

    return "".join(
        one if stays(place, one) else "".join(f"%{byte:02X}" for byte in one.encode())
        for place, one in enumerate(name)
    )


def unescaped(name: str) -> str:
    """The name that `escaped` wrote."""
    try:
        return unquote_to_bytes(name).decode()
    except UnicodeDecodeError:
        raise InvalidAddress(f"{name[:80]!r} is not a name in a path") from None
