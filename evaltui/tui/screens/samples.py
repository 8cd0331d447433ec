"""The inspector at full height: what becomes of every sample of one cell, and why."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from textual import events
from textual.message import Message

from evaltui.plan import CellPlan
from evaltui.plan_words import notes
from evaltui.tui.actions import Place, Situation
from evaltui.tui.columns import Column, Sort
from evaltui.tui.picture import Picture
from evaltui.tui.query import Query
from evaltui.tui.runs import Cell, cell
from evaltui.tui.sample_rows import (
    ATTRIBUTES,
    COLUMNS,
    MANY,
    STATES,
    Listed,
    SampleTable,
    columns_of,
    next_run,
    sample_table,
    shared_line,
)
from evaltui.tui.screens.list_screen import ListScreen
from evaltui.tui.screens.plan import check, crumb, standing, waiting
from evaltui.tui.screens.set_screen import SetScreen
from evaltui.tui.selectors import dot
from evaltui.tui.verdict_words import legend, saves_and_costs, verdict_bar
from evaltui.tui.view import View
from evaltui.tui.widgets.grid import Rows


class SamplesScreen(ListScreen):
    """The samples of one cell. open_cell: shows the cell's attempts (by its key)."""

    place = Place.INSPECTOR
    title_word = "Samples"
    order = ("dataset order", "as they run")
    states = STATES
    whole_least = 3

    class Told(Message):
        """The reading thread has told the samples of a plan."""

        def __init__(self, plan: CellPlan, table: SampleTable) -> None:
            super().__init__()
            self.plan = plan
            self.table = table

    class Selected(Message):
        """The reading thread has filtered and sorted a table."""

        def __init__(self, asked: tuple[SampleTable, Query, Sort | None], listed: Listed) -> None:
            super().__init__()
            self.asked = asked
            self.listed = listed

    def __init__(
        self,
        view: View,
        key: str,
        open_cell: Callable[[str], object] = lambda _: None,
        *,
        filtering: bool = False,
    ) -> None:
        super().__init__(view)
        self._filtering = filtering
        self.key = key
        self._open_cell = open_cell
        self._picture: Picture | None = None
        self._checks = False
        self._asked_for: CellPlan | None = None
        self._table: SampleTable | None = None
        self._listed = Listed(())

    @property
    def table(self) -> SampleTable | None:
        """What is shown; None until the samples were told."""
        return self._table

    def on_mount(self) -> None:
        if self._filtering:
            self.call_after_refresh(self.do_list_filter)

    # --- showing ------------------------------------------------------------------------------

    def show(self, picture: Picture, now: float) -> None:
        """Show a picture; the samples are told again only for another plan of the cell."""
        self._checks = self._checks or check(self.view, picture)
        before, self._picture = self._picture, picture
        name = crumb(picture, self.key, self.glyphs.times)
        self.show_header(picture, name, now, cell(*standing(picture)))
        plan = picture.plan_of(self.key)
        self._ask_for(plan)
        if before is None or before.plan_of(self.key) is not plan or self._table is None:
            self._show_whole()
            if self._table is None:
                self.show_rows()
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
            self.show_rows()
            if first and self._table.runs and self.grid.row_count:
                self.grid.go(0)

    def on_resize(self, _: events.Resize) -> None:
        self._show_whole()

    @property
    def _plan(self) -> CellPlan | None:
        return self._picture.plan_of(self.key) if self._picture is not None else None

    def _show_whole(self) -> None:
        plan = self._plan
        if plan is None:
            self.show_whole([cell(waiting(self._picture), "muted")])
        else:
            self.show_whole(whole_lines(plan, max(0, self.size.width - 2), self))

    def show_rows(self) -> None:
        table = self._table
        if table is None:
            self.show_strip(())
            self.fill(Rows(), COLUMNS, of=0, empty=self._untold())
            return
        asked = table, self.filtered_by, self.sort
        if len(table) > MANY:
            self.view.work(
                lambda _: table.listed(*asked[1:]),
                lambda listed: self._post(self.Selected(asked, listed)),
            )
        else:
            self._show_listed(table.listed(*asked[1:]))

    def on_samples_screen_selected(self, message: Selected) -> None:
        table, query, sort = message.asked
        if table is self._table and query is self.filtered_by and sort == self.sort:
            self._show_listed(message.listed)

    def _show_listed(self, listed: Listed) -> None:
        table, glyphs, shown = self._table, self.glyphs, listed.shown
        assert table is not None
        self._listed = listed
        columns, places = columns_of(listed, wide=self.wide)

        def cells(row: int) -> tuple[Cell, ...]:
            whole = table.cells(shown[row], glyphs)
            return tuple(whole[place] for place in places)

        keys = table.keys if isinstance(shown, range) else tuple(table.keys[n] for n in shown)
        self.show_strip(*shared_line(listed, dot(glyphs), wide=self.wide))
        self.fill(Rows(keys, cells), columns, of=len(table))

    def _untold(self) -> str:
        plan, picture = self._plan, self._picture
        if plan is None or picture is None:
            return waiting(picture)
        if plan.blocked:
            return "the task can't be loaded, so there are no samples to tell"
        if picture.engine != "none":
            return "the engine loads the task; its samples stand here when it has"
        return "the task is being loaded in a worker; its samples stand here when it is"

    def detail(self) -> Sequence[Cell]:
        row, table = self._row, self._table
        return table.detail(row, self.glyphs) if table is not None and row is not None else ()

    @property
    def _row(self) -> int | None:
        """Number in the table of the row under the cursor."""
        if self._table is None or not self.grid.row_count:
            return None
        return self._listed.shown[self.grid.at.row]

    def sort_columns(self) -> Sequence[Column]:
        return COLUMNS[1:]

    def attributes_now(self) -> Collection[str]:
        return ATTRIBUTES

    def values_of(self, attribute: str) -> tuple[str, ...]:
        if attribute == "verdict":
            return STATES
        if attribute == "log" and self._plan is not None:
            return self._plan.logs
        return ()

    # --- what is done here --------------------------------------------------------------------

    @property
    def targets(self) -> tuple[str, ...]:
        return (self.key,)

    def situation(self, picture: Picture) -> Situation:
        rows = self.grid.row_count
        runs = len(self._table.runs) if self._table is not None else 0
        return self.about(picture, self.targets, rows=rows, row=bool(rows), running_rows=runs)

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
        place = next_run(self._listed.shown, table.runs, self.grid.at.row, step)
        if place is None:
            where = "below" if step > 0 else "above"
            self.shell.say(cell(f"no sample that runs {where} this one", "muted"))
        else:
            self.grid.go(place)


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
