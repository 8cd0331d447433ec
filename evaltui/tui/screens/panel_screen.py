"""A screen of several panels: which has the keys, each one's filter and sort, and the zoom.

What stands in the panels is for the screen that derives from it.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, ClassVar

from textual.widget import Widget

from evaltui.tui.columns import EDGE, Sort, turned
from evaltui.tui.query import Query
from evaltui.tui.runs import Cell, cell
from evaltui.tui.screens.set_screen import SetScreen
from evaltui.tui.widgets.filter_line import FilterLine
from evaltui.tui.widgets.grid import Grid

FILTER = "filter-"
"""Before a panel's name in the id of its filter line."""


class PanelScreen(SetScreen):
    """panels: ids of the panels, in the order Tab goes; first_panel: where the keys are at first.

    unsorted: panels whose order cannot be changed, and why.
    """

    panels: ClassVar[Collection[str]] = ()
    first_panel: ClassVar[str] = ""
    unsorted: ClassVar[dict[str, str]] = {}

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.queries: dict[str, Query] = {}
        self.sorts: dict[str, Sort] = {}
        self.wide = False
        self.zoomed: str | None = None

    def query_of(self, panel: str) -> Query:
        return self.queries.get(panel, Query())

    def filter_of(self, panel: str) -> FilterLine:
        return self.query_one(f"#{FILTER}{panel}", FilterLine)

    @property
    def panel_in_focus(self) -> str:
        """The name of the panel that has the keys, or had them last."""
        focused: Widget | None = self.focused
        while focused is not None and focused is not self:
            name = (focused.id or "").removeprefix(FILTER)
            if name in self.panels:
                return name
            focused = focused.parent if isinstance(focused.parent, Widget) else None
        return self.first_panel

    def lay_out(self) -> None:
        """Give the panels their places; the zoom or the window is another."""

    def focus_panel(self, name: str) -> None:
        """Give a panel the keys; a zoom goes with them."""
        if self.zoomed is not None:
            self.zoomed = name
        self.lay_out()
        self.query_one(f"#{name}").focus(scroll_visible=False)

    def do_panel_zoom(self) -> None:
        name = self.panel_in_focus
        self.zoomed = None if self.zoomed else name
        self.lay_out()
        self.query_one(f"#{name}").focus(scroll_visible=False)

    # --- filter, sort and width ---------------------------------------------------------------

    def do_list_filter(self) -> None:
        self.filter_of(self.panel_in_focus).open()

    def on_filter_line_filtered(self, message: FilterLine.Filtered) -> None:
        self.queries[_panel_of(message.line)] = message.query
        self.set_app.show_now()

    def on_filter_line_left(self, message: FilterLine.Left) -> None:
        self.focus_panel(_panel_of(message.line))

    def do_list_wide(self) -> None:
        self.wide = not self.wide
        self.set_app.show_now()

    def do_list_sort(self) -> None:
        name = self.panel_in_focus
        if name in self.unsorted:
            self.set_app.say(cell(self.unsorted[name], "muted"))
            return
        columns = [each for each in self.query_one(f"#{name}", Grid).columns if each.id != EDGE]
        self.pick_sort(columns, self.sorts.get(name), lambda sort: self._sorted_by(name, sort))

    def on_grid_sort_asked(self, message: Grid.SortAsked) -> None:
        name = message.grid.id or ""
        if name not in self.unsorted:
            self._sorted_by(name, turned(self.sorts.get(name), message.column))

    def _sorted_by(self, name: str, sort: Sort | None) -> None:
        if sort is None:
            self.sorts.pop(name, None)
        else:
            self.sorts[name] = sort
        self.set_app.show_now()


def _panel_of(line: FilterLine) -> str:
    return (line.id or "").removeprefix(FILTER)


def panel_title(number: str, name: str) -> Cell:
    """The title of a panel, behind the key that leads to it."""
    return ((f"{number} ", "muted"), (name, "title"))


def of_all(shown: int, all_rows: int) -> Cell:
    """`12 of 48`."""
    return cell(f"{shown:,} of {all_rows:,}", "muted")
