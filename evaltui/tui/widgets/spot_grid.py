"""A list with a cursor in a column too: a table whose places are what one looks at and marks.

Left and right move between columns; which of them are in sight is for whoever gives them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from textual import events

from evaltui.tui.widgets.grid import GUTTER, Grid, Grounds

Spot = tuple[str, str]
"""Key of a row, id of a column."""


class SpotGrid(Grid):
    """A grid in which `spots` columns can be gone through; with none it is a plain list."""

    def __init__(self, *words: Any, **options: Any) -> None:
        super().__init__(*words, **options)
        self._columns_to_go: tuple[str, ...] = ()
        self._column = 0
        self._marked: dict[Spot, None] = {}
        self._anchor: tuple[int, int] | None = None

    def set_spots(self, columns: Sequence[str]) -> None:
        """The columns (by id) that the cursor goes through, in sight or not; none: whole rows."""
        before = self.column
        self._columns_to_go = tuple(columns)
        if before in self._columns_to_go:
            self._column = self._columns_to_go.index(before)
        self._column = max(0, min(self._column, len(columns) - 1))

    @property
    def column(self) -> str | None:
        """The column under the cursor; None where rows are gone through whole."""
        return self._columns_to_go[self._column] if self._columns_to_go else None

    @property
    def spot(self) -> Spot | None:
        """Where the cursor is."""
        key, column = self.cursor_key, self.column
        return (key, column) if key is not None and column is not None else None

    @property
    def spots(self) -> tuple[Spot, ...]:
        """What an action takes: the marked spots that are there, else the one under the cursor."""
        there = set(self.at.keys)
        marked = (*self._marked, *(each for each in self._range() if each not in self._marked))
        shown = tuple(
            each for each in marked if each[0] in there and each[1] in self._columns_to_go
        )
        if shown or self.spot is None:
            return shown
        return (self.spot,)

    def go_column(self, place: int) -> None:
        """Put the cursor into a column by its number; beyond the ends is the end."""
        place = max(0, min(place, len(self._columns_to_go) - 1))
        if place != self._column:
            self._column = place
            self._redraw()
            self.refresh_body(0, 0, self.body_width)
            self.tell_moved()

    # Actions, by their ids

    def do_go_left(self) -> None:
        self.go_column(self._column - 1)

    def do_go_right(self) -> None:
        self.go_column(self._column + 1)

    def do_list_mark(self) -> None:
        if not self._columns_to_go:
            super().do_list_mark()
        elif self._anchor is not None:
            self._keep_range()
            self._redraw()
        elif (spot := self.spot) is not None:
            if spot in self._marked:
                del self._marked[spot]
            else:
                self._marked[spot] = None
            self._redraw()

    def do_list_range(self) -> None:
        if not self._columns_to_go:
            super().do_list_range()
            return
        if self._anchor is not None:
            self._keep_range()
        else:
            self._anchor = (self.at.row, self._column)
        self._redraw()

    def do_back(self) -> bool:
        had = bool(self._marked) or self._anchor is not None
        self._marked.clear()
        self._anchor = None
        return super().do_back() or had

    def _range(self) -> tuple[Spot, ...]:
        """Spots of the open range: a rectangle from where it was opened to the cursor."""
        if self._anchor is None or not self._columns_to_go:
            return ()
        rows = sorted((min(self._anchor[0], self.row_count - 1), self.at.row))
        columns = sorted((self._anchor[1], self._column))
        return tuple(
            (self.at.keys[row], column)
            for row in range(max(0, rows[0]), rows[1] + 1)
            for column in self._columns_to_go[columns[0] : columns[1] + 1]
        )

    def _keep_range(self) -> None:
        self._marked |= dict.fromkeys(self._range())
        self._anchor = None

    # Drawing

    def is_at(self, column: str) -> bool:
        return column == self.column

    def is_marked(self, row: int) -> bool:
        if not self._columns_to_go:
            return super().is_marked(row)
        key = self.at.keys[row]
        return any(each == key for each, _ in (*self._marked, *self._range()))

    def grounds_of(self, row: int) -> Grounds:
        if not self._columns_to_go:
            return super().grounds_of(row)
        key = self.at.keys[row]
        marked = {column for each, column in (*self._marked, *self._range()) if each == key}
        grounds: dict[str, str | None] = dict.fromkeys(marked, "mark")
        if row == self.at.row and self.column is not None:
            grounds[self.column] = "cursor" if self.active else "resting"
        return Grounds(None, grounds, frozenset(marked))

    def on_click(self, event: events.Click) -> None:
        """The column that is clicked; the row is the list's."""
        x = event.x - self.side - GUTTER
        for placed in self._placed:
            within = placed.start <= x < placed.start + placed.width
            if within and event.y > 1 and placed.column.id in self._columns_to_go:
                self.go_column(self._columns_to_go.index(placed.column.id))
