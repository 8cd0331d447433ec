"""The main screen: tasks, cells, lanes and the inspector, wide and narrow.

It shows pictures and keeps what is a person's own: focus, filters, sorts, what is open and zoomed.
What an action does to the set is the app's.
"""

from __future__ import annotations

from rich.segment import Segment
from textual import events
from textual.app import ComposeResult
from textual.containers import Container
from textual.geometry import Size

from evaltui.engine.rows import other_rows
from evaltui.tui import browsing, inspecting, lane_lines, selectors
from evaltui.tui.actions import Place, Situation
from evaltui.tui.panel_layout import (
    BROWSER_STAYS,
    LEAST_HEIGHT,
    LEAST_WIDTH,
    PANELS,
    WIDE,
    panel_layout,
)
from evaltui.tui.panels.lanes import LanesPanel
from evaltui.tui.picture import Picture
from evaltui.tui.row_memory import RowMemory
from evaltui.tui.runs import Cell, cell
from evaltui.tui.sample_map import SampleMap
from evaltui.tui.screens.panel_screen import PanelScreen, of_all, panel_title
from evaltui.tui.widgets.filter_line import FilterLine
from evaltui.tui.widgets.grid import Grid, Rows
from evaltui.tui.widgets.line_panel import LinePanel, LineWidget
from evaltui.tui.widgets.split_line import SplitLine
from evaltui.tui.widgets.text_panel import TextPanel

_FILTERED = ("tasks", "cells", "lanes")


class TooSmall(LineWidget):
    """One sentence where there is no room for more."""

    DEFAULT_CSS = "TooSmall { height: 1fr; }"

    def line(self, y: int, width: int) -> list[Segment]:
        said = f"evaltui needs {LEAST_WIDTH}×{LEAST_HEIGHT}; make the window larger"
        return self.fitted(cell(said.replace("×", "x"), "warn") if y == 0 else (), width)


