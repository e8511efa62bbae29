"""Moves and merges modules, and rewrites whatever names them."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from house.scopes import File, Scope
from house.tables import Tables

IMPORTS = (ast.Import, ast.ImportFrom)


def dotted(module: str) -> str:
    """`model/record` as `foveal.model.record`."""
    if module.startswith("@"):
        return module[1:].replace("/", ".")
    name = module.removesuffix("__init__").strip("/").replace("/", ".")
    return f"foveal.{name}" if name else "foveal"


def base(module: str) -> str:
    return module.rpartition("/")[2]


@dataclass(frozen=True)
class Goal:
    """What an imported name means after the move: a name of a module, or a module (name empty)."""

    module: str
    name: str = ""


class Tree:
    """The modules as they are, and where each name of them goes."""

    def __init__(self, root: Path, tables: Tables) -> None:
        self.root, self.tables = root, tables
        self.source = root / "src" / "foveal"
        texts = {
            str(path.relative_to(self.source)).removesuffix(".py"): path.read_text(encoding="utf-8")
            for path in sorted(self.source.rglob("*.py"))
            if "_pb2" not in path.name
        }
        self.places = dict(tables.places)
        self._split(texts)
        self.files = {name: File(text) for name, text in texts.items()}
        self.problems: list[str] = []
        self.all = set(self.files) | {
            str(p.relative_to(self.source)).removesuffix(".py") for p in self.source.rglob("*_pb2*.py")
        }

    def _split(self, texts: dict[str, str]) -> None:
        """Give each symbol that leaves its module a module of its own, which the map then sends elsewhere."""
        for module, names, target in self.tables.moved:
            if module not in texts:
                continue
            for number, name in enumerate(names.split(",")):
                texts.update(self._without(module, texts[module], name, f"{module}__{name}"))
                self.places[f"{module}__{name}"] = target
                self.tables.order.append(f"{module}__{name}")

    def _without(self, module: str, text: str, name: str, other: str) -> dict[str, str]:
        file = File(text)
        head = [one for one in file.tree.body if _is_head(one)]
        [own] = [one for one in file.tree.body if name in _bound_by(one) and not _is_head(one)]
        lines = text.splitlines(keepends=True)
        first = min([own.lineno, *(one.lineno for one in getattr(own, "decorator_list", []))])
        while lines[first - 2].startswith("#"):
            first -= 1
        body = "".join(lines[first - 1 : own.end_lineno])
        imports = "".join("".join(lines[one.lineno - 1 : one.end_lineno]) for one in head)
        used = {
            use.name
            for use in file.uses
            if use.scope.home(use.name) is file.module and own.lineno <= _line(file, use.start) <= own.end_lineno
        }
        own_names = {one for stmt in file.tree.body if not _is_head(stmt) for one in _bound_by(stmt)} - {name}
        more = "".join(f"from {dotted(module)} import {one}\n" for one in sorted(used & own_names))
        last = max((one.end_lineno for one in head), default=1)
        rest = lines[: first - 1] + lines[own.end_lineno :]
        rest.insert(last, f"from {dotted(other)} import {name}\n")
        return {module: "".join(rest), other: f'"""Split off."""\n\n{imports}{more}\n\n{body}'}

    def new(self, module: str) -> str:
        return self.places.get(module, module)

    def find(self, name: str) -> str | None:
        """The module that a dotted name names."""
        if name == "foveal":
            return "__init__"
        if not name.startswith("foveal."):
            return None
        key = name.removeprefix("foveal.").replace(".", "/")
        return key if key in self.all else f"{key}/__init__" if f"{key}/__init__" in self.all else None

    def goal(self, module: str, name: str) -> Goal:
        """Where a name of a module is after the move."""
        if module not in self.files:
            return Goal(module, name)
        file = self.files[module]
        is_package = module.endswith("__init__")
        if name not in file.module.bound:
            under = self.find(f"{dotted(module)}.{name}") if is_package else None
            if under:
                return Goal(self.new(under))
            if not (name.startswith("__") or module == "__init__" or "__getattr__" in file.module.bound):
                self.problems.append(f"{module} has no name {name}")
            return Goal(self.new(module), name)
        if is_package and self.new(module) != "delete":
            return Goal(self.new(module), self.tables.symbols.get((module, name), name))
        for node, scope in file.imports:
            if scope is not file.module or not isinstance(node, ast.ImportFrom):
                continue
            for one in node.names:
                if (one.asname or one.name) == name and (target := self.find(node.module or "")):
                    return self.goal(target, one.name)
        return Goal(self.new(module), self.tables.symbols.get((module, name), name))


def _line(file: File, offset: int) -> int:
    import bisect

    return bisect.bisect_right(file.lines, offset)


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _is_typing(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def _is_head(node: ast.stmt) -> bool:
    return isinstance(node, IMPORTS) or _is_typing(node)


def _is_guard(node: ast.stmt) -> bool:
    return isinstance(node, ast.Try) and all(isinstance(one, IMPORTS) for one in node.body)


def _bound_by(node: ast.stmt) -> set[str]:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {node.name}
    if isinstance(node, IMPORTS):
        return {one.asname or one.name.split(".")[0] for one in node.names}
    found: set[str] = set()
    for one in ast.walk(node):
        if isinstance(one, (ast.FunctionDef, ast.ClassDef, ast.Lambda)):
            continue
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store):
            found.add(one.id)
        if isinstance(one, IMPORTS):
            found |= _bound_by(one)
    return found


@dataclass
class Line:
    """One alias of an import, as it will be written."""

    module: str  # dotted
    name: str
    bound: str

    def __str__(self) -> str:
        return self.name if self.name == self.bound else f"{self.name} as {self.bound}"


def written(lines: list[Line], indent: str = "") -> str:
    """Import statements."""
    by: dict[str, list[str]] = defaultdict(list)
    for one in lines:
        if str(one) not in by[one.module]:
            by[one.module].append(str(one))
    out = [
        f"import {', '.join(sorted(names))}" if not module else f"from {module} import {', '.join(sorted(names))}"
        for module, names in by.items()
    ]
    return f"\n{indent}".join(out)


@dataclass
class Rewritten:
    """What became of a file: its edits, and what it imports at its top."""

    file: File
    edits: list[tuple[int, int, bytes]] = field(default_factory=list)
    head: list[Line] = field(default_factory=list)
    typing: list[Line] = field(default_factory=list)
    defined: dict[str, str] = field(default_factory=dict)  # new name -> dump of its definition
    imported: dict[str, str] = field(default_factory=dict)  # bound name -> what it is
    free: set[str] = field(default_factory=set)


class Rewriter:
    """Rewrites one file for the place it goes to; `home` is its new module, empty outside of the package."""

    def __init__(
        self,
        tree: Tree,
        file: File,
        *,
        old: str = "",
        home: str = "",
        taken: set[str] = frozenset(),
        chosen: dict[str, str] | None = None,
        whole: bool = False,
        where: str = "",
    ) -> None:
        self.tree, self.file, self.old, self.home, self.whole = tree, file, old, home, whole
        self.where = where or old
        self.out = Rewritten(file)
        self.taken = taken
        self.chosen: dict[str, str] = {} if chosen is None else chosen
        # (scope, bound name) -> new name of the binding; or module bindings.
        self.renames: dict[tuple[int, str], str] = {}
        self.modules: dict[tuple[int, str], str] = {}  # (scope, bound) -> old module
        self.extra: dict[int, list[Line]] = defaultdict(list)
        self.typed = {node for top in file.tree.body if _is_typing(top) for node in ast.walk(top)}

    def problem(self, text: str) -> None:
        self.tree.problems.append(f"{self.where}: {text}")

    def run(self) -> Rewritten:
        file, symbols = self.file, self.tree.tables.symbols
        for name in file.module.bound:
            new = symbols.get((self.old, name))
            if new and self.old:
                self.renames[id(file.module), name] = new
        self.bound_modules = self._bound_modules()
        statements = [(node, scope, self._lines(node, scope)) for node, scope in file.imports]
        self._uses()
        self._attributes()
        self._calls()
        self._texts()
        for node, scope, lines in statements:
            self._statement(node, scope, lines)
        if self.old in self.tree.tables.lazy and not self.whole:
            self._put_off()
        self._ends()
        return self.out

    # Imports

    def _lines(self, node: ast.Import | ast.ImportFrom, scope: Scope) -> list[Line]:
        lines: list[Line] = []
        if isinstance(node, ast.Import):
            for one in node.names:
                if one.name.startswith("foveal."):
                    self.problem(f"import {one.name}")
                lines.append(
                    Line(
                        "",
                        one.name if not one.asname else f"{one.name} as {one.asname}",
                        one.name if not one.asname else f"{one.name} as {one.asname}",
                    )
                )
            return lines
        module = "." * node.level + (node.module or "")
        target = self.tree.find(module)
        for one in node.names:
            bound = one.asname or one.name
            if target is None:
                lines.append(Line(module, one.name, self.renames.get((id(scope), bound), bound)))
                continue
            goal = self.tree.goal(target, one.name)
            if goal.module == "delete":
                self.problem(f"imports the deleted {module}")
                continue
            if not goal.name:
                lines += self._module(goal.module, self.tree.find(f"{module}.{one.name}") or "", bound, scope)
                continue
            if goal.module == self.home:
                self._rename(scope, bound, goal.name)
                continue
            kept = (
                self.tree.tables.symbols.get((self.old, bound)) if self.old and scope is self.file.module else None
            )
            new = kept or (one.asname if one.asname and one.asname != one.name else goal.name)
            self._rename(scope, bound, new)
            lines.append(Line(dotted(goal.module), goal.name, new))
        return lines

    def _bound_modules(self) -> set[str]:
        """The names under which this file knows modules of ours."""
        found: set[str] = set()
        for node, _ in self.file.imports:
            target = self.tree.find(node.module or "") if isinstance(node, ast.ImportFrom) else None
            for one in node.names if target else ():
                if not self.tree.goal(target, one.name).name:
                    found.add(one.asname or one.name)
        return found

    def _rename(self, scope: Scope, old: str, new: str) -> None:
        if old != new:
            self.renames[id(scope), old] = new
        else:
            self.renames.pop((id(scope), old), None)

    def _module(self, goal: str, old: str, bound: str, scope: Scope) -> list[Line]:
        self.modules[id(scope), bound] = old
        if goal == self.home:
            return []
        new = self._choose(goal, bound, old)
        self._rename(scope, bound, new)
        package, _, name = dotted(goal).rpartition(".")
        return [Line(package, name, new)]

    def _choose(self, goal: str, bound: str, old: str) -> str:
        if goal in self.chosen:
            return self.chosen[goal]
        name = base(goal.removesuffix("/__init__"))
        ours = self.bound_modules
        busy = {one for scope in self.file.scopes if scope.kind != "class" for one in scope.bound} - ours
        busy |= self.taken
        busy |= set(self.chosen.values())
        package = base(goal.rpartition("/")[0])
        for one in (name, bound, f"{package}_{name}", f"{name}_module"):
            if one not in busy:
                self.chosen[goal] = one
                return one
        raise AssertionError((goal, bound))

    def _statement(self, node: ast.Import | ast.ImportFrom, scope: Scope, lines: list[Line]) -> None:
        if isinstance(node, ast.ImportFrom) and node.module == "__future__" and not self.whole:
            return
        start, end = self.file.span(node)
        typing = node in self.typed
        if scope is self.file.module and not self.whole and not self._guarded(node):
            (self.out.typing if typing else self.out.head).extend(lines)
            return
        lines = lines + self.extra.pop(id(scope), [])
        if isinstance(node, ast.Import) and not any(one.name.startswith("foveal.") for one in node.names):
            return
        if isinstance(node, ast.ImportFrom) and self.tree.find(node.module or "") is None:
            return
        indent = " " * node.col_offset
        text = written(lines, indent)
        if not text:
            parent = self.file.parents[node]
            alone = any(getattr(parent, part, None) == [node] for part in ("body", "orelse", "finalbody"))
            if alone:
                text = "pass"
            else:
                start = self.file.at(node.lineno, 0)
                end = self.file.lines[node.end_lineno]
                # The empty line that set the import apart goes with it.
                after = self.file.data[end : end + 1]
                before = self.file.data[:start].rstrip(b" ")
                if after == b"\n" and (
                    before.endswith(b":\n") or before.endswith(b'"""\n\n') or before.endswith(b'"""\n')
                ):
                    end += 1
        self.out.edits.append((start, end, text.encode()))

    def _guarded(self, node: ast.AST) -> bool:
        parent = self.file.parents[node]
        return isinstance(parent, ast.Try)

    # Uses

    def _edit(self, start: int, end: int, old: str, new: str) -> None:
        if self.file.data[start:end] != old.encode():
            self.problem(f"expected {old!r} at {start}, found {self.file.data[start:end]!r}")
            return
        self.out.edits.append((start, end, new.encode()))

    def _shadowed(self, name: str, scope: Scope, binding: Scope) -> bool:
        home = scope.home(name)
        return (
            home is not None
            and home is not binding
            and home.kind != "module"
            or (home is not None and home.kind == "module" and binding is not home)
        )

    def _uses(self) -> None:
        for use in self.file.uses:
            binding = use.scope.home(use.name)
            if binding is None:
                self.out.free.add(use.name)
                continue
            new = self.renames.get((id(binding), use.name))
            if (id(binding), use.name) in self.modules:
                parent = self.file.parents.get(use.node) if use.node else None
                if isinstance(parent, ast.Attribute) and parent.value is use.node:
                    continue
                if self.tree.new(self.modules[id(binding), use.name]) == self.home:
                    self.problem(f"line {_line(self.file, use.start)}: bare use of module {use.name}")
                    continue
            if new is None or new == use.name:
                continue
            target = (
                binding if binding.kind != "function" or not self._dropped(binding, use.name) else self.file.module
            )
            if self._shadowed(new, use.scope, target):
                self.problem(f"line {_line(self.file, use.start)}: {use.name} -> {new} is shadowed")
            self._edit(use.start, use.end, use.name, new)

    def _dropped(self, binding: Scope, name: str) -> bool:
        """Whether the import that bound a name in a function goes, so that the name of the module is meant."""
        for node, scope in self.file.imports:
            if scope is binding and isinstance(node, ast.ImportFrom):
                target = self.tree.find(node.module or "")
                for one in node.names:
                    if (one.asname or one.name) == name and target:
                        return self.tree.goal(target, one.name).module == self.home
        return False

    def _attributes(self) -> None:
        for node, scope in self.file.attributes:
            if not isinstance(node.value, ast.Name):
                continue
            name = node.value.id
            binding = scope.home(name)
            if binding is None or (id(binding), name) not in self.modules:
                continue
            module = self.modules[id(binding), name]
            goal = self.tree.goal(module, node.attr)
            start, end = self.file.span(node)
            if not goal.name:
                self.problem(f"{name}.{node.attr} names a module")
                continue
            if goal.module == self.home:
                new = goal.name
                if self._shadowed(new, scope, self.file.module):
                    self.problem(f"line {node.lineno}: {name}.{node.attr} -> {new} is shadowed")
            elif f"{module}__{node.attr}" not in self.tree.files:
                new = f"{self.renames.get((id(binding), name), name)}.{goal.name}"
                if self._shadowed(self.renames.get((id(binding), name), name), scope, binding):
                    self.problem(f"line {node.lineno}: module {name} -> {new} is shadowed")
            else:
                # A name that the old module only imported, or one that went elsewhere.
                new = goal.name
                line = Line(dotted(goal.module), goal.name, goal.name)
                if binding is self.file.module and not self.whole:
                    self.out.head.append(line)
                else:
                    self.extra[id(binding)].append(line)
            self.out.edits.append((start, end, new.encode()))

    def _calls(self) -> None:
        """`setattr(module, "name", …)`, and paths of names to be patched."""
        for node, scope in self.file.calls:
            if len(node.args) < 2 or not (
                isinstance(node.args[0], ast.Name) and isinstance(node.args[1], ast.Constant)
            ):
                continue
            binding = scope.home(node.args[0].id)
            if (
                binding is None
                or (id(binding), node.args[0].id) not in self.modules
                or not isinstance(node.args[1].value, str)
            ):
                continue
            module = self.modules[id(binding), node.args[0].id]
            goal = self.tree.tables.symbols.get((module, node.args[1].value))
            if goal:
                start, end = self.file.span(node.args[1])
                self.out.edits.append((start, end, f'"{goal}"'.encode()))

    def _texts(self) -> None:
        top = id(self.file.module)
        names = {name: new for (scope, name), new in self.renames.items() if scope == top}
        flat = {name: module for (scope, name), module in self.modules.items() if scope == top}
        for node, scope, is_type in self.file.texts:
            start, end = self.file.span(node)
            text = self.file.data[start:end].decode()
            new = text
            if is_type:
                new = self._type_text(new, names, flat)
            elif isinstance(node, ast.Constant):
                new = self.text(new, names, flat)
            else:
                new = rewritten(self.tree, new, self.problem)
            if new != text:
                self.out.edits.append((start, end, new.encode()))

    def _type_text(self, text: str, names: dict[str, str], flat: dict[str, str]) -> str:
        def dot(match: re.Match[str]) -> str:
            module, name = match[1], match[2]
            goal = self.tree.goal(flat[module], name)
            return goal.name if goal.module == self.home else f"{names.get(module, module)}.{goal.name}"

        if flat:
            text = re.sub(rf"\b({'|'.join(flat)})\.(\w+)", dot, text)
        return re.sub(r"(?<![\w.])(\w+)\b", lambda m: names.get(m[1], m[1]) if m[1] not in flat else m[1], text)

    def text(self, text: str, names: dict[str, str], flat: dict[str, str]) -> str:
        text = rewritten(self.tree, text, self.problem)
        if ">>>" not in text:
            return text
        lines = text.split("\n")
        for number, line in enumerate(lines):
            if re.match(r'\s*(r?"""|\')?\s*(>>>|\.\.\.) ', line) and " import " not in line:
                lines[number] = self._type_text(line, names, flat)
        return "\n".join(lines)

    def _put_off(self) -> None:
        """Import what is heavy where it is used, not with the module."""
        back = {new: old for (scope, old), new in self.renames.items() if scope == id(self.file.module)}
        stay: list[Line] = []
        wanted: dict[ast.AST, list[Line]] = defaultdict(list)
        for line in self.out.head:
            if not HEAVY.match(line.module or line.name):
                stay.append(line)
                continue
            bound = (line.bound if line.module else line.name.split(" ")[-1]).split(".")[0]
            old = back.get(bound, bound)
            for use in self.file.uses:
                if use.name != old or use.scope.home(old) is not self.file.module:
                    continue
                if id(use.node) in self.file.annotated:
                    self.out.typing.append(line)
                    continue
                function = self._function_of(use.node)
                if function is None:
                    self.problem(
                        f"line {_line(self.file, use.start)}: {bound} is needed when the module is imported"
                    )
                elif str(line) not in map(str, wanted[function]):
                    wanted[function].append(line)
        self.out.head = stay
        if self.out.typing:
            self.out.head.append(Line("typing", "TYPE_CHECKING", "TYPE_CHECKING"))
        for function, lines in wanted.items():
            first = function.body[1] if _is_docstring(function.body[0]) else function.body[0]
            indent = " " * first.col_offset
            at = self.file.at(first.lineno, 0)
            gap = "" if isinstance(first, IMPORTS) else "\n"
            self.out.edits.append((at, at, f"{indent}{written(lines, indent)}\n{gap}".encode()))

    def _function_of(self, node: ast.AST) -> ast.AST | None:
        """The outermost function in whose body a node stands."""
        found: ast.AST | None = None
        while node in self.file.parents:
            parent = self.file.parents[node]
            if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)) and node in parent.body:
                found = parent
            node = parent
        return found

    # The rest

    def _ends(self) -> None:
        if self.whole and self.extra:
            for lines in self.extra.values():
                first = next(
                    one
                    for one in self.file.tree.body
                    if isinstance(one, IMPORTS)
                    and not (isinstance(one, ast.ImportFrom) and one.module == "__future__")
                )
                at = self.file.at(first.lineno, 0)
                self.out.edits.append((at, at, (written(lines) + "\n").encode()))
        for node in self.file.tree.body:
            if _is_head(node) or _is_docstring(node) or _is_guard(node):
                continue
            for name in _bound_by(node) & self.file.module.bound:
                new = self.renames.get((id(self.file.module), name), name)
                self.out.defined.setdefault(new, ast.dump(node) if _movable(node) else f"{self.old}:{name}")


