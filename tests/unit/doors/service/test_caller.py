"""A key opens what it names and nothing else."""

from typing import Any

import pytest

from foveal.doors.service import ANYONE, Caller
from foveal.errors import Forbidden
from foveal.model.server import Right
from foveal.wire.calls import call_of

ADA = Caller(name="ada's", worlds=("home",), actors=("ada",), rights=(Right.READ, Right.WRITE))


def _admitted(caller: Caller, name: str, **given: Any) -> dict[str, Any]:
    return caller.admitted(call_of(name), given, "default")


def test_a_key_for_one_actor_need_not_name_it() -> None:
    assert _admitted(ADA, "read", query="tea?") == {"query": "tea?", "world": "home", "actor_id": "ada"}
    assert _admitted(ANYONE, "read", query="tea?") == {"query": "tea?"}


@pytest.mark.parametrize(
    "said", [{"actor_id": "ben"}, {"world": "default"}, {"actor_id": None}, {"world": ["home"]}]
)
def test_a_key_is_for_nobody_else(said: dict[str, Any]) -> None:
    with pytest.raises(Forbidden):
        _admitted(ADA, "read", query="tea?", **said)


def test_an_item_of_a_batch_cannot_slip_into_another_memory() -> None:
    with pytest.raises(Forbidden):
        _admitted(ADA, "write_many", items=[{"text": "x"}, {"text": "y", "actor_id": "ben"}])


def test_a_key_that_reads_does_not_write() -> None:
    reader = Caller(name="reader", rights=(Right.READ,))
    assert _admitted(reader, "search", query="x")
    for name in ("write", "forget", "reindex"):
        with pytest.raises(Forbidden, match=name):
            _admitted(reader, name)


def test_a_key_of_a_few_verbs_has_no_others() -> None:
    with pytest.raises(Forbidden):
        _admitted(Caller(name="k", verbs=("write",)), "read", query="x")


def test_the_whole_store_is_for_keys_of_the_whole_store() -> None:
    with pytest.raises(Forbidden, match="whole store"):
        _admitted(Caller(name="k", actors=("ada",)), "check")


def test_a_verb_about_nobody_is_for_every_key() -> None:
    assert _admitted(ADA, "crystals.messages", window={}) == {"window": {}}
