"""One list of verbs for every door."""

from typing import get_type_hints

from foveal.doors.cli.app import COMMANDS
from foveal.engine.memory import View
from foveal.model.server import Right
from foveal.wire.calls import call_of
from foveal.wire.shapes import Value, shapes_in
from foveal.wire.verbs import ALIASES, VERBS

FACADES = (
    *("browse", "links", "groups", "sessions", "snapshots", "lifecycle", "nodes", "admin"),
    *("tape", "crystals", "operational", "ledger", "longterm"),
)


def _methods(kind: type, before: str = "") -> set[str]:
    return {before + name for name in dir(kind) if not name.startswith("_") and callable(getattr(kind, name))}


def test_the_table_has_every_verb_of_a_memory_and_no_other() -> None:
    known = _methods(View)
    for facade in FACADES:
        known |= _methods(get_type_hints(getattr(View, facade).fget)["return"], f"{facade}.")
    assert known == {*(verb.method for verb in VERBS.values()), *ALIASES}


def test_no_two_verbs_share_a_name_at_a_door() -> None:
    for names in ([one.http for one in VERBS.values()], [one.rpc for one in VERBS.values()]):
        said = [name for name in names if name is not None]
        assert len(said) == len(set(said))


def test_the_commands_of_the_table_exist() -> None:
    commands = {entry.name for entry in COMMANDS}
    assert {one.command for one in VERBS.values() if one.command} <= commands


def test_every_name_in_a_path_is_a_parameter() -> None:
    for verb in VERBS.values():
        wanted = {part.strip("{}") for part in (verb.http or "").split("/") if part.startswith("{")}
        assert wanted <= {one.name for one in call_of(verb.name).fields}, verb.name


def test_what_is_asked_with_get_changes_nothing() -> None:
    assert all(Right.WRITE not in one.rights for one in VERBS.values() if (one.http or "").startswith("GET "))


def test_no_two_values_share_a_name() -> None:
    calls = [call_of(name) for name in VERBS]
    shapes = [field.shape for call in calls for field in call.fields] + [one.answer for one in calls if one.answer]
    kinds = {shape.kind for shape in shapes_in(shapes) if isinstance(shape, Value)}
    assert len(kinds) == len({one.__name__ for one in kinds})
