"""The commands about the values by which memory is read and ages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from foveal.doors.cli.call import Call

if TYPE_CHECKING:
    from foveal.doors.cli.page import Page
    from foveal.model.policy import PolicyValue


def ls(
    call: Call,
    changed: Annotated[bool, typer.Option("--changed", help="Only those that the store keeps.")] = False,
) -> None:
    """List the values by which memory is read and ages, and where each comes from."""
    with call.opened() as memory:
        found = memory.policies()
    _show(call, [one for one in found if one.changed_at or not changed])


def set_(
    call: Call,
    values: Annotated[
        list[str],
        typer.Argument(metavar="NAME=VALUE...", help="A value, as policy.recent_records=4; none is null."),
    ],
) -> None:
    """Have the store keep values in place of the settings, for every process that opens it."""
    said = dict(_parted(one) for one in values)
    with call.opened() as memory:
        found = memory.set_policies(said)
    _show(call, [one for one in found if one.changed_at])


def reset(
    call: Call,
    names: Annotated[list[str] | None, typer.Argument(metavar="NAME...", help="Which values.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="All that the store keeps.")] = False,
) -> None:
    """Let values be as the settings say again; shares that make a whole together."""
    from foveal.errors import Invalid

    if bool(names) is everything:
        raise Invalid("name the values to reset, or say --all")
    with call.opened() as memory:
        kept = [one.name for one in memory.policies() if one.changed_at]
        wanted = kept if everything else names or []
        found = memory.set_policies(reset=wanted) if wanted else memory.policies()
    _show(call, [one for one in found if one.name in {*wanted, *kept}])


def _parted(text: str) -> tuple[str, Any]:
    from msgspec import DecodeError, json

    from foveal.errors import Invalid

    name, equals, value = text.partition("=")
    if not equals:
        raise Invalid(f"{text!r} names no value: write {name}=VALUE")
    try:
        return name, json.decode({"none": "null"}.get(value, value))
    except DecodeError:
        raise Invalid(f"{value!r} is not a value of {name}: write a number, true, false or none") from None


def _show(call: Call, found: Sequence[PolicyValue]) -> None:
    from foveal.doors.cli import cards

    def tell(page: Page) -> None:
        rows = [
            (
                one.name,
                _told(one.value),
                one.origin.value,
                _told(one.otherwise) if one.changed_at else "",
                cards.moment(one.changed_at) if one.changed_at else "",
            )
            for one in found
        ]
        page.table(("name", "value", "from", "otherwise", "changed"), rows, right=["value", "otherwise"])

    call.answer(found, tell, [one.name for one in found])


def _told(value: Any) -> str:
    if value is None:
        return "none"
    return str(value).lower() if isinstance(value, bool) else f"{value:g}"
