"""A screen around one list: a line above, the filter, the list, and what is under the cursor below.

What the list holds is for the screen that derives from it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult

from evaltui.tui import selectors
from evaltui.tui.actions import Situation
from evaltui.tui.columns import SPEC_ORDER, Column, Sort, turned
from evaltui.tui.panel_layout import WIDE
from evaltui.tui.picture import Picture
from evaltui.tui.query import Query
from evaltui.tui.runs import Cell, cell
from evaltui.tui.screens.set_screen import SetScreen
from evaltui.tui.view import View
from evaltui.tui.widgets.block import Block
from evaltui.tui.widgets.filter_line import FilterLine
from evaltui.tui.widgets.grid import Grid, Rows
from evaltui.tui.widgets.split_line import SplitLine

NOTHING = "nothing matches; Esc takes the filter away"


class ListScreen(SetScreen):
    """filtered_by, sort and wide are the person's own; a change of one calls `show_rows`.

    title_word: of the list. order: what its rows stand in while they are not sorted, and what that
    is. states: what `is:` takes. whole_least, detail_least: lines kept for what
    stands above the list, and below it.
    """

    DEFAULT_CSS = """
    ListScreen #whole { margin: 0 1; max-height: 9; }
    ListScreen #detail { margin: 0 1; max-height: 7; }
    """
    title_word: ClassVar[str] = ""
    order: ClassVar[tuple[str, str]] = SPEC_ORDER
    states: ClassVar[Collection[str]] = ()
    whole_least: ClassVar[int] = 0
    detail_least: ClassVar[int] = 2

    def __init__(self, view: View) -> None:
        super().__init__()
        self.view = view
        self.filtered_by = Query()
        self.sort: Sort | None = None
        self.wide = False

    def body(self) -> ComposeResult:
        yield SplitLine(id="header")
        yield Block(least=self.whole_least, indent=2, id="whole")
        yield SplitLine(id="strip")
        yield FilterLine(states=self.states, values=self.values_of, id="filter")
        yield self.make_list()
        yield Block(least=self.detail_least, indent=2, stays=True, id="detail")

    def make_list(self) -> Grid:
        """The list, with the id `list`."""
        return Grid(self.place, (), cell(self.title_word, "title"), id="list")

    @property
    def grid(self) -> Grid:
        return self.query_one("#list", Grid)

    @property
    def filter_line(self) -> FilterLine:
        return self.query_one("#filter", FilterLine)

    def on_resize(self, _: events.Resize) -> None:
        self.grid.framed = self.app.size.width >= WIDE
        self.call_after_refresh(self.show_rows)

    def on_mount(self) -> None:
        self.query_one("#strip").display = False
        self.grid.focus(scroll_visible=False)

    # --- for the screen that derives ------------------------------------------------------------

    def show_rows(self) -> None:
        """Show the rows again: filter, sort or width are others."""

    def detail(self) -> Sequence[Cell]:
        """What is said of the row under the cursor."""
        return ()

    def sort_columns(self) -> Sequence[Column]:
        """What the rows can be sorted by."""
        return self.grid.columns

    def attributes_now(self) -> Collection[str]:
        """What a filter may ask for."""
        return ()

    def values_of(self, attribute: str) -> Iterable[str]:
        """What Tab offers in the filter."""
        return ()

    # --- showing ------------------------------------------------------------------------------

    def show_header(self, picture: Picture, crumb: str, now: float, right: Cell) -> None:
        left, _ = selectors.header(picture, crumb, now, self.glyphs)
        self.query_one("#header", SplitLine).set(left, right)

    def show_whole(self, lines: Sequence[Cell]) -> None:
        self.query_one("#whole", Block).set(lines)

    def show_strip(self, left: Cell, right: Cell = ()) -> None:
        """What all rows share; nothing takes no line."""
        strip = self.query_one("#strip", SplitLine)
        strip.set(left, right)
        if strip.display != bool(left):
            strip.display = bool(left)

    def fill(
        self,
        rows: Rows,
        columns: Sequence[Column],
        *,
        of: int,
        empty: str = NOTHING,
        counted: str = "",
        named: str = "",
    ) -> None:
        """Show rows. of: how many there are in all; counted: what is said of that instead.

        named: what else stands in the title.
        """
        self.grid.set_columns(columns, self.sort)
        self.grid.set(rows, empty=cell(empty, "muted"))
        number = counted or f"{len(rows.keys):,} of {of:,}"
        title = (*cell(self.title_word, "title"), *(cell(named, "muted") if named else ()))
        self.grid.set_title(title, cell(number, "muted") if of else ())
        self.show_detail()

    def show_detail(self) -> None:
        self.query_one("#detail", Block).set(self.detail())

    # --- what is done here --------------------------------------------------------------------

    def situation(self, picture: Picture) -> Situation:
        rows = self.grid.row_count
        return self.about(picture, self.targets, rows=rows, row=bool(rows))

    def on_grid_moved(self, _: Grid.Moved) -> None:
        self.show_detail()
        self.update_hints()

    def on_grid_opened(self, _: Grid.Opened) -> None:
        self.shell.perform("open")

    def do_list_filter(self) -> None:
        self.filter_line.know(self.attributes_now(), self.states, self.values_of)
        self.filter_line.open()

    def on_filter_line_filtered(self, message: FilterLine.Filtered) -> None:
        self.filtered_by = message.query
        self.show_rows()

    def on_filter_line_left(self, _: FilterLine.Left) -> None:
        self.grid.focus(scroll_visible=False)

    def do_back(self) -> bool | None:
        return None if self.filter_line.clear() else False

    def do_list_wide(self) -> None:
        self.wide = not self.wide
        self.show_rows()

    def do_list_sort(self) -> None:
        self.pick_sort(self.sort_columns(), self.sort, self._sorted_by, self.order)

    def on_grid_sort_asked(self, message: Grid.SortAsked) -> None:
        self._sorted_by(turned(self.sort, message.column))

    def _sorted_by(self, sort: Sort | None) -> None:
        self.sort = sort
        self.show_rows()
