"""What the build of the package adds: absolute links in the README, and a refusal to build without the console."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

CONSOLE = Path("src/foveal/doors/http/console_built")
# The end of a link, or a whole image, which may be the text of a link.
LINK = re.compile(r"(?P<head>!\[[^\]\n]*\]|\])\((?P<target>[^)\s]+)\)")
FENCE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)


def with_absolute_links(text: str, *, source: str, version: str) -> str:
    """A page of the repository for readers elsewhere: its links lead to the files of this version.

    >>> with_absolute_links("[more](docs/more.md)", source="https://host/me/it", version="1.0.0")
    '[more](https://host/me/it/blob/v1.0.0/docs/more.md)'
    """

    def absolute(found: re.Match[str]) -> str:
        target = found["target"]
        if re.match(r"[a-z]+:|#", target):
            return found[0]
        kind = "raw" if found["head"].startswith("!") else "blob"
        return f"{found['head']}({source}/{kind}/v{version}/{target})"

    # What stands in a block of code is no link.
    return "".join(part if part.startswith("```") else LINK.sub(absolute, part) for part in FENCE.split(text))


class Readme(MetadataHookInterface):
    """Fills in the description of the project."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set `readme` from README.md."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        source, version = metadata["urls"]["Source"], metadata["version"]
        page = with_absolute_links(text, source=source, version=version)
        metadata["readme"] = {"content-type": "text/markdown", "text": page}


class Console(BuildHookInterface[Any]):
    """Refuses to build a package whose server would have no console."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Check that the built console is there. An editable install may lack it, and says so when it serves."""
        lacking = [
            name for name in ("index.html", "manifest.json") if not (Path(self.root) / CONSOLE / name).exists()
        ]
        if lacking and version != "editable":
            raise RuntimeError(f"{CONSOLE} has no {lacking[0]}: run `make console` before the package is built")