class MainScreen(PanelScreen):
    """The first screen."""

    DEFAULT_CSS = """
    MainScreen #panels { layout: horizontal; height: 1fr; }
    MainScreen #right { layout: vertical; width: 1fr; height: 1fr; }
    MainScreen #upper { layout: horizontal; width: 1fr; height: 1fr; }
    MainScreen #too-small { display: none; }
    MainScreen.narrow #upper { layout: vertical; }
    """
    place = Place.CELLS
    panels = PANELS
    first_panel = "cells"
    unsorted = dict.fromkeys(("lanes", "inspector"), "lanes stand in the order of the spec")

    def __init__(self) -> None:
        super().__init__(id="main")
        self._browser: bool | None = None
        self._cells: selectors.CellTable | None = None
        self._memory = RowMemory()
        self._samples = SampleMap()
        self._laid_out_for = Size(0, 0)

    def body(self) -> ComposeResult:
        yield TooSmall(id="too-small")
        yield SplitLine(id="header")
        yield SplitLine(id="strip")
        for name in _FILTERED:
            yield FilterLine(id=f"filter-{name}")
        with Container(id="panels"):
            yield Grid(Place.TASKS, (), id="tasks")
            with Container(id="right"):
                with Container(id="upper"):
                    yield Grid(Place.CELLS, (), id="cells")
                    yield LanesPanel(id="lanes")
                yield TextPanel(Place.INSPECTOR, id="inspector")

    # --- what it is made of -------------------------------------------------------------------

    @property
    def tasks(self) -> Grid:
        return self.query_one("#tasks", Grid)

    @property
    def cells(self) -> Grid:
        return self.query_one("#cells", Grid)

    @property
    def lanes(self) -> LanesPanel:
        return self.query_one("#lanes", LanesPanel)

    @property
    def inspector(self) -> TextPanel:
        return self.query_one("#inspector", TextPanel)

    def on_mount(self) -> None:
        super().on_mount()
        self.lay_out()
        self.cells.focus(scroll_visible=False)
        self.show(self.set_app.view.picture, self.set_app.now())  # the first frame is not empty

    # --- showing ------------------------------------------------------------------------------

    def show(self, picture: Picture, now: float) -> None:
        """Show a picture; only what differs from the last one is drawn."""
        if self._browser is None and picture.ready:
            self._open_if_empty(picture)
        self._show_cells(picture, now)
        self._show_lanes(picture, now)
        self._show_inspector(picture)
        if self.tasks.display:
            self._show_tasks(picture)
        left, right = selectors.header(
            picture, self._crumb, now, self.glyphs, self._cells.rows if self._cells else None
        )
        self.query_one("#header", SplitLine).set(left, right)
        self._show_strip(picture)
        self.update_hints()

    def _open_if_empty(self, picture: Picture) -> None:
        empty = not picture.state.cells and (picture.spec is None or not picture.spec.tasks)
        self._browser = empty
        if empty:
            self.lay_out()
            self.tasks.focus(scroll_visible=False)

    @property
    def _crumb(self) -> str:
        return self.panel_in_focus

    def _show_cells(self, picture: Picture, now: float) -> None:
        grid = self.cells
        bar_width = self._bar_width()
        table = selectors.cell_table(
            picture,
            now,
            self.query_of("cells"),
            self.sorts.get("cells"),
            wide=self.wide,
            bar_width=bar_width,
            memory=self._memory,
        )
        self._cells = table
        grid.set_columns(table.columns, self.sorts.get("cells"))
        rows = Rows(table.shown_keys, selectors.cell_cells(table, self.glyphs, bar_width))
        grid.set(rows, empty=self._empty_cells(picture, table))
        grid.set_title(panel_title("2", "Cells"), of_all(len(table.shown), len(table.keys)))
        self._know("cells", selectors.cell_attributes(picture), selectors.STATES)

    def _bar_width(self) -> int:
        width = self.cells.size.width or self.app.size.width * 2 // 3
        return 18 if width >= 100 else 9 if width >= 60 else 6

    def _empty_cells(self, picture: Picture, table: selectors.CellTable) -> Cell:
        if not picture.ready:
            return cell("reading the directory", "muted")
        if table.keys:
            return cell("no cell matches the filter; Esc clears it", "muted")
        said = selectors.strays_said(picture)
        return cell(f"no cells yet: add a task (1, Space) and a model (a){said}", "muted")

    def _show_lanes(self, picture: Picture, now: float) -> None:
        query = self.query_of("lanes")
        lanes = lane_lines.lanes_shown(picture.state, now, query)
        finishes = {lane.name: lane.finishes for lane in picture.state.lanes.values()}
        empty = cell("no lane matches" if query else "no models yet", "muted")
        others = other_rows(picture.state, now) if not query else ()
        self.lanes.show(lanes, others, finishes, now, self.glyphs, empty)
        busy = sum(lane.busy for lane in lanes)
        said = (
            f"{len(lanes)}"
            if len(lanes) == len(picture.state.lanes)
            else (f"{len(lanes)} of {len(picture.state.lanes)}")
        )
        right = f"{said}{selectors.dot(self.glyphs)}{busy} samples busy" if busy else said
        self.lanes.set_title(cell("Lanes", "title"), cell(right, "muted"))
        self._know("lanes", lane_lines.LANE_ATTRIBUTES, lane_lines.LANE_STATES)

    def _show_inspector(self, picture: Picture) -> None:
        panel = self.inspector
        width = max(10, (panel.body_width or self.app.size.width - 2) - 2)
        shown = inspecting.inspected(
            picture, self.cells.cursor_key, self.glyphs, width, self._samples
        )
        panel.set_title(shown.title, shown.right)
        panel.set(shown.lines)

    def _show_tasks(self, picture: Picture) -> None:
        grid = self.tasks
        query = self.query_of("tasks")
        sort = self.sorts.get("tasks")
        table = browsing.task_table(picture, query, self.glyphs, sort, wide=self.wide)
        grid.set_columns(table.columns, sort)
        grid.set(Rows.of(table.rows), empty=self._empty_tasks(picture, table.tasks))
        grid.set_title(panel_title("1", "Tasks"), of_all(table.shown, table.tasks))
        names = browsing.attribute_names(picture.found.tasks) if picture.found else ()
        self._know("tasks", ("task", "file", *names), browsing.STATES)

    def _empty_tasks(self, picture: Picture, tasks: int) -> Cell:
        if picture.found is None:
            return cell(f"looking for tasks under {picture.root}", "muted")
        if not tasks:
            return cell(f"no @task under {picture.root}", "muted")
        return cell("no task matches the filter; Esc clears it", "muted")

    def _show_strip(self, picture: Picture) -> None:
        if self.panel_in_focus == "tasks" and picture.found is not None:
            query = self.query_of("tasks")
            table = browsing.task_table(picture, query, self.glyphs, wide=self.wide)
            constants = table.constants
        elif self._cells is not None:
            constants = self._cells.constants
        else:
            return
        left, right = selectors.constant_line(picture, constants, self.glyphs, wide=self.wide)
        self.query_one("#strip", SplitLine).set(left, right)

    def _know(self, name: str, attributes: tuple[str, ...], states: tuple[str, ...]) -> None:
        self.filter_of(name).know(
            attributes, states, lambda attribute: self._values(name, attribute)
        )

    def _values(self, name: str, attribute: str) -> list[str]:
        """What Tab offers for an attribute."""
        picture = self.set_app.view.picture
        found: list[object] = []
        if name == "cells" and self._cells is not None:
            found = [each.get(attribute) for each in self._cells.attributes]
        elif name == "lanes":
            found = list(picture.state.lanes) if attribute == "lane" else []
        elif picture.found is not None:
            rows = [browsing.task_attributes(t, picture.spec) for t in picture.found.tasks]
            found = [each.get(attribute) for each in rows]
        return sorted({str(value) for value in found if value is not None})

    # --- layout -------------------------------------------------------------------------------

    def on_resize(self, event: events.Resize) -> None:
        if event.size != self._laid_out_for:
            self.lay_out()

    def lay_out(self) -> None:
        picture = self.set_app.view.picture
        self._laid_out_for = self.app.size
        layout = panel_layout(
            *self.app.size,
            drawer=bool(self._browser),
            zoomed=self.zoomed,
            lanes=len(picture.state.lanes),
        )
        self.query_one("#too-small").display = layout.small
        for name in ("header", "strip", "panels"):
            self.query_one(f"#{name}").display = not layout.small
        if layout.small:
            return
        self.set_class(layout.narrow, "narrow")
        self.lanes.short = layout.narrow
        for name in PANELS:
            panel = self.query_one(f"#{name}", LinePanel)
            panel.framed = not layout.narrow
            panel.display = name in layout.shown
            panel.styles.width, panel.styles.height = layout.size(name)
        upper = layout.shown & {"cells", "lanes"}
        self.query_one("#upper").display = bool(upper)
        self.query_one("#right").display = bool(layout.shown - {"tasks"})
        if layout.browser:
            self.set_app.view.find_tasks()
        self.call_after_refresh(self._redraw)

    def _redraw(self) -> None:
        self.set_app.show_now()

    def focus_panel(self, name: str) -> None:
        """Give a panel the keys; it is opened, and a zoom goes with them."""
        if name == "tasks":
            self._browser = True
        elif self._narrow_drawer_open:
            self._browser = False
        super().focus_panel(name)

    @property
    def _narrow_drawer_open(self) -> bool:
        return self.app.size.width < WIDE and bool(self._browser)

    # --- what actions need to know ------------------------------------------------------------

    def situation(self, picture: Picture) -> Situation:
        panel, targets = self.panel_in_focus, self.targets
        if panel == "inspector":
            rows, row = self.inspector.line_count, bool(targets)
        else:
            grid = self.query_one(f"#{panel}", Grid)
            rows, row = grid.row_count, grid.cursor_key is not None
        plan = picture.plan_of(targets[0]) if panel == "inspector" and targets else None
        return self.about(
            picture,
            targets,
            rows=rows,
            row=row,
            lane_cells=len(targets) if panel == "lanes" else 0,
            running_rows=plan.run if plan is not None else 0,
        )

    @property
    def targets(self) -> tuple[str, ...]:
        panel = self.panel_in_focus
        if panel == "lanes":
            lane = self.lanes.lane
            cells = self.set_app.view.picture.state.cells
            return tuple(key for key, each in cells.items() if each.cell.lane == lane)
        return () if panel == "tasks" else self.cells.targets

    # --- actions ------------------------------------------------------------------------------

    def do_panel_1(self) -> None:
        if self.tasks.has_focus and self.app.size.width < BROWSER_STAYS:
            self._browser = False
            self.focus_panel("cells")
        else:
            self.focus_panel("tasks")

    def do_panel_2(self) -> None:
        self.focus_panel("cells")

    def do_panel_3(self) -> None:
        self.focus_panel("inspector")

    def do_panel_next(self) -> None:
        self._step_panel(1)

    def do_panel_previous(self) -> None:
        self._step_panel(-1)

    def _step_panel(self, step: int) -> None:
        shown = [n for n in PANELS if self.zoomed or self.query_one(f"#{n}").display]
        if "tasks" in shown and not self.tasks.display:
            shown.remove("tasks")
        here = self.panel_in_focus
        place = shown.index(here) if here in shown else 0
        self.focus_panel(shown[(place + step) % len(shown)])

    def do_back(self) -> None:
        """One step back: the zoom, the filter of the panel, the drawer."""
        name = self.panel_in_focus
        if self.zoomed is not None:
            self.do_panel_zoom()
        elif name in _FILTERED and self.filter_of(name).clear():
            pass
        elif name == "tasks" and self.app.size.width < BROWSER_STAYS:
            self._browser = False
            self.focus_panel("cells")
        elif name != "cells":
            self.focus_panel("cells")

    def do_go_next_run(self) -> None:
        """The samples themselves are on a screen of their own."""
        self.set_app.perform("view.inspect")

    def do_go_previous_run(self) -> None:
        self.set_app.perform("view.inspect")

    def do_list_filter(self) -> None:
        if self.panel_in_focus != "inspector":
            super().do_list_filter()
        elif self.cells.cursor_key is not None:
            self.set_app.inspect(self.cells.cursor_key, filtering=True)

    def do_open(self) -> None:
        if self.panel_in_focus == "inspector":
            self.set_app.perform("view.inspect")
        elif self.panel_in_focus == "lanes":
            lane = self.lanes.lane
            if lane is not None:
                self._filter_cells(f'model="{lane}"')
        else:
            key = self.cells.cursor_key
            if key is not None:
                self.set_app.open_cell(key)

    def _filter_cells(self, text: str) -> None:
        self.focus_panel("cells")
        self.filter_of("cells").set_text(text)

    def on_grid_opened(self, message: Grid.Opened) -> None:
        self.set_app.perform("task.arguments" if message.grid.id == "tasks" else "open")

    def on_grid_moved(self, message: Grid.Moved) -> None:
        if message.grid.id == "cells":
            self.set_app.cursor_moved()
            self._show_inspector(self.set_app.view.picture)
        elif message.grid.id == "tasks":
            why = browsing.why_skipped(self.set_app.view.picture, message.key)
            if why:
                self.set_app.say(cell(why, "warn"))
        self.update_hints()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        super().on_descendant_focus(event)
        self.set_app.show_now()
