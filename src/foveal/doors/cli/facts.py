"""Commands for facts: remember a conversation, print what is known and why, and correct it."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from foveal.doors.cli import parsing
from foveal.doors.cli.invocation import (
    AsOf,
    Invocation,
    Limit,
    RecordOptions,
    TokenBudget,
    argument,
    flag,
    option,
)
from foveal.doors.cli.output import Answer, Printer
from foveal.errors import Invalid

if TYPE_CHECKING:
    from foveal.model.results import CorrectedFact, KnownFact, Learned, Profile, Remembered

Message = str | Mapping[str, Any]
ValidAt = Annotated[str | None, option("--valid-at", "DATE", "Answer with what was true at that moment.")]
About = Annotated[str | None, option("--about", "NAME", "Only what concerns this subject.")]


def remember(
    call: Invocation,
    about: RecordOptions,
    text: Annotated[str | None, argument("TEXT", "What was said; - reads it from stdin.")] = None,
    file: Annotated[
        str | None, option("--file", "FILE", "A JSON list of messages, or one message per line; - is stdin.")
    ] = None,
    dry_run: Annotated[bool, flag("--dry-run", "Show what would be learned, and store nothing.")] = False,
) -> Answer:
    """Store what was said, and the facts that it states.

    A file holds chat messages with a role and content, as OpenAI and Anthropic have them, or objects with a text.
    Each fact is shown with what it is to the facts known before: new, same, update or contradiction.
    """
    if (text is None) == (file is None):
        raise Invalid("pass either a text, - for standard input, or --file")
    messages = _messages(file) if file is not None else _text_or_stdin(text or "")
    with call.memory(fresh=not dry_run) as memory:
        done = memory.remember(messages, dry_run=dry_run, **about.details())
    problems = [f"message {rejected.index}: {rejected.message}" for rejected in done.rejected]
    return Answer(done, lambda page: _tell(page, done), done.ids, notes=problems, code=1 if problems else 0)


def _text_or_stdin(text: str) -> str:
    return parsing.text_of("-").rstrip("\r\n") if text == "-" else text


def _messages(file: str) -> list[Message]:
    """The messages of a file: a JSON list, an object that holds them, or one message per line."""
    import msgspec

    content = parsing.text_of(file)
    if content.lstrip().startswith("["):
        try:
            return cast(
                list[str | Mapping[str, Any]], msgspec.json.decode(content, type=list[str | dict[str, Any]])
            )
        except msgspec.DecodeError as error:
            raise Invalid(f"{file} is not a JSON list of messages: {error}") from error
    return [item for _, item in parsing.items(content, file)]


def _tell(page: Printer, done: Remembered) -> None:
    would = "would be " if done.dry_run else ""
    page.line(f"{len(done.ids)} turns {would}stored, {len(done.facts)} facts {would}drawn")
    for fact in done.facts:
        page.card([fact.id, fact.kind, fact.verdict, fact.reason], _stated(fact))


def _stated(fact: Learned | KnownFact) -> str:
    named = f"{fact.subject}, {fact.attribute}: {fact.value}"
    return named if fact.attribute != "instruction" else fact.text


def profile(
    call: Invocation,
    about: About = None,
    token_budget: TokenBudget = 1024,
    as_of: AsOf = None,
    valid_at: ValidAt = None,
) -> Answer:
    """Print what is known now: instructions, preferences and facts.

    Each line has its date, its source and how sure it is; --json adds the ids of the facts and of their turns.
    """
    with call.memory() as memory:
        known = memory.profile(
            about=about,
            token_budget=token_budget,
            as_of=parsing.moment(as_of, "--as-of"),
            valid_at=parsing.moment(valid_at, "--valid-at"),
        )
    ids = [fact.id for fact in known.items]
    left = [f"{known.left_out} facts did not fit"] if known.left_out else []
    return Answer(known, lambda page: _tell_profile(page, known), ids, notes=left)


def _tell_profile(page: Printer, known: Profile) -> None:
    if not known.items:
        page.line("nothing is known yet: `foveal remember` draws facts from what was said")
    elif sys.stdout.isatty():
        page.line(known.text)
    else:
        typer.echo(known.text)


def facts(
    call: Invocation,
    about: About = None,
    status: Annotated[
        str, option("--status", "NAME", "current, unsure, ended, wrong or merged; any lists all.")
    ] = "current",
    limit: Limit = 50,
    as_of: AsOf = None,
    valid_at: ValidAt = None,
) -> Answer:
    """List facts, the newest first, with why each is believed.

    Each has its id, its status, how sure it is, who read it from which turns, and what it replaced.
    """
    with call.memory() as memory:
        known = memory.facts(
            about=about,
            status=status,
            limit=limit,
            as_of=parsing.moment(as_of, "--as-of"),
            valid_at=parsing.moment(valid_at, "--valid-at"),
        )

    def tell(page: Printer) -> None:
        for fact in known:
            _show(page, fact)

    return Answer(
        known,
        tell,
        [fact.id for fact in known],
        empty="no such facts: `foveal remember` draws them; what was added or imported has none",
    )


def _show(page: Printer, fact: KnownFact) -> None:
    ended = f"until {fact.ended:%Y-%m-%d}" if fact.ended else ""
    heads = [
        fact.id,
        fact.kind,
        fact.status,
        f"since {fact.since:%Y-%m-%d}",
        ended,
        f"{fact.confidence:.2f}",
        fact.why,
    ]
    page.card([head for head in heads if head], _stated(fact))
    for turn in fact.evidence:
        page.line(f"{turn.id} {turn.said_at:%Y-%m-%d} {turn.speaker}: {turn.text}", indent=4)


def correct(
    call: Invocation,
    record_id: Annotated[str, argument("ID", "The id of a fact; `foveal facts` lists them.")],
    verdict: Annotated[str, argument("VERDICT", "wrong, outdated or merge.")],
    value: Annotated[str | None, option("--value", "TEXT", "The right value, if you give one.")] = None,
    into: Annotated[str | None, option("--into", "ID", "With merge: the fact that says the same.")] = None,
    until: Annotated[
        str | None, option("--until", "DATE", "With outdated: when it ceased to be true; now by default.")
    ] = None,
    dry_run: Annotated[bool, flag("--dry-run", "Show what would change, and change nothing.")] = False,
) -> Answer:
    """Say that a fact is wrong, outdated, or the same as another.

    Your word outranks everything said before it: reading the same turns again does not bring the fact back.
    The journal lists it, and undo reverts it.
    """
    with call.memory() as memory:
        done = memory.correct(
            record_id,
            verdict,
            value=value,
            into=into,
            until=parsing.moment(until, "--until"),
            dry_run=dry_run,
        )
    return Answer(done, lambda page: _tell_correction(page, done), [done.fact.id])


def _tell_correction(page: Printer, done: CorrectedFact) -> None:
    page.line(f"{'would be ' if done.dry_run else ''}{done.fact.status}:")
    _show(page, done.fact)
    holding = ([done.instead] if done.instead else []) + list(done.reopened)
    if holding:
        page.line(f"{'would hold' if done.dry_run else 'holds'} instead:")
    for fact in holding:
        _show(page, fact)
    if done.move:
        page.line("undo it with:")
        page.command(f"foveal undo {done.move}")
