"""Every error that Foveal raises.

FovealError
├─ Invalid                  the caller can fix it
│  ├─ InvalidAddress        not of the form world/region#digits@d<depth>t<slice>
│  ├─ BudgetTooSmall        not even the required items fit
│  ├─ TooLarge              over a documented limit
│  └─ NotAMemoryFile        the path is a folder, or a file of another application
├─ Unauthenticated          no key, or an unknown one
├─ Forbidden                the caller is known but not allowed to do this
│  ├─ ReadOnly              the store is read-only
│  └─ QuotaExceeded         an actor or a key has used up what it may
├─ NotFound                 absent, or not visible to you (we do not say which)
├─ Conflict                 someone wrote first, or the id is taken
│  ├─ PreconditionFailed    the expected version is not the newest
│  ├─ Pinned                a pinned record cannot be forgotten
│  ├─ UnderWay              the first request with this key is still running
│  ├─ CutOff                the first request with this key ended without an answer
│  └─ EncoderMismatch       the stored vectors come from another encoder
├─ Unsupported              this backend lacks a capability
│  └─ NewerSchema           the file was written by a newer release
├─ RateLimited              too many calls; retry later
├─ Unavailable              temporary; try again
│  ├─ StoreUnavailable      the store does not answer
│  ├─ StorageFull           no space left to write
│  ├─ ModelUnavailable      the model does not answer
│  ├─ CircuitOpen           not tried, because recent calls failed
│  └─ TooStale              the origin is unreachable, and the ghost is too old to show
├─ TimedOut                 the call took too long
└─ Corrupt                  stored data breaks an invariant; never repaired silently
"""

from __future__ import annotations

from typing import ClassVar


class FovealError(Exception):
    """Something went wrong in Foveal."""

    code: ClassVar[str] = "error"
    retry: ClassVar[bool] = False

    def __init__(self, message: str | None = None, **data: object) -> None:
        self.message = message or (type(self).__doc__ or "").splitlines()[0]
        self.data = data
        super().__init__(self.message)


class Invalid(FovealError):
    """The input cannot be accepted."""

    code = "invalid"


class InvalidAddress(Invalid):
    """An address has the form world/region#digits@d<depth>t<slice>."""

    code = "invalid_address"


class BudgetTooSmall(Invalid):
    """Not even the required items fit the token budget."""

    code = "budget_too_small"


class TooLarge(Invalid):
    """The input is over a documented limit."""

    code = "too_large"


class NotAMemoryFile(Invalid):
    """The path is not a Foveal memory file."""

    code = "not_a_memory_file"


class Unauthenticated(FovealError):
    """The key is missing or unknown."""

    code = "unauthenticated"


class Forbidden(FovealError):
    """This is not allowed."""

    code = "forbidden"


class ReadOnly(Forbidden):
    """The store is read-only."""

    code = "read_only"


class QuotaExceeded(Forbidden):
    """An actor or a key has used up its quota."""

    code = "quota_exceeded"


class NotFound(FovealError):
    """There is nothing here that you may see."""

    code = "not_found"


class Conflict(FovealError):
    """Someone wrote first, or the id is taken."""

    code = "conflict"


class PreconditionFailed(Conflict):
    """The expected version is not the newest."""

    code = "precondition_failed"


class Pinned(Conflict):
    """A pinned record cannot be forgotten: unpin it first."""

    code = "pinned"


class UnderWay(Conflict):
    """The first request with this key is still running: wait and send it again."""

    code = "under_way"
    retry = True


class CutOff(Conflict):
    """The first request with this key was cut off: check whether it took effect, and use a new key."""

    code = "cut_off"


class EncoderMismatch(Conflict):
    """The stored vectors come from another encoder: run `foveal reindex`."""

    code = "encoder_mismatch"


class Unsupported(FovealError):
    """This backend cannot do that."""

    code = "unsupported"


class NewerSchema(Unsupported):
    """The file was written by a newer release of Foveal: upgrade to open it."""

    code = "newer_schema"


class RateLimited(FovealError):
    """Too many calls: wait and try again."""

    code = "rate_limited"
    retry = True


class Unavailable(FovealError):
    """Temporarily unavailable: try again."""

    code = "unavailable"
    retry = True


class StoreUnavailable(Unavailable):
    """The store does not answer."""

    code = "store_unavailable"


class StorageFull(Unavailable):
    """There is no space left to write: free some and try again."""

    code = "storage_full"


class ModelUnavailable(Unavailable):
    """The model does not answer."""

    code = "model_unavailable"


class CircuitOpen(Unavailable):
    """Not tried, because recent calls to this service failed."""

    code = "circuit_open"


class TooStale(Unavailable):
    """The server is unreachable, and the last answer is too old to show."""

    code = "too_stale"


class TimedOut(FovealError):
    """The call took too long."""

    code = "timed_out"
    retry = True


class Corrupt(FovealError):
    """Stored data breaks an invariant."""

    code = "corrupt"


def _by_code(kind: type[FovealError]) -> dict[str, type[FovealError]]:
    kinds = {kind.code: kind}
    for child in kind.__subclasses__():
        kinds |= _by_code(child)
    return kinds


CODES = _by_code(FovealError)
"""Every error by its code."""
