"""The inspector at full height: what becomes of every sample of one cell, and why."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual.app import ComposeResult
from textual.message import Message

from evaltui.plan import CellPlan
from evaltui.tui import selectors
from evaltui.tui.actions import Place, Situation
from evaltui.tui.picture import Picture
from evaltui.tui.query import Query
from evaltui.tui.runs import Cell, cell
from evaltui.tui.sample_rows import (
    ATTRIBUTES,
    COLUMNS,
    STATES,
    SampleTable,
    next_run,
    sample_table,
)
from evaltui.tui.screens.plan import check, crumb, standing, waiting
from evaltui.tui.screens.set_screen import SetScreen
from evaltui.tui.verdict_words import legend, notes, saves_and_costs, verdict_bar
from evaltui.tui.view import View
from evaltui.tui.widgets.block import Block
from evaltui.tui.widgets.filter_line import FilterLine
from evaltui.tui.widgets.grid import Grid, Rows
from evaltui.tui.widgets.split_line import SplitLine

MANY = 5_000
"""More samples than these are filtered in the reading thread: it takes longer than a key may."""


class SamplesScreen(SetScreen):
    """The samples of one cell. open_cell: shows the cell's attempts (by its key)."""

    DEFAULT_CSS = """
    SamplesScreen #whole { margin: 0 1; max-height: 9; }
    SamplesScreen #detail { margin: 0 1; max-height: 6; }
    """
    place = Place.INSPECTOR

    class Told(Message):
        """The reading thread has told the samples of a plan."""

        def __init__(self, plan: CellPlan, table: SampleTable) -> None:
            super().__init__()
            self.plan = plan
            self.table = table

    class Selected(Message):
        """The reading thread has filtered a table."""

        def __init__(self, query: Query, table: SampleTable, shown: Sequence[int]) -> None:
            super().__init__()
            self.query = query
            self.table = table
            self.shown = shown

    def __init__(
        self, view: View, key: str, open_cell: Callable[[str], object] = lambda _: None
    ) -> None:
        super().__init__()
        self.view = view
        self.key = key
        self._open_cell = open_cell
        self._picture: Picture | None = None
        self._checks = False
        self._asked_for: CellPlan | None = None
        self._table: SampleTable | None = None
        self._shown: Sequence[int] = ()
        self._query = Query()

    def body(self) -> ComposeResult:
        yield SplitLine(id="header")
        yield Block(least=3, indent=2, id="whole")
        yield FilterLine(ATTRIBUTES, STATES, self._values, id="filter")
        yield Grid(Place.INSPECTOR, COLUMNS, cell("Samples", "title"), id="samples")
        yield Block(least=2, indent=2, id="detail")

    @property
    def grid(self) -> Grid:
        return self.query_one("#samples", Grid)

    @property
    def table(self) -> SampleTable | None:
        """What is shown; None until the samples were told."""
        return self._table

    def on_mount(self) -> None:
        self.grid.focus(scroll_visible=False)

    # --- showing ------------------------------------------------------------------------------

    def show(self, picture: Picture, now: float) -> None:
        """Show a picture; the samples are told again only for another plan of the cell."""
        self._checks = self._checks or check(self.view, picture)
        before, self._picture = self._picture, picture
        name = crumb(picture, self.key, self.glyphs.times)
        left, _ = selectors.header(picture, name, now, self.glyphs)
        self.query_one("#header", SplitLine).set(left, cell(*standing(picture)))
        plan = picture.plan_of(self.key)
        self._ask_for(plan)
        if before is None or before.plan_of(self.key) != plan or self._table is None:
            self._show_whole()
            if self._table is None:
                self._show_rows()
        self.update_hints()

    def _ask_for(self, plan: CellPlan | None) -> None:
        state = self._picture.state.cells.get(self.key) if self._picture else None
        if plan is None or state is None or not plan.verdicts:
            return
        if self._asked_for is not None and self._asked_for.verdicts is plan.verdicts:
            return
        self._asked_for = plan
        in_order = not self._picture.settings.get("sample_shuffle") if self._picture else True
        set_cell = state.cell
        self.view.work(
            lambda known: sample_table(known, set_cell, plan, in_order=in_order),
            lambda table: self._post(self.Told(plan, table)),
        )

    def _post(self, message: Message) -> None:
        """In the reading thread, where posting is the one thing that may be done."""
        if self.is_running:
            self.post_message(message)

    def on_samples_screen_told(self, message: Told) -> None:
        if message.plan is self._asked_for:
            first = self._table is None
            self._table = message.table
            self._show_rows()
            if first and self._table.runs and self.grid.row_count:
                self.grid.go(0)

    def on_resize(self) -> None:
        self._show_whole()

    @property
    def _plan(self) -> CellPlan | None:
        return self._picture.plan_of(self.key) if self._picture is not None else None

    def _show_whole(self) -> None:
        plan = self._plan
        if plan is None:
            said = [cell(waiting(self._picture), "muted")]
        else:
            said = whole_lines(plan, max(0, self.size.width - 2), self)
        self.query_one("#whole", Block).set(said)

    def _show_rows(self) -> None:
        table = self._table
        if table is None:
            self.grid.set(Rows(), empty=cell(self._untold(), "muted"))
            self.grid.set_title(cell("Samples", "title"))
            return
        query = self._query
        if query and len(table) > MANY:
            self.view.work(
                lambda _: table.selected(query),
                lambda shown: self._post(self.Selected(query, table, shown)),
            )
        else:
            self._show_selected(table, table.selected(query))

    def on_samples_screen_selected(self, message: Selected) -> None:
        if message.query is self._query and message.table is self._table:
            self._show_selected(message.table, message.shown)

    def _show_selected(self, table: SampleTable, shown: Sequence[int]) -> None:
        glyphs = self.glyphs
        self._shown = shown
        keys = table.keys if isinstance(shown, range) else tuple(table.keys[n] for n in shown)
        self.grid.set(
            Rows(keys, lambda row: table.cells(shown[row], glyphs)),
            empty=cell("nothing matches; Esc takes the filter away", "muted"),
        )
        number = cell(f"{len(shown):,} of {len(table):,}", "muted")
        self.grid.set_title(cell("Samples", "title"), number)
        self._show_detail()

    def _untold(self) -> str:
        plan, picture = self._plan, self._picture
        if plan is None or picture is None:
            return waiting(picture)
        if plan.blocked:
            return "the task can't be loaded, so there are no samples to tell"
        if picture.engine != "none":
            return "the engine loads the task; its samples stand here when it has"
        return "the task is being loaded in a worker; its samples stand here when it is"

    def _show_detail(self) -> None:
        row = self._row
        table = self._table
        told = table.detail(row, self.glyphs) if table is not None and row is not None else ()
        self.query_one("#detail", Block).set(told)

    @property
    def _row(self) -> int | None:
        """Number in the table of the row under the cursor."""
        if self._table is None or not self.grid.row_count:
            return None
        return self._shown[self.grid.at.row]

    # --- what is done here --------------------------------------------------------------------

    @property
    def targets(self) -> tuple[str, ...]:
        return (self.key,)

    def situation(self, picture: Picture) -> Situation:
        rows = self.grid.row_count
        runs = len(self._table.runs) if self._table is not None else 0
        return self.about(picture, self.targets, rows=rows, row=bool(rows), running_rows=runs)

    def on_grid_moved(self, _: Grid.Moved) -> None:
        self._show_detail()

    def do_open(self) -> None:
        self._open_cell(self.key)

    def do_view_inspect(self) -> None:
        """It is shown already."""

    def do_go_next_run(self) -> None:
        self._jump(1)

    def do_go_previous_run(self) -> None:
        self._jump(-1)

    def _jump(self, step: int) -> None:
        table = self._table
        if table is None or not self.grid.row_count:
            return
        place = next_run(self._shown, table.runs, self.grid.at.row, step)
        if place is None:
            where = "below" if step > 0 else "above"
            self.shell.say(cell(f"no sample that runs {where} this one", "muted"))
        else:
            self.grid.go(place)

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
        if name == "verdict":
            return STATES
        if name == "log" and self._plan is not None:
            return self._plan.logs
        return ()


def whole_lines(plan: CellPlan, width: int, screen: SetScreen) -> list[Cell]:
    """A cell's plan above its samples: bar, counts, savings and costs, what is to be known."""
    glyphs = screen.glyphs
    lines: list[Cell] = [verdict_bar(plan, width, glyphs)]
    if plan.total:
        lines.append(legend(plan, glyphs))
        lines.append(saves_and_costs(plan) or cell("nothing is kept and nothing runs", "muted"))
    else:
        lines.append(cell("its size is not known until the task is loaded", "muted"))
    return [*lines, *(cell(note, "muted") for note in notes(plan))]
