"""Scopes are arithmetic on paths."""

import pytest

from foveal.model.record import Scope
from foveal.rules.visibility import parent_node, reaches


@pytest.mark.parametrize(
    ("scope", "author", "readers"),
    [
        (Scope.LOCAL, "/a", {"/a"}),
        (Scope.SHARED, "/a", {"/", "/a", "/a/b", "/a/c"}),
        (Scope.SHARED, "/a/b", {"/a", "/a/b", "/a/b/d"}),
        (Scope.SHARED, "/", {"/", "/a", "/ab"}),
        (Scope.GLOBAL, "/a/b/d", {"/", "/a", "/ab", "/a/b", "/a/c", "/a/b/d"}),
    ],
)
def test_a_scope_reaches_whom_it_says(scope: Scope, author: str, readers: set[str]) -> None:
    nodes = ("/", "/a", "/ab", "/a/b", "/a/c", "/a/b/d")
    assert {node for node in nodes if reaches(scope, author, node)} == readers


def test_the_root_has_no_parent() -> None:
    assert parent_node("/") is None
