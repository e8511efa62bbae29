"""What the exit code of a command says."""

from __future__ import annotations

from enum import IntEnum

from foveal import errors


class Code(IntEnum):
    """The exit codes of every command."""

    OK = 0
    FAILED = 1
    INVALID = 2
    NOT_FOUND = 3
    CONFLICT = 4
    FORBIDDEN = 5
    UNAVAILABLE = 6
    CORRUPT = 7
    UNSUPPORTED = 8
    INTERRUPTED = 130
    BROKEN_PIPE = 141


MEANINGS = {
    Code.OK: "done",
    Code.FAILED: "a check of `doctor` failed, a question was answered with no, or anything not named below",
    Code.INVALID: "the command or its input cannot be accepted; part of a file was rejected",
    Code.NOT_FOUND: "no such record, or no memory file there",
    Code.CONFLICT: "someone wrote first, the id or file exists, or a pinned record was left as it is",
    Code.FORBIDDEN: "not allowed, or the file is read-only",
    Code.UNAVAILABLE: "the store or the encoder does not answer, or it took too long; try again",
    Code.CORRUPT: "stored data is damaged",
    Code.UNSUPPORTED: "this store cannot do that, or the file is of a newer release",
    Code.INTERRUPTED: "interrupted with Ctrl-C",
    Code.BROKEN_PIPE: "the reader of the output went away, as with `head`",
}

FAMILIES: dict[type[errors.FovealError], Code] = {
    errors.Invalid: Code.INVALID,
    errors.NotFound: Code.NOT_FOUND,
    errors.Conflict: Code.CONFLICT,
    errors.Forbidden: Code.FORBIDDEN,
    errors.Unauthenticated: Code.FORBIDDEN,
    errors.Unavailable: Code.UNAVAILABLE,
    errors.TimedOut: Code.UNAVAILABLE,
    errors.RateLimited: Code.UNAVAILABLE,
    errors.Corrupt: Code.CORRUPT,
    errors.Unsupported: Code.UNSUPPORTED,
    errors.FovealError: Code.FAILED,
}


def exit_code(error: type[errors.FovealError]) -> Code:
    """The code that a command ends with when this error is raised: that of its nearest family.

    >>> exit_code(errors.Pinned)
    <Code.CONFLICT: 4>
    """
    return next(FAMILIES[one] for one in error.__mro__ if one in FAMILIES)
