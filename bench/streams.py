"""How many bytes a text takes as a stream of the tape, beside what general compressors make of it."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import zstandard

from foveal import Memory
from foveal.rules.glyphs import Sign, parts, stream

SEEN = 0.8
DICTIONARY = 32_768

Pack = Callable[[bytes], bytes]


@dataclass(frozen=True, slots=True)
class Coded:
    """One way to write texts: bytes a text, with and without what must be known to read them."""

    name: str
    a_text: float
    with_dictionary: float


@dataclass(frozen=True, slots=True)
class Streams:
    """What texts take, those a tape was built from and those it never saw, and how dense in signs they are."""

    seen: int
    unseen: int
    seen_density: float
    unseen_density: float
    rows: tuple[tuple[str, Coded, Coded], ...]


def conversations(data: Path) -> list[list[str]]:
    """The texts of LoCoMo, a list for each conversation."""
    with gzip.open(data / "locomo-dev" / "cases.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [[turn["text"] for turn in json.loads(line)["turns"]] for line in lines]


def streams(data: Path) -> Streams:
    """Build a tape from the first four fifths of each conversation, and write all of it."""
    known: list[str] = []
    fresh: list[str] = []
    written: tuple[list[str], list[str]] = ([], [])
    dense: tuple[list[float], list[float]] = ([], [])
    dictionary = 0
    for texts in conversations(data):
        cut = int(SEEN * len(texts))
        known += texts[:cut]
        fresh += texts[cut:]
        with TemporaryDirectory() as folder, Memory(Path(folder) / "m.db") as memory:
            ada = memory.view(actor_id="ada")
            ada.write_many(texts[:cut])
            ada.tape.build()
            signs: set[Sign] = set()
            for place, some in enumerate((texts[:cut], texts[cut:])):
                for text in some:
                    made = ada.tape.encode(text)
                    assert ada.tape.decode(made.stream).text == text
                    written[place].append(made.stream)
                    dense[place].append(made.density)
                    signs |= {one for one in parts(made.stream) if isinstance(one, Sign)}
            dictionary += len(ada.tape.decode(stream(signs)).text.encode())
    trained = zstandard.train_dictionary(DICTIONARY, [text.encode() for text in known])
    frequent = trained.as_bytes()[-DICTIONARY:]
    zstd = zstandard.ZstdCompressor(level=19, dict_data=trained, write_content_size=False, write_dict_id=False)
    plain = zstandard.ZstdCompressor(level=19, write_content_size=False)
    ways: list[tuple[str, Pack, int]] = [
        ("zlib", lambda data: zlib.compress(data, 9), 0),
        ("zlib with a dictionary", lambda data: _deflated(data, frequent), DICTIONARY),
        ("zstd", plain.compress, 0),
        ("zstd with a dictionary", zstd.compress, DICTIONARY),
    ]
    rows = [
        ("the text itself", (_size(known), _size(fresh)), 0),
        ("stream of glyphs", (_size(written[0]), _size(written[1])), dictionary),
        *((name, (_total(known, pack), _total(fresh, pack)), needed) for name, pack, needed in ways),
    ]
    return Streams(
        seen=len(known),
        unseen=len(fresh),
        seen_density=sum(dense[0]) / len(dense[0]),
        unseen_density=sum(dense[1]) / len(dense[1]),
        rows=tuple(
            (
                name,
                Coded("seen", sizes[0] / len(known), (sizes[0] + needed) / len(known)),
                Coded("unseen", sizes[1] / len(fresh), (sizes[1] + needed) / len(fresh)),
            )
            for name, sizes, needed in rows
        ),
    )


def _size(texts: Sequence[str]) -> int:
    return sum(len(one.encode()) for one in texts)


def _total(texts: Sequence[str], pack: Pack) -> int:
    return sum(len(pack(one.encode())) for one in texts)


def _deflated(data: bytes, dictionary: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15, zdict=dictionary)
    return packer.compress(data) + packer.flush()
