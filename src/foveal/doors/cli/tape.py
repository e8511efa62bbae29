"""The commands of tapes and glyphs, and `foveal dump`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

from foveal.doors.cli.invocation import Invocation, Limit, argument, flag, option
from foveal.doors.cli.output import Answer, Printer, format_heads, moment, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from foveal.model.glyph import Cell, Family, Inspected, Mention, Tape
    from foveal.model.record import Record


def dump(
    call: Invocation,
    show_spans: Annotated[
        bool, flag("--show-spans", "Also show the embedded pieces and the terms of the word index.")
    ] = False,
    region: Annotated[str | None, option("--region", "NAME", "Only this region.")] = None,
    limit: Annotated[int | None, option("--limit -n -k", "N", "At most this many.")] = None,
) -> Answer:
    """Show every record with its address, oldest first."""
    from foveal.engine.records.write import chunks_of
    from foveal.rules.recall.index import filed_terms
    from foveal.wire.codec import to_json

    with call.memory() as memory:
        records = memory.timeline(
            filters=None if region is None else {"region": region},
            limit=sys.maxsize if limit is None else limit,
            newest_first=False,
        )

    def tell(page: Printer) -> None:
        for record in records:
            page.card([str(record.address), record.id, moment(record.occurred_at)], record.text)
            if show_spans:
                for number, piece in enumerate(chunks_of(record), 1):
                    page.line(f"piece {number}: {' '.join(piece.split())}", style="green", indent=4)
                page.line(f"terms: {' '.join(filed_terms(record))}", style="yellow", indent=4)

    def spans(record: Record) -> dict[str, list[str]]:
        return {"pieces": chunks_of(record), "terms": filed_terms(record)} if show_spans else {}

    shown = [{**to_json(record), **spans(record)} for record in records] if call.options.json else []
    return Answer(shown, tell, [record.id for record in records])


OfTape = Annotated[int | None, option("--tape", "NUMBER", "The tape to use; by default the active one.")]


def encode(
    call: Invocation,
    text: Annotated[str, argument("TEXT", "The text to encode.")],
    lossy: Annotated[bool, flag("--lossy", "Also replace phrases that only resemble those of a family.")] = False,
    tape: OfTape = None,
) -> Answer:
    """Encode a text as a stream of glyphs and literal text."""
    with call.memory() as memory:
        encoded = memory.tape.encode(text, lossy=lossy, tape=tape)
    note = f"density {encoded.density:.2f}; {'exact' if encoded.exact else 'lossy'}; tape {encoded.tape}"
    return Answer(encoded, encoded.stream, notes=[note])


def decode(
    call: Invocation,
    stream: Annotated[str, argument("STREAM", "What `foveal glyph encode` wrote.")],
    tape: OfTape = None,
) -> Answer:
    """Decode a stream back to text."""
    with call.memory() as memory:
        decoded = memory.tape.decode(stream, tape=tape)
    notes = [] if decoded.exact else ["not word for word: some glyphs stood for whole families"]
    return Answer(decoded, decoded.text, notes=notes)


MENTIONS = ("glyph", "", ">likeness", "said", "label of its family")
FAMILIES = ("glyph", ">uses", ">phrases", ">coherence", "languages", "digits", "label")
CELLS = ("cell", ">records", "about")
TAPES = (">tape", "state", ">records", ">phrases", ">families", ">waiting", "built", "encoder", "digest")


def find(
    call: Invocation,
    text: Annotated[str, argument("TEXT", "The text whose phrases to look up.")],
    tape: OfTape = None,
) -> Answer:
    """Find the families of the phrases of a text."""
    with call.memory() as memory:
        mentions = memory.tape.glyphs(text, tape=tape)
    return table(mentions, MENTIONS, _mention, empty="no family has these words, or words like them")


def near(
    call: Invocation,
    address: Annotated[str, argument("ADDRESS", "As `foveal addresses` lists them.")],
    limit: Limit = 20,
) -> Answer:
    """List the records near an address: in its cell, beside it, then further away."""
    with call.memory() as memory:
        neighbours = memory.tape.neighbours(address, limit=limit)
    return table(
        neighbours,
        ("near by", "cell", "id", "text"),
        lambda near: (near.relation, f"#{near.address.digits}", near.record.id, near.record.text),
        ids=[near.record.id for near in neighbours],
        empty="nothing lies near",
    )


def inspect(
    call: Invocation, what: Annotated[str, argument("WHAT", "A glyph, or an address.")], tape: OfTape = None
) -> Answer:
    """Show everything behind a glyph, or at an address."""
    with call.memory() as memory:
        inspected = memory.tape.inspect(what, tape=tape)
    glyphs = [family.glyph for family in inspected.families]
    return Answer(inspected, lambda page: _tell_inspected(page, inspected), glyphs)


def density(
    call: Invocation,
    ids: Annotated[list[str] | None, argument("[ID]...", "The records; by default the newest.")] = None,
    limit: Limit = 20,
    tape: OfTape = None,
) -> Answer:
    """Show how much of each record the tape can write as glyphs."""
    with call.memory() as memory:
        records = memory.get_many(ids, touch=False) if ids else memory.timeline(limit=limit)
        densities = memory.tape.density(ids or [record.id for record in records], tape=tape)
    rows = [(record.id, f"{densities[record.id]:.2f}", record.text) for record in records]
    return Answer(densities, lambda page: page.table(("id", ">density", "text"), rows), list(densities))


def ls(
    call: Invocation,
    prefix: Annotated[str, option("--prefix", "DIGITS", "Only under these digits.")] = "",
    limit: Limit = 20,
    tape: OfTape = None,
) -> Answer:
    """List the families of a tape, the most used first."""
    with call.memory() as memory:
        families = memory.tape.families(prefix=prefix, limit=limit, tape=tape)
    return table(families, FAMILIES, _family, empty="no family lies here")


def _family(family: Family) -> Sequence[object]:
    languages = ", ".join(family.languages)
    coherence = f"{family.coherence:.2f}"
    return (family.glyph, family.uses, family.size, coherence, languages, family.digits, family.label)


def _mention(mention: Mention) -> Sequence[object]:
    sign = "=" if mention.exact else "≈"
    return (mention.glyph or "", sign, f"{mention.likeness:.2f}", mention.text, mention.label)


def _cell(cell: Cell) -> Sequence[object]:
    return (f"#{cell.digits}", cell.records, cell.summary)


def _tape(tape: Tape) -> Sequence[object]:
    state = "in use" if tape.active else tape.state.value
    counts = (tape.records, tape.phrases, tape.families, tape.waiting)
    return (str(tape.number), state, *counts, tape.created_at, tape.encoder, tape.digest[:12])


def _tell_inspected(page: Printer, inspected: Inspected) -> None:
    record = inspected.record
    if record is not None:
        heads = [*format_heads(record), str(inspected.address), f"density {inspected.density:.2f}"]
        page.card(heads, record.text)
        page.line()
        page.table(MENTIONS, map(_mention, inspected.mentions))
        page.line()
    if inspected.families:
        page.table(FAMILIES, map(_family, inspected.families))
        page.line()
    if inspected.phrases:
        phrases = ((f"{phrase.likeness:.2f}", phrase.uses, phrase.text) for phrase in inspected.phrases)
        page.table((">likeness", ">uses", "phrase"), phrases)
        page.line()
    if record is None and inspected.records:
        page.table(
            ("said in", "on", "text"), ((each.id, each.occurred_at, each.text) for each in inspected.records)
        )
        page.line()
    page.table(CELLS, map(_cell, inspected.cells))


Number = Annotated[int, argument("NUMBER", "The number of a tape; 0 is that of the encoder.")]


def build(
    call: Invocation,
    beside: Annotated[bool, flag("--beside", "Only build it; `foveal tape use` activates it.")] = False,
) -> Answer:
    """Build a new tape from the whole memory of an actor, and use it.

    A build that was interrupted continues where it stopped.
    """
    with call.memory() as memory:
        return _one_tape(memory.tape.build(use=not beside, progress=call.progress("Building the tape")))


def update(call: Invocation) -> Answer:
    """Add what was written since the build to the tape in use."""
    with call.memory() as memory:
        return _one_tape(memory.tape.update())


def _one_tape(tape: Tape) -> Answer:
    return Answer(tape, lambda page: page.table(TAPES, [_tape(tape)]), [str(tape.number)])


def list_(call: Invocation) -> Answer:
    """List the tapes."""
    empty = "no tape was built yet: the addresses are those of the encoder's own, tape 0"
    with call.memory() as memory:
        return table(memory.tape.list(), TAPES, _tape, empty=empty)


def use(call: Invocation, number: Number) -> Answer:
    """Switch to another tape and its addresses."""
    with call.memory() as memory:
        memory.tape.use(number)
    return Answer({"tape": number}, f"tape {number} is in use", [str(number)])


def drop(call: Invocation, number: Number) -> Answer:
    """Delete a tape that is not in use; records stay."""
    with call.memory() as memory:
        memory.tape.drop(number)
    return Answer({"tape": number}, f"tape {number} is gone", [str(number)])


def cells(
    call: Invocation,
    prefix: Annotated[str, option("--prefix", "DIGITS", "The cell to look below.")] = "",
    levels: Annotated[int, option("--levels", "N", "How many levels below it.")] = 2,
    tape: OfTape = None,
) -> Answer:
    """Show what the cells of the map are about, level by level."""
    with call.memory() as memory:
        listed = memory.tape.cells(prefix, levels=levels, tape=tape)
    return table(listed, CELLS, _cell, ids=[cell.digits for cell in listed], empty="nothing lies here")
