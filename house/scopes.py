"""Which binding a name in a file means: enough of Python's scoping to rename by it."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field

FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSION = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(eq=False)
class Scope:
    kind: str
    parent: Scope | None
    bound: set[str] = field(default_factory=set)
    outer: set[str] = field(default_factory=set)  # declared global
    nonlocals: set[str] = field(default_factory=set)

    def home(self, name: str) -> Scope | None:
        """The scope whose binding `name` means, when used here."""
        scope: Scope | None = self
        first = True
        while scope is not None:
            if name in scope.outer:
                while scope.parent is not None:
                    scope = scope.parent
                return scope if name in scope.bound else None
            if name in scope.bound and (first or scope.kind != "class"):
                return scope
            first = False
            scope = scope.parent
        return None


@dataclass
class Use:
    name: str
    start: int  # byte offsets
    end: int
    scope: Scope
    node: ast.AST | None = None


class File:
    """A parsed file with its scopes, uses of names, and byte positions."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.data = source.encode()
        self.tree = ast.parse(source)
        self.lines = [0]
        for line in self.data.splitlines(keepends=True):
            self.lines.append(self.lines[-1] + len(line))
        self.module = Scope("module", None)
        self.uses: list[Use] = []
        self.attributes: list[tuple[ast.Attribute, Scope]] = []
        self.imports: list[tuple[ast.Import | ast.ImportFrom, Scope]] = []
        self.texts: list[tuple[ast.AST, Scope, bool]] = []  # string constants; whether they are types
        self.calls: list[tuple[ast.Call, Scope]] = []
        self.scopes: list[Scope] = [self.module]
        self.annotated: set[int] = set()
        self.parents: dict[ast.AST, ast.AST] = {}
        for node in ast.walk(self.tree):
            for child in ast.iter_child_nodes(node):
                self.parents[child] = node
        self._block(self.tree.body, self.module)

    def at(self, line: int, column: int) -> int:
        return self.lines[line - 1] + column

    def span(self, node: ast.AST) -> tuple[int, int]:
        return self.at(node.lineno, node.col_offset), self.at(node.end_lineno, node.end_col_offset)

    def text(self, node: ast.AST) -> str:
        start, end = self.span(node)
        return self.data[start:end].decode()

    def _block(self, body: list[ast.stmt], scope: Scope) -> None:
        for node in body:
            self._visit(node, scope)

    def _bind(self, scope: Scope, name: str) -> None:
        target = scope
        while target.kind == "comprehension" and target.parent is not None and False:
            target = target.parent
        if name not in target.outer and name not in target.nonlocals:
            target.bound.add(name)

    def _named(self, node: ast.AST, word: str, name: str, scope: Scope) -> None:
        start = self.at(node.lineno, node.col_offset)
        match = re.compile(rb"(?:async\s+)?" + word.encode() + rb"\s+(" + name.encode() + rb")\b").match(
            self.data, start
        )
        assert match, (node.lineno, name)
        self.uses.append(Use(name, match.start(1), match.end(1), scope, node))

    def _type(self, node: ast.AST | None, scope: Scope) -> None:
        if node is None:
            return
        for one in ast.walk(node):
            self.annotated.add(id(one))
            if isinstance(one, ast.Constant) and isinstance(one.value, str):
                inside = self.parents.get(one)
                literal = isinstance(inside, ast.Subscript) and ast.unparse(inside.value) == "Literal"
                nested = (
                    isinstance(inside, ast.Tuple)
                    and isinstance(self.parents.get(inside), ast.Subscript)
                    and ast.unparse(self.parents[inside].value) in ("Literal", "Annotated")
                )
                if not literal and not nested and not any(isinstance(x, ast.Call) for x in self._up(one, node)):
                    self.texts.append((one, scope, True))
        self._visit(node, scope)

    def _up(self, node: ast.AST, top: ast.AST):
        while node is not top:
            yield node
            node = self.parents[node]
        yield top

    def _visit(self, node: ast.AST, scope: Scope) -> None:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            self._bind(scope, node.name)
            self._named(node, "def", node.name, scope)
            for one in node.decorator_list:
                self._visit(one, scope)
            self._function(node, scope)
        elif isinstance(node, ast.Lambda):
            self._function(node, scope)
        elif isinstance(node, ast.ClassDef):
            self._bind(scope, node.name)
            self._named(node, "class", node.name, scope)
            for one in (*node.decorator_list, *node.bases, *(k.value for k in node.keywords)):
                self._visit(one, scope)
            inner = Scope("class", scope)
            self.scopes.append(inner)
            self._block(node.body, inner)
        elif isinstance(node, COMPREHENSION):
            inner = Scope("comprehension", scope)
            self.scopes.append(inner)
            self._visit(node.generators[0].iter, scope)
            for number, one in enumerate(node.generators):
                self._visit(one.target, inner)
                if number:
                    self._visit(one.iter, inner)
                for test in one.ifs:
                    self._visit(test, inner)
            for one in (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,):
                self._visit(one, inner)
        elif isinstance(node, ast.NamedExpr):
            target = scope
            while target.kind == "comprehension":
                target = target.parent
            self._bind(target, node.target.id)
            self.uses.append(Use(node.target.id, *self.span(node.target), target, node.target))
            self._visit(node.value, scope)
        elif isinstance(node, ast.Name):
            if isinstance(node.ctx, (ast.Store, ast.Del)):
                self._bind(scope, node.id)
            self.uses.append(Use(node.id, *self.span(node), scope, node))
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            self.imports.append((node, scope))
            for one in node.names:
                self._bind(scope, one.asname or one.name.split(".")[0])
        elif isinstance(node, ast.Global):
            scope.outer.update(node.names)
            scope.bound.difference_update(node.names)
            top = self.module
            for name in node.names:
                top.bound.add(name)
                start = self.at(node.lineno, node.col_offset)
                match = re.compile(rb"[^\n]*?\b(" + name.encode() + rb")\b").match(self.data, start + 6)
                self.uses.append(Use(name, match.start(1), match.end(1), scope, node))
        elif isinstance(node, ast.Nonlocal):
            scope.nonlocals.update(node.names)
            scope.bound.difference_update(node.names)
        elif isinstance(node, ast.ExceptHandler):
            if node.name:
                self._bind(scope, node.name)
            for child in ast.iter_child_nodes(node):
                self._visit(child, scope)
        elif isinstance(node, (ast.MatchAs, ast.MatchStar)):
            if node.name:
                self._bind(scope, node.name)
            for child in ast.iter_child_nodes(node):
                self._visit(child, scope)
        elif isinstance(node, ast.AnnAssign):
            self._visit(node.target, scope)
            self._type(node.annotation, scope)
            if node.value is not None:
                self._visit(node.value, scope)
        elif isinstance(node, ast.Constant):
            if isinstance(node.value, str):
                self.texts.append((node, scope, False))
        elif isinstance(node, ast.JoinedStr):
            self.texts.append((node, scope, False))
            for child in node.values:
                if isinstance(child, ast.FormattedValue):
                    self._visit(child, scope)
        else:
            if isinstance(node, ast.Attribute):
                self.attributes.append((node, scope))
            if isinstance(node, ast.Call):
                self.calls.append((node, scope))
                called = ast.unparse(node.func)
                if called in ("cast", "typing.cast") and node.args and isinstance(node.args[0], ast.Constant):
                    self.texts.append((node.args[0], scope, True))
            for child in ast.iter_child_nodes(node):
                self._visit(child, scope)

    def _function(self, node: ast.AST, scope: Scope) -> None:
        inner = Scope("function", scope)
        self.scopes.append(inner)
        arguments = node.args
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        every += [one for one in (arguments.vararg, arguments.kwarg) if one]
        for one in every:
            inner.bound.add(one.arg)
            self._type(one.annotation, scope)
        for one in (*arguments.defaults, *arguments.kw_defaults):
            if one is not None:
                self._visit(one, scope)
        if isinstance(node, ast.Lambda):
            self._visit(node.body, inner)
        else:
            self._type(node.returns, scope)
            # A name may be bound below its use: bindings first.
            self._block(node.body, inner)


def apply(data: bytes, edits: list[tuple[int, int, bytes]]) -> bytes:
    """The text with every edit made. Equal edits count once; those inside another are left out."""
    done: list[bytes] = []
    position = 0
    for start, end, new in sorted(set(edits), key=lambda one: (one[0], one[0] != one[1], -one[1])):
        if start < position:
            continue
        done += [data[position:start], new]
        position = end
    return b"".join([*done, data[position:]])
