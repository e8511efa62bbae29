"""A number of a field means one thing for ever."""

from hypothesis import given
from hypothesis import strategies as st

from foveal.wire.messages import Lock, Message, ProtoField, numbered

TYPES = ("string", "int64", "google.protobuf.Struct")
SLOTS = st.dictionaries(
    st.sampled_from(["id", "text", "kind", "tags"]),
    st.tuples(st.sampled_from(TYPES), st.sampled_from(["", "optional", "repeated"])),
)


def _message(slots: dict[str, tuple[str, str]]) -> Message:
    made = tuple(ProtoField(name=name, type=kind, label=label) for name, (kind, label) in slots.items())
    return Message(name="Record", description="", slots=made)


def test_what_is_new_gets_the_next_number_and_what_is_gone_leaves_a_hole() -> None:
    lock = numbered([_message({"id": ("string", ""), "text": ("string", "")})], {})
    assert lock["Record"].fields == {"id": (1, "string"), "text": (2, "string")}
    lock = numbered([_message({"kind": ("string", ""), "text": ("string", "optional")})], lock)
    assert lock["Record"].fields == {"text": (2, "string"), "kind": (3, "string")}
    assert lock["Record"].retired == (1,)


def test_a_message_that_is_gone_keeps_its_numbers() -> None:
    lock = numbered([_message({"id": ("string", "")})], {})
    assert numbered([], lock) == lock


@given(st.lists(SLOTS, max_size=6))
def test_no_number_ever_changes_its_meaning(history: list[dict[str, tuple[str, str]]]) -> None:
    lock: Lock = {}
    meant: dict[int, tuple[str, str]] = {}
    for slots in history:
        lock = numbered([_message(slots)], lock)
        for name, (number, kind) in lock["Record"].fields.items():
            assert meant.setdefault(number, (name, kind)) == (name, kind)
            assert number not in lock["Record"].retired
        assert set(lock["Record"].fields) == set(slots)
        assert numbered([_message(slots)], lock) == lock
