"""Rows of the inspector: every sample of a cell with its verdict and why. Pure.

Made once for a plan, in the reading thread; afterwards rows are made one by one as they are seen.
"""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from functools import cached_property

import msgspec

from evaltui.cells import Cell as SetCell
from evaltui.logs.attempt import Verdict
from evaltui.plan import CellPlan, Known
from evaltui.text import Glyphs
from evaltui.tui.columns import Column
from evaltui.tui.query import Query, select
from evaltui.tui.runs import Cell, cell
from evaltui.tui.verdict_words import (
    KINDS,
    Seen,
    before,
    glyph_of,
    kind_of,
    seen,
    short_why,
    was,
    why,
)

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
STATES = tuple(KINDS)


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
        verdict = self.verdicts[row]
        kind = kind_of(verdict)
        token = glyph_of(kind, glyphs)[1]
        return (
            (glyph_of(kind, glyphs),),
            cell(KINDS.get(kind, ("", "", kind))[2], token),
            cell(str(verdict.id)),
            cell(str(verdict.epoch), "muted"),
            cell(short_why(verdict)),
            cell(was(before(verdict, self.of)), "muted"),
            cell(verdict.log or "-", "muted"),
            cell(self.of.previews.get(str(verdict.id), "-"), "muted"),
        )

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

    def selected(self, query: Query) -> Sequence[int]:
        """Numbers of the rows that a filter lets through. Takes a second for 100,000 samples."""
        if not query:
            return range(len(self))
        return select(query, self._all_attributes)

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
