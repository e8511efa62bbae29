"""The console in the package is built from the sources beside it, so that an install needs no Node."""

from __future__ import annotations

import json
import subprocess
from hashlib import sha256
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
CONSOLE = ROOT / "console"
BUILT = ROOT / "src/foveal/doors/http/console_built"
STALE = "the console was changed and not built: run `make console` and commit what it makes"
SINGLE = ("index.html", "package-lock.json", "vite.config.ts")
NOT_BUILT_IN = (".test.ts", ".test.tsx", "schema.d.ts", "testing.ts")


def name_of(path: Path) -> str:
    return path.relative_to(CONSOLE).as_posix()


def sources() -> list[Path]:
    """The files that the build is made from; the same list as in `console/vite.config.ts`."""
    found = [path for folder in ("src", "public") for path in (CONSOLE / folder).rglob("*") if path.is_file()]
    kept = [path for path in found if not path.name.endswith(NOT_BUILT_IN)]
    return sorted([*kept, *(CONSOLE / name for name in SINGLE)], key=name_of)


def digest() -> str:
    lines = [f"{name_of(path)} {sha256(path.read_bytes()).hexdigest()}\n" for path in sources()]
    return sha256("".join(lines).encode()).hexdigest()


def test_the_committed_build_is_made_from_the_sources_beside_it() -> None:
    assert (BUILT / "sources.sha256").read_text().strip() == digest(), STALE


def test_the_committed_build_is_whole() -> None:
    chunks: dict[str, Any] = json.loads((BUILT / "manifest.json").read_text())
    parts = [[chunk["file"], *chunk.get("css", []), *chunk.get("assets", [])] for chunk in chunks.values()]
    named = {file for part in parts for file in part}
    there = {path.relative_to(BUILT).as_posix() for path in (BUILT / "assets").iterdir()}
    assert named == there, STALE


def test_a_clean_clone_builds_what_the_console_is_checked_against() -> None:
    imported = any("clients/typescript/src" in path.read_text() for path in (CONSOLE / "tests").glob("*.ts"))
    command = ["make", "--dry-run", "console"]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    client, console = (told.find(f"cd {folder} && npm run") for folder in ("clients/typescript", "console"))
    assert -1 < client < console if imported else console > -1


def test_the_build_is_committed() -> None:
    """What is not in git is not in a clone."""
    listed = subprocess.run(["git", "ls-files", BUILT], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    there = {path.relative_to(ROOT).as_posix() for path in BUILT.rglob("*") if path.is_file()}
    assert set(listed.split()) == there, STALE
