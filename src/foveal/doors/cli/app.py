"""The command-line app: the table of commands, and how errors become exit codes."""

from __future__ import annotations

import dataclasses
import inspect
import json
import os
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import cache, wraps
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperGroup

import foveal
from foveal.doors.cli import (
    browse,
    crystals,
    demo,
    doctor,
    facts,
    hosts,
    imports,
    ledger,
    lifecycle,
    plots,
    records,
    server,
    tape,
    transfer,
)
from foveal.doors.cli.invocation import Code, GlobalOptions, Invocation, exit_code
from foveal.doors.cli.output import Answer
from foveal.errors import FovealError, Invalid


class ErrorHandler(TyperGroup):
    """The group of all commands; it reports every named error as a message, not as a traceback."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run the command, and exit with its code."""
        arguments = list(sys.argv[1:] if args is None else args)
        as_json = _asks_for_json(arguments)
        try:
            code = super().main(arguments, prog_name or "foveal", complete_var, False, windows_expand_args, **extra)
        except FovealError as error:
            _report(error.code, error.message, as_json, data=error.data, retry=error.retry)
            code = exit_code(type(error))
        except typer.TyperException as error:
            _report("usage", error.format_message(), as_json, hint=_hint(error))
            code = Code.INVALID
        except typer.Abort:
            _report("aborted", "nothing was done", as_json)
            code = Code.FAILED
        except Exception as error:
            # A bug in Foveal. People see the traceback; a program gets it inside the object it expects.
            if not as_json:
                raise
            trace = {"traceback": traceback.format_exc()}
            _report("internal", f"{type(error).__name__}: {error}", as_json, data=trace)
            code = Code.FAILED
        sys.exit(_flushed(int(code or 0)))

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help: the commands in panels, those for every day first, and the options after them."""
        self.format_usage(ctx, formatter)
        self.format_help_text(ctx, formatter)
        for panel, names in PANELS.items():
            with formatter.section(panel):
                formatter.write_dl(
                    [(name, self.commands[name].get_short_help_str(formatter.width)) for name in names.split()]
                )
        self.format_options(ctx, formatter)
        self.format_epilog(ctx, formatter)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Nothing: the panels have them."""

    def invoke(self, ctx: Any) -> Any:
        """Run the chosen command; it ends quietly if the reader of its output goes away."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise typer.Exit(_silenced()) from None


def _asks_for_json(arguments: Sequence[str]) -> bool:
    # Looked up in the raw arguments, because a command that cannot be parsed must answer in JSON, too.
    return "--json" in (arguments[: arguments.index("--")] if "--" in arguments else arguments)


def _hint(error: typer.TyperException) -> str:
    context = getattr(error, "ctx", None)
    return f"Try '{context.command_path} --help'." if context is not None else ""


def _report(
    code: str,
    message: str,
    as_json: bool,
    *,
    hint: str = "",
    data: Mapping[str, object] | None = None,
    retry: bool = False,
) -> None:
    if as_json:
        body = {"code": code, "message": message, "retry": retry, "data": data or {}}
        text = json.dumps(body, default=str)
    else:
        text = f"Error: {message}" + (f"\n{hint}" if hint else "")
    typer.echo(text, err=True)


def _flushed(code: int) -> int:
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        return _silenced()
    return code


def _silenced() -> int:
    """Discard buffered output, so that the interpreter does not complain on exit. Returns the exit code."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    return int(Code.BROKEN_PIPE)


_KEYWORD = inspect.Parameter.KEYWORD_ONLY
_CONTEXT = inspect.Parameter("ctx", _KEYWORD, annotation=typer.Context)


def expand_options(command: Callable[..., Answer | None]) -> Callable[..., None]:
    """`command` with each parameter that is a bundle replaced by the options of that bundle; it prints its answer.

    A bundle is a dataclass whose fields are annotated as Typer options. An `Invocation` is built from
    `GlobalOptions`: those after the command override those before it.
    """
    bundles: dict[str, type[Any]] = {}
    parameters = [_CONTEXT]
    declared = inspect.signature(command, eval_str=True).parameters
    takes_context = _CONTEXT.name in declared
    own = {name for parameter in declared.values() for name in _option_names(parameter)}
    for parameter in declared.values():
        kind = parameter.annotation
        if dataclasses.is_dataclass(kind) and isinstance(kind, type):
            bundles[parameter.name] = kind
            # An option of the command hides the global option of the same name.
            shared = [option for option in _hidden(GlobalOptions) if own.isdisjoint(_option_names(option))]
            parameters += shared if kind is Invocation else _options(kind)
        elif kind is not typer.Context:
            parameters.append(parameter.replace(kind=_KEYWORD))

    @wraps(command)
    def run(ctx: typer.Context, **values: Any) -> None:
        for name, kind in bundles.items():
            options = GlobalOptions if kind is Invocation else kind
            fields = [field.name for field in dataclasses.fields(options) if field.name in values]
            bundle = options(**{field: values.pop(field) for field in fields})
            values[name] = Invocation(ctx.obj.then(bundle)) if kind is Invocation else bundle
        answer = command(**values, **({"ctx": ctx} if takes_context else {}))
        if answer is not None:
            values["call"].show(answer)
            if answer.code:
                raise typer.Exit(answer.code)

    run.__signature__ = inspect.Signature(parameters)  # pyright: ignore[reportAttributeAccessIssue, reportFunctionMemberAccess]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


