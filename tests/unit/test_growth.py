"""The work on a text grows like the text: none makes a pattern or a function take quadratic time.

These are the only tests that measure time. They compare the processor time for a text with that for one four times
as long, the best of five each, and only where it is long enough to be measured.
"""

from __future__ import annotations

import ast
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import date
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import pytest

import foveal
from foveal.agents import orchestrator
from foveal.backends.models import static
from foveal.backends.models.tokens import NAMES, BpeCounter
from foveal.errors import FovealError
from foveal.model.crystal import Role
from foveal.model.search import CorpusInfo
from foveal.rules import (
    addresses,
    crystals,
    documents,
    duplicates,
    glyphs,
    ledger,
    rendering,
    summaries,
    text,
    windows,
)
from foveal.rules.dates.phrases import asked_spans, told_spans
from foveal.rules.recall import index, question

SOURCE = Path(foveal.__file__).parent
PACKAGES = sorted({path.relative_to(SOURCE).parts[0].removesuffix(".py") for path in SOURCE.rglob("*.py")})
# The length of the shortest text, the time below which nothing can be said, and that which needs no repetition.
LENGTH, LEAST_SECONDS, LONG_SECONDS = 1_000, 0.001, 0.2
# Four times the text may take this many times as long; from SUSPECT on, longer texts decide.
MOST, SUSPECT = 10, 6
AT_START = {"match", "fullmatch"}
ESCAPED = 0xE000
METHODS = AT_START | {"search", "findall", "finditer", "sub", "split"}

RUNS = list("aAn0.!。… \n\t([<\"'’`~-=#*_/@%:,?中あ한\u0301🦊␛亍月一")
UNITS = [
    "1.",
    "1) ",
    "- ",
    "a.",
    "a ",
    "A ",
    "a\n",
    "0/",
    "\n ",
    "\n\n",
    "亍⠁",
    "e\u0301",
    "<a",
    "&#",
    "so, ",
    "中。",
    "a-",
]
NUMBERED: dict[str, Callable[[int], str]] = {
    "words": lambda n: f"word{n} ",
    "names": lambda n: f"met Ada{n} ",
    "decisions": lambda n: f"Decision: take {n}. ",
    "questions": lambda n: f"what is {n}? ",
    "phrases": lambda n: f"the old cat {n}, ",
    "days": lambda n: f"on {n % 28 + 1} May {2000 + n % 40} we met. ",
    "items": lambda n: f"- item {n}\n",
    "headings": lambda n: f"{'#' * (n % 6 + 1)} heading {n}\ntext\n\n",
    "underlined": lambda n: f"heading {n}\n====\n",
    "fences": lambda n: f"```\ncode {n}\n",
    "indents": lambda n: f"{' ' * (n % 50)}key{n}: value\n",
    "tags": lambda n: f"<li>item {n}<pre>",
    "ideographs": lambda n: chr(0x4E00 + n),
}


