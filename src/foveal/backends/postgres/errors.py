"""What the errors of the database mean."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

import psycopg
from psycopg import errors
from psycopg_pool import PoolTimeout, TooManyRequests

from foveal.errors import (
    Conflict,
    Corrupt,
    Forbidden,
    FovealError,
    Invalid,
    ReadOnly,
    StorageFull,
    StoreUnavailable,
    Unsupported,
)

# The first that fits holds.
_MEANINGS: tuple[tuple[type[psycopg.Error], type[FovealError]], ...] = (
    (errors.DiskFull, StorageFull),
    (errors.ReadOnlySqlTransaction, ReadOnly),
    (errors.InsufficientPrivilege, Forbidden),
    (errors.DataCorrupted, Corrupt),
    (errors.IndexCorrupted, Corrupt),
    (errors.IntegrityError, Conflict),
    (errors.FeatureNotSupported, Unsupported),
    (psycopg.DataError, Invalid),
    (psycopg.Error, StoreUnavailable),
)
# The database gave way to another transaction, and nothing happened: the same call may be made again.
_GAVE_WAY = (errors.SerializationFailure, errors.DeadlockDetected)


@contextmanager
def translated(where: str) -> Generator[None, None, None]:
    """Raise our errors for the driver's, with the driver's as their cause."""
    try:
        yield
    except (PoolTimeout, TooManyRequests) as error:
        raise StoreUnavailable(f"{where}: {error}") from error
    except psycopg.Error as error:
        meaning = next(ours for theirs, ours in _MEANINGS if isinstance(error, theirs))
        said = str(error).strip().splitlines()
        raise meaning(f"{where}: {said[0] if said else type(error).__name__}") from error


def gave_way(error: FovealError) -> bool:
    """Whether a call failed only because another went first."""
    return isinstance(error.__cause__, _GAVE_WAY)
