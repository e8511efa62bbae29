"""The scripts that make the bundled encoders have all that they import."""

import ast
import subprocess
import sys
from pathlib import Path

ENCODER = Path(__file__).parents[2] / "encoder"
OWN = {file.stem for file in ENCODER.glob("*.py")} | {"foveal"}
# msgspec uses it where it is installed.
OPTIONAL = {"typing_extensions"}
# Prints the packages that a module of ours brings with it.
BROUGHT = """
import importlib, sys
before = set(sys.modules)
importlib.import_module(sys.argv[1])
print(*{name.partition(".")[0] for name in set(sys.modules) - before})
"""


def _imported() -> set[str]:
    """Every module that a script imports."""
    found: set[str] = set()
    for file in ENCODER.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module is not None:
                found.add(node.module)
    return found


def test_the_requirements_name_every_package_that_the_scripts_import() -> None:
    imported = _imported()
    packages = {name.partition(".")[0] for name in imported}
    for module in sorted(name for name in imported if name.startswith("foveal.")):
        brought = subprocess.run(
            [sys.executable, "-c", BROUGHT, module], stdout=subprocess.PIPE, text=True, check=True
        )
        packages |= set(brought.stdout.split())
    named = {line.partition("==")[0].lower() for line in (ENCODER / "requirements.txt").read_text().split()}
    assert packages - OWN - OPTIONAL - set(sys.stdlib_module_names) - named == set()
