"""What a rewrite by names does not see, as exact replacements of text before and after a step, and files put in place."""

from __future__ import annotations

import shutil
from pathlib import Path

HERE = Path(__file__).parent / "files"
Fix = tuple[str, str, str]

# (file, old text, new text), made on the tree before the step.
BEFORE: dict[str, list[Fix]] = {
    "doors": [
        # `foveal --help` would load the model for three colours.
        (
            "src/foveal/doors/cli/drawing.py",
            'COLOURS = {Tier.SESSION: "#c2553d", Tier.EPISODIC: "#b98a1d", Tier.SEMANTIC: "#2f6f8f"}\n',
            "",
        ),
        (
            "src/foveal/doors/cli/drawing.py",
            "    for tier, colour in COLOURS.items():\n",
            '    colours = {Tier.SESSION: "#c2553d", Tier.EPISODIC: "#b98a1d", Tier.SEMANTIC: "#2f6f8f"}\n'
            "    for tier, colour in colours.items():\n",
        ),
    ],
}
# A local has the name that a function is given.
BEFORE["names"] = [
    ("src/foveal/engine/records/read.py", "    fit = partial(fitted,", "    fit_in = partial(fitted,"),
    ("src/foveal/engine/records/read.py", " = fit(", " = fit_in("),
]
# The same, after it.
AFTER: dict[str, list[Fix]] = {
    "model": [
        (
            "docs/_generate.py",
            "_CRYSTALS = (crystal.__name__, crystal.__name__, pulse.__name__, paths.__name__)",
            "_CRYSTALS = (crystal.__name__, pulse.__name__, paths.__name__)",
        ),
        (
            "docs/_generate.py",
            "        *vars(results).values(),\n" * 4 + "        *vars(ledger).values(),\n" * 2,
            "        *vars(results).values(),\n        *vars(ledger).values(),\n",
        ),
    ],
    "rules": [
        (
            "bench/fit.py",
            '        "from foveal.rules.recall.ranking import Weights",\n'
            '        "from foveal.rules.recall.ranking import Calibration",\n',
            '        "from foveal.rules.recall.ranking import Calibration, Weights",\n',
        ),
        (
            "docs/_generate.py",
            "    return _fields([one for name in _CRYSTALS for one in vars(sys.modules[name]).values()])",
            "    found = [one for name in _CRYSTALS for one in vars(sys.modules[name]).values()]\n"
            "    return _fields([one for one in found if one is not windows.Spoken])",
        ),
    ],
    "root": [
        ("pyproject.toml", "{__init__,compose,folders,sharing,urls}", "{__init__,compose}"),
    ],
    "backends": [
        (
            "tests/repo/test_style.py",
            '        parts = {"rerankers": {"embedders"}, "embedders": {"cache"}, "redis": {"bus"}}\n'
            '        assert others <= {own, "mirror", "sql", "remote", "breaker", *parts.get(own, set[str]())}, path\n',
            '        assert others <= {own, "index", "sql", "breaker", "in_process"}, path\n',
        ),
    ],
    "style": [
        (
            "CONTRIBUTING.md",
            "- A file is one idea, under 300 lines. Its docstring is one sentence.\n",
            "- A module is an idea that a newcomer would look for by its name: usually 100 to 500 lines, never over 800, and no\n  folder has more than 20. Its docstring is one sentence, or two.\n",
        ),
    ],
}

# What a longer name makes too long, and what a doctest prints.
AFTER["names"] = [
    # The names of messages on the wire stay.
    (
        "src/foveal/wire/messages.py",
        "            return type(shape).__name__\n",
        "            return _WIRE_NAMES.get(type(shape), type(shape).__name__)\n",
    ),
    (
        "src/foveal/wire/messages.py",
        "def named(shape: Shape) -> str:\n",
        "# What clients compiled into their messages stays as it was first called.\n"
        '_WIRE_NAMES = {Integer: "Whole", Boolean: "Flag", Timestamp: "Moment", Duration: "Span"}\n\n\n'
        "def named(shape: Shape) -> str:\n",
    ),
    (
        "src/foveal/wire/shapes.py",
        "    Maybe(inner=Listed(inner=Text(), fixed=False))\n",
        "    Nullable(inner=ListOf(inner=Text(), fixed=False))\n",
    ),
    (
        "src/foveal/wire/messages.py",
        "    Slot(name='tags', type='string', label='repeated', told='')\n",
        "    ProtoField(name='tags', type='string', label='repeated', description='')\n",
    ),
    (
        "src/foveal/engine/crystals/forks.py",
        '>>> together(CorpusInfo(speakers=("Ada",), years=(2024, 2025)), CorpusInfo(speakers=("Bo",), years=(2026, 2026)))',
        '>>> ada = CorpusInfo(speakers=("Ada",), years=(2024, 2025))\n'
        '    >>> together(ada, CorpusInfo(speakers=("Bo",), years=(2026, 2026)))',
    ),
]
AFTER["members"] = [
    (
        "src/foveal/wire/messages.py",
        '="Store as many texts as are sent, in batches, as WriteMany does. Each message is a write of its own;"\n        " one',
        '="Store as many texts as are sent, in batches, as WriteMany does. Each message is a write of its"\n'
        '        " own; one',
    ),
    (
        "src/foveal/wire/messages.py",
        'description="The records of a timeline, one by one, taken a page at a time, as Page does. Without a limit, all.",',
        'description="The records of a timeline, one by one, taken a page at a time, as Page does."\n'
        '        " Without a limit, all.",',
    ),
]
AFTER["words"] = [
    (
        "src/foveal/engine/tape/build.py",
        'the encoder is {runtime.encoder.id}: build a new tape",',
        'the encoder is {runtime.encoder.id}:"\n            " build a new tape",',
    ),
]


def before(root: Path, step: str) -> None:
    """Make the replacements that come before a step."""
    _make(root, step, BEFORE.get(step, []))


def apply(root: Path, step: str) -> None:
    """Make the replacements of a step; put the files of the last one in place."""
    _make(root, step, AFTER.get(step, []))
    if step == "style":
        for path in HERE.rglob("*.py"):
            shutil.copy(path, root / path.relative_to(HERE))


def _make(root: Path, step: str, fixes: list[Fix]) -> None:
    for name, old, new in fixes:
        path = root / name
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        if old not in text:
            print(f"{step}: fix does not apply to {name}: {old[:60]!r}")
            continue
        path.write_text(text.replace(old, new), encoding="utf-8")
