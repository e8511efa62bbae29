"""One step of the move: every new module from its parts, and every file that names one of them."""

from __future__ import annotations

import ast
import re
import subprocess
from collections import defaultdict
from pathlib import Path

from house.moving import (
    Line,
    Rewriter,
    Rewritten,
    Tree,
    _bound_by,
    _is_docstring,
    _is_guard,
    _is_head,
    _is_typing,
    _movable,
    dotted,
    in_prose,
    rewritten,
    written,
)
from house.scopes import File, apply
from house.tables import Tables

PYTHON = ("tests", "bench", "docs", "examples", "console", "encoder")
TEXT = re.compile(
    r".*\.(md|toml|ya?ml|tpl|ts|tsx|sh|json|txt|mjs|js|html)|.*Makefile|.*Dockerfile.*|\.gitignore|NOTICE|.*\.cfg"
)
NOT = re.compile(
    r"(house|tests/data|\.venv|console/node_modules|requirements\.lock)(/|$)|docs/reference/openapi\.json|.*package-lock\.json"
)


SCRIPT = re.compile(r'^if __name__ == "__main__":\n(?:[ \t]+.*\n?|\n)*', re.MULTILINE)


class Built:
    """What a step makes of a tree, in memory until it is written."""

    def __init__(self, root: Path, tables: Tables) -> None:
        self.root, self.tables = root, tables
        self.tree = Tree(root, tables)
        self.said: list[str] = []
        self.made: dict[str, str] = {}
        self.gone: set[str] = set()
        groups: dict[str, list[str]] = defaultdict(list)
        rank = {name: number for number, name in enumerate(tables.order)}
        for old in sorted(self.tree.files, key=lambda one: (rank.get(one, 10**6), one)):
            groups[self.tree.new(old)].append(old)
        for new, parts in groups.items():
            if new == "delete":
                continue
            if len(parts) == 1 and "__" not in parts[0].rpartition("/")[2].replace("__init__", "").replace(
                "__main__", ""
            ):
                self.made[new] = self._alone(parts[0], new)
            else:
                self.made[new] = self._merged(new, parts)
        self.gone = {one for one in self.tree.files if one not in self.made}

    def _alone(self, old: str, new: str) -> str:
        file = self.tree.files[old]
        done = Rewriter(self.tree, file, old=old, home=new, whole=True).run()
        done.edits += self._homes(old, new, file)
        if old != new and new in self.tables.docs and not new.endswith("__init__"):
            first = file.tree.body[0]
            if _is_docstring(first):
                done.edits.append((*file.span(first), f'"""{self.tables.docs[new]}"""'.encode()))
        return apply(file.data, done.edits).decode()

    def _homes(self, old: str, new: str, file: File) -> list[tuple[int, int, bytes]]:
        """The tables of names that a package imports when they are first used."""
        edits: list[tuple[int, int, bytes]] = []
        for node in file.tree.body:
            if not (
                isinstance(node, ast.Assign) and "_HOMES" in _bound_by(node) and isinstance(node.value, ast.Dict)
            ):
                continue
            package = dotted(old)
            for key, value in zip(node.value.keys, node.value.values, strict=True):
                home, _, other = value.value.partition(":")
                module = self.tree.find(f"{package}.{home}")
                goal = self.tree.goal(module, other or key.value)
                place = dotted(goal.module).removeprefix(dotted(new) + ".")
                name = goal.name if goal.name != key.value else ""
                edits.append((*file.span(value), f'"{place}{":" + name if name else ""}"'.encode()))
        return edits

    # Merging

    def _ordered(self, parts: list[str]) -> list[str]:
        """What is imported comes before what imports it."""
        needs: dict[str, set[str]] = {one: set() for one in parts}
        for one in parts:
            file = self.tree.files[one]
            typed = {node for top in file.tree.body if _is_typing(top) for node in ast.walk(top)}
            for node, scope in file.imports:
                if scope is not file.module or node in typed or not isinstance(node, ast.ImportFrom):
                    continue
                target = self.tree.find(node.module or "")
                for alias in node.names if target else ():
                    for found in (self._origin(target, alias.name), self.tree.find(f"{node.module}.{alias.name}")):
                        if found in needs and found != one:
                            needs[one].add(found)
        done: list[str] = []
        while len(done) < len(parts):
            ready = [one for one in parts if one not in done and needs[one] <= set(done)]
            if not ready:
                self.tree.problems.append(f"parts import each other: {[one for one in parts if one not in done]}")
                return parts
            done.append(ready[0])
        return done

    def _origin(self, module: str, name: str) -> str | None:
        file = self.tree.files.get(module)
        if file is None:
            return None
        for node, scope in file.imports:
            if scope is file.module and isinstance(node, ast.ImportFrom):
                for one in node.names:
                    if (one.asname or one.name) == name and (target := self.tree.find(node.module or "")):
                        return self._origin(target, one.name)
        return module

    def _merged(self, new: str, parts: list[str]) -> str:
        parts = self._ordered(parts)
        files = [self.tree.files[one] for one in parts]
        taken: set[str] = set()
        for old, file in zip(parts, files, strict=True):
            imported = {name for node, scope in file.imports if scope is file.module for name in _bound_by(node)}
            taken |= {self.tables.symbols.get((old, name), name) for name in file.module.bound - imported}
            # A module that is bound under a name may be used where a local has that name.
            binding = {id(s) for s in file.scopes if s.kind in ("function", "comprehension")}
            lazy = {(id(scope), name) for node, scope in file.imports for name in _bound_by(node)}
            taken |= {
                name for s in file.scopes if id(s) in binding for name in s.bound if (id(s), name) not in lazy
            }
        chosen: dict[str, str] = {}
        done = [
            Rewriter(self.tree, file, old=old, home=new, taken=taken, chosen=chosen).run()
            for old, file in zip(parts, files, strict=True)
        ]
        dropped = self._clashes(new, parts, done)
        bodies = [self._body(one, dropped[number]) for number, one in enumerate(done)]
        # What runs when the module is a script runs when all of it is there.
        scripts = [match[0] for one in bodies for match in SCRIPT.finditer(one)]
        bodies = [*(SCRIPT.sub("", one).strip("\n") for one in bodies), *(one.strip("\n") for one in scripts)]
        return self._assembled(new, parts, done, bodies)

    def _clashes(self, new: str, parts: list[str], done: list[Rewritten]) -> list[set[str]]:
        problems = self.tree.problems
        owner: dict[str, tuple[str, str]] = {}
        dropped: list[set[str]] = [set() for _ in parts]
        for number, (old, one) in enumerate(zip(parts, done, strict=True)):
            for name, dump in one.defined.items():
                if name == "__all__":
                    continue
                if name not in owner:
                    owner[name] = (old, dump)
                elif owner[name][1] == dump:
                    dropped[number].add(name)
                    self.said.append(f"{new}: {name} stands once for {owner[name][0]} and {old}")
                else:
                    problems.append(f"clash\t{new}\t{name}\t{owner[name][0]}\t{old}")
        imported: dict[str, tuple[str, str]] = {}
        for old, one in zip(parts, done, strict=True):
            for line in (*one.head, *one.typing):
                bound = line.bound if line.module else line.name.partition(" as ")[2] or line.name.split(".")[0]
                what = f"{line.module}:{line.name}"
                if bound in owner:
                    problems.append(f"clash\t{new}\t{bound}\t{owner[bound][0]}\t{old} imports {what}")
                elif imported.setdefault(bound, (old, what))[1] != what:
                    if line.module:
                        problems.append(
                            f"clash\t{new}\t{bound}\t{imported[bound][0]} imports {imported[bound][1]}\t{old} imports {what}"
                        )
        for old, one in zip(parts, done, strict=True):
            own = {*one.defined} | {line.bound for line in (*one.head, *one.typing)}
            for name in sorted(one.free - own):
                if name in owner or name in imported:
                    problems.append(
                        f"capture\t{new}\t{name}\t{owner.get(name, imported.get(name))[0]}\t{old} means the builtin"
                    )
        return dropped

    def _body(self, one: Rewritten, dropped: set[str]) -> str:
        file, edits = one.file, list(one.edits)
        for number, node in enumerate(file.tree.body):
            drop = bool(_bound_by(node)) and _bound_by(node) <= dropped and _movable(node)
            every = "__all__" in _bound_by(node)
            if (number == 0 and _is_docstring(node)) or _is_head(node) or _is_guard(node) or drop or every:
                first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
                start, end = file.at(first, 0), file.lines[node.end_lineno]
                if drop:
                    lines = file.source.splitlines()
                    while first > 1 and lines[first - 2].startswith("#"):
                        first -= 1
                    start = file.at(first, 0)
                edits.append((start, end, b""))
        return apply(file.data, edits).decode().strip("\n")

    def _assembled(self, new: str, parts: list[str], done: list[Rewritten], bodies: list[str]) -> str:
        doc = self.tables.docs.get(new)
        if doc is None:
            doc = next(ast.get_docstring(one.file.tree) or "" for one in done)
            self.tree.problems.append(f"docstring\t{new}")
        head = [f'"""{doc}"""', ""]
        if any(
            isinstance(n, ast.ImportFrom) and n.module == "__future__" for one in done for n in one.file.tree.body
        ):
            head += ["from __future__ import annotations", ""]
        guards: list[str] = []
        for one in done:
            for node in one.file.tree.body:
                if _is_guard(node):
                    guards.append(
                        "".join(one.file.source.splitlines(keepends=True)[node.lineno - 1 : node.end_lineno])
                    )
        runtime = [line for one in done for line in one.head if line.module != dotted(new) or not line.module]
        if guards:
            head += ["from foveal.errors import Unsupported", "", *guards]
            runtime = [line for line in runtime if str(line) != "Unsupported"]
        head.append(_statements(runtime))
        known = {(line.module, str(line)) for line in runtime}
        typing = [line for one in done for line in one.typing if (line.module, str(line)) not in known]
        more = [text for one in done for text in self._typed(one)]
        if typing or more:
            head += ["", "if TYPE_CHECKING:", "    " + _statements(typing).replace("\n", "\n    "), *more]
        body = "\n\n\n".join(one for one in bodies if one)
        return "\n".join(head) + "\n\n\n" + body + "\n"

    def _typed(self, one: Rewritten) -> list[str]:
        found: list[str] = []
        for top in one.file.tree.body:
            if _is_typing(top):
                for node in top.body:
                    if not isinstance(node, (ast.Import, ast.ImportFrom)):
                        found.append("    " + one.file.text(node))
        return found

    # Everything else

    def others(self) -> dict[Path, str]:
        """The files outside of the package that change, with their new text."""
        listed = subprocess.run(
            ["git", "ls-files", "-co", "--exclude-standard"],
            cwd=self.root,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split("\n")
        found: dict[Path, str] = {}
        for name in sorted(filter(None, listed)):
            path = self.root / name
            if NOT.match(name) or not path.is_file() or name.startswith("src/foveal/"):
                continue
            if name.endswith(".py") and name.split("/")[0] in PYTHON:
                new = self.other(path)
            elif TEXT.fullmatch(name):
                try:
                    text = path.read_text(encoding="utf-8")
                except UnicodeDecodeError:
                    continue
                new = rewritten(self.tree, text)
                if name.endswith(".md"):
                    new = in_prose(self.tree, new)
                for before, after in self.tables.data.items():
                    new = new.replace(before, after)
            else:
                continue
            if new != path.read_text(encoding="utf-8"):
                found[path] = new
        return found

    def other(self, path: Path) -> str:
        source = path.read_text(encoding="utf-8")
        if "foveal" not in source:
            return source
        file = File(source)
        done = Rewriter(self.tree, file, whole=True, where=str(path.relative_to(self.root))).run()
        return apply(file.data, done.edits).decode()


def _statements(lines: list[Line]) -> str:
    plain = sorted({line.name for line in lines if not line.module})
    rest: dict[tuple[str, str], Line] = {(line.module, str(line)): line for line in lines if line.module}
    return "\n".join([*(f"import {name}" for name in plain), *filter(None, [written(list(rest.values()))])])