def _filled(unit: str, length: int) -> str:
    return unit * (length // len(unit))


def _numbered(one: Callable[[int], str], length: int) -> str:
    parts = [one(n) for n in range(length // len(one(0)) + 1)]
    return "".join(parts)[:length]


def _blocks(unit: str, length: int) -> str:
    return _filled(unit * 30 + "x", length)


Make = Callable[[int], str]


def _wrapped(unit: str, length: int) -> str:
    return f"x{_filled(unit, length)}x"


def _after(seed: str, run: str, length: int) -> str:
    return f" {seed}{run * length}\x01"


TEXTS: dict[str, Make] = {
    **{f"x{unit!r}…x": partial(_wrapped, unit) for unit in [*RUNS, *UNITS]},
    **{name: partial(_numbered, one) for name, one in NUMBERED.items()},
}
MORE_TEXTS: dict[str, Make] = {
    **TEXTS,
    **{f"{run!r}…": partial(_filled, run) for run in RUNS},
    **{f"({run!r}…x)…": partial(_blocks, run) for run in RUNS[:16]},
}


def _seconds(work: Callable[[str], object], given: str, times: int = 1) -> float:
    """The least time of several; one that is long anyway is measured once."""
    best = float("inf")
    for _ in range(times):
        start = time.process_time()
        work(given)
        best = min(best, time.process_time() - start)
        if best > LONG_SECONDS:
            break
    return best


def _too_slow(work: Callable[[str], object], texts: Mapping[str, Make]) -> str | None:
    """The first text of which four times the length takes far more than four times as long."""
    return next((name for name, make in texts.items() if _grows_faster(work, make)), None)


def _grows_faster(work: Callable[[str], object], make: Make) -> bool:
    long = _seconds(work, make(4 * LENGTH))
    if long < LEAST_SECONDS or long <= SUSPECT * _seconds(work, make(LENGTH)):
        return False
    # A suspect is measured well, with longer texts if they do not take too long.
    length = LENGTH if long > LONG_SECONDS else 4 * LENGTH
    return _seconds(work, make(4 * length), 5) >= MOST * _seconds(work, make(length), 5)


class _Used:
    """A pattern, where it is, and the methods by which it is used."""

    def __init__(self, name: str, pattern: re.Pattern[str], methods: set[str]) -> None:
        self.name = name
        self.pattern = pattern
        self.methods = methods & METHODS

    def work(self, given: str) -> None:
        if self.methods and self.methods <= AT_START:
            for method in self.methods:
                getattr(self.pattern, method)(given)
        elif self.methods == {"search"}:
            self.pattern.search(given)
        else:
            for _ in self.pattern.finditer(given):
                pass

    def texts(self) -> dict[str, Make]:
        """Nasty texts for this pattern: they also begin with some of the words that it looks for."""
        # Escaped signs are kept apart from those that mean something in a pattern.
        kept = re.sub(r"\\(\W)", lambda match: chr(ESCAPED + ord(match[1])), self.pattern.pattern)
        plain = re.sub(r"\\\w|\[[^\]]*\]|\(\?(?:P?<\w+>|[:=!]|<[=!])", "|", kept)
        words = dict.fromkeys(word for word in re.split(r"[()|?*+{}^$]", plain) if len(word) > 1)
        seeds = [word.translate({ESCAPED + sign: sign for sign in range(128)}) for word in words][:6]
        return {
            **MORE_TEXTS,
            **{f"{seed!r}…": partial(_filled, seed) for seed in seeds},
            **{f"{seed!r} {run!r}…": partial(_after, seed, run) for seed in seeds for run in (" ", "a", "0")},
        }


def _patterns(package: str) -> Iterator[_Used]:
    root = SOURCE / package
    for path in sorted(root.rglob("*.py")) if root.is_dir() else [root.with_suffix(".py")]:
        if "_pb2" in path.stem or path.stem == "__main__":
            continue
        parts = path.relative_to(SOURCE.parent).with_suffix("").parts
        name = ".".join(part for part in parts if part != "__init__")
        tree = ast.parse(path.read_text(encoding="utf-8"))
        methods: dict[str, set[str]] = {}
        for node in ast.walk(tree):
            match node:
                case ast.Call(
                    func=ast.Attribute(value=ast.Name(id="re"), attr=method),
                    args=[ast.Constant(value=str(given)), *_],
                ) if method != "compile":
                    flags = re.DOTALL if "DOTALL" in ast.unparse(node) else re.NOFLAG
                    yield _Used(f"{name}:{node.lineno}", re.compile(given, flags), {method})
                case ast.Attribute(value=ast.Name(id=owner), attr=method):
                    methods.setdefault(owner, set()).add(method)
                case _:
                    pass
        try:
            module = import_module(name)
        except ModuleNotFoundError as error:
            # An adapter whose framework is not installed here; its patterns are met in the suite of that framework.
            assert ".integrations." in name and not str(error.name).startswith("foveal"), name
            continue
        for owner, value in list(vars(module).items()):
            for pattern in _within(value):
                yield _Used(f"{name}.{owner}", pattern, methods.get(owner, set()))


def _within(value: Any, depth: int = 3) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern):
        found = cast(re.Pattern[Any], value)
        if isinstance(found.pattern, str):
            yield found
    elif isinstance(value, tuple | list | dict) and depth:
        for one in cast(Any, value).values() if isinstance(value, dict) else cast(Any, value):
            yield from _within(one, depth - 1)


@pytest.mark.parametrize("package", PACKAGES)
def test_a_pattern_takes_a_text_in_time_that_grows_like_it(package: str) -> None:
    distinct = {(used.pattern, frozenset(used.methods)): used for used in _patterns(package)}
    slow = {used.name: found for used in distinct.values() if (found := _too_slow(used.work, used.texts()))}
    assert slow == {}


def _tokens(name: str, given: str) -> int:
    return BpeCounter(name).count(given)


ASKED, DAY = ["word", "cat", "東京"], date(2026, 5, 4)
SPEAKERS = CorpusInfo(speakers=("Ada", "Ben"))
ENCODER = static.StaticEmbedder()
# What reads a text of users, of documents or of models.
FUNCTIONS: dict[str, Callable[[str], object]] = {
    "sentences": text.sentences,
    "chunks": text.chunks,
    "gist": text.gist,
    "terms": text.terms,
    "asked terms": text.asked_terms,
    "excerpt": lambda given: text.excerpt(given, ASKED, question="When was it?"),
    "excerpt about itself": lambda given: text.excerpt(
        given,
        text.asked_terms(given),
        question=given,
        nearness=text.nearness_to(given, ENCODER.pieces, ENCODER.likeness),
    ),
    "short excerpt": lambda given: text.excerpt(given, ASKED, 120, question="How much was it?"),
    "language": text.language,
    "chunks of a document": documents.cut,
    "text of a page": documents.html_text,
    "title of a document": lambda given: documents.filed_under("knowledge", {"title": given, "source": given}),
    "summary": lambda given: summaries.summary([given], 240),
    "long summary": lambda given: summaries.summary([given], len(given) // 2),
    "condensed": lambda given: summaries.condensed(given, 200, len, summaries.summary),
    "kept": lambda given: summaries.kept([given], "x"),
    "phrases": glyphs.phrases,
    "signs": lambda given: glyphs.covered(
        given, [(span.start, span.end, glyphs.Sign(1, 0)) for span in glyphs.phrases(given)]
    ),
    "stream": lambda given: glyphs.parts(glyphs.stream([given])),
    "given stream": glyphs.parts,
    "echo": lambda given: duplicates.is_echo(given, f"{given}y"),
    "compatible": lambda given: duplicates.compatible(given, f"{given}y"),
    "question": lambda given: question.parse_question(given, SPEAKERS, DAY),
    "traits": lambda given: index.traits_of(given, "user"),
    "told days": lambda given: told_spans(given, DAY),
    "asked days": lambda given: asked_spans(given, (2020, 2026)),
    "grade of a turn": lambda given: windows.grade_of(Role.USER, given, ["nothing"]),
    "resumed": lambda given: windows.resumed_from(f"[Resumed from crystal {given}"),
    "pulse": windows.parsed_pulse,
    "telling words": lambda given: crystals.telling([given]),
    "path": lambda given: addresses.address_of(f"/earth/ada/{addresses.escaped(given)}@d2t1.md"),
    "given path": lambda given: addresses.address_of(f"/{given}"),
    "trigger": lambda given: ledger.differs(given, f"{given}x"),
    "line of a read": rendering.escaped,
    "plan": orchestrator._tasks,  # pyright: ignore[reportPrivateUsage]
    "word pieces": static.words,
    # A new counter each time, because a counter caches what it has counted.
    **{f"tokens of {name}": partial(_tokens, name) for name in NAMES},
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_takes_a_text_in_time_that_grows_like_it(name: str) -> None:
    def work(given: str) -> None:
        # Whether a text is refused or not, the answer takes no longer.
        with suppress(FovealError):
            FUNCTIONS[name](given)

    assert _too_slow(work, TEXTS) is None
