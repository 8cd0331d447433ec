"""The plan: what a resume would do for every cell, what it keeps, saves and costs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from textual import events

from evaltui.tui import selectors
from evaltui.tui.actions import Place
from evaltui.tui.picture import Picture
from evaltui.tui.plan_rows import (
    FIGURES,
    STATES,
    STRAY,
    PlanRow,
    detail_lines,
    plan_rows,
    plan_table,
    row_cells,
    total_lines,
)
from evaltui.tui.runs import Cell, cell
from evaltui.tui.screens.list_screen import NOTHING, ListScreen
from evaltui.tui.view import View
from evaltui.tui.widgets.grid import Rows


class PlanScreen(ListScreen):
    """Every cell with its plan; Enter goes to its samples.

    inspect: shows the samples of a cell (its key).
    """

    place = Place.PLAN
    title_word = "Plan"
    states = STATES
    whole_least = 3

    def __init__(self, view: View, inspect: Callable[[str], object]) -> None:
        super().__init__(view)
        self._inspect = inspect
        self._picture: Picture | None = None
        self._checks = False
        self._rows: tuple[PlanRow, ...] = ()

    # --- showing ------------------------------------------------------------------------------

    def show(self, picture: Picture, now: float) -> None:
        """Show a picture; rows are made again only for another plan."""
        self._checks = self._checks or check(self.view, picture)
        before, self._picture = self._picture, picture
        self.show_header(picture, "plan", now, cell(*standing(picture)))
        if before is None or before.plan is not picture.plan or before.cells != picture.cells:
            self._rows = plan_rows(picture)
            self.show_rows()
            self._show_whole(picture)
        self.update_hints()

    def on_resize(self, _: events.Resize) -> None:
        if self._picture is not None:
            self._show_whole(self._picture)

    def _show_whole(self, picture: Picture) -> None:
        if picture.plan is None:
            self.show_whole([cell(waiting(picture), "muted")])
        else:
            width = max(0, self.size.width - 2)
            self.show_whole(total_lines(picture.plan, width, self.glyphs))

    def show_rows(self) -> None:
        picture, glyphs = self._picture, self.glyphs
        if picture is None:
            return
        table = plan_table(self._rows, self.filtered_by, self.sort, wide=self.wide)
        rows = [table.rows[number] for number in table.shown]
        self.show_strip(*selectors.constant_line(picture, table.constants, glyphs, wide=self.wide))
        self.fill(
            Rows(
                tuple(row.key for row in rows),
                lambda number: row_cells(rows[number], table.names, glyphs),
            ),
            table.columns,
            of=len(self._rows),
            empty=NOTHING if self._rows else "no cells yet",
        )

    def detail(self) -> Sequence[Cell]:
        return detail_lines(self._row, self.glyphs)

    @property
    def _row(self) -> PlanRow | None:
        key = self.grid.cursor_key
        return next((row for row in self._rows if row.key == key), None)

    def attributes_now(self) -> Collection[str]:
        cells = self._picture.cells if self._picture is not None else ()
        return (*selectors.cell_names(cells), *FIGURES)

    def values_of(self, attribute: str) -> tuple[str, ...]:
        found = (row.attributes().get(attribute) for row in self._rows)
        return tuple(dict.fromkeys(str(value) for value in found if value is not None))

    # --- what is done here --------------------------------------------------------------------

    @property
    def targets(self) -> tuple[str, ...]:
        key = self.grid.cursor_key
        return () if key is None or key.startswith(STRAY) else (key,)

    def do_open(self) -> None:
        targets = self.targets
        if targets:
            self._inspect(targets[0])
        else:
            self.shell.say(cell("a log of no cell has no samples here", "warn"))

    do_view_inspect = do_open

    def do_view_plan(self) -> None:
        """It is shown already."""


def check(view: View, picture: Picture) -> bool:
    """Have the tasks loaded where the plan does not rest on loads yet; whether it is settled."""
    if not picture.ready or picture.plan is None:
        return False
    if picture.cells and not picture.checked and not picture.checking:
        view.check()
    return True


def standing(picture: Picture) -> tuple[str, str]:
    """Whether the plan is what would run, and its style token."""
    if picture.plan is None:
        return "", "muted"
    if picture.checking:
        tasks = "task" if picture.checking == 1 else "tasks"
        return f"unchecked: {picture.checking} {tasks} being loaded", "warn"
    if picture.checked:
        return "checked: what it says is what would run", "ok"
    return "unchecked: from ids and sizes in the logs", "warn"


def waiting(picture: Picture | None) -> str:
    """Why there is no plan yet."""
    if picture is None or not picture.ready:
        return "the directory is being read"
    if picture.trouble:
        return picture.trouble
    return "no plan yet: the set has no cells" if not picture.cells else "the logs are being read"


def crumb(picture: Picture, key: str, times: str) -> str:
    """Name of a cell for the top line."""
    state = picture.state.cells.get(key)
    return f"{state.cell.task} {times} {state.cell.model}" if state else "a cell that is gone"
