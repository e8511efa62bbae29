"""Rename what the tables say: names of modules by where they are defined, members of classes, words, and text."""

from __future__ import annotations

import ast
import fnmatch
import io
import re
import subprocess
import tokenize
from collections import defaultdict
from pathlib import Path

from house.build import NOT, PYTHON, Built
from house.scopes import File, apply
from house.tables import Tables, rows

Edit = tuple[int, int, bytes]


def names(root: Path) -> Built:
    """The step that renames classes, functions and constants by the module that defines them."""
    found = Tables(symbols={(module, old): new for module, old, new, *_ in rows("names.tsv")})
    source = root / "src" / "foveal"
    # A package offers a name under its new one, too.
    for path in source.rglob("__init__.py"):
        module = str(path.relative_to(source)).removesuffix(".py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("foveal."):
                home = node.module.removeprefix("foveal.").replace(".", "/")
                for one in node.names:
                    if (home, one.name) in found.symbols and not one.asname:
                        found.symbols[module, one.name] = found.symbols[home, one.name]
    for (module, old), _ in list(found.symbols.items()):
        path = source / f"{module}.py"
        if not path.exists() or old not in File(path.read_text(encoding="utf-8")).module.bound:
            print(f"names: {module} has no {old}")
            del found.symbols[module, old]
    return Built(root, found)


def listed(built: Built) -> None:
    """`__all__` of the packages."""
    for module, text in built.made.items():
        symbols = {old: new for (home, old), new in built.tables.symbols.items() if home == module}
        if not symbols or "__all__" not in text:
            continue
        start = text.index("__all__")
        end = text.index("]", start)
        inside = re.sub(r'"(\w+)"', lambda one: f'"{symbols.get(one[1], one[1])}"', text[start:end])
        built.made[module] = text[:start] + inside + text[end:]


def python_files(root: Path) -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=root, capture_output=True, text=True, check=True
    ).stdout.split("\n")
    return [
        root / name
        for name in sorted(filter(None, listed))
        if name.endswith(".py")
        and name.split("/")[0] in ("src", *PYTHON)
        and not NOT.match(name)
        and "_pb2" not in name
        and (root / name).is_file()
    ]


def members(root: Path) -> None:
    """Rename methods and fields: where classes define them, and where they are used of what is called so."""
    table = [[*row, "", "", "", ""][:7] for row in rows("members.tsv")]
    for path in python_files(root):
        text = path.read_text(encoding="utf-8")
        wanted = [row for row in table if re.search(rf"\b{row[0]}\b", text)]
        if not wanted:
            continue
        file = File(text)
        edits: list[Edit] = []
        where = str(path.relative_to(root))
        for old, new, classes, receivers, callees, functions, files in wanted:
            if files and not any(fnmatch.fnmatch(where, one) for one in files.split(",")):
                continue
            edits += _member(file, old, new, classes, receivers, callees)
            edits += _parameter(file, old, new, functions) if functions else []
        if edits:
            path.write_bytes(apply(file.data, edits))


def _member(file: File, old: str, new: str, classes: str, receivers: str, callees: str) -> list[Edit]:
    edits: list[Edit] = []

    def put(start: int) -> None:
        assert file.data[start : start + len(old)] == old.encode(), (old, file.data[start - 20 : start + 20])
        edits.append((start, start + len(old), new.encode()))

    def owner(node: ast.AST) -> str:
        while node in file.parents:
            node = file.parents[node]
            if isinstance(node, ast.ClassDef):
                return node.name
        return ""

    for node in ast.walk(file.tree):
        if isinstance(node, ast.ClassDef) and re.fullmatch(classes, node.name):
            for one in node.body:
                if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef) and one.name == old:
                    start = file.at(one.lineno, one.col_offset)
                    match = re.compile(rb"(?:async\s+)?def\s+").match(file.data, start)
                    put(match.end())
                if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name) and one.target.id == old:
                    put(file.span(one.target)[0])
        if isinstance(node, ast.Attribute) and node.attr == old:
            receiver = ast.unparse(node.value)
            own = receiver in ("self", "cls", "super()") and re.fullmatch(classes, owner(node))
            if own or re.fullmatch(receivers, receiver):
                put(file.span(node)[1] - len(old.encode()))
        if isinstance(node, ast.Call) and callees and re.fullmatch(callees, _called(node)):
            for one in node.keywords:
                if one.arg == old:
                    put(file.at(one.lineno, one.col_offset))
        if isinstance(node, ast.Call) and len(node.args) > 1 and ast.unparse(node.func).endswith("attr"):
            named = node.args[1]
            if (
                isinstance(named, ast.Constant)
                and named.value == old
                and re.fullmatch(f"(?:{receivers})|(?:{classes})", ast.unparse(node.args[0]))
            ):
                put(file.span(named)[0] + 1)
    return edits


