"""The house style, as tests."""

import ast
import re
from pathlib import Path
from typing import get_type_hints

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "foveal"
MODULES = sorted(path for path in SOURCE.rglob("*.py") if "_pb2" not in path.stem)
CODE = sorted(
    {path for folder in ("tests", "bench", "encoder") for path in (ROOT / folder).rglob("*.py")} | {*MODULES}
)

# A module imports from its own room and from rooms listed before it.
_ROOMS = """
    errors model rules rules/dates rules/recall rules/facts ports
    engine/runtime engine/tape engine/records engine/crystals engine/ledger engine/lifecycle engine
    backends backends/index backends/models backends/sql backends/sqlite backends/postgres
    config compose wire agents importers
    doors/service doors/http doors/grpc doors/mcp doors/client doors doors/cli
    integrations testing
"""
ROOMS = list[str](_ROOMS.split())
# What never knows the other, whatever their order.
APART = [
    ("backends", "engine"),
    ("wire", "backends"),
    ("wire", "compose"),
    ("wire", "config"),
    ("agents", "wire"),
    ("backends/postgres", "backends/sqlite"),
]
BANNED = re.compile(r"utils?|helpers?|common|core_|base|manager|misc|impl|types2|.*_v2|.*_new|.*_enhanced")
LONGEST, MOST = 800, 20


def _room(module: str) -> str:
    """The room of a module: the longest that its path begins with."""
    fits = [one for one in ROOMS if module == one or module.startswith(f"{one}/")]
    return max(fits, key=len)


def _imports(path: Path) -> set[str]:
    """The modules of ours that a module imports, as paths."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{name.name}" for name in node.names}
        elif isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
    ours = {name.removeprefix("foveal.").replace(".", "/") for name in found if name.startswith("foveal.")}
    return {one for one in ours if (SOURCE / one.split("/")[0]).exists() or one.split("/")[0] in ROOMS}


def _edges() -> list[tuple[str, str, str]]:
    return [
        (str(path.relative_to(SOURCE)), _room(str(path.relative_to(SOURCE)).removesuffix(".py")), _room(other))
        for path in MODULES
        if path != SOURCE / "__init__.py"
        for other in _imports(path)
    ]


def test_imports_go_down_the_layers_only() -> None:
    wrong = [(module, other) for module, room, other in _edges() if ROOMS.index(other) > ROOMS.index(room)]
    assert wrong == []


def test_what_is_to_stay_apart_stays_apart() -> None:
    def within(room: str, part: str) -> bool:
        return room == part or room.startswith(f"{part}/")

    wrong = [
        (module, other)
        for module, room, other in _edges()
        for one, another in APART
        if (within(room, one) and within(other, another)) or (within(room, another) and within(other, one))
    ]
    assert wrong == []


def test_a_file_is_one_idea() -> None:
    for path in CODE:
        text = path.read_text()
        assert text.count("\n") <= LONGEST + (120 if path.is_relative_to(ROOT / "tests") else 0), path
        assert not BANNED.fullmatch(path.stem), path
        assert "TODO" not in text or path == Path(__file__), path


def test_every_module_says_what_it_is() -> None:
    assert [path for path in MODULES if not ast.get_docstring(ast.parse(path.read_text()))] == []


def test_no_folder_is_crowded() -> None:
    for folder in {path.parent for path in MODULES}:
        own = [path for path in MODULES if path.parent == folder and path.name != "__init__.py"]
        assert len(own) <= MOST, folder


def test_every_public_name_is_exported_and_importable() -> None:
    import foveal

    for name in dir(foveal):
        assert getattr(foveal, name) is not None
    assert set(foveal.__all__) <= set(dir(foveal))
    with pytest.raises(AttributeError):
        _ = foveal.nothing  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType]


# What notices tell of, by the part of the store that changes it.
CHANGES = {
    "records": {"append", "supersede", "write_batch", "revise", "erase"},
    "links": {"link", "unlink", "join", "leave"},
    "trees": {"forget"},
    "lifecycle": {"apply"},
    "ledger": {"put_row", "set_row", "change_row", "remove_rows"},
    "crystals": {"put", "mark", "compost", "reap"},
    "tapes": {"use", "drop"},
}


def test_only_the_write_path_makes_changes_that_notices_tell_of() -> None:
    from foveal.ports.store import Store

    for part, methods in CHANGES.items():
        assert methods <= set(dir(get_type_hints(getattr(Store, part).fget)["return"])), part
    outside = [
        (str(path.relative_to(SOURCE)), f"{node.value.attr}.{node.attr}")
        for path in MODULES
        if path.is_relative_to(SOURCE / "engine") or path.is_relative_to(SOURCE / "doors")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Attribute)
        and node.attr in CHANGES.get(node.value.attr, ())
        and isinstance(node.value.value, ast.Name | ast.Attribute)
        and ast.unparse(node.value.value).endswith("store")
    ]
    assert {path for path, _ in outside} == {"engine/runtime/runtime.py"}, outside


def test_no_class_offers_more_than_a_reader_can_hold() -> None:
    for path in MODULES:
        if path.is_relative_to(SOURCE / "testing"):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef):
                public = [one.name for one in node.body if isinstance(one, ast.FunctionDef) and one.name[0] != "_"]
                assert len(public) <= 40, (path, node.name)
