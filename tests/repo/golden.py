"""What the outside world relies on, as data: names, signatures, documents, commands, codes and settings.

`python -m tests.repo.golden` writes the data anew, after a change that is meant; prose is left out on purpose.
"""

from __future__ import annotations

import enum
import hashlib
import inspect
import json
import re
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, cast

import msgspec
import typer.main
from docs._proto import LOCK, PROTO
from tests.repo.story import told

import foveal
from foveal import agents, errors, testing
from foveal.config import PREFIX, SECRETS, Settings
from foveal.doors.cli.app import app
from foveal.doors.cli.invocation import exit_code
from foveal.doors.http.openapi import document
from foveal.errors import FovealError
from foveal.wire.problems import status_of
from foveal.wire.verbs import VERBS

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "tests" / "data" / "golden"
# What is said to people, and may be said better.
PROSE = {"description", "summary", "title", "example", "examples"}
# What a parameter of a command is, beside its type and default.
PARAMETER = "name opts secondary_opts required nargs multiple min max envvar is_flag hidden count metavar".split()
_MODULE = re.compile(r"(?<![\w./-])(?:[a-z_]\w*\.)+(?=[A-Za-z_])")
_HOME = re.compile(r" at 0x[0-9a-f]+|/(home|root)/[^\s'\"]*")


def names() -> dict[str, Any]:
    """The public names, with their signatures and defaults."""
    public: dict[str, Iterable[str]] = {
        "foveal": [name for name in dir(foveal) if name != "__version__"],
        "foveal.agents": agents.__all__,
        "foveal.errors": [one.__name__ for one in _errors()],
        "foveal.testing": testing.__all__,
    }
    modules = {"foveal": foveal, "foveal.agents": agents, "foveal.errors": errors, "foveal.testing": testing}
    return {
        home: {name: _described(getattr(modules[home], name)) for name in sorted(listed)}
        for home, listed in public.items()
    }


def openapi() -> dict[str, Any]:
    """The description of the HTTP door."""
    return cast("dict[str, Any]", _without_prose(msgspec.json.decode(msgspec.json.encode(document()))))


def proto() -> dict[str, Any]:
    """The .proto file of the gRPC door, line by line, and the numbers of its fields."""
    lines = [line.rstrip() for line in PROTO.read_text(encoding="utf-8").split("\n")]
    return {
        "proto": [line for line in lines if line and not line.lstrip().startswith("//")],
        "lock": json.loads(LOCK.read_text(encoding="utf-8")),
    }


def commands() -> dict[str, Any]:
    """The commands of the command line, with their options."""
    found: dict[str, Any] = {}
    _gather(typer.main.get_command(app), "foveal", found)
    return found


def codes() -> dict[str, Any]:
    """The errors: their codes, families, and what each door calls them."""
    return {
        one.__name__: {
            "code": one.code,
            "retry": one.retry,
            "family": one.__mro__[1].__name__,
            "http": int(status_of(one).http),
            "grpc": status_of(one).grpc,
            "exit": int(exit_code(one)),
        }
        for one in _errors()
    }


def settings() -> dict[str, Any]:
    """The settings: their variables, types and defaults."""
    return {"prefix": PREFIX, "secret": list(SECRETS), "settings": _fields(Settings)}


def verbs() -> dict[str, Any]:
    """The table of verbs: the name of each at every door."""
    return {name: _text(repr(one)) for name, one in VERBS.items()}


def migrations() -> dict[str, Any]:
    """The migrations of both databases, by what they say. One that has landed never changes."""
    folders = (ROOT / "src" / "foveal" / "backends" / name / "migrations" for name in ("sqlite", "postgres"))
    return {
        f"{folder.parent.name}/{path.name}": hashlib.sha256(path.read_bytes()).hexdigest()
        for folder in folders
        for path in sorted(folder.glob("*.sql"))
    }


GOLDEN: dict[str, Callable[[], dict[str, Any]]] = {
    one.__name__: one for one in (names, openapi, proto, commands, codes, settings, verbs, migrations)
}
# What a memory answers to a fixed story, on every store: compared by `test_golden` on each of them.
STORY = "story"


