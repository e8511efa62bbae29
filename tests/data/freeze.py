"""Keeps the Postgres store of a commit, and what it is examined by, so that later tests can run it.

    python tests/data/freeze.py COMMIT

makes `postgres-N.zip` beside this file, where N is the newest migration of the commit.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

HERE = Path(__file__).parent
STORE = "foveal/backends/postgres"
# A package of its own imports every contract, and so every door.
BARE = "foveal/testing/__init__.py"
USED = """
import json, sys
import foveal.backends.postgres, foveal.testing.contract
print(json.dumps([one.__file__ for name, one in sys.modules.items() if name.split(".")[0] == "foveal"]))
"""


def freeze(commit: str) -> Path:
    """The file that was made."""
    packed = subprocess.check_output(["git", "archive", commit, "src/foveal"], cwd=HERE.parents[1])
    with TemporaryDirectory() as folder, tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(folder, filter="data")
        source = Path(folder, "src")
        (source / BARE).write_text("")
        env = {**os.environ, "PYTHONPATH": str(source), "PYTHONDONTWRITEBYTECODE": "1"}
        said = subprocess.check_output([sys.executable, "-c", USED], env=env, cwd=folder, text=True)
        files = {Path(one) for one in json.loads(said)} | set((source / STORE).glob("*/*.sql"))
        steps = sorted((source / STORE / "migrations").glob("*.sql"))
        made = HERE / f"postgres-{int(steps[-1].name[:4])}.zip"
        with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as frozen:
            for file in sorted(files):
                frozen.writestr(_entry(file.relative_to(source)), file.read_bytes(), compresslevel=9)
    return made


def _entry(path: Path) -> zipfile.ZipInfo:
    # Without the moment it was made at, the same commit is the same file.
    entry = zipfile.ZipInfo(path.as_posix())
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry


if __name__ == "__main__":
    print(freeze(sys.argv[1]))
