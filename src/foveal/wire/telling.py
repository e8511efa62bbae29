"""What the parameters of a call mean, as the source says it under each."""

from __future__ import annotations

import ast
import inspect
import sys
from functools import cache
from itertools import pairwise


@cache
def told_of(kind: type) -> dict[str, str]:
    """The sentence under each field of a class.

    >>> from foveal.model.query import At
    >>> told_of(At)["actor_id"]
    'Whose memory it is. Every call needs one.'
    """
    found: dict[str, str] = {}
    tree = ast.parse(inspect.getsource(sys.modules[kind.__module__]))
    for body in (one.body for one in tree.body if isinstance(one, ast.ClassDef) and one.name == kind.__name__):
        for field, doc in pairwise(body):
            match field, doc:
                case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                    found[name] = text
                case _:
                    pass
    return found