@cache
def _options(bundle: type[Any]) -> list[inspect.Parameter]:
    parameters = inspect.signature(bundle, eval_str=True).parameters.values()
    return [parameter.replace(kind=_KEYWORD) for parameter in parameters]


@cache
def _hidden(bundle: type[Any]) -> list[inspect.Parameter]:
    """The options of a bundle, hidden from the help of a command because `foveal --help` lists them."""
    hidden: list[inspect.Parameter] = []
    for parameter in _options(bundle):
        option = copy(parameter.annotation.__metadata__[0])
        option.hidden = True
        hidden.append(parameter.replace(annotation=Annotated[parameter.annotation.__origin__, option]))
    return hidden


def _option_names(parameter: inspect.Parameter) -> tuple[str, ...]:
    """The names of an option on the command line."""
    options = getattr(parameter.annotation, "__metadata__", ())
    return tuple(name for option in options for name in getattr(option, "param_decls", None) or ())


class Entry(NamedTuple):
    """A command: its name, with its group before it, the function to run, an example, and an alias.

    The function takes an `Invocation` and the options of the command, opens the memory, and returns the `Answer` to
    print. Its docstring is the help.
    """

    name: str
    run: Callable[..., Answer | None]
    example: str
    alias: str = ""


COMMANDS = (
    Entry("write", records.write, 'foveal write "Ada prefers tea" --speaker Ada --tag taste', "add"),
    Entry("remember", facts.remember, 'foveal remember "I moved to Lyon" --dry-run'),
    Entry("profile", facts.profile, "foveal profile --about Mira"),
    Entry("facts", facts.facts, "foveal facts --about Mira --status any"),
    Entry("correct", facts.correct, "foveal correct ID wrong --value Zwolle"),
    Entry("search", browse.search, 'foveal search "what does Ada drink" -k 3'),
    Entry("read", browse.read, 'foveal read "what does Ada drink" --token-budget 500', "context"),
    Entry("recalls", browse.recalls, "foveal recalls ID"),
    Entry("get", browse.get, "foveal get 01k6zq3v8m2x4c7n9p5r1t3w5y"),
    Entry("ls", browse.ls, "foveal ls --since 2026-03-01 --filter speaker=Ada"),
    Entry("supersede", records.supersede, 'foveal supersede ID "Ada prefers coffee now"'),
    Entry("forget", records.forget, "foveal forget ID --cascade"),
    Entry("pin", records.pin, "foveal pin ID"),
    Entry("unpin", records.unpin, "foveal unpin ID"),
    Entry("mute", records.mute, "foveal mute ID"),
    Entry("unmute", records.unmute, "foveal unmute ID"),
    Entry("reinforce", records.reinforce, "foveal reinforce ID --factor 1.5"),
    Entry("history", browse.history, "foveal history ID"),
    Entry("link", records.link, "foveal link FROM TO --kind derived_from"),
    Entry("unlink", records.unlink, "foveal unlink FROM TO"),
    Entry("related", records.related, "foveal related ID --depth 2"),
    Entry("children", records.children, "foveal children ID --sort importance --desc"),
    Entry("tree", records.tree, "foveal tree ID --depth 5"),
    Entry("assemble", ledger.assemble, 'foveal assemble "renew the certificate" --tier working'),
    Entry("events", ledger.events, "foveal events --category error"),
    Entry("regions", browse.regions, "foveal regions"),
    Entry("nodes", browse.nodes, "foveal nodes --node /planner"),
    Entry("actors", browse.actors, "foveal actors"),
    Entry("addresses", browse.addresses, "foveal addresses --prefix 01"),
    Entry("stats", browse.stats, "foveal stats --actor-id ada"),
    Entry("metabolism", lifecycle.metabolism, "foveal metabolism --dry-run"),
    Entry("widen", lifecycle.widen, "foveal widen --dry-run"),
    Entry("journal", lifecycle.journal, "foveal journal --limit 20"),
    Entry("undo", lifecycle.undo, "foveal undo MOVE"),
    Entry("forecast", lifecycle.forecast, "foveal forecast ID"),
    Entry("summaries", lifecycle.summaries, "foveal summaries --kind session"),
    Entry("worker", lifecycle.worker, "foveal worker --once"),
    Entry("serve", server.serve, "foveal serve --port 8001"),
    Entry("snapshot", lifecycle.snapshot, 'foveal snapshot "before the move"'),
    Entry("snapshots", lifecycle.snapshots, "foveal snapshots"),
    Entry("changes", lifecycle.changes, 'foveal changes "before the move"'),
    Entry("restore", lifecycle.restore, 'foveal restore "before the move"'),
    Entry("invoke", browse.invoke, "foveal invoke self.memory.resume crystal_id=crystal_1f0c33a9be21"),
    Entry("engram", crystals.engram, "foveal engram plan '{\"step\": 3}'"),
    Entry("manifest", crystals.manifest, "foveal manifest plan"),
    Entry("init", transfer.init, "foveal init --actor-id ada"),
    Entry("import", imports.import_, "foveal import ada.jsonl --actor-id ada"),
    Entry("export", transfer.export, "foveal export ada.jsonl --actor-id ada"),
    Entry("backup", transfer.backup, "foveal backup memory-copy.db"),
    Entry("migrate", transfer.migrate, "foveal migrate --from sqlite:///a.db --to postgresql://db.example/memory"),
    Entry("erase", transfer.erase, "foveal erase --actor-id ada --yes"),
    Entry("repair", transfer.repair, "foveal repair repaired.db --url damaged.db"),
    Entry("reindex", transfer.reindex, "foveal reindex"),
    Entry("vacuum", transfer.vacuum, "foveal vacuum"),
    Entry("errors", server.errors, "foveal errors --follow"),
    Entry("doctor", doctor.doctor, "foveal doctor --url memory.db"),
    Entry("dump", tape.dump, "foveal dump --actor-id ada --show-spans"),
    Entry("demo", demo.demo, "foveal demo"),
    Entry("console", server.console, "foveal console --actor-id ada"),
    Entry("mcp", hosts.serve_mcp, "foveal mcp --actor-id ada"),
    Entry("session start", records.start, "foveal session start --kind call"),
    Entry("session ls", records.ls, "foveal session ls"),
    Entry("session end", records.end, "foveal session end SESSION"),
    Entry("goal add", ledger.add_goal, 'foveal goal add "Renew the certificate" --priority 1'),
    Entry("goal ls", ledger.list_goals, "foveal goal ls --interrupted"),
    Entry("goal show", ledger.show_goal, "foveal goal show GOAL"),
    Entry("goal close", ledger.close_goal, "foveal goal close GOAL --status failed"),
    Entry("ledger decisions", ledger.list_decisions, 'foveal ledger decisions --like "which database"'),
    Entry("ledger patterns", ledger.list_patterns, "foveal ledger patterns"),
    Entry("ledger calls", ledger.list_tool_calls, "foveal ledger calls --tool read_file"),
    Entry("ledger metrics", ledger.list_metrics, "foveal ledger metrics"),
    Entry("watch", ledger.watch, "foveal watch ~/notes"),
    Entry("knowledge add", ledger.add, "foveal knowledge add handbook --tag it"),
    Entry("knowledge ls", ledger.ls, "foveal knowledge ls"),
    Entry("knowledge search", ledger.search, 'foveal knowledge search "how long is a password"'),
    Entry("crystal ls", crystals.ls, "foveal crystal ls --all"),
    Entry("crystal show", crystals.show, "foveal crystal show ID"),
    Entry("crystal tree", crystals.tree, "foveal crystal tree"),
    Entry("crystal diff", crystals.diff, "foveal crystal diff FIRST SECOND"),
    Entry("crystal crystallize", crystals.crystallize, "foveal crystal crystallize messages.json"),
    Entry("crystal branch", crystals.branch, 'foveal crystal branch ID "try the other way"'),
    Entry("crystal merge", crystals.merge, "foveal crystal merge ID INTO"),
    Entry("crystal resume", crystals.resume, "foveal crystal resume ID --json"),
    Entry("crystal cherish", crystals.cherish, "foveal crystal cherish ID"),
    Entry("crystal compost", crystals.compost, "foveal crystal compost ID"),
    Entry("crystal reap", crystals.reap, "foveal crystal reap"),
    Entry("glyph encode", tape.encode, 'foveal glyph encode "See you at the harbour tomorrow."'),
    Entry("glyph decode", tape.decode, 'foveal glyph decode "$STREAM"'),
    Entry("glyph find", tape.find, 'foveal glyph find "See you at the harbour."'),
    Entry("glyph near", tape.near, "foveal glyph near 'default/agent:me#012012012@d2t7'"),
    Entry("glyph inspect", tape.inspect, "foveal glyph inspect 亍"),
    Entry("glyph density", tape.density, "foveal glyph density --limit 5"),
    Entry("glyph ls", tape.ls, "foveal glyph ls --prefix 01 --limit 10"),
    Entry("tape build", tape.build, "foveal tape build"),
    Entry("tape list", tape.list_, "foveal tape list"),
    Entry("tape use", tape.use, "foveal tape use 2"),
    Entry("tape update", tape.update, "foveal tape update"),
    Entry("tape cells", tape.cells, "foveal tape cells --prefix 01"),
    Entry("tape drop", tape.drop, "foveal tape drop 1"),
    Entry("plot decay", plots.decay, "foveal plot decay --out decay.png"),
    Entry("plot map", plots.map_, "foveal plot map map.png --labels 60"),
    Entry("policy ls", lifecycle.ls, "foveal policy ls --changed"),
    Entry("policy set", lifecycle.set_, "foveal policy set policy.recent_records=4 memory.l2.retention_hours=48"),
    Entry("policy reset", lifecycle.reset, "foveal policy reset policy.recent_records"),
    Entry("key add", server.add, "foveal key add ci --actor-id ada --right read --expires 90d"),
    Entry("key ls", server.ls, "foveal key ls"),
    Entry("key revoke", server.revoke, "foveal key revoke ID"),
    Entry("ghost status", crystals.status, "foveal ghost status"),
    Entry("ghost clear", crystals.clear, "foveal ghost clear"),
    Entry("config show", browse.show_config, "foveal config show --origin"),
    Entry("mcp install", hosts.install, "foveal mcp install claude-code --hooks --actor-id ada --dry-run"),
    Entry("mcp uninstall", hosts.uninstall, "foveal mcp uninstall claude-code --dry-run"),
    Entry("mcp hook", hosts.hook, "foveal mcp hook --actor-id ada < event.json"),
)
# The commands as `foveal --help` lists them.
PANELS = {
    "Everyday": "write remember search read supersede forget ls get profile facts correct stats pin unpin "
    "mute unmute",
    "Time": "history recalls snapshot snapshots changes restore journal undo forecast reinforce metabolism "
    "summaries",
    "Agents": "assemble session goal ledger events nodes crystal engram manifest invoke widen",
    "Knowledge": "knowledge watch link unlink related children tree regions addresses glyph tape plot",
    "Server": "serve console mcp worker key ghost errors",
    "Upkeep": "init demo doctor config policy import export backup migrate actors erase repair reindex vacuum dump",
}
# The groups of commands, each with its help. A group that is a command, too, has the help of that command.
GROUPS = {
    "session": "Start, list and end sessions.",
    "goal": "Add, list and close goals.",
    "ledger": "What agents decided, learned and called.",
    "knowledge": "Import and search documents.",
    "crystal": "Inspect, resume and clean up crystals.",
    "glyph": "Write with the glyphs of a tape.",
    "tape": "Build glyph tapes and choose one.",
    "plot": "Draw a picture of a memory.",
    "policy": "Policy values that the store keeps for all processes.",
    "key": "The API keys of a server.",
    "ghost": "The last answers of servers, for when they are away.",
    "config": "Show the settings.",
    "mcp": "",
}


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"foveal {foveal.__version__}")
        raise typer.Exit


