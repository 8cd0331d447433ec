"""Results: tasks × models from the logs' scores, or a line for each score; two compared on demand.

Statistics libraries are not loaded here: a process makes the report, another one the comparison.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from evaltui.tui import result_matrix
from evaltui.tui.actions import Place
from evaltui.tui.columns import Column
from evaltui.tui.picture import Picture
from evaltui.tui.processes import run_module
from evaltui.tui.query import select
from evaltui.tui.result_document import Results, ScoreRow, read_results
from evaltui.tui.result_facts import CellFacts, cell_facts
from evaltui.tui.result_rows import (
    ATTRIBUTES,
    STATES,
    ListedScore,
    columns_of,
    listed,
    row_cells,
    sort_value,
)
from evaltui.tui.result_words import dash, detail_lines, legend
from evaltui.tui.runs import Cell, cell
from evaltui.tui.screens.list_screen import NOTHING, ListScreen
from evaltui.tui.selectors import sorted_rows
from evaltui.tui.widgets.grid import Grid, Rows
from evaltui.tui.widgets.spot_grid import SpotGrid

if TYPE_CHECKING:
    from evaltui.tui.view import View


class ResultsScreen(ListScreen):
    """A row for each task and a column for each model; `w` shows every score in a line instead.

    open_cell: shows a cell (by its key).
    """

    place = Place.RESULTS
    title_word = "Results"
    states = STATES
    detail_least = 3

    def __init__(self, view: View, open_cell: Callable[[str], object] = lambda _: None) -> None:
        super().__init__(view)
        self._open_cell = open_cell
        self._rows: tuple[ScoreRow, ...] = ()
        self._facts: tuple[CellFacts, ...] = ()
        self._listed: tuple[ListedScore, ...] = ()
        self._matrix = result_matrix.Matrix((), {})
        self._first = 0
        self._said = "the scores are being computed"
        self._made_for: tuple[object, ...] | None = None
        self._making: asyncio.Task[None] | None = None

    def make_list(self) -> SpotGrid:
        return SpotGrid(Place.RESULTS, (), cell(self.title_word, "title"), id="list")

    @property
    def grid(self) -> SpotGrid:
        return self.query_one("#list", SpotGrid)

    @property
    def rows(self) -> tuple[ScoreRow, ...]:
        """All scores, filtered or not."""
        return self._rows

    def on_unmount(self) -> None:
        if self._making is not None:
            self._making.cancel()

    # --- showing ------------------------------------------------------------------------------

    def show(self, picture: Picture, now: float) -> None:
        """Show a picture; scores are computed again when cells have got other logs."""
        standing = "computing" if self._making is not None else ""
        self.show_header(picture, "results", now, cell(standing, "muted"))
        if picture.ready:
            self._compute(picture)
        self.update_hints()

    def _compute(self, picture: Picture) -> None:
        facts = cell_facts(picture)
        logs = tuple((each.log, each.asked) for each in facts if each.log is not None)
        wanted = (logs, *(id(log) for log in picture.logs.values()))
        if self._making is None and wanted != self._made_for:
            self._made_for = wanted
            self._making = asyncio.create_task(self._make(logs))
        if facts != self._facts:
            self._facts = facts
            self._listed = listed(self._rows, facts)
            self.show_rows()

    async def _make(self, chosen: Sequence[tuple[str, int]]) -> None:
        words = [str(self.view.layout.log_dir)]
        for name, asked in chosen:
            words += ["--log", f"{asked}:{name}"]
        try:
            found = await run_module("evaltui.stats.report", words)
            if found.code != 0:
                raise ValueError(found.said or "the process that computes scores ended early")
            self._take(read_results(found.out))
        except (OSError, ValueError) as error:
            self._said = str(error)
        self._making = None
        self.show_rows()
        self.show(self.view.picture, 0.0)

    def _take(self, results: Results) -> None:
        self._rows = results.rows
        self._listed = listed(self._rows, self._facts)
        self._said = "no log holds a score yet"
        for skipped in results.skipped[:1]:
            more = len(results.skipped) - 1
            others = f" (and {more} more)" if more else ""
            self.shell.say(cell(f"left out: {skipped.log}: {skipped.reason}{others}", "warn"))

    def show_rows(self) -> None:
        chosen = self._listed
        if self.filtered_by:
            found = select(self.filtered_by, [each.attributes() for each in chosen])
            chosen = tuple(chosen[number] for number in found)
        if self.wide:
            self._show_list(chosen)
        else:
            self._show_matrix(chosen)

    def _show_list(self, chosen: Sequence[ListedScore]) -> None:
        order = list(range(len(chosen)))
        columns = columns_of(self._listed)
        if self.sort is not None and any(each.id == self.sort[0] for each in columns):
            column = self.sort[0]
            order = sorted_rows(order, self.sort, lambda n: sort_value(chosen[n], column))
        glyphs = self.glyphs
        self.grid.set_spots(())
        self.show_strip(())
        self.fill(
            Rows(
                tuple(chosen[n].key for n in order),
                lambda row: row_cells(chosen[order[row]], glyphs),
            ),
            columns,
            of=len(self._listed),
            empty=NOTHING if self._listed else self._said,
        )

    def _show_matrix(self, chosen: Sequence[ListedScore]) -> None:
        scores = [each.score for each in chosen if each.facts is not None]
        found = result_matrix.matrix(scores, self._facts, bare=not self.filtered_by)
        self._matrix = found
        lines = list(found.lines)
        if self.sort is not None and (self.sort[0] == "task" or self.sort[0] in found.models):
            column = self.sort[0]
            order = sorted_rows(
                range(len(lines)),
                self.sort,
                lambda n: result_matrix.sort_value(lines[n], column),
            )
            lines = [lines[n] for n in order]
        self.grid.set_spots(tuple(found.models))
        shape = self._shape()
        glyphs = self.glyphs
        waiting = self._making is not None and not self._rows
        self.show_strip(legend(found.kinds, glyphs) if self._rows else ())
        self.fill(
            Rows(
                tuple(line.key for line in lines) if not waiting else (),
                lambda row: result_matrix.line_cells(lines[row], shape, glyphs),
            ),
            shape.columns,
            of=len(self._listed),
            empty=NOTHING if self._listed else self._said,
            counted=self._counted(chosen, shape),
            named=f"  score{' 95%' if shape.interval else ''} n" if self._rows else "",
        )

    def _shape(self) -> result_matrix.Layout:
        """How the matrix stands in the list, the model under the cursor in sight."""
        found, width, glyphs = self._matrix, self.grid.body_width, self.glyphs
        shape = result_matrix.laid_out(found, glyphs, width, self._first, self.sort)
        first = result_matrix.first_in_sight(shape, found, self._first, self.grid.column)
        if first != self._first:
            self._first = first
            shape = result_matrix.laid_out(found, glyphs, width, first, self.sort)
        return shape

    def _counted(self, chosen: Sequence[ListedScore], shape: result_matrix.Layout) -> str:
        models, scores = len(self._matrix.models), len(self._listed)
        said = (
            [f"{len(chosen):,} of {scores:,} scores"]
            if len(chosen) < scores or self.filtered_by
            else []
        )
        if len(shape.models) < models:
            first = self._first + 1
            last = self._first + len(shape.models)
            said.append(f"models {first}{dash(self.glyphs)}{last} of {models}")
        else:
            said.append(f"{models} model{'' if models == 1 else 's'}")
        return ", ".join(said)

    # --- what is under the cursor ---------------------------------------------------------------

    @property
    def _by_key(self) -> dict[str, ListedScore]:
        return {each.key: each for each in self._listed}

    def _spot(self, key: str, column: str) -> result_matrix.Spot | None:
        line = next((line for line in self._matrix.lines if line.key == key), None)
        return line.spots.get(column) if line is not None else None

    def _facts_of(self, keys: Iterable[tuple[str, str]]) -> list[CellFacts]:
        found = [self._spot(*key) for key in keys]
        return [spot.facts for spot in found if spot is not None]

    def detail(self) -> Sequence[Cell]:
        glyphs = self.glyphs
        if self.wide:
            each = self._by_key.get(self.grid.cursor_key or "")
            if each is None:
                return ()
            name = f"{each.task} {glyphs.times} {each.model}"
            return detail_lines(name, each.score, each.remarks, glyphs)
        at = self.grid.spot
        spot = self._spot(*at) if at is not None else None
        if spot is None:
            return (cell("not in the set", "muted"),) if at is not None else ()
        name = f"{spot.facts.task} {glyphs.times} {spot.facts.model}"
        return detail_lines(name, spot.score, spot.remarks, glyphs)

    def on_grid_moved(self, message: Grid.Moved) -> None:
        if not self.wide:
            shown = [column.id for column in self.grid.columns]
            if self.grid.column is not None and self.grid.column not in shown:
                self.show_rows()
        super().on_grid_moved(message)

    @property
    def targets(self) -> tuple[str, ...]:
        if not self.wide:
            return tuple(dict.fromkeys(each.key for each in self._facts_of(self.grid.spots)))
        known = self._by_key
        facts = [known[key].facts for key in self.grid.targets if key in known]
        return tuple(dict.fromkeys(each.key for each in facts if each is not None))

    def sort_columns(self) -> Sequence[Column]:
        if self.wide:
            return columns_of(self._listed)
        models = (Column(key, name, 1) for key, name in self._matrix.models.items())
        return (Column("task", "TASK", 1), *models)

    def attributes_now(self) -> Collection[str]:
        return ATTRIBUTES

    def values_of(self, attribute: str) -> tuple[str, ...]:
        found = (each.attributes().get(attribute, "") for each in self._listed)
        return tuple(dict.fromkeys(str(value) for value in found))

    # --- what is done here --------------------------------------------------------------------

    def do_open(self) -> None:
        targets = self.targets_at_cursor
        if targets:
            self._open_cell(targets[0])
        else:
            self.shell.say(cell("this log belongs to no cell of the set", "warn"))

    @property
    def targets_at_cursor(self) -> tuple[str, ...]:
        """The cell under the cursor, whatever is marked."""
        if not self.wide:
            at = self.grid.spot
            return tuple(each.key for each in self._facts_of([at] if at is not None else []))
        each = self._by_key.get(self.grid.cursor_key or "")
        return (each.facts.key,) if each is not None and each.facts is not None else ()

    def do_results_compare(self) -> None:
        """Compare the logs of two marked cells, the first marked against the second."""
        from evaltui.tui.dialogs.comparison import ComparisonDialog

        named = self._marked_logs()
        if len(named) != 2:
            said = "mark two cells with space" if len(named) < 2 else "mark two cells, not more"
            self.shell.say(cell(f"{said}, then compare", "warn"))
            return
        folder = self.view.layout.log_dir
        (first, second), (one, other) = named.keys(), named.values()
        self.app.push_screen(ComparisonDialog(folder / first, folder / second, (one, other)))

    def _marked_logs(self) -> dict[str, str]:
        """Logs of the marked rows or cells -> the name of their cell."""
        times = self.glyphs.times
        if not self.wide:
            facts = self._facts_of(self.grid.spots)
            return {f.log: f"{f.task} {times} {f.model}" for f in facts if f.log is not None}
        known = self._by_key
        rows = [known[key] for key in self.grid.targets if key in known]
        return {each.score.log: f"{each.task} {times} {each.model}" for each in rows}

    def do_view_results(self) -> None:
        """It is shown already."""
