"""How memory is read and ages, as everyone who opens it shall have it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from foveal.engine import policies
from foveal.engine.facade.bound import Bound
from foveal.engine.facade.guarding import guarded
from foveal.errors import Invalid
from foveal.model.policy import PolicyValue


@guarded
class Policies(Bound):
    """How memory is read and ages, as everyone who opens it shall have it."""

    def policies(self) -> list[PolicyValue]:
        """The values by which the budget of a read is parted and by which tiers keep records, and where each comes
        from."""
        return policies.listed(self._core)

    def set_policies(
        self, values: Mapping[str, Any] | None = None, *, reset: Sequence[str] = ()
    ) -> list[PolicyValue]:
        """Have the store keep values in place of the settings, for every process: their next read takes them.

        `values` are by name, as `policies` lists them; what is in `reset` is as the settings say again. Shares that
        make a whole are kept and reset together. All are taken, or none.
        """
        if not values and not reset:
            raise Invalid("say which values to set, or which to reset")
        return policies.amend(self._core, values or {}, reset)
