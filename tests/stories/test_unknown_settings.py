"""An unknown variable does not stop a library; it stops the command line, and so does a mistyped line of a file."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from foveal import Memory
from foveal.config import load_settings
from foveal.errors import Invalid

MISTYPED = {"FOVEAL_SEVER": '{"auth": "keys"}', "FOVEAL_ACTOR_ID": "ada"}


def test_a_library_warns_and_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.warns(UserWarning, match="no setting FOVEAL_SEVER, so it is ignored: did you mean FOVEAL_SERVER"):
        assert load_settings(MISTYPED, tmp_path).actor_id == "ada"
    monkeypatch.setenv("FOVEAL_HOME_OF_ANOTHER_PROGRAM", "x")
    with pytest.warns(UserWarning, match="FOVEAL_HOME_OF_ANOTHER_PROGRAM"), Memory(":memory:") as memory:
        assert memory.write("Ada likes tea.", actor_id="ada").id


def test_a_line_of_an_env_file_is_told_as_well(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("FOVEAL_SEVER=x\n")
    with pytest.warns(UserWarning, match="FOVEAL_SEVER"):
        load_settings({}, tmp_path)
    with pytest.raises(Invalid, match="did you mean FOVEAL_SERVER"):
        load_settings({}, tmp_path, strict=True)


def test_a_mistyped_line_of_the_yaml_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "memory_config.yaml").write_text("server: {auht: keys}\n")
    with pytest.raises(Invalid, match="did you mean auth"):
        load_settings({}, tmp_path)


def test_a_server_does_not_start_with_a_mistyped_setting(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "foveal.doors.cli", "serve", "--url", str(tmp_path / "memory.db")]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=240, check=False, env={**os.environ, **MISTYPED}
    )
    assert done.returncode == 2
    assert "there is no setting FOVEAL_SEVER: did you mean FOVEAL_SERVER?" in done.stderr