def _movable(node: ast.stmt) -> bool:
    return isinstance(node, (ast.Assign, ast.AnnAssign, ast.FunctionDef, ast.ClassDef))


HEAVY = re.compile(r"foveal\.(?!errors$|doors\.cli\.(?!output|values))|msgspec|numpy|rich|apsw|pydantic")
FROM = re.compile(r"from (foveal[\w.]*) import (\([^)]*\)|[\w, ]+)")
DOTTED = re.compile(r"(?<![\w./@-])foveal((?:\.\w+)+)")
PATH = re.compile(r"(?<![\w.])((?:src/)?foveal/)((?:\w+/)*\w+)(\.pyi?|/)(?!\w)")


ROOMS = "model|rules|ports|engine|backends|wire|agents|doors|testing"
BARE = re.compile(rf"(?<![\w/.-])((?:{ROOMS})/(?:\w+/)*\w+)(\.py)?(?![\w/])")


def in_prose(tree: Tree, text: str) -> str:
    """A page that names modules by their paths below the package, as `rules/words.py`."""

    def path(match: re.Match[str]) -> str:
        module = match[1] if match[1] in tree.files else f"{match[1]}/__init__"
        if module not in tree.files or tree.new(module) == module:
            return match[0]
        place = tree.new(module)
        place = _package_place(tree, module) if place == "delete" else place
        name = place.removesuffix("/__init__")
        return name + (".py" if match[2] and not place.endswith("__init__") else "")

    return BARE.sub(path, text)


