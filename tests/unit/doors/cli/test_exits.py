from __future__ import annotations

import stat
from pathlib import Path

import pytest

from foveal import errors
from foveal.doors.cli.invocation import FAMILIES, MEANINGS, Code, exit_code

from .conftest import Run


def _subclasses(kind: type[errors.FovealError]) -> list[type[errors.FovealError]]:
    return [kind, *(one for sub in kind.__subclasses__() for one in _subclasses(sub))]


@pytest.mark.parametrize("kind", _subclasses(errors.FovealError), ids=lambda kind: kind.__name__)
def test_every_error_has_the_code_of_its_family(kind: type[errors.FovealError]) -> None:
    families = [family for family in FAMILIES if issubclass(kind, family) and family is not errors.FovealError]
    expected = FAMILIES[families[0]] if kind is not errors.FovealError else Code.FAILED
    assert len(families) == (0 if kind is errors.FovealError else 1)
    assert exit_code(kind) is expected
    assert (expected is Code.FAILED) == (kind is errors.FovealError)


def test_every_code_has_a_meaning() -> None:
    assert set(MEANINGS) == set(Code)


def test_a_process_ends_with_the_code(process: Run, path: Path, tmp_path: Path) -> None:
    assert process("write", "one", "--id", "first").code == Code.OK
    assert process("ls", "--limit", "0").code == Code.INVALID
    assert process("get", "nobody").code == Code.NOT_FOUND
    assert process("write", "two", "--id", "first").code == Code.CONFLICT
    assert process("write", "two", "--url", f"sqlite:///{path}?mode=ro").code == Code.FORBIDDEN
    assert process("migrate", "--from", ":memory:", "--to", str(tmp_path / "copy")).code == Code.UNSUPPORTED


def test_no_error_with_a_name_is_a_traceback(run: Run, tmp_path: Path) -> None:
    foreign = tmp_path / "foreign.db"
    foreign.write_text("not a database, but long enough to be taken for one" * 20)
    for words in (["ls"], ["ls", "--url", str(foreign)], ["ls", "--url", "ftp://x"], ["write", ""]):
        ended = run(*words)
        assert ended.code in (Code.INVALID, Code.NOT_FOUND)
        assert ended.err.startswith("Error: ")
        assert "Traceback" not in ended.err


def test_a_mistyped_path_is_not_an_empty_memory(run: Run, tmp_path: Path) -> None:
    ended = run("ls", "--url", str(tmp_path / "nope.db"))
    assert ended.code == Code.NOT_FOUND
    assert not (tmp_path / "nope.db").exists()


def test_suggestions_are_shown(run: Run, tea: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "did you mean 'kind'?" in run("ls", "--filter", "kindd=note").err
    assert "Did you mean 'search'?" in run("searhc", "tea").err
    assert "--json" in run("ls", "--jsn").err
    line = '{"text": "x", "speeker": "Ada"}'
    assert "did you mean 'speaker'?" in run("write", "--file", "-", said=line).err
    monkeypatch.setenv("FOVEAL_ENCODR", "static")
    assert "did you mean FOVEAL_ENCODER?" in run("ls").err


def test_a_file_others_can_open_fails_the_doctor(run: Run, tea: str, path: Path) -> None:
    path.chmod(stat.S_IRUSR | stat.S_IWUSR | stat.S_IROTH)
    ended = run("doctor")
    assert ended.code == Code.FAILED
    assert [line.split()[1] for line in ended.out.splitlines() if line.startswith("FAIL")] == ["permissions"]
