"""What is released agrees with itself: one version, links that work elsewhere, and the console in the wheel."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
import zipfile
from email import message_from_bytes
from email.message import Message
from pathlib import Path
from typing import Any

import pytest
import yaml

import foveal
from foveal.config import Settings

ROOT = Path(__file__).parents[2]
BUILT = "foveal/doors/http/console_built/"
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    folder = tmp_path_factory.mktemp("wheel")
    _built(ROOT, folder)
    [path] = folder.glob("*.whl")
    return zipfile.ZipFile(path)


def _built(source: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    return subprocess.run(words, cwd=source, capture_output=True, text=True, check=False)


def _metadata(wheel: zipfile.ZipFile) -> Message:
    [name] = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
    return message_from_bytes(wheel.read(name))


def test_every_file_of_the_source_and_of_the_console_is_in_the_wheel(wheel: zipfile.ZipFile) -> None:
    listed = subprocess.run(["git", "ls-files", "src"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    wanted = {name.removeprefix("src/") for name in listed.split()}
    assert wanted - set(wheel.namelist()) == set()
    manifest = json.loads(wheel.read(BUILT + "manifest.json"))
    assert {BUILT + chunk["file"] for chunk in manifest.values()} <= set(wheel.namelist())


def test_the_page_of_the_package_has_no_relative_link(wheel: zipfile.ZipFile) -> None:
    page = str(_metadata(wheel).get_payload())
    targets = re.findall(r"\]\(([^)\s]+)\)", re.sub(r"^```.*?^```$", "", page, flags=re.MULTILINE | re.DOTALL))
    assert len(targets) > 20
    assert [target for target in targets if not re.match(r"https://|#", target)] == []
    ours = [target for target in targets if target.startswith(f"{PROJECT['urls']['Source']}/")]
    for target in ours:
        path = re.sub(rf".*/(blob|raw)/v{re.escape(foveal.__version__)}/|.*/actions/.*|#.*", "", target)
        assert (ROOT / path).exists(), target


def test_a_package_without_the_console_is_not_built(tmp_path: Path) -> None:
    source = tmp_path / "source"
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE", "NOTICE", "src/foveal/__init__.py"):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_bytes((ROOT / name).read_bytes())
    done = _built(source, tmp_path / "dist")
    assert done.returncode != 0
    assert "run `make console`" in done.stderr


def test_the_version_is_said_in_one_place_and_repeated_without_a_mistake(wheel: zipfile.ZipFile) -> None:
    assert "version" in PROJECT["dynamic"] and "version" not in PROJECT
    assert _metadata(wheel)["Version"] == foveal.__version__
    packages = ("console/package.json", "clients/typescript/package.json", "server.json")
    repeated = {name: json.loads((ROOT / name).read_text())["version"] for name in packages}
    chart = yaml.safe_load((ROOT / "deploy/helm/foveal/Chart.yaml").read_text())
    repeated |= {"Chart.yaml": chart["version"], "appVersion": chart["appVersion"]}
    repeated["openapi"] = json.loads((ROOT / "docs/reference/openapi.json").read_text())["info"]["version"]
    assert set(repeated.values()) == {foveal.__version__}, repeated


def test_the_project_has_addresses_and_classifiers(wheel: zipfile.ZipFile) -> None:
    known = _metadata(wheel)
    assert {"Source", "Documentation", "Changelog", "Issues", "Security"} <= set(PROJECT["urls"])
    lowest = PROJECT["requires-python"].removeprefix(">=")
    assert f"Programming Language :: Python :: {lowest}" in known.get_all("Classifier", [])


def test_the_registry_entry_of_the_mcp_server_starts_it() -> None:
    entry = json.loads((ROOT / "server.json").read_text())
    [package] = entry["packages"]
    # The registry looks for this line on the page of the package, to see that both have one owner.
    assert f"mcp-name: {entry['name']}" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(entry["description"]) <= 100
    assert package["version"] == entry["version"] == foveal.__version__
    assert (package["registryType"], package["transport"]) == ("pypi", {"type": "stdio"})
    # Programs start the package without its extras: what the server needs more is named apart.
    [needed] = package["runtimeArguments"]
    assert needed["name"] == "--with" and needed["value"] in PROJECT["optional-dependencies"]["mcp"]
    assert {one["name"] for one in package["environmentVariables"]} <= {
        f"FOVEAL_{name.upper()}" for name in Settings.__struct_fields__
    }
    said = [argument["value"] for argument in package["packageArguments"]]
    done = subprocess.run(
        [sys.executable, "-m", "foveal.doors.cli", *said, "--help"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0 and "Serve MCP on standard input and output" in done.stdout
