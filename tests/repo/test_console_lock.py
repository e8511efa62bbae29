"""The lock file of the console names every package, so that `npm ci` installs it on any platform."""

import json
from pathlib import Path
from typing import Any

LOCK = Path(__file__).parents[2] / "console" / "package-lock.json"


def test_what_a_package_wants_is_locked_for_every_platform() -> None:
    packages: dict[str, Any] = json.loads(LOCK.read_text())["packages"]
    locked = {path.rpartition("node_modules/")[2] for path in packages}
    wanted = {
        name
        for package in packages.values()
        for part in ("dependencies", "devDependencies", "optionalDependencies")
        for name in package.get(part, {})
    }
    assert wanted - locked == set()
