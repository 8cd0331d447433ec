"""The plan: what a resume would do for every cell, what it keeps, saves and costs."""

from __future__ import annotations

from collections.abc import Callable

from textual.app import ComposeResult

from evaltui.tui import selectors
from evaltui.tui.actions import Place, Situation
from evaltui.tui.picture import Picture
from evaltui.tui.plan_rows import (
    COLUMNS,
    STATES,
    STRAY,
    PlanRow,
    detail_lines,
    plan_rows,
    row_cells,
    total_lines,
)
from evaltui.tui.query import Query, select
from evaltui.tui.runs import cell
from evaltui.tui.screens.set_screen import SetScreen
from evaltui.tui.view import View
from evaltui.tui.widgets.block import Block
from evaltui.tui.widgets.filter_line import FilterLine
from evaltui.tui.widgets.grid import Grid, Rows
from evaltui.tui.widgets.split_line import SplitLine

_ATTRIBUTES = ("task", "model", "action", "keep", "run", "total")


class PlanScreen(SetScreen):
    """Every cell with its plan; Enter goes to its samples.

    inspect: shows the samples of a cell (its key).
    """

    DEFAULT_CSS = """
    PlanScreen #whole { margin: 0 1; }
    PlanScreen #detail { margin: 0 1; max-height: 7; }
    """
    place = Place.PLAN

    def __init__(self, view: View, inspect: Callable[[str], object]) -> None:
        super().__init__()
        self.view = view
        self._inspect = inspect
        self._picture: Picture | None = None
        self._checks = False
        self._query = Query()
        self._rows: tuple[PlanRow, ...] = ()

    def body(self) -> ComposeResult:
        yield SplitLine(id="header")
        yield Block(least=3, id="whole")
        yield FilterLine(_ATTRIBUTES, STATES, self._values, id="filter")
        yield Grid(Place.PLAN, COLUMNS, cell("Plan", "title"), id="cells")
        yield Block(least=2, indent=2, id="detail")

    @property
    def grid(self) -> Grid:
        return self.query_one("#cells", Grid)

    def on_mount(self) -> None:
        self.grid.focus(scroll_visible=False)

    # --- showing ------------------------------------------------------------------------------

    def show(self, picture: Picture, now: float) -> None:
        """Show a picture; rows are made again only for another plan."""
        self._checks = self._checks or check(self.view, picture)
        before, self._picture = self._picture, picture
        left, _ = selectors.header(picture, "plan", now, self.glyphs)
        self.query_one("#header", SplitLine).set(left, cell(*standing(picture)))
        if before is None or before.plan is not picture.plan or before.cells != picture.cells:
            self._rows = plan_rows(picture)
            self._show_rows()
            self._show_whole()
        self.update_hints()

    def on_resize(self) -> None:
        self._show_whole()

    def _show_whole(self) -> None:
        picture = self._picture
        if picture is None or picture.plan is None:
            said = [cell(waiting(picture), "muted")]
        else:
            said = list(total_lines(picture.plan, max(0, self.size.width - 2), self.glyphs))
        self.query_one("#whole", Block).set(said)

    def _show_rows(self) -> None:
        rows = self._rows
        if self._query:
            found = select(self._query, [row.attributes() for row in rows])
            rows = tuple(rows[number] for number in found)
        glyphs = self.glyphs
        self.grid.set(
            Rows(tuple(row.key for row in rows), lambda number: row_cells(rows[number], glyphs)),
            empty=cell(self._empty(), "muted"),
        )
        shown = f"{len(rows)} of {len(self._rows)}"
        self.grid.set_title(cell("Plan", "title"), cell(shown, "muted"))
        self._show_detail()

    def _empty(self) -> str:
        return "nothing matches; Esc takes the filter away" if self._rows else "no cells yet"

    def _show_detail(self) -> None:
        self.query_one("#detail", Block).set(detail_lines(self._row, self.glyphs))

    @property
    def _row(self) -> PlanRow | None:
        key = self.grid.cursor_key
        return next((row for row in self._rows if row.key == key), None)

    # --- what is done here --------------------------------------------------------------------

    @property
    def targets(self) -> tuple[str, ...]:
        key = self.grid.cursor_key
        return () if key is None or key.startswith(STRAY) else (key,)

    def situation(self, picture: Picture) -> Situation:
        rows = self.grid.row_count
        return self.about(picture, self.targets, rows=rows, row=bool(rows))

    def on_grid_moved(self, _: Grid.Moved) -> None:
        self._show_detail()
        self.update_hints()

    def on_grid_opened(self, _: Grid.Opened) -> None:
        self.do_open()

    def do_open(self) -> None:
        targets = self.targets
        if targets:
            self._inspect(targets[0])
        else:
            self.shell.say(cell("a log of no cell has no samples here", "warn"))

    do_view_inspect = do_open

    def do_view_plan(self) -> None:
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
        return tuple(dict.fromkeys(str(row.attributes().get(name, "")) for row in self._rows))


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
