"""Results: every score with its interval and what it stands on; two cells compared on demand.

Statistics libraries are not loaded here: a process makes the report, another one the comparison.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from textual.app import ComposeResult

from evaltui.tui import selectors
from evaltui.tui.actions import Place, Situation
from evaltui.tui.dialogs.comparison import ComparisonDialog
from evaltui.tui.picture import Picture
from evaltui.tui.processes import run_module
from evaltui.tui.query import Query, select
from evaltui.tui.result_rows import (
    ATTRIBUTES,
    COLUMNS,
    STATES,
    Results,
    ScoreRow,
    attributes,
    detail_lines,
    in_order,
    read_results,
    row_cells,
    telling_args,
)
from evaltui.tui.runs import cell
from evaltui.tui.screens.set_screen import SetScreen
from evaltui.tui.view import View
from evaltui.tui.widgets.block import Block
from evaltui.tui.widgets.filter_line import FilterLine
from evaltui.tui.widgets.grid import Grid, Rows
from evaltui.tui.widgets.split_line import SplitLine


class ResultsScreen(SetScreen):
    """One line for each score of each cell, in spec order. open_cell: shows a cell (by its key)."""

    DEFAULT_CSS = "ResultsScreen #detail { margin: 0 1; max-height: 7; }"
    place = Place.RESULTS

    def __init__(self, view: View, open_cell: Callable[[str], object] = lambda _: None) -> None:
        super().__init__()
        self.view = view
        self._open_cell = open_cell
        self._rows: tuple[ScoreRow, ...] = ()
        self._query = Query()
        self._said = "the scores are being computed"
        self._cell_of: dict[str, str] = {}
        self._made_for: tuple[tuple[str, ...], int] | None = None
        self._making: asyncio.Task[None] | None = None

    def body(self) -> ComposeResult:
        yield SplitLine(id="header")
        yield FilterLine(ATTRIBUTES, STATES, self._values, id="filter")
        yield Grid(Place.RESULTS, COLUMNS, cell("Results", "title"), id="scores")
        yield Block(least=3, indent=2, id="detail")

    @property
    def grid(self) -> Grid:
        return self.query_one("#scores", Grid)

    @property
    def rows(self) -> tuple[ScoreRow, ...]:
        """All scores, filtered or not."""
        return self._rows

    def on_mount(self) -> None:
        self.grid.focus(scroll_visible=False)
        self._show_rows()

    def on_unmount(self) -> None:
        if self._making is not None:
            self._making.cancel()

    # --- showing ------------------------------------------------------------------------------

    def show(self, picture: Picture, now: float) -> None:
        """Show a picture; scores are computed again when cells have got other logs."""
        left, _ = selectors.header(picture, "results", now, self.glyphs)
        self.query_one("#header", SplitLine).set(left, cell(self._standing(), "muted"))
        if picture.ready:
            self._compute(picture)
        self.update_hints()

    def _standing(self) -> str:
        return "computing" if self._making is not None else ""

    def _compute(self, picture: Picture) -> None:
        self._cell_of = {
            name: key
            for key, state in picture.state.cells.items()
            if (name := _log_name(state.log)) is not None
        }
        wanted = (tuple(self._cell_of), len(picture.logs))
        if self._making is None and wanted != self._made_for:
            self._made_for = wanted
            self._making = asyncio.create_task(self._make(wanted[0]))

    async def _make(self, chosen: tuple[str, ...]) -> None:
        words = [str(self.view.layout.log_dir)]
        for name in chosen:
            words += ["--log", name]
        try:
            found = await run_module("evaltui.stats.report", words)
            if found.code != 0:
                raise ValueError(found.said or "the process that computes scores ended early")
            self._take(read_results(found.out))
        except (OSError, ValueError) as error:
            self._said = str(error)
        self._making = None
        self._show_rows()
        self.show(self.view.picture, 0.0)

    def _take(self, results: Results) -> None:
        places = {name: place for place, name in enumerate(self._cell_of)}
        self._rows = in_order(results, places)
        self._said = "no log holds a score yet"
        for skipped in results.skipped[:1]:
            more = len(results.skipped) - 1
            others = f" (and {more} more)" if more else ""
            self.shell.say(cell(f"left out: {skipped.log}: {skipped.reason}{others}", "warn"))

    def _show_rows(self) -> None:
        rows = self._rows
        if self._query:
            found = select(self._query, [attributes(row) for row in rows])
            rows = tuple(rows[number] for number in found)
        telling, glyphs, asked = telling_args(self._rows), self.glyphs, self._asked()
        empty = "nothing matches; Esc takes the filter away" if self._rows else self._said
        self.grid.set(
            Rows(
                tuple(row.row_key for row in rows),
                lambda number: row_cells(
                    rows[number],
                    telling[rows[number].row_key],
                    glyphs,
                    asked.get(rows[number].log, 0),
                ),
            ),
            empty=cell(empty, "muted"),
        )
        number = cell(f"{len(rows)} of {len(self._rows)}", "muted")
        self.grid.set_title(cell("Results", "title"), number if self._rows else ())
        self._show_detail()

    def _asked(self) -> dict[str, int]:
        """By log, how many samples its cell is asked for now."""
        plan = self.view.picture.plan
        totals = {each.key: each.total for each in plan.cells} if plan is not None else {}
        return {log: totals.get(key, 0) for log, key in self._cell_of.items()}

    def _show_detail(self) -> None:
        self.query_one("#detail", Block).set(detail_lines(self._row, self.glyphs))

    @property
    def _row(self) -> ScoreRow | None:
        return self._of_key(self.grid.cursor_key)

    def _of_key(self, key: str | None) -> ScoreRow | None:
        return next((row for row in self._rows if row.row_key == key), None)

    # --- what is done here --------------------------------------------------------------------

    @property
    def targets(self) -> tuple[str, ...]:
        rows = [self._of_key(key) for key in self.grid.targets]
        found = [self._cell_of.get(row.log) for row in rows if row is not None]
        return tuple(dict.fromkeys(key for key in found if key is not None))

    def situation(self, picture: Picture) -> Situation:
        rows = self.grid.row_count
        return self.about(picture, self.targets, rows=rows, row=bool(rows))

    def on_grid_moved(self, _: Grid.Moved) -> None:
        self._show_detail()
        self.update_hints()

    def on_grid_opened(self, _: Grid.Opened) -> None:
        self.do_open()

    def do_open(self) -> None:
        row = self._row
        key = self._cell_of.get(row.log) if row is not None else None
        if key is not None:
            self._open_cell(key)
        else:
            self.shell.say(cell("this log belongs to no cell of the set", "warn"))

    def do_results_compare(self) -> None:
        """Compare the two marked rows' logs."""
        rows = [row for key in self.grid.targets if (row := self._of_key(key)) is not None]
        logs = list(dict.fromkeys(row.log for row in rows))
        if len(logs) != 2:
            said = "mark two cells with space" if len(logs) < 2 else "mark two cells, not more"
            self.shell.say(cell(f"{said}, then compare", "warn"))
            return
        first, second = (next(row for row in rows if row.log == log) for log in logs)
        folder = self.view.layout.log_dir
        names = tuple(f"{row.task} {self.glyphs.times} {row.model}" for row in (first, second))
        self.app.push_screen(
            ComparisonDialog(folder / first.log, folder / second.log, (names[0], names[1]))
        )

    def do_view_results(self) -> None:
        """It is shown already."""

    # --- the filter ---------------------------------------------------------------------------

    def do_list_filter(self) -> None:
        self.query_one(FilterLine).open()

    def on_filter_line_filtered(self, message: FilterLine.Filtered) -> None:
        self._query = message.query
        self._show_rows()

    def on_filter_line_left(self, _: FilterLine.Left) -> None:
        self.grid.focus(scroll_visible=False)

    def do_back(self) -> bool | None:
        return None if self.query_one(FilterLine).clear() else False

    def _values(self, name: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(str(attributes(row).get(name, "")) for row in self._rows))


def _log_name(path: str | None) -> str | None:
    return path.rsplit("/", 1)[-1] if path else None