def rewritten(tree: Tree, text: str, problem: object = None) -> str:
    """Prose or code in a string: imports, dotted names and paths of modules that moved."""

    def statement(match: re.Match[str]) -> str:
        target = tree.find(match[1])
        if target is None:
            return match[0]
        lines: list[Line] = []
        tail = ""
        words = match[2].strip("()")
        if not match[2].startswith("("):
            stripped = words.rstrip(" ,")
            tail, words = words[len(stripped) :], stripped
        for word in words.split(","):
            if not word.strip():
                continue
            name, _, bound = word.strip().partition(" as ")
            if not name.isidentifier():
                return match[0]
            if (
                target != "__init__"
                and name not in tree.files.get(target, File("")).module.bound
                and not tree.find(f"{match[1]}.{name}")
            ):
                # Prose, not code.
                return match[0]
            goal = tree.goal(target, name)
            if goal.module == "delete":
                return match[0]
            if goal.name:
                lines.append(
                    Line(
                        dotted(goal.module),
                        goal.name,
                        bound or (name if tree.goal(target, name).name != name else goal.name),
                    )
                )
            else:
                package, _, last = dotted(goal.module).rpartition(".")
                lines.append(Line(package, last, bound or name))
        start = text.rfind("\n", 0, match.start()) + 1
        lead = text[start : match.start()]
        # Behind a prompt or inside a string on one line, statements go on as they began.
        if lead.strip() in ("", ">>>") or lead.strip().startswith(">>>"):
            joint = lead if lead.strip() in ("", ">>>") else "; "
            return written(lines, lead).replace("\n" + lead, "\n" + joint) + tail
        return written(lines).replace("\n", "; ") + tail

    def name(match: re.Match[str]) -> str:
        parts = match[1][1:].split(".")
        for count in range(len(parts), 0, -1):
            module = tree.find("foveal." + ".".join(parts[:count]))
            if module is None or module not in tree.files:
                continue
            rest = parts[count:]
            if rest and rest[0] in tree.files[module].module.bound:
                goal = tree.goal(module, rest[0])
                if goal.module != "delete":
                    return ".".join([dotted(goal.module), *([goal.name] if goal.name else []), *rest[1:]])
            place = tree.new(module)
            if place == "delete":
                place = _package_place(tree, module)
            return ".".join([dotted(place), *rest])
        return match[0]

    def path(match: re.Match[str]) -> str:
        if match[3] == "/":
            module = f"{match[2]}/__init__"
            if module in tree.files and tree.new(module) != module:
                place = tree.new(module)
                place = _package_place(tree, module) if place == "delete" else place
                return (
                    match[1]
                    + place.removesuffix("__init__").rstrip("/")
                    + ("/" if place.endswith("__init__") else ".py")
                )
            return match[0]
        place = tree.new(match[2])
        return match[0] if place in (match[2], "delete") else f"{match[1]}{place}{match[3]}"

    if "foveal" not in text:
        return text
    text = FROM.sub(statement, text)
    text = DOTTED.sub(name, text)
    return PATH.sub(path, text)


def _package_place(tree: Tree, module: str) -> str:
    """Where a package went that is no more: to where most of it went."""
    folder = module.removesuffix("__init__")
    goals = [tree.new(one) for one in tree.files if one.startswith(folder) and tree.new(one) != "delete"]
    goals = goals or [module]
    return max(sorted(set(goals)), key=goals.count)
