"""The table of commands, and the app made of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, NamedTuple

import typer

import foveal
from foveal.doors.cli import (
    console,
    crystals,
    demo,
    doctor,
    dump,
    errors,
    families,
    ghosts,
    glyph,
    keeping,
    keys,
    knowledge,
    ledger,
    living,
    mcp,
    migrating,
    moments,
    moving,
    overview,
    paths,
    plots,
    policies,
    reading,
    serving,
    tape,
    writing,
)
from foveal.doors.cli.boundary import Boundary
from foveal.doors.cli.bundles import spread
from foveal.doors.cli.call import Everywhere
from foveal.errors import Invalid


class Entry(NamedTuple):
    """A command: its name, what runs, an example, and another name for it."""

    name: str
    run: Callable[..., None]
    example: str
    alias: str = ""


COMMANDS = (
    Entry("write", writing.write, 'foveal write "Ada prefers tea" --speaker Ada --tag taste', "add"),
    Entry("search", reading.search, 'foveal search "what does Ada drink" -k 3'),
    Entry("read", reading.read, 'foveal read "what does Ada drink" --token-budget 500', "context"),
    Entry("recalls", reading.recalls, "foveal recalls ID"),
    Entry("get", reading.get, "foveal get 01k6zq3v8m2x4c7n9p5r1t3w5y"),
    Entry("ls", reading.ls, "foveal ls --since 2026-03-01 --filter speaker=Ada"),
    Entry("supersede", writing.supersede, 'foveal supersede ID "Ada prefers coffee now"'),
    Entry("forget", writing.forget, "foveal forget ID --cascade"),
    Entry("pin", keeping.pin, "foveal pin ID"),
    Entry("unpin", keeping.unpin, "foveal unpin ID"),
    Entry("mute", keeping.mute, "foveal mute ID"),
    Entry("unmute", keeping.unmute, "foveal unmute ID"),
    Entry("reinforce", keeping.reinforce, "foveal reinforce ID --factor 1.5"),
    Entry("history", reading.history, "foveal history ID"),
    Entry("link", keeping.link, "foveal link FROM TO --kind derived_from"),
    Entry("unlink", keeping.unlink, "foveal unlink FROM TO"),
    Entry("related", keeping.related, "foveal related ID --depth 2"),
    Entry("children", families.children, "foveal children ID --sort importance --desc"),
    Entry("tree", families.tree, "foveal tree ID --depth 5"),
    Entry("assemble", ledger.assemble, 'foveal assemble "renew the certificate" --tier working'),
    Entry("events", ledger.events, "foveal events --category error"),
    Entry("regions", overview.regions, "foveal regions"),
    Entry("nodes", overview.nodes, "foveal nodes --node /planner"),
    Entry("actors", overview.actors, "foveal actors"),
    Entry("addresses", overview.addresses, "foveal addresses --prefix 01"),
    Entry("stats", overview.stats, "foveal stats --actor-id ada"),
    Entry("metabolism", living.metabolism, "foveal metabolism --dry-run"),
    Entry("journal", living.journal, "foveal journal --limit 20"),
    Entry("undo", living.undo, "foveal undo MOVE"),
    Entry("forecast", living.forecast, "foveal forecast ID"),
    Entry("summaries", living.summaries, "foveal summaries --kind session"),
    Entry("worker", living.worker, "foveal worker --once"),
    Entry("serve", serving.serve, "foveal serve --port 8001"),
    Entry("snapshot", moments.snapshot, 'foveal snapshot "before the move"'),
    Entry("snapshots", moments.snapshots, "foveal snapshots"),
    Entry("changes", moments.changes, 'foveal changes "before the move"'),
    Entry("restore", moments.restore, 'foveal restore "before the move"'),
    Entry("invoke", paths.invoke, "foveal invoke self.memory.resume crystal_id=crystal_1f0c33a9be21"),
    Entry("engram", ghosts.engram, "foveal engram plan '{\"step\": 3}'"),
    Entry("manifest", ghosts.manifest, "foveal manifest plan"),
    Entry("import", moving.import_, "foveal import ada.jsonl --actor-id ada"),
    Entry("export", moving.export, "foveal export ada.jsonl --actor-id ada"),
    Entry("backup", moving.backup, "foveal backup memory-copy.db"),
    Entry(
        "migrate",
        migrating.migrate,
        "foveal migrate --from sqlite:///a.db --to postgresql://db.example/memory",
    ),
    Entry("reindex", moving.reindex, "foveal reindex"),
    Entry("vacuum", moving.vacuum, "foveal vacuum"),
    Entry("errors", errors.errors, "foveal errors --follow"),
    Entry("doctor", doctor.doctor, "foveal doctor --url memory.db"),
    Entry("dump", dump.dump, "foveal dump --actor-id ada --show-spans"),
    Entry("demo", demo.demo, "foveal demo"),
    Entry("console", console.console, "foveal console --actor-id ada"),
)
PLOT = (
    Entry("decay", plots.decay, "foveal plot decay --out decay.png"),
    Entry("map", plots.map_, "foveal plot map map.png --labels 60"),
)
GLYPH = (
    Entry("encode", glyph.encode, 'foveal glyph encode "See you at the harbour tomorrow."'),
    Entry("decode", glyph.decode, 'foveal glyph decode "$STREAM"'),
    Entry("find", glyph.find, 'foveal glyph find "See you at the harbour."'),
    Entry("near", glyph.near, "foveal glyph near 'default/agent:me#012012012@d2t7'"),
    Entry("inspect", glyph.inspect, "foveal glyph inspect 亍"),
    Entry("density", glyph.density, "foveal glyph density --limit 5"),
    Entry("ls", glyph.ls, "foveal glyph ls --prefix 01 --limit 10"),
)
TAPE = (
    Entry("build", tape.build, "foveal tape build"),
    Entry("list", tape.list_, "foveal tape list"),
    Entry("use", tape.use, "foveal tape use 2"),
    Entry("update", tape.update, "foveal tape update"),
    Entry("cells", tape.cells, "foveal tape cells --prefix 01"),
    Entry("drop", tape.drop, "foveal tape drop 1"),
)
CONFIG = (Entry("show", overview.show_config, "foveal config show --origin"),)
SESSION = (
    Entry("start", families.start, "foveal session start --kind call"),
    Entry("ls", families.ls, "foveal session ls"),
    Entry("end", families.end, "foveal session end SESSION"),
)
CRYSTAL = (
    Entry("ls", crystals.ls, "foveal crystal ls --all"),
    Entry("show", crystals.show, "foveal crystal show ID"),
    Entry("tree", crystals.tree, "foveal crystal tree"),
    Entry("diff", crystals.diff, "foveal crystal diff FIRST SECOND"),
    Entry("resume", crystals.resume, "foveal crystal resume ID --json"),
    Entry("cherish", crystals.cherish, "foveal crystal cherish ID"),
    Entry("compost", crystals.compost, "foveal crystal compost ID"),
    Entry("reap", crystals.reap, "foveal crystal reap"),
)
GOAL = (
    Entry("add", ledger.add_goal, 'foveal goal add "Renew the certificate" --priority 1'),
    Entry("ls", ledger.list_goals, "foveal goal ls --interrupted"),
    Entry("show", ledger.show_goal, "foveal goal show GOAL"),
    Entry("close", ledger.close_goal, "foveal goal close GOAL --status failed"),
)
LEDGER = (
    Entry("decisions", ledger.list_decisions, 'foveal ledger decisions --like "which database"'),
    Entry("patterns", ledger.list_patterns, "foveal ledger patterns"),
    Entry("calls", ledger.list_tool_calls, "foveal ledger calls --tool read_file"),
    Entry("metrics", ledger.list_metrics, "foveal ledger metrics"),
)
KNOWLEDGE = (
    Entry("add", knowledge.add, "foveal knowledge add handbook --tag it"),
    Entry("ls", knowledge.ls, "foveal knowledge ls"),
    Entry("search", knowledge.search, 'foveal knowledge search "how long is a password"'),
)
KEY = (
    Entry("add", keys.add, "foveal key add ci --actor-id ada --right read --expires 90d"),
    Entry("ls", keys.ls, "foveal key ls"),
    Entry("revoke", keys.revoke, "foveal key revoke ID"),
)
POLICY = (
    Entry("ls", policies.ls, "foveal policy ls --changed"),
    Entry("set", policies.set_, "foveal policy set policy.recent_records=4 memory.l2.retention_hours=48"),
    Entry("reset", policies.reset, "foveal policy reset policy.recent_records"),
)
MCP = (Entry("install", mcp.install, "foveal mcp install claude-code --actor-id ada --dry-run"),)
GHOST = (
    Entry("status", ghosts.status, "foveal ghost status"),
    Entry("clear", ghosts.clear, "foveal ghost clear"),
)
# The commands that have commands of their own: what they are about, and which.
GROUPS: dict[str, tuple[str, tuple[Entry, ...]]] = {
    "session": ("Begin, list and end sessions.", SESSION),
    "goal": ("Goals: what is to be reached.", GOAL),
    "ledger": ("What agents decided, learned and called.", LEDGER),
    "knowledge": ("Documents: bring them in, search them.", KNOWLEDGE),
    "crystal": ("Look after the crystals.", CRYSTAL),
    "glyph": ("Write with the glyphs of a tape.", GLYPH),
    "tape": ("Build glyph tapes and choose one.", TAPE),
    "plot": ("Draw a picture of a memory.", PLOT),
    "policy": ("How memory is read and ages, as the store says.", POLICY),
    "key": ("The keys of a server: who may come in.", KEY),
    "ghost": ("The last answers of servers, for when they are away.", GHOST),
    "config": ("Look at the settings.", CONFIG),
    "mcp": ("", MCP),
}
# The groups that also do something by themselves, and say so themselves.
ALONE = {"mcp": Entry("mcp", mcp.serve, "foveal mcp --actor-id ada")}


def _tell_version(asked: bool) -> None:
    if asked:
        typer.echo(f"foveal {foveal.__version__}")
        raise typer.Exit


Version = Annotated[
    bool, typer.Option("--version", help="Print the version and end.", is_eager=True, callback=_tell_version)
]


def start(ctx: typer.Context, everywhere: Everywhere, version: Version = False) -> None:
    """The memory of AI agents: sharp where the question points, gist everywhere else."""
    ctx.obj = everywhere
    if ctx.invoked_subcommand is None:
        if everywhere.json:
            raise Invalid("say a command; foveal --help lists them")
        typer.echo(ctx.get_help())


def _app() -> typer.Typer:
    made = typer.Typer(
        name="foveal",
        cls=Boundary,
        add_completion=False,
        invoke_without_command=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        epilog='The options work after the command, too: foveal search "tea" --actor-id ada --json',
        context_settings={"help_option_names": ["--help", "-h"]},
    )
    made.callback()(spread(start))
    _add(made, COMMANDS)
    for name, (told, entries) in GROUPS.items():
        group = typer.Typer(name=name, rich_markup_mode=None)
        if name in ALONE:
            alone = ALONE[name]
            group.callback(invoke_without_command=True, epilog=_epilog(alone))(spread(alone.run))
        else:
            group.info.help = told
        _add(group, entries)
        made.add_typer(group)
    return made


def _add(made: typer.Typer, entries: tuple[Entry, ...]) -> None:
    for entry in entries:
        command = spread(entry.run)
        epilog = _epilog(entry)
        made.command(entry.name, epilog=epilog)(command)
        if entry.alias:
            made.command(entry.alias, epilog=epilog, hidden=True)(command)


def _epilog(entry: Entry) -> str:
    return f"\b\nExample:\n  {entry.example}\n\nThe options of `foveal --help` work here, too."


app = _app()
