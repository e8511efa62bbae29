"""The folders of whoever runs the process."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from foveal.errors import Invalid


def own_folder(kind: Literal["config", "data", "state", "cache"]) -> Path:
    """Where the user keeps what is ours and of this kind; `Invalid` for one who has no home, as in some clusters.

    >>> own_folder("data").name
    'foveal'
    """
    import platformdirs

    try:
        return Path(getattr(platformdirs, f"user_{kind}_dir")("foveal", appauthor=False))
    except RuntimeError:
        raise Invalid(
            f"there is no home to keep the {kind} of Foveal in: set HOME, or say where it lies "
            "(FOVEAL_URL for the memory, errors in FOVEAL_LOGGING for the file of errors)"
        ) from None
