"""Rows of the inspector: every sample of a cell with its verdict and why. Pure.

Made once for a plan, in the reading thread; afterwards rows are made one by one as they are seen.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator, Sequence
from functools import cached_property

import msgspec

from evaltui.cells import Cell as SetCell
from evaltui.logs.attempt import Verdict
from evaltui.plan import CellPlan, Known
from evaltui.plan_words import kind_of, short_why, why, word_of
from evaltui.text import Glyphs
from evaltui.tui.columns import Column, Sort
from evaltui.tui.query import Query, Value, select
from evaltui.tui.runs import Cell, cell
from evaltui.tui.selectors import sorted_rows
from evaltui.tui.verdict_words import KINDS, Seen, before, glyph_of, seen, was

COLUMNS = (
    Column("glyph", "", 1),
    Column("verdict", "VERDICT", 9, 12),
    Column("id", "ID", 6, 12),
    Column("epoch", "EP", 2, 3, priority=1, align="right"),
    Column("why", "WHY", 16, 30, priority=1),
    Column("was", "IT WAS", 10, 26, priority=2),
    Column("log", "FROM LOG", 10, 20, priority=3, grow=1),
    Column("asks", "IT ASKS", 14, 30, priority=4, grow=2),
)
MANY = 5_000
"""More samples than these are filtered in the reading thread: it takes longer than a key may."""

STATES = tuple(KINDS)
SHARED = ("verdict", "epoch", "why", "was", "log", "asks")
"""Columns that leave where all rows say the same in them."""

_NAMES = {"why": "because", "was": "it was", "log": "from log", "asks": "it asks"}


class Listed(msgspec.Struct, frozen=True):
    """A table as it is looked at. shown: numbers of rows; shared: (column, what all of it say)."""

    shown: Sequence[int]
    shared: tuple[tuple[str, str], ...] = ()


class SampleTable(msgspec.Struct, frozen=True, dict=True):
    """Samples of one cell in the order they run, epochs within items.

    keys: of the rows. runs: numbers of the rows that run, ascending.
    """

    verdicts: Sequence[Verdict]
    keys: tuple[str, ...]
    runs: tuple[int, ...]
    of: Seen

    def __len__(self) -> int:
        return len(self.verdicts)

    def cells(self, row: int, glyphs: Glyphs) -> tuple[Cell, ...]:
        """The cells of a row, as `COLUMNS` has them."""
        kind = kind_of(self.verdicts[row])
        sign = glyph_of(kind, glyphs)
        texts = [self.text(row, column.id) for column in COLUMNS[1:]]
        tokens = (sign[1], "text", "muted", "text", "muted", "muted", "muted")
        return ((sign,), *map(cell, texts, tokens))

    def text(self, row: int, column: str) -> str:
        """What stands in a column of a row."""
        verdict = self.verdicts[row]
        match column:
            case "verdict":
                return word_of(kind_of(verdict))
            case "id":
                return str(verdict.id)
            case "epoch":
                return str(verdict.epoch)
            case "why":
                return short_why(verdict)
            case "was":
                return was(before(verdict, self.of))
            case "log":
                return verdict.log or "-"
            case _:
                return self.of.previews.get(str(verdict.id), "-")

    def attributes(self, row: int) -> dict[str, str | int]:
        """What a filter may ask for."""
        verdict = self.verdicts[row]
        found = before(verdict, self.of)
        return {
            "id": str(verdict.id),
            "epoch": verdict.epoch,
            "verdict": kind_of(verdict),
            "is": kind_of(verdict),
            "log": verdict.log or "",
            "was": found.state if found else "",
            "tokens": found.tokens if found else 0,
            "asks": self.of.previews.get(str(verdict.id), ""),
        }

    def listed(self, query: Query, sort: Sort | None) -> Listed:
        """What a filter lets through, in the order of a sort. A second for 100,000 samples."""
        shown: Sequence[int] = range(len(self))
        if query:
            shown = select(query, self._all_attributes)
        if sort is not None:
            column = sort[0]
            shown = sorted_rows(shown, sort, lambda row: self._sort_value(row, column))
        return Listed(shown, tuple(self._shared(shown)))

    def _shared(self, shown: Sequence[int]) -> Iterator[tuple[str, str]]:
        if len(shown) < 2:
            return
        for column in SHARED:
            first = self.text(shown[0], column)
            # most columns differ early on; only what is shared is looked through to the end
            if self.text(shown[-1], column) == first and all(
                self.text(row, column) == first for row in shown
            ):
                yield column, first

    def _sort_value(self, row: int, column: str) -> Value:
        verdict = self.verdicts[row]
        if column in ("glyph", "verdict"):
            kind = kind_of(verdict)
            return STATES.index(kind) if kind in STATES else len(STATES)
        if column == "epoch":
            return verdict.epoch
        if column == "id":
            return natural(str(verdict.id))
        text = self.text(row, column)
        return text if text != "-" else None

    @cached_property
    def _all_attributes(self) -> list[dict[str, str | int]]:
        return [self.attributes(row) for row in range(len(self))]

    def detail(self, row: int, glyphs: Glyphs) -> tuple[Cell, ...]:
        """One sample in two or three lines, nothing of it left out."""
        verdict = self.verdicts[row]
        sign, token = glyph_of(kind_of(verdict), glyphs)
        told: list[Cell] = [
            (
                (f"{sign} ", token),
                (f"{verdict.id}", "strong"),
                (f"  epoch {verdict.epoch}  ", "muted"),
                (why(verdict), "text"),
            )
        ]
        found = before(verdict, self.of)
        if found is not None:
            log = f"in {verdict.log}" if verdict.log else "in the last log that has it"
            told.append(cell(f"{was(found)}, {log}", "muted"))
        preview = self.of.previews.get(str(verdict.id))
        if preview:
            told.append((*cell("asks: ", "muted"), *cell(preview)))
        return tuple(told)


def columns_of(listed: Listed, *, wide: bool) -> tuple[tuple[Column, ...], tuple[int, ...]]:
    """The columns to show, and their places in the cells of a row."""
    left_out = {column for column, _ in listed.shared} if not wide else set()
    places = [place for place, column in enumerate(COLUMNS) if column.id not in left_out]
    return tuple(COLUMNS[place] for place in places), tuple(places)


def shared_line(listed: Listed, between: str, *, wide: bool) -> tuple[Cell, Cell]:
    """What all shown samples share, said once; at the right how to see it as columns."""
    told = [(name, text) for name, text in listed.shared if text != "-"]
    if not listed.shared:
        return (), ()
    said = between.join(f"{_NAMES.get(name, name)} {text}" for name, text in told)
    said = said or "in no log, and nothing is known of what they ask"
    hidden = len(listed.shared)
    right = "w hides what is shared" if wide else f"{hidden} shared, hidden as columns (w shows)"
    return (("= ", "kept"), (said, "muted")), cell(right, "muted")


def natural(text: str) -> str:
    """A text that sorts as people count: `s2` before `s10`."""
    return re.sub(r"\d+", lambda digits: digits[0].zfill(12), text)


ATTRIBUTES = ("id", "epoch", "verdict", "log", "was", "tokens", "asks")


def sample_table(
    known: Known, set_cell: SetCell, plan: CellPlan, *, in_order: bool = True
) -> SampleTable:
    """The table of a cell's plan. Takes about a second for 100,000 samples.

    in_order: the slice does not shuffle, so that items without ids can be told by their place.
    """
    histories = [known.histories[name] for name in plan.logs if name in known.histories]
    verdicts = plan.verdicts
    ids = list(dict.fromkeys(verdict.id for verdict in verdicts)) if in_order else []
    of = seen(histories, known.loads.get(set_cell.load_key), ids)
    return SampleTable(
        verdicts,
        tuple(f"{verdict.id}\x00{verdict.epoch}" for verdict in verdicts),
        tuple(row for row, verdict in enumerate(verdicts) if verdict.verdict == "run"),
        of,
    )


def next_run(shown: Sequence[int], runs: Sequence[int], at: int, step: int) -> int | None:
    """Place in `shown` of the next (step 1) or previous (-1) row that runs; None where none is.

    at: place of the cursor in `shown`. It does not go round: that would hide where the end is.
    """
    wanted = set(runs) if not isinstance(shown, range) else None
    if wanted is None:  # all rows are shown: a place in the list is a number of a row
        place = bisect.bisect_right(runs, at) if step > 0 else bisect.bisect_left(runs, at) - 1
        return runs[place] if 0 <= place < len(runs) else None
    places = range(at + 1, len(shown)) if step > 0 else range(at - 1, -1, -1)
    return next((place for place in places if shown[place] in wanted), None)
