"""The command line as Markdown, for the reference page."""

from __future__ import annotations

from foveal.doors.cli.app import ALONE, COMMANDS, GROUPS, app
from foveal.doors.cli.exits import FAMILIES, MEANINGS


def command_table() -> str:
    """One row a command: its name, its alias, and what it does."""
    rows = ["| command | does |", "|---|---|"]
    for entry in COMMANDS:
        alias = f" (`{entry.alias}`)" if entry.alias else ""
        rows.append(f"| [`{entry.name}`](#foveal-{entry.name}){alias} | {_first_line(entry.run.__doc__)} |")
    rows += [f"| [`{name}`](#foveal-{name}) | {_first_line(one.run.__doc__)} |" for name, one in ALONE.items()]
    rows += [
        f"| [`{group} {entry.name}`](#foveal-{group}-{entry.name}) | {_first_line(entry.run.__doc__)} |"
        for group, (_, entries) in GROUPS.items()
        for entry in entries
    ]
    return "\n".join(rows)


def exit_table() -> str:
    """One row an exit code: what it means, and the errors that end with it."""
    rows = ["| code | meaning | errors |", "|---|---|---|"]
    for code, meaning in MEANINGS.items():
        errors = ", ".join(f"`{kind.__name__}`" for kind, exit_ in FAMILIES.items() if exit_ is code)
        rows.append(f"| {code.value} | {meaning} | {errors} |")
    return "\n".join(rows)


def help_pages() -> str:
    """The help of every command, as it is printed."""
    pages = [_page([])]
    pages += [_page([entry.name]) for entry in COMMANDS]
    pages += [_page([name]) for name in ALONE]
    pages += [_page([group, entry.name]) for group, (_, entries) in GROUPS.items() for entry in entries]
    return "\n\n".join(pages)


def _page(words: list[str]) -> str:
    from typer.testing import CliRunner

    said = CliRunner(env={"COLUMNS": "80"}).invoke(app, [*words, "--help"], prog_name="foveal")
    return f"### {' '.join(['foveal', *words])}\n\n```text\n{said.stdout.rstrip()}\n```"


def _first_line(doc: str | None) -> str:
    return (doc or "").strip().splitlines()[0]
