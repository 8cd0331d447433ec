"""The cell screen: a cell's attempts, samples, errors by message, output and model retries."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.containers import Container

from evaltui.tui import selectors, telling
from evaltui.tui.actions import Place, Situation
from evaltui.tui.attempt_words import (
    ATTEMPT_ATTRIBUTES,
    ATTEMPT_COLUMNS,
    ATTEMPT_STATES,
    attempt_attributes,
    attempt_lines,
    attempt_rows,
    cell_lines,
)
from evaltui.tui.columns import Sort
from evaltui.tui.panel_layout import WIDE
from evaltui.tui.picture import CellStory, Picture
from evaltui.tui.query import Query, select
from evaltui.tui.runs import Cell, cell
from evaltui.tui.sample_rows import MANY
from evaltui.tui.screens.panel_screen import FILTER, PanelScreen, of_all, panel_title
from evaltui.tui.widgets.block import Block
from evaltui.tui.widgets.filter_line import FilterLine
from evaltui.tui.widgets.grid import Grid, Rows
from evaltui.tui.widgets.line_panel import LinePanel
from evaltui.tui.widgets.split_line import SplitLine
from evaltui.tui.widgets.text_panel import TextPanel

PANELS = ("attempts", "samples", "errors", "output")
_Asked = tuple[object, Query, Sort | None]


class CellScreen(PanelScreen):
    """Everything about one cell. The attempt under the cursor is the one that is told."""

    DEFAULT_CSS = """
    CellScreen > #told { margin: 0 1; max-height: 7; }
    CellScreen > #top { layout: horizontal; height: 7; }
    CellScreen #attempts { width: 3fr; }
    CellScreen #errors { width: 2fr; }
    CellScreen > #samples { height: 2fr; }
    CellScreen > #output { height: 1fr; }
    CellScreen.narrow > #top { layout: vertical; height: 6; }
    CellScreen.narrow > #told { max-height: 6; }
    CellScreen.narrow #attempts { width: 1fr; }
    CellScreen.narrow #errors { width: 1fr; }
    """
    place = Place.CELL
    panels = PANELS
    first_panel = "samples"
    unsorted: ClassVar[dict[str, str]] = {
        "attempts": "attempts stand as they began",
        "errors": "errors stand by how often they came",
        "output": "output stands as it was written",
    }

    def __init__(self, key: str) -> None:
        super().__init__()
        self.key = key
        self._chosen: str | None = None
        self._samples: telling.SampleTable | None = None
        self._output_of: str | None = None
        self._asked: _Asked | None = None
        self._made: _Asked | None = None

    def body(self) -> ComposeResult:
        yield SplitLine(id="header")
        yield SplitLine(id="figures")
        yield Block(indent=2, id="told")
        for name in PANELS:
            yield FilterLine(id=f"{FILTER}{name}")
        with Container(id="top"):
            yield Grid(Place.CELL, ATTEMPT_COLUMNS, id="attempts", header=False)
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
        self.filter_of("attempts").know(ATTEMPT_ATTRIBUTES, ATTEMPT_STATES, lambda _: ())
        self.filter_of("samples").know(telling.SAMPLE_ATTRIBUTES, telling.FATES, lambda _: ())
        self.filter_of("errors").know(("message", "times"), (), lambda _: ())
        self.filter_of("output").know(("line",), (), lambda _: ())
        self.lay_out()
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
        minded = picture.engine != "none"
        most = 1 if self.has_class("narrow") else 3
        figures = telling.figures(
            state, picture.settings, now, self.glyphs, minded=minded, most=most
        )
        self.query_one("#figures", SplitLine).set(*figures)
        told = cell_lines(state, self.glyphs)
        story = picture.story
        if story is not None and story.cell == self.key:
            best = state.log.rsplit("/", 1)[-1] if state.log else None
            attempt = next((a for a in story.attempts if a.key == story.attempt), None)
            told += attempt_lines(attempt, best, now, self.glyphs, state.message)
            self._show_attempts(story, best, now)
            self._show_samples(story)
            self._show_errors(story)
            self._show_output(story, now)
        self.query_one("#told", Block).set(told)
        self.update_hints()

    def _show_attempts(self, story: CellStory, best: str | None, now: float) -> None:
        query = self.query_of("attempts")
        shown = select(query, [attempt_attributes(line) for line in story.attempts])
        rows = attempt_rows([story.attempts[row] for row in shown], best, now, self.glyphs)
        empty = "no attempt matches the filter" if story.attempts else "it has not run yet"
        self.attempts.set(Rows.of(rows), empty=cell(empty, "muted"))
        if self._chosen is None and rows:
            self.attempts.go_key(rows[-1][0])
        self.attempts.set_title(
            panel_title("1", "Attempts and logs"), of_all(len(rows), len(story.attempts))
        )

    def _show_samples(self, story: CellStory) -> None:
        query, sort = self.query_of("samples"), self.sorts.get("samples")
        wanted = (story.samples, query, sort)
        if self._samples is None or not _same(wanted, self._made):
            if len(story.samples) > MANY and (query or sort is not None):
                self._ask_for(story, wanted)
                return
            self._made, self._samples = wanted, telling.sample_table(story, query, sort)
        table = self._samples
        columns = telling.sample_columns(story, wide=self.wide)
        self.samples.set_columns(columns, sort)
        empty = (
            "no sample matches the filter; Esc clears it"
            if story.samples
            else (story.trouble or "no samples yet")
        )
        rows = Rows(table.keys, telling.sample_cells(table, columns, self.glyphs))
        self.samples.set(rows, empty=cell(empty, "muted"))
        self.samples.set_title(
            panel_title("2", "Samples"), of_all(len(table.keys), len(story.samples))
        )

    def _ask_for(self, story: CellStory, wanted: _Asked) -> None:
        """Have many samples filtered in the reading thread: it takes longer than a key may."""
        if self._asked is not None and _same(wanted, self._asked):
            return
        self._asked = wanted
        _, query, sort = wanted

        def arrived(table: telling.SampleTable) -> None:
            self.set_app.call_from_view(lambda: self._take(wanted, table))

        self.set_app.view.work(lambda _: telling.sample_table(story, query, sort), arrived)

    def _take(self, wanted: _Asked, table: telling.SampleTable) -> None:
        self._made, self._samples = wanted, table
        if self.is_mounted:
            self.set_app.show_now()

    def _show_errors(self, story: CellStory) -> None:
        rows = telling.error_rows(story.errors, self.query_of("errors"), self.glyphs)
        empty = "no message matches the filter" if story.errors else "no errors"
        self.errors.set(Rows.of(rows), empty=cell(empty, "muted"))
        self.errors.set_title(panel_title("3", "Errors"), of_all(len(rows), len(story.errors)))

    def _show_output(self, story: CellStory, now: float) -> None:
        query = self.query_of("output")
        lines = telling.output_lines(story, query, now, self.glyphs)
        attempt = next((each for each in story.attempts if each.key == story.attempt), None)
        # of what has ended the first line says why; what runs is followed
        self.output.follow = attempt is None or attempt.ended is None
        self.output.set_lines(len(lines), lines.__getitem__)
        if story.attempt != self._output_of:
            self._output_of = story.attempt
            (self.output.do_go_bottom if self.output.follow else self.output.do_go_top)()
        retries = cell(f"{len(story.retries)} model retries", "wait") if story.retries else ()
        right: Cell = of_all(len(lines), len(story.output)) if query else retries
        self.output.set_title(panel_title("4", "Output"), right)

    # --- layout -------------------------------------------------------------------------------

    def on_resize(self, _: events.Resize) -> None:
        self.lay_out()

    def lay_out(self) -> None:
        narrow = self.app.size.width < WIDE
        self.set_class(narrow, "narrow")
        zoomed = self.zoomed
        for name in PANELS:
            panel = self.query_one(f"#{name}", LinePanel)
            panel.framed = not narrow
            panel.display = zoomed in (None, name)
        top = self.query_one("#top")
        top.display = zoomed in (None, "attempts", "errors")
        top.styles.height = "1fr" if zoomed else 6 if narrow else 7
        self.call_after_refresh(self.set_app.show_now)

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

    def do_back(self) -> None:
        if self.zoomed is not None:
            self.do_panel_zoom()
            return
        here = self.panel_in_focus
        for name in (here, *PANELS):
            if self.filter_of(name).clear():
                return
        self.dismiss()

    def do_open(self) -> None:
        name = self.panel_in_focus
        if name == "errors":
            text = telling.error_filter(self.errors.cursor_key)
            self.filter_of("samples").set_text(text)
            self.focus_panel("samples")
        elif name == "attempts":
            self.focus_panel("samples")
        elif name == "samples":
            self._open_sample()

    def _open_sample(self) -> None:
        from evaltui.tui.screens.sample import SampleScreen

        story, table = self.set_app.view.picture.story, self._samples
        if story is None or table is None or not self.samples.row_count:
            return
        line = table.samples[table.shown[self.samples.at.row]]
        attempt = next((each for each in story.attempts if each.key == story.attempt), None)
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


def _same(one: _Asked, other: _Asked | None) -> bool:
    """Whether two questions are one: the samples are the very same object."""
    return other is not None and one[0] is other[0] and one[1:] == other[1:]
