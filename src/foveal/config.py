"""`Settings`; the only reader of the environment; user folders and URLs."""

from __future__ import annotations

import difflib
import json
import os
import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, cast
from urllib.parse import parse_qs, unquote, urlsplit

import msgspec

from foveal.errors import Invalid
from foveal.model.policy import MemoryConfig, MemoryLayerConfig, MemoryPolicyConfig, Schedule, with_defaults
from foveal.model.server import Breaker, Database, Logging, Serving, Tracing


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


PREFIX = "FOVEAL_"
FILE = "memory_config.yaml"
SECRETS = ("encoder_key", "llm_key", "api_key", "ghost_key")
_PASSWORD = re.compile(r"(://[^/@:]*:)[^@/]*@")

# Sections of the file whose values are settings of another name.
_SECTIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "database": {"url": ("url",), "path": ("url",), "synchronous": ("synchronous",)},
    "redis": {"url": ("redis",), "prefix": ("redis_prefix",)},
    "consolidation": {"similarity": ("memory", "similarity"), "smallest_cluster": ("memory", "smallest_cluster")},
}
_WHOLE: dict[str, tuple[str, ...]] = {"decay": ("memory", "decay"), "types": ("memory", "types")}
_INNER: dict[str, type[msgspec.Struct]] = {
    **{f"memory.{name}": MemoryLayerConfig for name in ("l1", "l2", "l3", "l4")},
    "memory": MemoryConfig,
    "policy": MemoryPolicyConfig,
    "scheduler": Schedule,
    "server": Serving,
    "postgres": Database,
    "logging": Logging,
    "breaker": Breaker,
    "otel": Tracing,
}
# Names that a file may be expected to have, and why it has not.
_NOT_HERE = {
    "cache": "there is nothing to set; leave the section out, or name a server with redis",
    "circuit_breaker": "it is called breaker, with failures and seconds",
}


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """How a memory behaves. Each is also an environment variable: FOVEAL_ and its name in capitals."""

    url: str | None = None
    """Where memory is kept: a path, sqlite:///path, postgresql://…, or :memory:; else the user's data folder."""
    actor_id: str | None = None
    """Whose memory the command line and MCP speak for when nobody says; "me" if not said here either."""
    world: str | None = None
    """The tenant they speak for; that of the policy if not said."""
    node: str | None = None
    """The agent they speak for, as /planner/researcher."""
    session_id: str | None = None
    """The conversation they are in."""
    synchronous: Literal["NORMAL", "FULL"] = "NORMAL"
    """NORMAL survives a killed process, FULL also a power cut."""
    postgres: Database = msgspec.field(default_factory=Database)
    """How many connections a process opens to Postgres, and a replica to read. In the environment, as JSON."""
    redis: str | None = None
    """redis://… that the processes of a memory share, to hear each other and to keep vectors of questions."""
    redis_prefix: str = "foveal"
    """What the names of everything there begin with: another one for each memory."""
    tokenizer: Literal["o200k_base", "cl100k_base", "estimate"] = "o200k_base"
    """What budgets are counted with."""
    encoder: str = "static"
    """static, onnx:<folder>, or http(s)://host/v1#<model> of an OpenAI-compatible server."""
    encoder_key: str | None = None
    """The key for an encoder behind HTTP."""
    vector_index: str | None = None
    """chroma:///path of a folder of ChromaDB that keeps the vectors too, and is searched in the store's place."""
    llm: str | None = None
    """http(s)://host/v1#<model> of an OpenAI-compatible server that sums up sessions and facts, if there is one."""
    llm_key: str | None = None
    """The key for the language model."""
    api_url: str | None = None
    """The server that clients talk to, http(s)://host:port; also MEMORY_API_URL. A memory here if not said."""
    api_key: str | None = None
    """The key for the server."""
    api_ca: str | None = None
    """A file with the certificates that clients trust the server by; those of the machine if not said."""
    ghost: bool = True
    """Whether the client keeps what a server answered, to show it when the server is away."""
    ghost_key: str | None = None
    """A passphrase that what the client keeps is encrypted with."""
    outbox: bool = False
    """Whether writes wait on the client's disk while the server is away."""
    metabolism: Literal["auto", "worker", "off"] = "auto"
    """Who moves records from tier to tier: this process, a little after writes; a worker; or nobody."""
    memory: MemoryConfig = msgspec.field(default_factory=MemoryConfig)
    """The tiers: strategy, threshold, and the policy of l1 to l4. In the environment, as JSON."""
    policy: MemoryPolicyConfig = msgspec.field(default_factory=MemoryPolicyConfig)
    """How the budget of a read is parted. In the environment, as JSON."""
    recall_log: bool = True
    """Whether reads are logged, the last 1,000 of an actor, with what came back and why."""
    kept_rankings: int = 200
    """How many rankings of questions a process keeps for when one is asked again; with 0 none are, by nobody."""
    reranker: str | None = None
    """onnx:<folder> of a cross-encoder, which ranks the best candidates once more."""
    reranker_ms: int = 150
    """How many milliseconds the reranker may take: only as many candidates as fit are given to it."""
    scheduler: Schedule = msgspec.field(default_factory=Schedule)
    """How often the worker does what. In the environment, as JSON."""
    server: Serving = msgspec.field(default_factory=Serving)
    """Where a server listens, whom it lets in, and its limits. In the environment, as JSON."""
    logging: Logging = msgspec.field(default_factory=Logging)
    """What a server writes to standard error. In the environment, as JSON."""
    breaker: Breaker = msgspec.field(default_factory=Breaker)
    """When a client ceases to ask a server that fails, and a memory a model. In the environment, as JSON."""
    otel: Tracing = msgspec.field(default_factory=Tracing)
    """Where spans of OpenTelemetry go, if anywhere. In the environment, as JSON."""