Version = Annotated[
    bool, typer.Option("--version", help="Print the version and exit.", is_eager=True, callback=_print_version)
]


def start(ctx: typer.Context, everywhere: GlobalOptions, version: Version = False) -> None:
    """Memory for AI agents: sharp where the question points, gist everywhere else."""
    ctx.obj = everywhere
    if ctx.invoked_subcommand is None:
        if everywhere.json:
            raise Invalid("name a command; foveal --help lists them")
        typer.echo(ctx.get_help())


def _app() -> typer.Typer:
    main = typer.Typer(
        name="foveal",
        cls=ErrorHandler,
        invoke_without_command=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        epilog='The options work after the command, too: foveal search "tea" --actor-id ada --json',
        context_settings={"help_option_names": ["--help", "-h"]},
    )
    main.callback()(expand_options(start))
    groups = {name: typer.Typer(name=name, rich_markup_mode=None, help=text) for name, text in GROUPS.items()}
    for entry in COMMANDS:
        group, _, name = entry.name.rpartition(" ")
        parent = groups.get(group, main)
        command = expand_options(entry.run)
        epilog = f"\b\nExample:\n  {entry.example}\n\nThe options of `foveal --help` work here, too."
        if name in groups and parent is main:
            groups[name].callback(invoke_without_command=True, help=entry.run.__doc__, epilog=epilog)(command)
            continue
        parent.command(name, epilog=epilog)(command)
        if entry.alias:
            parent.command(entry.alias, epilog=epilog, hidden=True)(command)
    for group in groups.values():
        main.add_typer(group)
    return main


app = _app()
