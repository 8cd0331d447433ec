"""The cell screen: a cell's attempts, samples, errors by message, output and model retries."""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult
from textual.containers import Container
from textual.widget import Widget

from evaltui.tui import selectors, telling
from evaltui.tui.actions import Place, Situation
from evaltui.tui.columns import turned
from evaltui.tui.picture import CellStory, Picture
from evaltui.tui.query import Query
from evaltui.tui.runs import cell
from evaltui.tui.screens.set_screen import SetScreen
from evaltui.tui.widgets.filter_line import FilterLine
from evaltui.tui.widgets.grid import Grid, Rows
from evaltui.tui.widgets.line_panel import LinePanel
from evaltui.tui.widgets.split_line import SplitLine
from evaltui.tui.widgets.text_panel import TextPanel

PANELS = ("attempts", "samples", "errors", "output")
WIDE = 100


class CellScreen(SetScreen):
    """Everything about one cell. The attempt under the cursor is the one that is told."""

    DEFAULT_CSS = """
    CellScreen > #top { layout: horizontal; height: 7; }
    CellScreen #attempts { width: 3fr; }
    CellScreen #errors { width: 2fr; }
    CellScreen > #samples { height: 2fr; }
    CellScreen > #output { height: 1fr; }
    CellScreen.narrow > #top { layout: vertical; height: 6; }
    CellScreen.narrow #attempts { width: 1fr; }
    CellScreen.narrow #errors { width: 1fr; }
    """
    place = Place.CELL

    def __init__(self, key: str) -> None:
        super().__init__()
        self.key = key
        self._queries: dict[str, Query] = {}
        self._sort: tuple[str, bool] | None = None
        self._zoomed: str | None = None
        self._chosen: str | None = None
        self._samples: telling.SampleTable | None = None
        self._told: tuple[object, ...] = ()

    def body(self) -> ComposeResult:
        yield SplitLine(id="header")
        yield SplitLine(id="figures")
        yield FilterLine(id="filter-samples")
        with Container(id="top"):
            yield Grid(Place.CELL, telling.ATTEMPT_COLUMNS, id="attempts", header=False)
            yield Grid(Place.CELL, telling.ERROR_COLUMNS, id="errors", header=False)
        yield Grid(Place.CELL, telling.SAMPLE_COLUMNS, id="samples")
        yield TextPanel(Place.CELL, id="output", follow=True)

    @property
    def attempts(self) -> Grid:
        return self.query_one("#attempts", Grid)

    @property
    def samples(self) -> Grid:
        return self.query_one("#samples", Grid)

    @property
    def errors(self) -> Grid:
        return self.query_one("#errors", Grid)

    @property
    def output(self) -> TextPanel:
        return self.query_one("#output", TextPanel)

    def on_mount(self) -> None:
        super().on_mount()
        self.set_app.view.follow(self.key)
        self._lay_out()
        self.samples.focus(scroll_visible=False)

    # --- showing ------------------------------------------------------------------------------

    def show(self, picture: Picture, now: float) -> None:
        state = picture.state.cells.get(self.key)
        if state is None:
            self.set_app.say(cell("this cell is no longer in the set", "warn"))
            self.dismiss()
            return
        name = f"{state.cell.task} {self.glyphs.times} {state.cell.model}"
        left, right = selectors.header(picture, name, now, self.glyphs)
        self.query_one("#header", SplitLine).set(left, right)
        figures = telling.figures(
            state, picture.settings, now, self.glyphs, minded=picture.state.engine is not None
        )
        self.query_one("#figures", SplitLine).set(*figures)
        story = picture.story
        if story is not None and story.cell == self.key:
            self._show_story(story, now)
        self.update_hints()

    def _show_story(self, story: CellStory, now: float) -> None:
        self._show_attempts(story, now)
        self._show_samples(story)
        self._show_output(story, now)

    def _show_attempts(self, story: CellStory, now: float) -> None:
        rows = telling.attempt_rows(story.attempts, now, self.glyphs)
        follows_last = self._chosen is None
        self.attempts.set(Rows.of(rows), empty=cell("it has not run yet", "muted"))
        if follows_last and rows:
            self.attempts.go_key(rows[-1][0])
        title = (("1 ", "muted"), ("Attempts", "title"))
        self.attempts.set_title(title, cell(f"{len(rows)}", "muted"))

    def _show_samples(self, story: CellStory) -> None:
        query = self._queries.get("samples", Query())
        told = (story.samples, query, self._sort, self.glyphs)
        if self._samples is None or not _same(told, self._told):
            self._told = told
            self._samples = telling.sample_table(story.samples, query, self._sort, self._samples)
            errors = telling.error_rows(story.samples, self.glyphs)
            self.errors.set(Rows.of(errors), empty=cell("no errors", "muted"))
            title = (("3 ", "muted"), ("Errors", "title"))
            self.errors.set_title(
                title, cell(f"{len(errors)} message{'' if len(errors) == 1 else 's'}", "muted")
            )
        table = self._samples
        self.samples.set_columns(telling.SAMPLE_COLUMNS, self._sort)
        rows = Rows(table.keys, telling.sample_cells(table, self.glyphs))
        empty = (
            "no sample matches the filter; Esc clears it"
            if story.samples
            else (story.trouble or "no samples yet")
        )
        self.samples.set(rows, empty=cell(empty, "muted"))
        title = (("2 ", "muted"), ("Samples", "title"))
        of = f"{len(table.keys):,} of {len(story.samples):,}"
        self.samples.set_title(title, cell(of, "muted"))
        attributes = telling.SAMPLE_ATTRIBUTES
        self.query_one(FilterLine).know(attributes, telling.FATES, lambda name: ())

    def _show_output(self, story: CellStory, now: float) -> None:
        lines = telling.output_lines(story, now, self.glyphs)
        self.output.set_lines(len(lines), lines.__getitem__)
        title = (("4 ", "muted"), ("Output", "title"))
        retries = f"{len(story.retries)} model retries" if story.retries else ""
        self.output.set_title(title, cell(retries, "wait"))

    # --- layout -------------------------------------------------------------------------------

    def on_resize(self, _: events.Resize) -> None:
        self._lay_out()

    def _lay_out(self) -> None:
        narrow = self.app.size.width < WIDE
        self.set_class(narrow, "narrow")
        zoomed = self._zoomed
        for name in PANELS:
            panel = self.query_one(f"#{name}", LinePanel)
            panel.framed = not narrow
            panel.display = zoomed in (None, name)
        top = self.query_one("#top")
        top.display = zoomed in (None, "attempts", "errors")
        top.styles.height = "1fr" if zoomed else 6 if narrow else 7
        self.call_after_refresh(self.set_app.show_now)

    @property
    def panel_in_focus(self) -> str:
        focused: Widget | None = self.focused
        while focused is not None and focused is not self:
            if focused.id in PANELS:
                return focused.id
            focused = focused.parent if isinstance(focused.parent, Widget) else None
        return "samples"

    def focus_panel(self, name: str) -> None:
        if self._zoomed is not None:
            self._zoomed = name
            self._lay_out()
        self.query_one(f"#{name}").focus(scroll_visible=False)

    # --- actions ------------------------------------------------------------------------------

    @property
    def targets(self) -> tuple[str, ...]:
        return (self.key,)

    def situation(self, picture: Picture) -> Situation:
        name = self.panel_in_focus
        if name == "output":
            rows = self.output.line_count
            return self.about(picture, self.targets, rows=rows, row=False)
        grid = self.query_one(f"#{name}", Grid)
        row = grid.cursor_key is not None
        return self.about(picture, self.targets, rows=grid.row_count, row=row)

    def do_panel_1(self) -> None:
        self.focus_panel("attempts")

    def do_panel_2(self) -> None:
        self.focus_panel("samples")

    def do_panel_3(self) -> None:
        self.focus_panel("errors")

    def do_panel_4(self) -> None:
        self.focus_panel("output")

    def do_panel_next(self) -> None:
        here = PANELS.index(self.panel_in_focus)
        self.focus_panel(PANELS[(here + 1) % len(PANELS)])

    def do_panel_previous(self) -> None:
        here = PANELS.index(self.panel_in_focus)
        self.focus_panel(PANELS[here - 1])

    def do_panel_zoom(self) -> None:
        name = self.panel_in_focus
        self._zoomed = None if self._zoomed else name
        self._lay_out()
        self.query_one(f"#{name}").focus(scroll_visible=False)

    def do_back(self) -> None:
        if self._zoomed is not None:
            self.do_panel_zoom()
        elif not self.query_one(FilterLine).clear():
            self.dismiss()

    def do_open(self) -> None:
        name = self.panel_in_focus
        if name == "errors":
            text = telling.error_filter(self.errors.cursor_key)
            self.query_one(FilterLine).set_text(text)
            self.focus_panel("samples")
        elif name == "attempts":
            self.focus_panel("samples")
        elif name == "samples":
            self._open_sample()

    def _open_sample(self) -> None:
        from evaltui.tui.screens.sample import SampleScreen

        story = self.set_app.view.picture.story
        key = self.samples.cursor_key
        if story is None or key is None:
            return
        line = next((each for each in story.samples if each.key == key), None)
        attempt = next((each for each in story.attempts if each.key == story.attempt), None)
        if line is not None:
            self.set_app.show_screen(SampleScreen(self.key, line, attempt))

    def on_grid_opened(self, _: Grid.Opened) -> None:
        self.set_app.perform("open")

    def on_grid_moved(self, message: Grid.Moved) -> None:
        if message.grid.id == "attempts" and message.key is not None:
            story = self.set_app.view.picture.story
            last = story.attempts[-1].key if story and story.attempts else None
            self._chosen = None if message.key == last else message.key
            self.set_app.view.follow(self.key, self._chosen)
        self.update_hints()

    def do_list_filter(self) -> None:
        self.query_one(FilterLine).open()

    def on_filter_line_filtered(self, message: FilterLine.Filtered) -> None:
        self._queries["samples"] = message.query
        self.set_app.show_now()

    def on_filter_line_left(self, _: FilterLine.Left) -> None:
        self.focus_panel("samples")

    def do_list_sort(self) -> None:
        self.pick_sort(telling.SAMPLE_COLUMNS, self._sort, self._sorted_by)

    def on_grid_sort_asked(self, message: Grid.SortAsked) -> None:
        self._sorted_by(turned(self._sort, message.column))

    def _sorted_by(self, sort: tuple[str, bool] | None) -> None:
        self._sort = sort
        self.set_app.show_now()


def _same(one: tuple[object, ...], other: tuple[object, ...]) -> bool:
    return len(one) == len(other) and all(
        a is b or (not isinstance(a, tuple) and a == b) for a, b in zip(one, other, strict=True)
    )
