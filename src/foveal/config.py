"""The settings, the user's folders and memory URLs. No other module reads the environment."""

from __future__ import annotations

import difflib
import json
import os
import re
import warnings
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, cast
from urllib.parse import parse_qs, unquote, urlsplit

import msgspec

from foveal.errors import Invalid
from foveal.model.policy import MemoryConfig, MemoryLayerConfig, MemoryPolicyConfig, Schedule, with_defaults
from foveal.model.server import ActorQuota, Breaker, Database, KeyQuota, Logging, Quotas, Serving, Tracing
from foveal.rules import config_shapes
from foveal.rules.validation import checked_path

PREFIX = "FOVEAL_"
FILE = "memory_config.yaml"
# The actor of the library, the command line, the console and MCP, if none is given.
DEFAULT_ACTOR = "me"
SECRETS = ("encoder_key", "llm_key", "api_key", "ghost_key")
_PASSWORD = re.compile(r"(://[^/@:]*:)[^@/]*@")

# Sections of the configuration file whose values are stored in settings of another name.
_SECTIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "database": {"url": ("url",), "path": ("url",), "synchronous": ("synchronous",)},
    "redis": {"url": ("redis",), "prefix": ("redis_prefix",)},
    "consolidation": {"similarity": ("memory", "similarity"), "smallest_cluster": ("memory", "smallest_cluster")},
}
_MOVED: dict[str, tuple[str, ...]] = {"decay": ("memory", "decay"), "types": ("memory", "types")}
_INNER: dict[str, type[msgspec.Struct]] = {
    **{f"memory.{name}": MemoryLayerConfig for name in ("l1", "l2", "l3", "l4")},
    "memory": MemoryConfig,
    "policy": MemoryPolicyConfig,
    "scheduler": Schedule,
    "server": Serving,
    "postgres": Database,
    "quotas": Quotas,
    "quotas.actor": ActorQuota,
    "quotas.key": KeyQuota,
    "logging": Logging,
    "breaker": Breaker,
    "otel": Tracing,
}


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of a memory. Each is also an environment variable: FOVEAL_ and its name in capitals."""

    url: str | None = None
    """Where the memory is: a path, sqlite:///path, postgresql://… or :memory:; else the user's data folder."""
    actor_id: str | None = None
    """The actor of the command line, MCP and clients when none is given; "me" if this is not set either."""
    world: str | None = None
    """The tenant that they use; by default the one in the policy."""
    node: str | None = None
    """The agent that they speak as, for example /planner/researcher."""
    session_id: str | None = None
    """The conversation that they take part in."""
    synchronous: Literal["NORMAL", "FULL"] = "NORMAL"
    """NORMAL survives a killed process; FULL also survives a power cut."""
    store_timeout: float | None = None
    """How many seconds a call waits for a busy file, or for a connection to Postgres; 30 or 10 by default."""
    postgres: Database = msgspec.field(default_factory=Database)
    """The Postgres connections of a process, and a replica to read from. In the environment, as JSON."""
    redis: str | None = None
    """redis://… through which the processes of a memory exchange notices and share vectors of questions."""
    redis_prefix: str = "foveal"
    """The prefix of all keys in Redis; each memory needs its own."""
    tokenizer: Literal["o200k_base", "cl100k_base", "estimate"] = "o200k_base"
    """The tokenizer that counts budgets."""
    encoder: str = "static"
    """static, onnx:<folder>, or http(s)://host/v1#<model> of an OpenAI-compatible server."""
    second_look: str | None = None
    """The encoder that looks again at the best candidates: minilm (bundled, English), multilingual, onnx:<folder>,
    http(s)://host/v1#<model>, or off. By default minilm, if the encoder is static and onnxruntime is there."""
    encoder_key: str | None = None
    """The API key of an encoder behind HTTP."""
    vector_index: str | None = None
    """chroma:///path of a ChromaDB folder that also holds the vectors and is searched instead of the store."""
    llm: str | None = None
    """http(s)://host/v1#<model> of an OpenAI-compatible server that summarizes and draws facts; optional."""
    llm_key: str | None = None
    """The API key of the language model."""
    llm_calls: int = 200
    """How many calls a day the language model may make for an actor to draw facts; 0 turns that off."""
    api_url: str | None = None
    """The server that clients talk to, http(s)://host:port; also MEMORY_API_URL. Without it, a local memory."""
    api_key: str | None = None
    """The API key for that server."""
    api_ca: str | None = None
    """A file of CA certificates that clients trust; by default those of the machine."""
    ghost: bool = True
    """Whether the client keeps the answers of a server, to show them when the server is unreachable."""
    ghost_after: float = 0.5
    """How many seconds a read may take before the client shows the answer that it keeps, if it has one."""
    ghost_key: str | None = None
    """A passphrase that encrypts what the client keeps."""
    outbox: bool = False
    """Whether writes wait on the client's disk while the server is unreachable."""
    metabolism: Literal["auto", "worker", "off"] = "auto"
    """What moves records from tier to tier: this process, shortly after writes; a worker; or nothing."""
    memory: MemoryConfig = msgspec.field(default_factory=MemoryConfig)
    """The tiers: strategy, threshold, and the policy of l1 to l4. In the environment, as JSON."""
    policy: MemoryPolicyConfig = msgspec.field(default_factory=MemoryPolicyConfig)
    """How the budget of a read is divided. In the environment, as JSON."""
    recall_log: bool = True
    """Whether the last 1,000 reads of each actor are logged, with what they returned and why."""
    kept_rankings: int = 200
    """How many rankings a process caches for repeated questions; 0 turns the cache off, the shared one too."""
    cache_seconds: float = 300.0
    """How many seconds a ranking stays cached; it is never used after a change of the memory."""
    reranker: str | None = None
    """onnx:<folder> of a cross-encoder that ranks the best candidates again."""
    reranker_ms: int = 150
    """How many milliseconds the reranker may take; it gets only as many candidates as fit."""
    scheduler: Schedule = msgspec.field(default_factory=Schedule)
    """How often the worker runs each job. In the environment, as JSON."""
    server: Serving = msgspec.field(default_factory=Serving)
    """Where a server listens, who may call it, and its limits. In the environment, as JSON."""
    quotas: Quotas = msgspec.field(default_factory=Quotas)
    """How much each actor may store, and each key of a server may do. In the environment, as JSON."""
    logging: Logging = msgspec.field(default_factory=Logging)
    """What a server writes to standard error. In the environment, as JSON."""
    breaker: Breaker = msgspec.field(default_factory=Breaker)
    """When a client stops calling a failing server, and a memory a failing model. In the environment, as JSON."""
    otel: Tracing = msgspec.field(default_factory=Tracing)
    """Where OpenTelemetry spans are sent, if anywhere. In the environment, as JSON."""

    def __post_init__(self) -> None:
        if self.store_timeout is not None and not 0 <= self.store_timeout <= 3600:
            raise Invalid("store_timeout must be from 0 to 3600 seconds")
        if not 0 <= self.llm_calls <= 1_000_000:
            raise Invalid("llm_calls must be from 0 to 1000000 calls a day")
        if not 0 <= self.cache_seconds <= 86_400:
            raise Invalid("cache_seconds must be from 0 to 86400 seconds")


