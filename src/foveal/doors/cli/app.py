"""The table of commands, and the app made of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, NamedTuple

import typer

import foveal
from foveal.doors.cli import demo, doctor, dump, glyph, keeping, moving, overview, plot, reading, tape, writing
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
    Entry("get", reading.get, "foveal get 01k6zq3v8m2x4c7n9p5r1t3w5y"),
    Entry("ls", reading.ls, "foveal ls --since 2026-03-01 --filter speaker=Ada"),
    Entry("supersede", writing.supersede, 'foveal supersede ID "Ada prefers coffee now"'),
    Entry("forget", writing.forget, "foveal forget --filter tags=draft"),
    Entry("pin", keeping.pin, "foveal pin ID"),
    Entry("unpin", keeping.unpin, "foveal unpin ID"),
    Entry("reinforce", keeping.reinforce, "foveal reinforce ID --factor 1.5"),
    Entry("history", reading.history, "foveal history ID"),
    Entry("link", keeping.link, "foveal link FROM TO --kind derived_from"),
    Entry("unlink", keeping.unlink, "foveal unlink FROM TO"),
    Entry("related", keeping.related, "foveal related ID"),
    Entry("children", reading.children, "foveal children ID"),
    Entry("regions", overview.regions, "foveal regions"),
    Entry("addresses", overview.addresses, "foveal addresses --prefix 01"),
    Entry("stats", overview.stats, "foveal stats --actor-id ada"),
    Entry("import", moving.import_, "foveal import ada.jsonl --actor-id ada"),
    Entry("export", moving.export, "foveal export ada.jsonl --actor-id ada"),
    Entry("backup", moving.backup, "foveal backup memory-copy.db"),
    Entry("reindex", moving.reindex, "foveal reindex"),
    Entry("doctor", doctor.doctor, "foveal doctor --url memory.db"),
    Entry("dump", dump.dump, "foveal dump --actor-id ada --show-spans"),
    Entry("demo", demo.demo, "foveal demo"),
)
# Commands of two words: the first, what it is about, and the second ones.
GROUPS = (
    (
        "glyph",
        "Write with the glyphs of a tape.",
        (
            Entry("encode", glyph.encode, 'foveal glyph encode "See you at the harbour tomorrow."'),
            Entry("decode", glyph.decode, 'foveal glyph decode "$STREAM"'),
            Entry("inspect", glyph.inspect, "foveal glyph inspect 亍"),
            Entry("ls", glyph.ls, "foveal glyph ls --prefix 01 --limit 10"),
        ),
    ),
    (
        "tape",
        "Build glyph tapes and choose one.",
        (
            Entry("build", tape.build, "foveal tape build"),
            Entry("list", tape.list_, "foveal tape list"),
            Entry("use", tape.use, "foveal tape use 2"),
            Entry("update", tape.update, "foveal tape update"),
        ),
    ),
    ("plot", "Draw pictures.", (Entry("map", plot.map_, "foveal plot map map.png --labels 60"),)),
    ("config", "Look at the settings.", (Entry("show", overview.show_config, "foveal config show"),)),
)


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
    for name, about, entries in GROUPS:
        group = typer.Typer(name=name, help=about, rich_markup_mode=None)
        _add(group, entries)
        made.add_typer(group)
    return made


def _add(made: typer.Typer, entries: tuple[Entry, ...]) -> None:
    for entry in entries:
        command = spread(entry.run)
        epilog = f"\b\nExample:\n  {entry.example}\n\nThe options of `foveal --help` work here, too."
        made.command(entry.name, epilog=epilog)(command)
        if entry.alias:
            made.command(entry.alias, epilog=epilog, hidden=True)(command)


app = _app()
