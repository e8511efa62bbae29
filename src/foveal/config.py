"""The settings of a memory, and the only reader of the environment."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from foveal.errors import Invalid
from foveal.model.policy import MemoryPolicyConfig

PREFIX = "FOVEAL_"


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """How a memory behaves. Each is also an environment variable: FOVEAL_ and its name in capitals."""

    url: str | None = None
    """Where memory is kept: a path, sqlite:///path, or :memory:. The user's data folder if not said."""
    synchronous: Literal["NORMAL", "FULL"] = "NORMAL"
    """NORMAL survives a killed process, FULL also a power cut."""
    tokenizer: Literal["o200k_base", "cl100k_base", "estimate"] = "o200k_base"
    """What budgets are counted with."""
    encoder: str = "static"
    """static, onnx:<folder>, or http(s)://host/v1#<model> of an OpenAI-compatible server."""
    encoder_key: str | None = None
    """The key for an encoder behind HTTP."""
    reranker: str | None = None
    """onnx:<folder> of a cross-encoder, which ranks the best candidates once more."""
    reranker_ms: int = 150
    """How many milliseconds the reranker may take: only as many candidates as fit are given to it."""
    recall_log: bool = True
    """Whether reads are logged, the last 1,000 of an actor, with what came back and why."""
    policy: MemoryPolicyConfig | None = None
    """How the budget of a read is parted: a `MemoryPolicyConfig`, or its fields as a JSON object."""


def load_settings(environment: Mapping[str, str] | None = None) -> Settings:
    """The settings that the environment, or else a `.env` file here, asks for."""
    found = {**_env_file(Path(".env")), **(os.environ if environment is None else environment)}
    known = set(Settings.__struct_fields__)
    named = {name: value for name, value in found.items() if name.startswith(PREFIX)}
    said: dict[str, Any] = {name.removeprefix(PREFIX).lower(): value for name, value in named.items()}
    for name in said:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f"did you mean {PREFIX}{near[0].upper()}?" if near else f"there are {', '.join(sorted(known))}"
            raise Invalid(f"there is no setting {PREFIX}{name.upper()}: {hint}")
    if "url" not in said and "DATABASE_PATH" in found:
        said["url"] = found["DATABASE_PATH"]
    try:
        if "policy" in said:
            said["policy"] = msgspec.json.decode(said["policy"], type=dict[str, Any])
        return msgspec.convert(said, Settings, strict=False)
    except msgspec.DecodeError as error:
        raise Invalid(f"a setting is wrong: {error}") from None


def _env_file(path: Path) -> dict[str, str]:
    if not path.is_file():
        return {}
    pairs = (
        line.split("=", 1)
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines()
        if "=" in line
    )
    return {name.strip(): value.strip().strip("\"'") for name, value in pairs if not name.startswith("#")}