def kept(name: str) -> Any:
    """What was kept of one of them."""
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def as_kept(value: object) -> Any:
    """A value as it comes back from the file it is kept in."""
    return json.loads(json.dumps(value))


def _errors(root: type[FovealError] = FovealError) -> list[type[FovealError]]:
    under = [one for child in root.__subclasses__() for one in _errors(child)]
    return [one for one in (root, *under) if one.__module__ == errors.__name__]


def _text(value: str) -> str:
    return _HOME.sub("", _MODULE.sub("", value))


def _described(value: Any) -> Any:
    if inspect.isclass(value):
        return _class(value)
    return _signature(value) if callable(value) else _text(repr(value))


def _class(kind: type[Any]) -> dict[str, Any]:
    told: dict[str, Any] = {"signature": _signature(kind)}
    if issubclass(kind, enum.Enum):
        told["values"] = {one.name: one.value for one in kind}
    if issubclass(kind, msgspec.Struct):
        told["fields"] = _fields(kind)
    members: dict[str, str] = {}
    for name in dir(kind):
        # What msgspec, enum and str bring is theirs.
        if name.startswith("_") or any(name in vars(one) for one in kind.__mro__ if _foreign(one)):
            continue
        member = inspect.getattr_static(kind, name)
        if isinstance(member, property):
            members[name] = f"property {_signature(member.fget)}"
        elif isinstance(member, staticmethod | classmethod):
            word = "classmethod" if isinstance(member, classmethod) else "staticmethod"
            members[name] = f"{word} {_signature(getattr(kind, name))}"
        elif callable(member):
            members[name] = _signature(member)
        else:
            members[name] = "value"
    return {**told, "members": members}


def _foreign(kind: type[Any]) -> bool:
    return not kind.__module__.startswith("foveal")


def _signature(value: Any) -> str:
    try:
        return _text(str(inspect.signature(value, eval_str=True)))
    except NameError:
        # A name that is imported for type checkers only.
        return _text(str(inspect.signature(value)))
    except (TypeError, ValueError):
        return "?"


def _fields(kind: type[msgspec.Struct]) -> dict[str, Any]:
    return {
        one.name: {"type": _text(str(one.type)), "default": _default(one)} for one in msgspec.structs.fields(kind)
    }


def _default(field: msgspec.structs.FieldInfo) -> str:
    if field.default is not msgspec.NODEFAULT:
        return _text(repr(field.default))
    factory: Any = field.default_factory
    if factory is msgspec.NODEFAULT:
        return "required"
    made = repr(factory())
    # An id or a moment is another one each time.
    return _text(made) if made == repr(factory()) else f"{factory.__name__}()"


def _without_prose(value: Any, inside: str = "") -> Any:
    if isinstance(value, dict):
        pairs = cast("dict[str, Any]", value).items()
        # A field may be called what prose is called.
        return {
            key: _without_prose(one, key)
            for key, one in pairs
            if key not in PROSE or inside in ("properties", "schemas")
        }
    return [_without_prose(one) for one in cast("list[Any]", value)] if isinstance(value, list) else value


def _gather(command: Any, name: str, found: dict[str, Any]) -> None:
    found[name] = {"hidden": command.hidden, "parameters": [_parameter(one) for one in command.params]}
    under: dict[str, Any] = getattr(command, "commands", {})
    for word, one in sorted(under.items()):
        _gather(one, f"{name} {word}", found)


def _parameter(one: Any) -> str:
    said = {name: getattr(one, name, None) for name in PARAMETER}
    told = [f"{name}={value!r}" for name, value in said.items() if value]
    return _text(", ".join([*told, f"default={one.default!r}", f"type={one.type_descriptor.annotation}"]))


def main() -> None:
    """Write all of them anew."""
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="foveal-golden-") as folder:
        found = {**{name: made() for name, made in GOLDEN.items()}, STORY: told(Path(folder) / "memory.db")}
    for name, value in found.items():
        text = json.dumps(value, indent=1, ensure_ascii=False) + "\n"
        (FOLDER / f"{name}.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
