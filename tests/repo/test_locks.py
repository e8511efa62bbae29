"""Both lock files agree, cover what the package needs, and name no package index."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
EVERYTHING = ROOT / "requirements.lock"
CORE = ROOT / "requirements-core.lock"
# A pin with its marker, and the hashes of its files.
PIN = re.compile(r"^(?P<pin>[a-z0-9][\w.-]*==[^\\\n]+) \\\n(?P<hashes>(?:    --hash=\S+(?: \\)?\n)+)", re.MULTILINE)


def _pins(lock: Path) -> dict[str, set[str]]:
    found = PIN.finditer(lock.read_text(encoding="utf-8"))
    return {match["pin"].strip(): set(re.findall(r"--hash=(\S+)", match["hashes"])) for match in found}


def _names(pins: dict[str, set[str]]) -> set[str]:
    return {pin.partition("==")[0] for pin in pins}


def test_the_core_lock_is_a_part_of_the_whole_one() -> None:
    runtime, everything = _pins(CORE), _pins(EVERYTHING)
    versions = {pin.partition(" ;")[0]: hashes for pin, hashes in everything.items()}
    assert {pin: hashes for pin, hashes in runtime.items() if versions.get(pin.partition(" ;")[0]) != hashes} == {}


def test_the_core_lock_has_every_dependency_of_the_package_and_of_its_build() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = [*project["project"]["dependencies"], *project["dependency-groups"]["build"]]
    assert {re.split(r"[^\w-]", line)[0] for line in wanted} - _names(_pins(CORE)) == set()


def test_no_lock_names_a_package_index() -> None:
    for lock in (EVERYTHING, CORE):
        text = lock.read_text(encoding="utf-8")
        assert "://" not in text and "index-url" not in text
