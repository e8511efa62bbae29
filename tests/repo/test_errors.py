"""Every error has its own code, a message, and a line in the docs."""

from pathlib import Path

from foveal import errors
from foveal.errors import FovealError

ROOT = Path(__file__).parents[2]


def _all() -> list[type[FovealError]]:
    found: list[type[FovealError]] = []
    waiting: list[type[FovealError]] = [FovealError]
    while waiting:
        one = waiting.pop()
        found.append(one)
        waiting += one.__subclasses__()
    return [one for one in found if one.__module__ == errors.__name__]


def test_codes_are_unique() -> None:
    codes = [one.code for one in _all()]
    assert len(codes) == len(set(codes))


def test_every_error_is_drawn_in_the_tree_and_documented() -> None:
    page = (ROOT / "docs" / "reference" / "errors.md").read_text()
    for one in _all():
        assert one.__name__ in (errors.__doc__ or "")
        assert f"`{one.code}`" in page


def test_the_docstring_is_the_default_message_and_data_is_kept() -> None:
    error = errors.NotFound(record_id="x")
    assert str(error) == "There is nothing here that you may see."
    assert error.data == {"record_id": "x"}