def load_settings(environment: Mapping[str, str] | None = None, folder: Path | None = None) -> Settings:
    """The settings that the environment asks for, else a `.env` file here, else `memory_config.yaml` here or in the
    user's configuration folder."""
    said: dict[str, Any] = {}
    for _, more in _layers(environment, folder):
        _merge(said, more)
    return _converted(said)


def origins(environment: Mapping[str, str] | None = None, folder: Path | None = None) -> dict[str, str]:
    """Where each setting that is said comes from: "environment", ".env", or a configuration file.

    A value of a section is named with a dot before it, as server.port.
    """
    return {name: origin for origin, said in _layers(environment, folder) for name in _named(said)}


def _named(said: Mapping[str, Any], before: str = "") -> Iterator[str]:
    for name, value in said.items():
        yield before + name
        if isinstance(value, dict):
            yield from _named(cast(dict[str, Any], value), f"{before}{name}.")


def shown_settings(*, leaves: bool = False) -> list[tuple[str, Any, str]]:
    """The settings that hold, as (name, value, origin), fit to be shown: without keys and passwords.

    With `leaves`, each value of a section on its own.
    """
    said = origins()
    return [
        (name, _masked(name, value), said.get(name, "default")) for name, value in _held(load_settings(), leaves)
    ]


def _held(values: msgspec.Struct, leaves: bool, before: str = "") -> Iterator[tuple[str, Any]]:
    for name in values.__struct_fields__:
        value = getattr(values, name)
        if leaves and isinstance(value, msgspec.Struct):
            yield from _held(value, leaves, f"{before}{name}.")
        else:
            yield before + name, value


def _masked(name: str, value: Any) -> Any:
    if name in SECRETS and value:
        return "(set, not shown)"
    return _PASSWORD.sub(r"\1***@", value) if isinstance(value, str) else value


def _layers(environment: Mapping[str, str] | None, folder: Path | None) -> Iterator[tuple[str, dict[str, Any]]]:
    """What each place says, and its name; a later one wins."""
    here = folder or Path()
    process = os.environ if environment is None else environment
    filed = {name: value for name, value in _env_file(here / ".env").items() if name not in process}
    variables = ((".env", filed), ("environment", process))
    for origin, found in variables:
        for name, own in (("DATABASE_PATH", "url"), ("MEMORY_API_URL", "api_url")):
            if name in found:
                yield origin, {own: found[name]}
        if found.get("OTEL_EXPORTER_OTLP_ENDPOINT"):
            yield origin, {"otel": {"endpoint": found["OTEL_EXPORTER_OTLP_ENDPOINT"]}}
    for path in _user_file():
        yield str(path), file_settings(path)
    yield FILE, file_settings(here / FILE)
    for origin, found in variables:
        yield origin, _from_environment(found)


def file_settings(path: Path) -> dict[str, Any]:
    """What a configuration file says, by the names of the settings; nothing if there is no such file."""
    if not path.is_file():
        return {}
    import yaml

    try:
        told = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise Invalid(f"{path} is not YAML: {error}") from None
    if told is None:
        return {}
    if not isinstance(told, dict):
        raise Invalid(f"{path} must be a mapping of settings")
    said: dict[str, Any] = {}
    for name, value in cast(dict[str, Any], told).items():
        _place(said, str(name), value, path)
    _converted(said, str(path))
    return said


