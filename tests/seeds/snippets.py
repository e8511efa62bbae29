"""Runs the code of a document as it stands there, and compares the classes that it defines with ours.

`python -m tests.seeds.snippets --documents DIR` compares what the tests hold with the documents themselves.
"""

from __future__ import annotations

import argparse
import ast
import asyncio
import inspect
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any, NamedTuple


def run(snippet: str, **names: Any) -> dict[str, Any]:
    """Run a snippet, which may await at its top level. Returns the names that it leaves behind."""
    code = compile(dedent(snippet), "snippet", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, True)
    namespace: dict[str, Any] = {**names, "__name__": "snippet"}
    coroutine = eval(code, namespace)
    if coroutine is not None:
        asyncio.run(_awaited(coroutine))
    return namespace


async def _awaited(coroutine: Any) -> None:
    await coroutine


def require_class(ours: type[Any], theirs: type[Any], *, built: bool = True) -> None:
    """Fail unless our class has the fields, defaults and methods of the document's, in its order.

    Without `built`, the document does not say how an object of its class is made.
    """
    if built:
        require_call(ours, theirs)
    for name, method in vars(theirs).items():
        if inspect.isfunction(method) and not name.startswith("_"):
            own = getattr(ours, name)
            require_call(own, method)
            assert inspect.iscoroutinefunction(own) == inspect.iscoroutinefunction(method), name


def require_call(ours: Callable[..., Any], theirs: Callable[..., Any]) -> None:
    """Fail unless a call that the document's signature allows by name also fits ours, with the same defaults."""
    own, document = inspect.signature(ours).parameters, inspect.signature(theirs).parameters
    assert [name for name in own if name in document] == list(document), ours
    for name, parameter in document.items():
        if parameter.default is not parameter.empty:
            assert _plain(own[name].default) == _plain(parameter.default), (ours, name)
    further = [one for name, one in own.items() if name not in document]
    optional = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    assert all(one.default is not one.empty or one.kind in optional for one in further), ours


def require_order(ours: Callable[..., Any], *parameters: str) -> None:
    """Fail unless our method takes these parameters in this order without their names, and needs no others."""
    own = [one for one in inspect.signature(ours).parameters.values() if one.name != "self"]
    positional = [one.name for one in own if one.kind is one.POSITIONAL_OR_KEYWORD]
    assert positional[: len(parameters)] == list(parameters), (ours, positional)
    needed = [one.name for one in own if one.default is one.empty and one.kind is not one.VAR_KEYWORD]
    assert set(needed) <= set(parameters), (ours, needed)


def _plain(default: Any) -> Any:
    return [*default] if isinstance(default, list | tuple) else default  # pyright: ignore[reportUnknownVariableType]


class Block(NamedTuple):
    """A block of code in a document: its language, its lines, and where it begins."""

    language: str
    lines: list[str]
    place: str


def blocks(document: Path) -> Iterator[Block]:
    """The fenced blocks of a document that name a language."""
    language, begun, lines = "", 0, list[str]()
    for number, line in enumerate(document.read_text(encoding="utf-8").splitlines(), 1):
        if not line.startswith("```"):
            lines.append(line)
        elif not begun:
            language, begun, lines = line[3:].strip(), number, []
        else:
            if language:
                yield Block(language, lines, f"{document.name}:{begun}")
            begun, lines = 0, []


def differences(documents: Path, tests: Path) -> list[str]:
    """What the documents show and no test has, and lines of the tests' snippets that no document has."""
    texts = {path.name: _texts(path) for path in sorted(tests.glob("test_*.py"))}
    held = {text for file in texts.values() for text in file}
    ours = {line for text in held for line in _code(text.splitlines())}
    shown = [block for path in sorted(documents.glob("*.txt")) for block in blocks(path)]
    missing = [
        f"{block.place}: no test has {piece!r}" for block in shown for piece in _pieces(block) - (ours | held)
    ]
    theirs = {line for block in shown for line in _code(block.lines)}
    changed: list[str] = []
    for name, file in texts.items():
        for text in file:
            lines = _code(text.splitlines())
            others = [line for line in lines if line not in theirs]
            # What shares most of its lines with a document was taken from it.
            if len(lines) > 1 and len(others) * 2 < len(lines):
                changed += [f"{name}: no document has {line!r}" for line in others]
    return sorted(missing) + changed


def _texts(path: Path) -> set[str]:
    """The strings in a module."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def _pieces(block: Block) -> set[str]:
    """The parts of a block that a test must have: lines of Python, names of Rust, a shell session as one line."""
    match block.language:
        case "bash":
            return {" && ".join(line.strip() for line in block.lines if line.strip())}
        case "rust":
            return {name for line in block.lines for name in re.findall(r"pub (?:async )?fn (\w+)", line)}
        case _:
            return set(_code(block.lines))


def _code(lines: list[str]) -> list[str]:
    """The lines that say something: no imports, comments or blank lines, and signatures without their frame."""
    stripped = (re.sub(r"(?<=\S):? \.\.\.$", "", line.strip().removeprefix("def ")) for line in lines)
    return [line for line in stripped if line and not line.startswith(("import ", "from ", "#"))]


def main() -> int:
    """Print the differences. Returns 1 if there are any, and 2 without documents."""
    parser = argparse.ArgumentParser(prog="python -m tests.seeds.snippets", description=main.__doc__)
    parser.add_argument("--documents", type=Path, required=True, help="The folder of the five documents.")
    documents = parser.parse_args().documents
    if not any(list(blocks(path)) for path in documents.glob("*.txt")):
        print(f"no document in {documents} shows code", file=sys.stderr)
        return 2
    found = differences(documents, Path(__file__).parent)
    print("\n".join(found) or "The tests have every snippet as the documents show it.")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
