"""Raising the errors of a framework for those of the memory."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager

from foveal.errors import FovealError, Invalid


@contextmanager
def raised_as(error: Callable[[str], Exception], instead_of: type[FovealError] = Invalid) -> Generator[None]:
    """Raise the framework's error, with the same message, for an error of the memory."""
    try:
        yield
    except instead_of as refused:
        raise error(refused.message) from refused
