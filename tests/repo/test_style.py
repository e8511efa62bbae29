"""The house style, as tests."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "foveal"
MODULES = sorted(SOURCE.rglob("*.py"))
CODE = sorted(
    path
    for folder in (SOURCE, ROOT / "tests", ROOT / "bench", ROOT / "encoder")
    for path in folder.rglob("*.py")
    if "_pb2" not in path.stem
)

# What each folder may import, beside itself. Imports go down this list only.
LAYERS = {
    "errors": (),
    "folders": ("errors",),
    "urls": ("errors", "folders"),
    "model": ("errors",),
    "rules": ("errors", "model"),
    "ports": ("errors", "model", "rules"),
    "engine": ("errors", "model", "rules", "ports"),
    "backends": ("errors", "model", "rules", "ports"),
    "wire": ("errors", "model", "rules", "ports", "engine"),
    "config": ("errors", "folders", "model"),
    "sharing": ("errors", "ports", "backends", "config"),
    "compose": ("errors", "urls", "model", "rules", "ports", "engine", "backends", "config", "sharing"),
    "demo": (),
    "agents": ("errors", "urls", "model", "rules", "ports", "engine", "backends", "config", "compose"),
    "doors": (
        "errors",
        "folders",
        "urls",
        "model",
        "rules",
        "ports",
        "engine",
        "backends",
        "wire",
        "config",
        "sharing",
        "compose",
        "agents",
        "demo",
    ),
    "testing": ("errors", "urls", "model", "rules", "ports", "engine", "backends", "wire", "config", "compose"),
}
BANNED = re.compile(r"utils?|helpers?|common|core_|base|manager|misc|impl|types2|.*_v2|.*_new|.*_enhanced")
LONGEST = 800


def _layer(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def _imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
            found |= {f"{node.module}.{name.name}" for name in node.names if node.module == "foveal"}
        elif isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
    return {name for name in found if name.startswith("foveal.")}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_go_down_the_layers_only(path: Path) -> None:
    layer = _layer(path)
    if layer == "__init__":
        return
    allowed = {layer, *LAYERS[layer]}
    wrong = {name for name in _imports(path) if name.split(".")[1] not in allowed}
    assert not wrong


def test_backends_do_not_import_each_other() -> None:
    for path in (SOURCE / "backends").rglob("*.py"):
        own = path.relative_to(SOURCE).parts[1].removesuffix(".py")
        others = {name.split(".")[2] for name in _imports(path) if name.startswith("foveal.backends.")}
        # The mirror and the parts of SQL are parts that stores take, not stores, and so are a remote one
        # that models behind HTTP take and a breaker that stands before whatever is asked over the network; a
        # reranker is run as an encoder is, an encoder keeps what it made in a cache, and the bus between processes
        # has one inside each.
        assert others <= {own, "index", "sql", "breaker", "in_process"}, path


@pytest.mark.parametrize("path", CODE, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_file_is_one_idea(path: Path) -> None:
    text = path.read_text()
    assert text.count("\n") <= LONGEST + (120 if "tests" in path.relative_to(ROOT).parts else 0)
    assert not BANNED.fullmatch(path.stem)
    assert "TODO" not in text or path == Path(__file__)
    if path.is_relative_to(SOURCE):
        doc = ast.get_docstring(ast.parse(text)) or ""
        assert doc, "every module says what it is"


def test_every_public_name_is_exported_and_importable() -> None:
    import foveal

    for name in foveal.__all__:
        assert getattr(foveal, name) is not None
    assert set(foveal.__all__) <= set(dir(foveal))
    with pytest.raises(AttributeError):
        _ = foveal.nothing  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType]