def load_settings(
    environment: Mapping[str, str] | None = None, folder: Path | None = None, *, strict: bool = False
) -> Settings:
    """The settings, from the environment, else a `.env` file here, else `memory_config.yaml` here or in the user's
    configuration folder.

    A variable of the environment that begins like a setting but is none causes a warning, since it may belong to
    another program; with `strict`, as the command line has it, it is `Invalid`.
    """
    values: dict[str, Any] = {}
    for _, layer in _layers(environment, folder, strict=strict):
        _merge(values, layer)
    return _converted(values)


def origins(environment: Mapping[str, str] | None = None, folder: Path | None = None) -> dict[str, str]:
    """Where each setting that is set comes from: "environment", ".env", or a configuration file.

    A value in a section has a dotted name, such as server.port.
    """
    return {name: origin for origin, values in _layers(environment, folder) for name in _names(values)}


def _names(values: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    for name, value in values.items():
        yield prefix + name
        if isinstance(value, dict):
            yield from _names(cast(dict[str, Any], value), f"{prefix}{name}.")


def shown_settings(*, leaves: bool = False) -> list[tuple[str, Any, str]]:
    """The settings in effect, as (name, value, origin), safe to show: keys and passwords are masked.

    With `leaves`, each value of a section is listed separately.
    """
    sources = origins()
    return [
        (name, _masked(name, value), sources.get(name, "default"))
        for name, value in _values(load_settings(), leaves)
    ]


def _values(values: msgspec.Struct, leaves: bool, prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name in values.__struct_fields__:
        value = getattr(values, name)
        if leaves and isinstance(value, msgspec.Struct):
            yield from _values(value, leaves, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def _masked(name: str, value: Any) -> Any:
    if name in SECRETS and value:
        return "(set, not shown)"
    return _PASSWORD.sub(r"\1***@", value) if isinstance(value, str) else value


def _layers(
    environment: Mapping[str, str] | None, folder: Path | None, *, strict: bool = False
) -> Iterator[tuple[str, dict[str, Any]]]:
    """The name of each source and the settings in it; a later source overrides an earlier one."""
    here = folder or Path()
    process = os.environ if environment is None else environment
    from_file = {name: value for name, value in _env_file(here / ".env").items() if name not in process}
    variables = ((".env", from_file), ("environment", process))
    for origin, values in variables:
        for name, own in (("DATABASE_PATH", "url"), ("MEMORY_API_URL", "api_url")):
            if name in values:
                yield origin, {own: values[name]}
        if values.get("OTEL_EXPORTER_OTLP_ENDPOINT"):
            yield origin, {"otel": {"endpoint": values["OTEL_EXPORTER_OTLP_ENDPOINT"]}}
    for path in _user_file():
        yield str(path), file_settings(path)
    yield FILE, file_settings(here / FILE)
    for origin, values in variables:
        yield origin, _from_environment(values, strict=strict)


def file_settings(path: Path) -> dict[str, Any]:
    """The settings in a configuration file, by name; empty if there is no such file."""
    if not path.is_file():
        return {}
    import yaml

    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise Invalid(f"{path} is not YAML: {error}") from None
    if content is None:
        return {}
    if not isinstance(content, dict):
        raise Invalid(f"{path} must be a mapping of settings")
    settings: dict[str, Any] = {}
    for name, value in cast(dict[str, Any], content).items():
        _add_section(settings, str(name), value, path)
    _converted(settings, str(path))
    return settings


def _add_section(settings: dict[str, Any], name: str, value: Any, path: Path) -> None:
    known = {*Settings.__struct_fields__, *_SECTIONS, *_MOVED, *config_shapes.SECTIONS}
    _refuse_unknown(name, known, str(path))
    if config_shapes.known_keys(name) and (isinstance(value, dict) or name in config_shapes.SECTIONS):
        own = config_shapes.translated(name, _mapping(value, name, path))
        for names, said in own.settings:
            _merge(settings, _nested(names, said))
        for key, why in own.idle.items():
            warnings.warn(f"{path}: {name}.{key} has no effect: {why}", stacklevel=2)
        if not own.rest:
            return
        value = dict(own.rest)
    if name in config_shapes.SECTIONS:
        for inner in value:
            _refuse_unknown(inner, config_shapes.known_keys(name), f"{path}, {name}")
    elif name in _MOVED:
        _merge(settings, _nested(_MOVED[name], value))
    elif name in _SECTIONS and (isinstance(value, dict) or name not in Settings.__struct_fields__):
        for inner, inner_value in _mapping(value, name, path).items():
            _refuse_unknown(inner, {*_SECTIONS[name], *config_shapes.known_keys(name)}, f"{path}, {name}")
            _merge(settings, _nested(_SECTIONS[name][inner], inner_value))
    else:
        _check_inner(name, value, path)
        _merge(settings, {name: value})


def _check_inner(name: str, value: Any, path: Path) -> None:
    kind = _INNER.get(name)
    if kind is None:
        return
    for inner, inner_value in _mapping(value, name, path).items():
        _refuse_unknown(inner, kind.__struct_fields__, f"{path}, {name}")
        _check_inner(f"{name}.{inner}", inner_value, path)


def _mapping(value: Any, name: str, path: Path) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Invalid(f"{path}: {name} must be a mapping")
    return {str(key): inner for key, inner in cast(dict[Any, Any], value).items()}


def _nested(names: tuple[str, ...], value: Any) -> dict[str, Any]:
    for name in reversed(names):
        value = {name: value}
    return value


def _merge(values: dict[str, Any], more: Mapping[str, Any]) -> None:
    for name, value in more.items():
        current = values.get(name)
        if isinstance(current, dict) and isinstance(value, dict):
            _merge(cast(dict[str, Any], current), cast(dict[str, Any], value))
        else:
            values[name] = value


def _from_environment(variables: Mapping[str, str], *, strict: bool) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, value in variables.items():
        if not name.startswith(PREFIX):
            continue
        own = name.removeprefix(PREFIX).lower()
        if own not in Settings.__struct_fields__:
            near = difflib.get_close_matches(own, Settings.__struct_fields__, 1)
            names = ", ".join(sorted(Settings.__struct_fields__))
            hint = f"did you mean {PREFIX}{near[0].upper()}?" if near else f"there are {names}"
            if strict:
                raise Invalid(f"there is no setting {name}: {hint}")
            warnings.warn(f"there is no setting {name}, so it is ignored: {hint}", stacklevel=2)
            continue
        values[own] = _parsed(name, value) if own in _INNER else value
    return values


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


def _converted(values: Mapping[str, Any], where: str = "") -> Settings:
    plain = {**values}
    if isinstance(values.get("memory"), dict):
        plain["memory"] = with_defaults(values["memory"])
    try:
        return msgspec.convert(plain, Settings, strict=False)
    except msgspec.ValidationError as error:
        raise Invalid(f"{where + ': ' if where else ''}a setting is invalid: {error}") from None


OPENAI_URL = "https://api.openai.com/v1"


class OpenAIAccess(msgspec.Struct, frozen=True, kw_only=True):
    """Where OpenAI, or a server that speaks like it, is, and the key for it."""

    url: str = OPENAI_URL
    key: str | None = None


def openai_access(environment: Mapping[str, str] | None = None, folder: Path | None = None) -> OpenAIAccess:
    """What OPENAI_BASE_URL and OPENAI_API_KEY say, in the environment or else in a `.env` file here.

    >>> openai_access({"OPENAI_BASE_URL": "http://127.0.0.1:8080/v1"}).url
    'http://127.0.0.1:8080/v1'
    """
    process = os.environ if environment is None else environment
    values = {**_env_file((folder or Path()) / ".env"), **process}
    return OpenAIAccess(url=values.get("OPENAI_BASE_URL") or OPENAI_URL, key=values.get("OPENAI_API_KEY") or None)


def _user_file() -> list[Path]:
    with suppress(Invalid):  # a user without a home has no configuration file
        return [own_folder("config") / FILE]
    return []


def _env_file(path: Path) -> dict[str, str]:
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines() if path.is_file() else []
    pairs = (line.split("=", 1) for line in lines if "=" in line)
    return {name.strip(): value.strip().strip("\"'") for name, value in pairs if not name.startswith("#")}


def own_folder(kind: Literal["config", "data", "state", "cache"]) -> Path:
    """The user's folder for Foveal files of this kind; `Invalid` if the user has no home, as in some clusters.

    >>> own_folder("data").name
    'foveal'
    """
    import platformdirs

    try:
        return Path(getattr(platformdirs, f"user_{kind}_dir")("foveal", appauthor=False))
    except RuntimeError:
        raise Invalid(
            f"there is no home folder for the {kind} of Foveal: set HOME, or name another place "
            "(FOVEAL_URL for the memory, errors in FOVEAL_LOGGING for the error file)"
        ) from None


def default_path() -> Path:
    """The default location of a memory: a file in the user's data folder."""
    return own_folder("data") / "memory.db"


def names_postgres(url: str | Path | None) -> bool:
    """Whether a URL names a Postgres database."""
    return isinstance(url, str) and url.startswith(("postgresql://", "postgres://"))


def sqlite_path(url: str | Path | None) -> tuple[Path, bool]:
    """The file that a URL names, and whether to open it read-only.

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
        return checked_path(unquote(parts.path[1:])).expanduser(), mode == "ro"
    if not str(url).strip():
        raise Invalid("the path of the memory is empty")
    return checked_path(url).expanduser(), False
