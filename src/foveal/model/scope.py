"""Who may see a record, inside one organism."""

from __future__ import annotations

from enum import StrEnum


class Scope(StrEnum):
    """How far a record reaches from the node that wrote it.

    INHERITED is a way of looking, not a stored value: the read-only sight of what the parent
    itself wrote SHARED.
    """

    LOCAL = "local"
    SHARED = "shared"
    INHERITED = "inherited"
    GLOBAL = "global"


STORED_SCOPES = (Scope.LOCAL, Scope.SHARED, Scope.GLOBAL)
