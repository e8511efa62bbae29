"""The lock files of npm name every package, so that `npm ci` installs it on any platform, and no registry."""

import json
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("console", "clients/typescript")


def _packages(folder: str) -> dict[str, Any]:
    return json.loads((ROOT / folder / "package-lock.json").read_text())["packages"]


@pytest.mark.parametrize("folder", FOLDERS)
def test_what_a_package_wants_is_locked_for_every_platform(folder: str) -> None:
    packages = _packages(folder)
    locked = {path.rpartition("node_modules/")[2] for path in packages}
    wanted = {
        name
        for package in packages.values()
        for part in ("dependencies", "devDependencies", "optionalDependencies")
        for name in package.get(part, {})
    }
    assert wanted - locked == set()


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_lock_names_a_registry(folder: str) -> None:
    packages = _packages(folder)
    assert all(package["integrity"] for path, package in packages.items() if path)
    assert [path for path, package in packages.items() if "resolved" in package] == []
