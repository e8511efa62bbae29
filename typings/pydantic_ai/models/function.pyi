from collections.abc import Callable
from typing import Any

class FunctionModel:
    def __init__(self, function: Callable[..., Any]) -> None: ...
