"""What the glyph tape is worth: what it keeps apart, bytes, context, near-duplicates, building."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.alike import alike
from bench.folding import SAID, folding
from bench.pairs import HELD_OUT, PAIRS, all_told, precision
from bench.printing import Page, machine
from bench.recall import DATA, Remembered, available, scorer
from bench.streams import conversations, streams
from bench.tapes import Built, built, looked, texts_of
from bench.texts import Texts

PARTS = ("pairs", "streams", "context", "alike", "folding", "build", "prefix")
BUDGET = 512
ANYHOW, WHOLE = 512, 1024


class Modal(Remembered):
    """A case that is read in one mode, with one budget.

    The judge asks for several budgets. The column of the smaller one gets what is shown at any depth, the column of
    the larger one what is shown whole; both come from one read with the smaller budget.
    """

    mode = "mixed"
    shown: list[int]
    whole: list[int]

    def read(self, query: str, budget: int) -> list[str]:
        """The turns that stand in the context, or stand in it whole."""
        if budget not in (ANYHOW, WHOLE):
            return []
        if budget == ANYHOW:
            if self.mode == "glyph" and not self.view.tape.list():
                self.view.tape.build()
            self._items = self.view.read(query, token_budget=BUDGET, mode=self.mode).items
            self.shown.append(len(self._items))
            self.whole.append(sum(item.depth == 2 for item in self._items))
        kept = [item.id for item in self._items if item.depth == 2 or budget == ANYHOW]
        return [turn for record in kept for turn in self.turns(record)]


@dataclass(frozen=True, slots=True)
class Mode:
    """What one mode shows in the budget: how many records, and the evidence among them."""

    name: str
    questions: int
    shown: float
    whole: float
    anyhow_recall: float
    whole_recall: float


def context(data: Path, cases: int) -> list[Mode]:
    """For each mode: how many records are shown, how many of them whole, and the evidence among them."""
    judge = scorer(data)
    chosen = judge.load("locomo-dev")[:cases]
    found: list[Mode] = []
    for name in ("text", "mixed", "glyph"):
        shown: list[int] = []
        whole: list[int] = []
        kind = type("Mode", (Modal,), {"mode": name, "shown": shown, "whole": whole})
        rows, _ = judge.evaluate(chosen, kind)
        counted = [row for row in rows if row["category"] != "5"]
        recall = [sum(float(row[f"R@{one}t"]) for row in counted) / len(counted) for one in (ANYHOW, WHOLE)]
        found.append(
            Mode(name, len(counted), sum(shown) / len(shown), sum(whole) / len(whole), recall[0], recall[1])
        )
    return found


def _table(page: Page, title: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print each row as soon as it is there."""
    page.say(f"\n**{title}**\n\n| " + " | ".join(heads) + " |\n|" + "---|" * len(heads))
    for row in rows:
        page.say("| " + " | ".join(row) + " |")


def _pairs(page: Page, data: Path | None) -> None:
    for path, said in ((PAIRS, "the pairs the rules were made with"), (HELD_OUT, "pairs written after them")):
        found = all_told(data if path == PAIRS else None, path)
        rows = [(one.kind, str(one.pairs), str(one.together), f"{one.share:.2f}") for one in found]
        title = f"what shares a family, {said}; precision {precision(found):.3f}"
        _table(page, title, ("pairs that differ in", "pairs", "in one family", "share"), rows)


def _streams(page: Page, data: Path) -> None:
    found = streams(data)
    rows = [
        (name, *(f"{one:.1f}" for coded in (seen, unseen) for one in (coded.a_text, coded.with_dictionary)))
        for name, seen, unseen in found.rows
    ]
    title = (
        f"bytes a record, LoCoMo: {found.seen:,} records on the tape, density {found.seen_density:.2f}, "
        f"and {found.unseen:,} it never saw, density {found.unseen_density:.2f}"
    )
    heads = ("written as", "seen", "seen, with the dictionary", "unseen", "unseen, with the dictionary")
    _table(page, title, heads, rows)


