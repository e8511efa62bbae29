from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

D = TypeVar("D")

class FunctionToolset(Generic[D]):
    def __init__(self, tools: Sequence[Callable[..., Any]] = ...) -> None: ...
