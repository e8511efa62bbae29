"""Say what is wrong with the shape of a tree after the move: `python house/check.py ROOT`."""

from __future__ import annotations

import ast
import collections
import pathlib
import sys


def cycles(graph: dict[str, set[str]]) -> list[list[str]]:
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in graph.get(node, ()):
            if other not in index:
                visit(other)
            if other in stack:
                low[node] = min(low[node], low[other])
        if low[node] == index[node]:
            group = stack[stack.index(node) :]
            del stack[stack.index(node) :]
            if len(group) > 1:
                found.append(sorted(group))

    sys.setrecursionlimit(10_000)
    for node in list(graph):
        if node not in index:
            visit(node)
    return found


def main() -> None:
    root = pathlib.Path(sys.argv[1]) / "src" / "foveal"
    texts = {str(p.relative_to(root))[:-3]: p.read_text() for p in root.rglob("*.py") if "_pb2" not in p.name}
    trees = {name: ast.parse(text) for name, text in texts.items()}

    def find(name: str) -> str | None:
        key = "/".join(name.split(".")[1:])
        return next((one for one in (key, f"{key}/__init__".strip("/")) if one in trees), None)

    def graph(late: bool) -> dict[str, set[str]]:
        made: dict[str, set[str]] = {}
        for module, tree in trees.items():
            nodes = ast.walk(tree) if late else tree.body
            made[module] = {
                goal
                for node in nodes
                if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "foveal"
                for one in node.names
                if (goal := find(f"{node.module}.{one.name}") or find(node.module)) and goal != module
            }
        return made

    rooms: dict[str, set[str]] = collections.defaultdict(set)
    for module, goals in graph(late=True).items():
        for goal in goals:
            one, other = (name.rpartition("/")[0] or name for name in (module, goal))
            if one != other and "__init__" not in (module, goal):
                rooms[one].add(other)
    lines = {name: text.count("\n") for name, text in texts.items()}
    sizes = collections.Counter(name.rpartition("/")[0] for name in trees if not name.endswith("__init__"))
    own = sorted(n for name, n in lines.items() if not name.endswith("__init__"))
    print(f"{len(trees)} modules, {sum(lines.values())} lines, median {own[len(own) // 2]}, largest {max(own)}")
    store = [
        name for name in trees if name.startswith(("backends/sqlite", "backends/postgres", "backends/relational"))
    ]
    print(f"of them {len(store)} of the store, which is merged later")
    print("over 800 lines:", [name for name, n in lines.items() if n > 800] or "none")
    print("folders over 20:", {room: n for room, n in sizes.items() if n > 20} or "none")
    print("cycles of modules on import:", cycles(graph(late=False)) or "none")
    print("cycles of modules, late and type-only imports too:", cycles(graph(late=True)) or "none")
    print("cycles of packages:", cycles(rooms) or "none")


if __name__ == "__main__":
    main()