def _place(said: dict[str, Any], name: str, value: Any, path: Path) -> None:
    if name in _NOT_HERE:
        raise Invalid(f"{path}: there is no {name}: {_NOT_HERE[name]}")
    known = {*Settings.__struct_fields__, *_SECTIONS, *_WHOLE}
    _refuse_unknown(name, known, str(path))
    if name in _WHOLE:
        _merge(said, _nested(_WHOLE[name], value))
    elif name in _SECTIONS and (isinstance(value, dict) or name not in Settings.__struct_fields__):
        for inner, one in _mapping(value, name, path).items():
            _refuse_unknown(inner, _SECTIONS[name], f"{path}, {name}")
            _merge(said, _nested(_SECTIONS[name][inner], one))
    else:
        _check_inner(name, value, path)
        _merge(said, {name: value})


def _check_inner(name: str, value: Any, path: Path) -> None:
    kind = _INNER.get(name)
    if kind is None:
        return
    for inner, one in _mapping(value, name, path).items():
        _refuse_unknown(inner, kind.__struct_fields__, f"{path}, {name}")
        _check_inner(f"{name}.{inner}", one, path)


def _mapping(value: Any, name: str, path: Path) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Invalid(f"{path}: {name} must be a mapping")
    return {str(key): one for key, one in cast(dict[Any, Any], value).items()}


def _nested(names: tuple[str, ...], value: Any) -> dict[str, Any]:
    for name in reversed(names):
        value = {name: value}
    return value


def _merge(said: dict[str, Any], more: Mapping[str, Any]) -> None:
    for name, value in more.items():
        known = said.get(name)
        if isinstance(known, dict) and isinstance(value, dict):
            _merge(cast(dict[str, Any], known), cast(dict[str, Any], value))
        else:
            said[name] = value


def _from_environment(found: Mapping[str, str]) -> dict[str, Any]:
    said: dict[str, Any] = {}
    for name, value in found.items():
        if not name.startswith(PREFIX):
            continue
        own = name.removeprefix(PREFIX).lower()
        if own not in Settings.__struct_fields__:
            near = difflib.get_close_matches(own, Settings.__struct_fields__, 1)
            names = ", ".join(sorted(Settings.__struct_fields__))
            hint = f"did you mean {PREFIX}{near[0].upper()}?" if near else f"there are {names}"
            raise Invalid(f"there is no setting {name}: {hint}")
        said[own] = _parsed(name, value) if own in _INNER else value
    return said


def _parsed(name: str, value: str) -> Any:
    try:
        return json.loads(value)
    except json.JSONDecodeError as error:
        raise Invalid(f"{name} is not JSON: {error}") from None


def _refuse_unknown(name: str, known: Collection[str], where: str) -> None:
    if name not in known:
        near = difflib.get_close_matches(name, known, 1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(sorted(known))}"
        raise Invalid(f"{where}: there is no {name}: {hint}")


def _converted(said: Mapping[str, Any], where: str = "") -> Settings:
    plain = {**said}
    if isinstance(said.get("memory"), dict):
        plain["memory"] = with_defaults(said["memory"])
    try:
        return msgspec.convert(plain, Settings, strict=False)
    except msgspec.ValidationError as error:
        raise Invalid(f"{where + ': ' if where else ''}a setting is wrong: {error}") from None


def _user_file() -> list[Path]:
    with suppress(Invalid):  # who has no home has no file in it
        return [own_folder("config") / FILE]
    return []


def _env_file(path: Path) -> dict[str, str]:
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines() if path.is_file() else []
    pairs = (line.split("=", 1) for line in lines if "=" in line)
    return {name.strip(): value.strip().strip("\"'") for name, value in pairs if not name.startswith("#")}


def default_path() -> Path:
    """Where a memory lies when nobody says: in the user's data folder."""
    return own_folder("data") / "memory.db"


def names_postgres(url: str | Path | None) -> bool:
    """Whether a URL names a Postgres database."""
    return isinstance(url, str) and url.startswith(("postgresql://", "postgres://"))


def sqlite_path(url: str | Path | None) -> tuple[Path, bool]:
    """The file a URL names, and whether it is to be opened read-only.

    `sqlite:///memory.db` is relative, `sqlite:////var/memory.db` absolute; `?mode=ro` reads only.
    """
    if url is None:
        return default_path(), False
    if isinstance(url, str) and "://" in url:
        parts = urlsplit(url)
        if parts.scheme != "sqlite" or parts.netloc or len(parts.path) < 2:
            raise Invalid(f"{url!r} is not a memory: use a path, sqlite:///path, postgresql://… or :memory:")
        mode = parse_qs(parts.query).get("mode", ["rw"])[-1]
        if mode not in ("rw", "ro"):
            raise Invalid(f"mode {mode!r} in {url!r} is not rw or ro")
        return Path(unquote(parts.path[1:])).expanduser(), mode == "ro"
    if not str(url).strip():
        raise Invalid("the path of the memory is empty")
    return Path(url).expanduser(), False