def _context(page: Page, data: Path, cases: int) -> None:
    found = context(data, cases)
    rows = [
        (one.name, f"{one.shown:.1f}", f"{one.whole:.1f}", f"{one.anyhow_recall:.3f}", f"{one.whole_recall:.3f}")
        for one in found
    ]
    heads = ("mode", "records shown", "of them whole", "R@512t, shown at any depth", "R@512t, shown whole")
    _table(page, f"what fits 512 tokens, LoCoMo, {found[0].questions} questions", heads, rows)


def _alike(page: Page, data: Path) -> None:
    rows = [
        (one.name, f"{one.recall:.3f}", f"{one.precision:.3f}", f"{one.compared:,}")
        for one in alike([text for texts in conversations(data) for text in texts])
    ]
    _table(page, "near-duplicates", ("alike is", "recall", "precision", "pairs compared"), rows)


def _folding(page: Page, data: Path, cases: int) -> None:
    heads = ("tokens", "evidence, as hits come", "evidence, folded", "hits folded a question")
    for again, said in ((SAID, "everything is said four times"), (0, "as they are")):
        questions, found = folding(data, cases, again)
        rows = [(str(one.budget), f"{one.plain:.3f}", f"{one.folded:.3f}", f"{one.away:.2f}") for one in found]
        _table(page, f"ordinary chats, {said}, {questions} questions", heads, rows)


def _row(one: Built) -> tuple[str, ...]:
    grown = (one.after_bytes - one.before_bytes) / one.records
    return (
        f"{one.phrases:,}",
        f"{one.records:,}",
        f"{one.families:,}",
        f"{one.write_seconds:.1f} s",
        f"{one.write_seconds / one.records * 1000:.2f} ms",
        f"{one.build_seconds:.1f} s",
        f"{one.clock_seconds:.1f} s",
        f"{one.most_bytes / 2**20:,.0f} MB",
        f"{one.use_seconds:.2f} s",
        f"{one.update_ms:.2f} ms",
        f"{one.before_bytes / one.records:,.0f} B",
        f"{grown:,.0f} B",
    )


_HEADS = (
    *(
        "phrases",
        "records",
        "families",
        "writing",
        "a record",
        "building",
        "by the clock",
        "most room",
        "using",
        "update, a record",
    ),
    *("file, a record", "tape, a record"),
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print what was measured."""
    parser = argparse.ArgumentParser("python -m bench.glyphs", description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="the folder with the evaluation data")
    parser.add_argument("--only", action="append", choices=PARTS, help="only this part; may be repeated")
    parser.add_argument("--cases", type=int, default=5, help="how many conversations are read")
    parser.add_argument("--phrases", default="10000,50000,200000,1000000", help="how many phrases the tapes have")
    parser.add_argument("--records", type=int, default=100_000, help="how many records prefixes are looked up in")
    given = parser.parse_args(arguments)
    parts = given.only or PARTS
    page = Page()
    page.say(machine())
    there = "locomo-dev" in available(given.data)
    if not there:
        page.say(f"There is no evaluation data in {given.data} (say --data DIR): only made-up texts are measured.")
    if "pairs" in parts:
        _pairs(page, given.data if there else None)
    if there and "streams" in parts:
        _streams(page, given.data)
    if there and "context" in parts:
        _context(page, given.data, given.cases)
    if there and "alike" in parts:
        _alike(page, given.data)
    if "folding" in parts and (given.data / "ordinary-dev").is_dir():
        _folding(page, given.data, given.cases)
    with tempfile.TemporaryDirectory(prefix="foveal-glyphs-") as folder:
        if "build" in parts:
            sizes = [int(one) for one in given.phrases.split(",")]
            made = (built(Path(folder) / f"{size}.db", texts_of(given.data, size)) for size in sizes)
            _table(page, "building a tape, in processor time", _HEADS, map(_row, made))
        if "prefix" in parts:
            path = Path(folder) / "prefix.db"
            large = built(path, Texts(seed=9).take(given.records))
            _table(page, f"{given.records:,} made-up records", _HEADS, [_row(large)])
            rows = [(str(one.digits), f"{one.records:,}", f"{one.milliseconds:.1f} ms") for one in looked(path)]
            _table(page, "looking for the newest 100 under a prefix", ("digits", "records there", "a look"), rows)


if __name__ == "__main__":
    main()
