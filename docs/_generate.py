"""The tables of the reference pages, made from the code."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, cast, get_args, get_origin, get_type_hints

from msgspec import NODEFAULT, Struct
from msgspec.structs import fields
from typer.testing import CliRunner

import foveal
from foveal.backends.postgres import PostgresStore
from foveal.backends.sqlite import SqliteStore
from foveal.backends.sqlite.store import IN_MEMORY_CAPABILITIES
from foveal.config import PREFIX, Settings
from foveal.doors.cli.app import COMMANDS, PANELS, app
from foveal.doors.cli.invocation import FAMILIES, MEANINGS, exit_code
from foveal.doors.client import answers
from foveal.engine import paths
from foveal.engine.admin import Admin
from foveal.engine.crystals.crystals import Crystals
from foveal.engine.entries import Nodes
from foveal.engine.ledger.ledger import Ledger
from foveal.engine.ledger.longterm import LongTerm
from foveal.engine.ledger.operational import Operational
from foveal.engine.lifecycle.lifecycle import Lifecycle
from foveal.engine.memory import View
from foveal.engine.past import Snapshots
from foveal.engine.records import write
from foveal.engine.records.relations import Groups, Links, Sessions
from foveal.engine.records.verbs import Browse
from foveal.engine.tape.tape import TapeVerbs
from foveal.errors import FovealError
from foveal.model import crystal, glyph, ledger, results
from foveal.model.ids import Address
from foveal.model.policy import KINDS, KindConfig, MemoryPolicyConfig
from foveal.model.query import FIELDS, At, Details, Op
from foveal.model.record import STORED_SCOPES, Linearity, LinkKind, Record, Scope, Tier, Vitals
from foveal.model.server import ActorQuota, Breaker, Database, KeyQuota, Logging, Serving
from foveal.ports.store import Capability
from foveal.rules import text as splitting
from foveal.rules import validation, windows
from foveal.rules.budget import POLICIES, zones_of
from foveal.rules.decay import RATE_A_DAY
from foveal.wire.calls import told_of
from foveal.wire.problems import status_of
from foveal.wire.verbs import VERBS

OPERATORS = {
    Op.EQ: "the same value; what a plain value means",
    Op.NE: "any other value, or none",
    Op.IN: "one of a list; what a plain list means",
    Op.CONTAINS: "the text has this part, or the list has this element",
    Op.PREFIX: "the text begins with this",
    Op.LT: "below",
    Op.LTE: "below or equal",
    Op.GT: "above",
    Op.GTE: "above or equal",
}
LIMITS = {
    "MAX_TEXT": "characters of a text, and of a question",
    "MAX_NAME": "characters of a name: actor, world, node, session, region, kind, speaker, tag, id, key",
    "MAX_TAGS": "tags of a record",
    "MAX_METADATA": "characters of the metadata, as JSON",
    "MAX_FILTER_VALUES": "values in one list of a filter",
    "MAX_FILTER_PARTS": "conditions of a filter",
    "MAX_DEPTH": "levels of lists and objects in metadata, and in any other value in JSON",
    "MAX_KEYS": "keys of all objects in such a value",
}
CAPABILITIES = {
    Capability.DURABLE: "what was acknowledged is there when the store is opened again",
    Capability.BACKUP: "`backup` copies it while others go on",
    Capability.MANY_PROCESSES: "several processes may open it at once",
    Capability.REMOTE: "it is asked over a connection: while one verb waits for it, a server runs others",
}
_VALUES = {bool: "`true`, `false`", int: "a whole number"}
_CRYSTALS = (crystal.__name__, windows.__name__, paths.__name__)
PARTS = {
    **{"browse": Browse, "links": Links, "groups": Groups, "sessions": Sessions},
    **{"snapshots": Snapshots, "lifecycle": Lifecycle, "nodes": Nodes, "ledger": Ledger},
    **{"operational": Operational, "longterm": LongTerm, "tape": TapeVerbs, "admin": Admin},
}
# The verbs that a newcomer needs, which come first; then the others of every day.
FIRST = ("write", "remember", "search", "read", "supersede", "forget", "view")
NEXT = (
    "write_many",
    "profile",
    "get",
    "get_many",
    "history",
    "timeline",
    "stats",
    "pin",
    "unpin",
    "mute",
    "unmute",
)
STORES = {
    SqliteStore: "a path, `sqlite:///path`, `:memory:`, or nothing",
    PostgresStore: "`postgresql://host/database`",
}
DECLARED = {
    "`SqliteStore`": SqliteStore.capabilities,
    "`:memory:`": IN_MEMORY_CAPABILITIES,
    "`PostgresStore`": PostgresStore.capabilities,
}


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table."""
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    lines += ["| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines)


@cache
def attribute_docs(kind: type) -> dict[str, str]:
    """The strings that stand under the fields of a class."""
    return {name: flat(text) for name, text in told_of(kind).items()}


def flat(text: str | None) -> str:
    """A docstring without its doctest, as one line of Markdown."""
    parts = " ".join((text or "").split(">>>")[0].split()).split("`")
    # Outside of code, a bracket would begin an HTML tag.
    return "`".join(part if n % 2 else part.replace("<", "&lt;") for n, part in enumerate(parts))


def first_line(thing: object) -> str:
    """What a docstring says first."""
    return flat((inspect.getdoc(thing) or "").splitlines()[0])


def signature_of(verb: object) -> str:
    """The parameters of a verb as they are written, without `self`."""
    found = inspect.signature(inspect.unwrap(verb))  # pyright: ignore[reportArgumentType]
    parameters = [one for name, one in found.parameters.items() if name != "self"]
    written = re.sub(r"(: |-> )'([^']*)'", r"\1\2", str(found.replace(parameters=parameters)))
    return re.sub(r"Unpack\[(\w+)\]", r"\1", written)


def verbs_of(facade: type) -> dict[str, Any]:
    """Every verb of a facade, in the order of the code."""
    parts = [part for part in facade.__mro__ if part is not object]
    found = {
        name: verb for part in reversed(parts) for name, verb in vars(part).items() if not name.startswith("_")
    }
    order = [name for part in parts for name in vars(part) if name in found]
    return {name: found[name].fget if isinstance(found[name], property) else found[name] for name in order}


def plain_verbs() -> dict[str, Any]:
    """The verbs of a memory that are in no group: those for every day first, then what the documents name."""
    found = {name: verb for name, verb in verbs_of(View).items() if name not in (*PARTS, "crystals")}
    return {name: found[name] for name in dict.fromkeys((*FIRST, *NEXT, *found))}


def first_verbs() -> str:
    """The verbs that a newcomer needs, in one table."""
    return _listed({name: verb for name, verb in plain_verbs().items() if name in FIRST})


def next_verbs() -> str:
    """The other verbs that are in no group, in one table."""
    return _listed({name: verb for name, verb in plain_verbs().items() if name not in FIRST})


def group_list() -> str:
    """Every group with its verbs, in one table."""
    rows = [
        (f"[`{name}`](#{name})", first_line(getattr(View, name)), ", ".join(f"`{verb}`" for verb in verbs_of(part)))
        for name, part in PARTS.items()
    ]
    rows.insert(-2, ("[`crystals`](crystals.md)", first_line(View.crystals), "see [crystals](crystals.md)"))
    return table(("group", "what it is for", "verbs"), rows)


def _listed(found: dict[str, Any]) -> str:
    rows = [
        (f"[`{name}`](#{name})", f"`{inspect.signature(verb).return_annotation}`", first_line(verb))
        for name, verb in found.items()
    ]
    return table(("verb", "gives", "what it does"), rows)


def verbs() -> str:
    """Every verb that is in no group, with its parameters and its promise."""
    return _described(plain_verbs())


def _described(found: dict[str, Any]) -> str:
    return "\n\n".join(
        f"### {name}\n\n```text\n{name}{signature_of(verb)}\n```\n\n{flat(verb.__doc__)}"
        for name, verb in found.items()
    )


def rights() -> str:
    """The verbs, as keys and logs name them, by the rights that they need."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for verb in VERBS.values():
        if verb.http or verb.rpc:
            also = "" if verb.method == verb.name else f" (`{verb.method}`)"
            groups.setdefault(verb.rights, []).append(f"`{verb.name}`{also}")
    rows = [(" and ".join(f"`{right}`" for right in needs), ", ".join(groups[needs])) for needs in groups if needs]
    return table(("rights", "verbs"), rows)


def path_rights() -> str:
    """The verbs that each path calls."""
    rows = [(f"`{path}`", ", ".join(f"`{verb}`" for verb in verbs)) for path, verbs in paths.CALLS.items()]
    return table(("path", "verbs that it calls"), rows)


def crystal_list() -> str:
    """Every verb of crystals, in one table."""
    return _listed(verbs_of(Crystals))


def crystal_verbs() -> str:
    """Every verb of crystals with its parameters."""
    return _described(verbs_of(Crystals))


def path_list() -> str:
    """Every path with its arguments."""
    rows = [
        (f"`{one.path}`", " ".join([*(f"`{n}`" for n in one.needs), *(f"[`{n}`]" for n in one.takes)]), one.help)
        for one in paths.listed()
    ]
    return table(("path", "arguments", "what it does"), rows)


def parts() -> str:
    """The groups, each with its verbs."""
    told: list[str] = []
    for name, facade in PARTS.items():
        told += [f"### {name}", flat(getattr(View, name).__doc__), flat(facade.__doc__)]
        for verb, function in verbs_of(facade).items():
            told += [f"#### {name}.{verb}", f"```text\n{verb}{signature_of(function)}\n```", flat(function.__doc__)]
    return "\n\n".join(told)


def keywords(kind: type) -> str:
    """The fields of a viewpoint or of the details of a write."""
    own = attribute_docs(kind)
    rows = [(f"`{name}`", f"`{kind.__annotations__[name].__forward_arg__}`", doc) for name, doc in own.items()]
    return table(("keyword", "type", "meaning"), rows)


def at() -> str:
    """The viewpoint."""
    return keywords(At)


def details() -> str:
    """What a write may say."""
    return keywords(Details)


def kinds() -> str:
    """The kinds that start with a tier and an importance of their own."""
    rows = [
        (f"`{kind}`", f"`{Tier.named(one.tier).name.lower()}`", one.importance, one.reinforcement)
        for kind, one in KINDS.items()
    ]
    rows.append(("any other", f"`{Vitals().tier.name.lower()}`", "by its text", KindConfig().reinforcement))
    return table(("kind", "tier", "importance", "reinforcement"), rows)


def policies() -> str:
    """How the policies of a read fill the budget, zone by zone."""
    zones = {name: zones_of(name, MemoryPolicyConfig(), in_session=True) for name in POLICIES}
    rows = [
        (f"`{name}`", ", then ".join(f"{zone.name} {zone.share:.0%}" for zone in some))
        for name, some in zones.items()
    ]
    return table(("policy", "zones, in the order they are filled"), rows)


def policy_values() -> str:
    """Every value of the policy."""
    return _values(MemoryPolicyConfig)


def server_values() -> str:
    """Every value of the section `server`."""
    return _values(Serving)


def logging_values() -> str:
    """Every value of the section `logging`."""
    return _values(Logging)


def actor_quota_values() -> str:
    """Every value of `quotas.actor`."""
    return _values(ActorQuota)


def key_quota_values() -> str:
    """Every value of `quotas.key`."""
    return _values(KeyQuota)


def breaker_values() -> str:
    """Every value of the section `breaker`."""
    return _values(Breaker)


def postgres_values() -> str:
    """Every value of the section `postgres`."""
    return _values(Database)


def _values(section: type[Struct]) -> str:
    docs = attribute_docs(section)
    rows = [(f"`{one.name}`", _default(one.default), docs[one.name]) for one in fields(section)]
    return table(("value", "default", "meaning"), rows)


def _default(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(f"`{one}`" for one in cast(tuple[object, ...], value)) or "none"
    return "nothing" if value is None else f"`{value}`"


def tiers() -> str:
    """The tiers and how fast importance decays in them."""
    rows = [(f"`{tier.name.lower()}`", f"L{int(tier)}", RATE_A_DAY[tier]) for tier in Tier]
    return table(("tier", "level", "decay a day"), rows)


def settings() -> str:
    """Every setting."""
    docs = attribute_docs(Settings)
    rows = [
        (
            f"`{one.name}`",
            f"`{PREFIX}{one.name.upper()}`",
            "its own" if one.default is NODEFAULT else "nothing" if one.default is None else f"`{one.default}`",
            ", ".join(f"`{value}`" for value in get_args(one.type) if isinstance(value, str))
            or _VALUES.get(one.type, "text"),
            docs[one.name],
        )
        for one in fields(Settings)
    ]
    return table(("setting", "variable", "default", "values", "meaning"), rows)


def error_tree(root: type[FovealError] = FovealError) -> list[type[FovealError]]:
    """An error and all under it, in the order of the code."""
    return [root, *(under for child in root.__subclasses__() for under in error_tree(child))]


def errors() -> str:
    """Every error with its code."""
    rows = [
        (
            f"`{one.__name__}`",
            f"`{one.code}`",
            "" if one is FovealError else f"`{one.__base__.__name__ if one.__base__ else ''}`",
            "yes" if one.retry else "no",
            int(exit_code(one)),
            int(status_of(one).http),
            status_of(one).grpc,
            first_line(one),
        )
        for one in error_tree()
    ]
    return table(("error", "code", "is a", "retry", "exit code", "HTTP", "gRPC", "default message"), rows)


def filter_fields() -> str:
    """What a filter may ask about."""
    known = {**get_type_hints(Address), **get_type_hints(Vitals), **get_type_hints(Record), "archived": bool}
    rows = [(f"`{name}`", _told(known[name])) for name in FIELDS]
    return table(("field", "holds"), [*rows, ("`metadata.<key>`, `metadata.<key>.<key>`", "any JSON value")])


def _told(kind: Any) -> str:
    if get_origin(kind) is tuple:
        return "labels"
    options = [one for one in get_args(kind) if isinstance(one, type)] or [kind]
    absent = " or nothing" if type(None) in options else ""
    [held] = [one for one in options if one is not type(None)][:1]
    if held is Tier:
        return "a tier, by any of its names"
    if held is Scope:
        return "one of " + ", ".join(f"`{one}`" for one in STORED_SCOPES)
    if held is Linearity:
        return "one of " + ", ".join(f"`{one.value}` ({one.name.lower()})" for one in Linearity)
    words = {"str": "text", "int": "a whole number", "float": "a number", "bool": "true or false"}
    words |= {"datetime": "a moment with a time zone"}
    return words[held.__name__] + absent


def operators() -> str:
    """What a field may be asked."""
    return table(("operator", "holds when the value is"), [(f"`{op}`", OPERATORS[op]) for op in Op])


def limits() -> str:
    """The limits of input, and the sizes the engine works with."""
    names = [name for name in vars(validation) if name.startswith("MAX_")]
    rows = [(f"{getattr(validation, name):,}", LIMITS[name]) for name in names]
    size = inspect.signature(splitting.chunks).parameters["size"].default
    rows += [
        (f"{write.BATCH:,}", "texts that `write_many` stores in one transaction"),
        (f"{size:,}", "characters of a chunk: longer texts are embedded chunk by chunk"),
        (f"{splitting.MOST_TERMS:,}", "terms of a question that are looked up: the rarest, if it has more"),
    ]
    return table(("limit", "of what"), rows)


def capabilities() -> str:
    """What each store can do."""
    rows = [
        (f"`{one}`", *("yes" if one in declared else "no" for declared in DECLARED.values()), CAPABILITIES[one])
        for one in Capability
    ]
    return table(("capability", *DECLARED, "meaning"), rows)


def stores() -> str:
    """How each store is named."""
    return table(
        ("store", "URL", "what it is"),
        [(f"`{kind.__name__}`", url, first_line(kind)) for kind, url in STORES.items()],
    )


def commands() -> str:
    """Every command with its alias, and what it does, in the panels of the help."""
    parts: list[str] = []
    for panel, names in PANELS.items():
        rows: list[tuple[str, str]] = []
        entries = [one for name in names.split() for one in COMMANDS if one.name.split()[0] == name]
        for entry in entries:
            link = f"[`{entry.name}`](#foveal-{entry.name.replace(' ', '-')})"
            rows.append((f"{link} (`{entry.alias}`)" if entry.alias else link, first_line(entry.run)))
        parts.append(f"### {panel}\n\n" + table(("command", "does"), rows))
    return "\n\n".join(parts)


def exit_codes() -> str:
    """The exit codes, what each means, and the errors that cause it."""
    rows = [
        (code.value, meaning, ", ".join(f"`{kind.__name__}`" for kind, exit_ in FAMILIES.items() if exit_ is code))
        for code, meaning in MEANINGS.items()
    ]
    return table(("code", "meaning", "errors"), rows)


def command_help() -> str:
    """The printed help of every command."""
    return "\n\n".join(_help_page(name.split()) for name in ("", *(entry.name for entry in COMMANDS)))


def _help_page(words: list[str]) -> str:
    result = CliRunner(env={"COLUMNS": "80"}).invoke(app, [*words, "--help"], prog_name="foveal")
    return f"### {' '.join(['foveal', *words])}\n\n```text\n{result.stdout.rstrip()}\n```"


def client_methods() -> str:
    """Every method of the client with its parameters."""
    parts = [part for part in foveal.MemoryClient.__mro__ if part is not object]
    found = {name: one for part in parts for name, one in vars(part).items() if not name.startswith("_")}
    return "\n\n".join(
        f"### {name}\n\n```text\n{name}{signature_of(method)}\n```\n\n{flat(method.__doc__)}"
        for name, method in found.items()
    )


def client_answers() -> str:
    """The keys of what the methods of the client give."""
    kinds = [one for one in vars(answers).values() if isinstance(one, type) and hasattr(one, "__required_keys__")]
    rows = [
        (f"`{kind.__name__}`", flat(kind.__doc__), ", ".join(f"`{name}`" for name in kind.__annotations__))
        for kind in kinds
    ]
    return table(("answer", "what it is", "keys"), rows)


def public_names() -> str:
    """Everything that `foveal` exports."""
    rows = [(f"`{name}`", first_line(getattr(foveal, name))) for name in dir(foveal) if name != "__version__"]
    return table(("name", "what it is"), rows)


def link_kinds() -> str:
    """The kinds of links that have a meaning of their own."""
    return ", ".join(f"`{kind}`" for kind in LinkKind)


def values() -> str:
    """The fields of every value that verbs give."""
    named = [getattr(foveal, name) for name in dir(foveal) if name != "__version__"] + [
        *vars(results).values(),
        *vars(ledger).values(),
        *vars(glyph).values(),
    ]
    return _fields([one for one in named if getattr(one, "__module__", "") not in _CRYSTALS])


def crystal_values() -> str:
    """The fields of every value that the verbs of crystals give."""
    found = [one for name in _CRYSTALS for one in vars(sys.modules[name]).values()]
    return _fields([one for one in found if one is not windows.Spoken])


def _fields(named: Iterable[object]) -> str:
    structs = [one for one in named if isinstance(one, type) and issubclass(one, Struct)]
    parts: list[str] = []
    for one in dict.fromkeys(structs):
        if one in (Struct, Settings) or not one.__struct_fields__:
            continue
        rows = [(f"`{name}`", f"`{one.__annotations__[name]}`") for name in one.__struct_fields__]
        parts.append(f"### {one.__name__}\n\n{flat(one.__doc__)}\n\n{table(('field', 'type'), rows)}")
    return "\n\n".join(parts)