def _called(node: ast.Call) -> str:
    """A call as far as its first argument: `replace(frame`."""
    return f"{ast.unparse(node.func)}({ast.unparse(node.args[0]) if node.args else ''}"


def _parameter(file: File, old: str, new: str, functions: str) -> list[Edit]:
    """Rename a parameter of functions, where it is bound and used."""
    edits: list[Edit] = []
    for node in ast.walk(file.tree):
        if not (isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and re.fullmatch(functions, node.name)):
            continue
        own = [one for one in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs) if one.arg == old]
        if not own:
            continue
        start = file.at(own[0].lineno, own[0].col_offset)
        edits.append((start, start + len(old), new.encode()))
        first, last = file.span(node)
        for use in file.uses:
            home = use.scope.home(old)
            if use.name == old and first <= use.start < last and home is not None and home.kind == "function":
                edits.append((use.start, use.end, new.encode()))
    return edits


def words(root: Path) -> None:
    """Rename parameters, locals and attributes that have one meaning everywhere, and the word in backticks."""
    table = [[*row, ""][:3] for row in rows("words.tsv")]
    for path in python_files(root):
        text = path.read_text(encoding="utf-8")
        where = str(path.relative_to(root))
        chosen = {
            old: new
            for old, new, files in table
            if re.search(rf"\b{old}\b", text)
            and (not files or any(fnmatch.fnmatch(where, one) for one in files.split(",")))
        }
        if not chosen:
            continue
        _say_clashes(where, File(text), chosen)
        lines = text.splitlines(keepends=True)
        at: dict[int, list[tuple[int, int, str]]] = defaultdict(list)
        # Parts of the names of modules are not ours to rename.
        paths = {
            (number, column)
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.ImportFrom | ast.Import)
            for number in [node.lineno]
            for column in range(len(lines[number - 1].split(" import ")[0]))
        }
        pattern = re.compile("`(" + "|".join(map(re.escape, chosen)) + ")`")
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.NAME and token.string in chosen and token.start not in paths:
                at[token.start[0]].append((token.start[1], token.end[1], chosen[token.string]))
            elif token.type in (tokenize.COMMENT, tokenize.STRING):
                for number, line in enumerate(token.string.split("\n")):
                    shift = token.start[1] if number == 0 else 0
                    for one in pattern.finditer(line):
                        at[token.start[0] + number].append(
                            (shift + one.start(1), shift + one.end(1), chosen[one[1]])
                        )
        for number, found in at.items():
            line = lines[number - 1]
            for start, end, new in sorted(found, reverse=True):
                line = line[:start] + new + line[end:]
            lines[number - 1] = line
        path.write_text("".join(lines), encoding="utf-8")


def _say_clashes(where: str, file: File, chosen: dict[str, str]) -> None:
    for old, new in chosen.items():
        for use in file.uses:
            if use.name == old and use.scope.home(new) is not None:
                print(f"words: {where}: {old} -> {new} meets a name that is there")
                break


def texts(root: Path) -> None:
    """Replace text by regular expressions: placeholders in SQL, pages, strings."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=root, capture_output=True, text=True, check=True
    ).stdout.split("\n")
    for name in filter(None, listed):
        chosen = [(old, new) for files, old, new, *_ in rows("texts.tsv") if fnmatch.fnmatch(name, files)]
        path = root / name
        if not chosen or not path.is_file() or name.startswith("house/"):
            continue
        text = path.read_text(encoding="utf-8")
        done = text
        for old, new in chosen:
            done = re.sub(old, new, done)
        if done != text:
            path.write_text(done, encoding="utf-8")
