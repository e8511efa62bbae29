"""Any function from texts to vectors, as an encoder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from inspect import getattr_static
from typing import cast

import numpy as np
from numpy.typing import NDArray

from foveal.errors import Invalid
from foveal.ports.models import Embedder
from foveal.rules.addresses import Plane, generic_plane

Function = Callable[[Sequence[str]], "NDArray[np.float32] | Sequence[Sequence[float]]"]


class CallingEmbedder:
    """A function with a name. `id` must change when its vectors do; the function's own name if not said."""

    def __init__(self, function: Function, *, id: str | None = None) -> None:
        self._function = function
        name = getattr(function, "__qualname__", "<lambda>")
        if id is None and "<lambda>" in name:
            raise Invalid("a function without a name needs one: CallingEmbedder(function, id='my-encoder-1')")
        self.id = id or f"call:{getattr(function, '__module__', '')}.{name}"

    @property
    def dimension(self) -> int:
        """How many numbers a vector has, found by encoding one word."""
        return self._dimension

    @cached_property
    def _dimension(self) -> int:
        return int(self._rows(["dimension"]).shape[1])

    @property
    def plane(self) -> Plane:
        """The map that places its vectors."""
        return generic_plane(self.dimension)

    def embed(self, texts: Sequence[str], *, asking: bool = False) -> NDArray[np.float32]:
        """One unit-length row for each text."""
        return self._rows(texts) if texts else np.empty((0, self.dimension), np.float32)

    def _rows(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = np.asarray(self._function(list(texts)), np.float32)
        if rows.ndim != 2 or len(rows) != len(texts) or not np.isfinite(rows).all():
            raise Invalid(f"{self.id} gave {rows.shape} numbers for {len(texts)} texts, or not finite ones")
        return unit_rows(rows, self.id)


def encoder_of(given: Embedder | Function) -> Embedder:
    """An encoder as it is, or a function as one; anything else is `Invalid`.

    >>> encoder_of(len).id
    'call:builtins.len'
    """
    missing = [name for name in ("embed", "id", "dimension", "plane") if not _has(given, name)]
    if not missing:
        return cast(Embedder, given)
    if "embed" not in missing or not callable(given):
        raise Invalid(
            f"{type(given).__name__} is no encoder, it has no {', '.join(missing)}: give a function from texts to "
            "vectors, or an object with embed, id, dimension and plane"
        )
    return CallingEmbedder(given)


def _has(given: object, name: str) -> bool:
    # A property is not asked: the dimension of a remote model is a request.
    return getattr_static(given, name, None) is not None or hasattr(given, name)


def unit_rows(rows: NDArray[np.float32], name: str) -> NDArray[np.float32]:
    """The rows at length 1; a row of zeros has no direction and is refused.

    >>> unit_rows(np.array([[3.0, 4.0]], np.float32), "x").tolist()
    [[0.6000000238418579, 0.800000011920929]]
    """
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not lengths.all():
        raise Invalid(f"{name} gave a vector of zeros")
    return (rows / lengths).astype(np.float32)
