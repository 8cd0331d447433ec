"""A list in columns: any number of rows, of which only the visible ones are ever asked for.

It owns cursor, marks and scroll, by the rows' keys, so that they stay where they are when rows
come, go or change places. It sorts and filters nothing: whoever gives the rows does. What has
not changed is not drawn again, down to the cell of a row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec
from rich.segment import Segment
from textual import events
from textual.message import Message

from evaltui.tui.actions import Place
from evaltui.tui.columns import GAP, Column, Placed, place
from evaltui.tui.list_cursor import ListCursor
from evaltui.tui.runs import Cell, cell, fit
from evaltui.tui.widgets.line_panel import LinePanel

Cells = tuple[Cell, ...]

GUTTER = 1
"""Cells left of the columns, for the cursor and the marks."""


class Rows(msgspec.Struct, frozen=True):
    """Rows of a grid. keys: one for each row, unique. cells: row number -> one cell a column.

    `cells` is pure and called for visible rows alone, so that 100,000 rows cost what 30 do.
    """

    keys: Sequence[str] = ()
    cells: Callable[[int], Cells] = lambda _: ()

    @classmethod
    def of(cls, rows: Iterable[tuple[str, Cells]]) -> Rows:
        """Rows that are all there already."""
        listed = list(rows)
        return cls(tuple(key for key, _ in listed), lambda index: listed[index][1])


class Grounds(msgspec.Struct, frozen=True):
    """What a row lies on: the whole of it, and single columns (by id) where those differ.

    marked: columns of it that are marked; a sign before them says so without colour.
    """

    row: str | None = None
    columns: Mapping[str, str | None] = msgspec.field(default_factory=dict)
    marked: frozenset[str] = frozenset()


_PLAIN, _CURSOR = Grounds(), Grounds("cursor")
_RESTING, _MARKED = Grounds("resting"), Grounds("mark")


class _Drawn:
    """What stands on a line of the body, and its segments once they have been made."""

    __slots__ = ("cells", "grounds", "gutter", "made_for", "segments")

    def __init__(self, cells: Cells, gutter: str, grounds: Grounds) -> None:
        self.cells = cells
        self.gutter = gutter
        self.grounds = grounds
        self.segments: list[Segment] = []
        self.made_for: tuple[object, ...] = ()

    def shows(self, cells: Cells, gutter: str, grounds: Grounds) -> bool:
        return self.gutter == gutter and self.grounds == grounds and self.cells == cells


class Grid(LinePanel):
    """A list in columns under a header line."""

    class Moved(Message):
        """The cursor is on another row, or on none (None)."""

        def __init__(self, grid: Grid, key: str | None) -> None:
            super().__init__()
            self.grid = grid
            self.key = key

        @property
        def control(self) -> Grid:
            return self.grid

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, Grid.Moved) and message.grid is self.grid

    class Opened(Message):
        """A row was clicked twice."""

        def __init__(self, grid: Grid, key: str) -> None:
            super().__init__()
            self.grid = grid
            self.key = key

        @property
        def control(self) -> Grid:
            return self.grid

    class SortAsked(Message):
        """A column's title was clicked."""

        def __init__(self, grid: Grid, column: str) -> None:
            super().__init__()
            self.grid = grid
            self.column = column

        @property
        def control(self) -> Grid:
            return self.grid

    def __init__(
        self,
        place: Place,
        columns: Sequence[Column],
        title: Cell = (),
        *,
        id: str | None = None,
        framed: bool = True,
        header: bool = True,
    ) -> None:
        super().__init__(place, title, id=id, framed=framed)
        self._columns = tuple(columns)
        self._placed: tuple[Placed, ...] = ()
        self._header = header
        self._sort: tuple[str, bool] | None = None
        self._rows = Rows()
        self._empty: Cell = ()
        self.at = ListCursor()
        self._drawn: list[_Drawn] = []
        self._top_drawn = 0
        self._thumb_drawn: tuple[int, int] | None = None

    # What is shown

    def set(self, rows: Rows, *, empty: Cell = ()) -> None:
        """Show these rows; `empty` where there are none. The cursor stays on its row by key."""
        before, empty_before = self.at.key, self._empty
        self._rows, self._empty = rows, empty
        self.at.set_keys(rows.keys, self.page_height)
        if not self.is_mounted:
            self._drawn = []
        self._redraw(fresh=True)
        if not rows.keys and empty != empty_before:
            self.refresh()
        if self.at.key != before:
            self.post_message(self.Moved(self, self.at.key))

    def set_columns(self, columns: Sequence[Column], sort: tuple[str, bool] | None = None) -> None:
        """Other columns; the rows given next must fit them. sort: column id, whether descending."""
        if (tuple(columns), sort) == (self._columns, self._sort):
            return
        self._columns, self._sort = tuple(columns), sort
        self.resized()
        self.refresh()

    # Where the cursor is, and what is marked

    @property
    def cursor_key(self) -> str | None:
        """The key of the row under the cursor, None in an empty list."""
        return self.at.key

    @property
    def row_count(self) -> int:
        return len(self._rows.keys)

    @property
    def columns(self) -> tuple[Column, ...]:
        return self._columns

    @property
    def targets(self) -> tuple[str, ...]:
        """What an action takes: the marked rows that are shown, else the one under the cursor."""
        return self.at.targets

    def go(self, row: int) -> None:
        """Put the cursor on a row; beyond the ends is the end."""
        if self.at.go(row, self.page_height):
            self._redraw()
            self.tell_moved()

    def tell_moved(self) -> None:
        """Tell the screen at once, not by a message: what it says of the row is drawn with it."""
        moved = getattr(self.screen, "on_grid_moved", None)
        if moved is not None:
            moved(self.Moved(self, self.at.key))

    def go_key(self, key: str) -> bool:
        """Put the cursor on the row of that key, if it is shown."""
        try:
            self.go(self._rows.keys.index(key))
        except ValueError:
            return False
        return True

    def move(self, rows: int) -> None:
        self.go(self.at.row + rows)

    def page(self, halves: int) -> None:
        """Half a page down, or up where negative."""
        self.move(halves * max(1, self.page_height // 2))

    def scroll_rows(self, rows: int) -> None:
        """Move the view and leave the cursor where it is."""
        self.at.scroll(rows, self.page_height)
        self._redraw()

    # Actions, by their ids

    def do_go_down(self) -> None:
        self.move(1)

    def do_go_up(self) -> None:
        self.move(-1)

    def do_go_top(self) -> None:
        self.go(0)

    def do_go_bottom(self) -> None:
        self.go(self.row_count - 1)

    def do_go_page_down(self) -> None:
        self.page(1)

    def do_go_page_up(self) -> None:
        self.page(-1)

    def do_list_mark(self) -> None:
        """Mark the row and go on to the next one, or end a range."""
        step = 0 if self.at.range_is_open else 1
        self.at.toggle_mark()
        self._redraw()
        self.move(step)

    def do_list_range(self) -> None:
        self.at.toggle_range()
        self._redraw()

    def do_back(self) -> bool:
        """Take all marks away; False where there were none."""
        had = self.at.clear()
        self._redraw()
        return had

    # Drawing

    @property
    def page_height(self) -> int:
        """How many rows can be seen at once."""
        return max(0, self.body_height - self._header)

    def resized(self) -> None:
        self._placed = place(self._columns, max(0, self.body_width - GUTTER))
        self.at.keep_in_view(self.page_height)
        self._see(fresh=False)

    def thumb(self) -> tuple[int, int] | None:
        return self._thumb_drawn

    def _thumb_now(self) -> tuple[int, int] | None:
        height, count = self.page_height, self.row_count
        if count <= height or not height:
            return None
        length = max(1, height * height // count)
        first = round(self.at.top * (height - length) / (count - height))
        return first + self._header, length

    def body_line(self, y: int, width: int) -> list[Segment]:
        if self._header and y == 0:
            return self._header_line(width)
        y -= self._header
        if not self._rows.keys:
            return self._empty_line(y, width)
        return self._row_line(self._drawn[y], width) if y < len(self._drawn) else self.blank(width)

    def _header_line(self, width: int) -> list[Segment]:
        segments = self.blank(min(GUTTER, width))
        for placed in self._placed:
            title = placed.column.title
            if self._sort is not None and self._sort[0] == placed.column.id:
                marks = "^v" if self.look.ascii_only else "▴▾"
                title = f"{title} {marks[self._sort[1]]}".strip()
            token = "accent" if self.is_at(placed.column.id) else "header"
            segments += self._placed_segments(placed, cell(title, token), None, None)
        return self._filled(segments, width, None)

    def _row_line(self, drawn: _Drawn, width: int) -> list[Segment]:
        made_for = (self._placed, self.look, width)
        if drawn.made_for != made_for:
            grounds = drawn.grounds
            segments = [Segment(drawn.gutter, self.look.style("accent", grounds.row))]
            for placed in self._placed:
                content = drawn.cells[placed.index] if placed.index < len(drawn.cells) else ()
                ground = grounds.columns.get(placed.column.id, grounds.row)
                if placed.column.id in grounds.marked and placed.start:
                    segments[-1] = Segment("*", self.look.style("accent", grounds.row))
                segments += self._placed_segments(placed, content, ground, grounds.row)
            drawn.segments = self._filled(segments, width, grounds.row)
            drawn.made_for = made_for
        return drawn.segments

    def _placed_segments(
        self, placed: Placed, content: Cell, ground: str | None, between: str | None
    ) -> list[Segment]:
        look = self.look
        runs = fit(content, placed.width, placed.column.align, ascii_only=look.ascii_only)
        gap = 0 if placed is self._placed[-1] else GAP
        return [*look.segments(tuple(runs), ground), *self.blank(gap, between)]

    def _filled(self, segments: list[Segment], width: int, ground: str | None) -> list[Segment]:
        last = self._placed[-1] if self._placed else None
        used = GUTTER + (last.start + last.width if last else 0)
        return [*segments, *self.blank(width - used, ground)]

    def _empty_line(self, y: int, width: int) -> list[Segment]:
        if y != min(1, self.page_height - 1) or not self._empty:
            return self.blank(width)
        return [*self.blank(1), *self.fitted(self._empty, max(0, width - 1))]

    # What stands on each line, and what has changed there

    def watch_has_focus(self, has_focus: bool) -> None:
        super().watch_has_focus(has_focus)
        self._redraw()

    def _redraw(self, *, fresh: bool = False) -> None:
        """Draw again the lines and cells that differ from what is on the screen.

        fresh: the rows are other ones; else only the cursor, the marks or the view have moved.
        """
        if not self.is_mounted:
            return
        before, top, thumb = self._drawn, self._top_drawn, self._thumb_drawn
        self._see(fresh=fresh)
        now = self._drawn
        if (len(now), self._top_drawn, self._thumb_drawn) != (len(before), top, thumb):
            self.refresh()
            return
        for y, (old, new) in enumerate(zip(before, now, strict=True)):
            if old is not new:
                self._refresh_row(y, old, new)

    def _see(self, *, fresh: bool) -> None:
        """Note what is to stand on each line; a line that stays keeps what was made for it."""
        before = dict(enumerate(self._drawn, self._top_drawn))
        top = self.at.top
        self._drawn = [
            self._line_of(row, before.get(row), fresh)
            for row in range(top, min(top + self.page_height, self.row_count))
        ]
        self._top_drawn, self._thumb_drawn = top, self._thumb_now()

    def _line_of(self, row: int, before: _Drawn | None, fresh: bool) -> _Drawn:
        cells = self._rows.cells(row) if fresh or before is None else before.cells
        gutter, grounds = self.gutter_of(row), self.grounds_of(row)
        if before is not None and before.shows(cells, gutter, grounds):
            return before
        return _Drawn(cells, gutter, grounds)

    def is_marked(self, row: int) -> bool:
        """Whether a row, or something in it, is marked."""
        return self.at.is_marked(row)

    def is_at(self, column: str) -> bool:
        """Whether the cursor stands in that column; in a list of whole rows it is in none."""
        return False

    def gutter_of(self, row: int) -> str:
        """The sign left of a row."""
        cursor, mark, both = ">*#" if self.look.ascii_only else "›*»"
        marked = self.is_marked(row)
        if row == self.at.row:
            return both if marked else cursor
        return mark if marked else " "

    def grounds_of(self, row: int) -> Grounds:
        """What a row lies on."""
        if row == self.at.row:
            return _CURSOR if self.active else _RESTING
        return _MARKED if self.is_marked(row) else _PLAIN

    def _refresh_row(self, y: int, old: _Drawn, new: _Drawn) -> None:
        line = y + self._header
        if old.grounds != new.grounds or old.gutter != new.gutter:
            self.refresh_body(0, line, self.body_width)
            return
        for placed in self._placed:
            index = placed.index
            if old.cells[index : index + 1] != new.cells[index : index + 1]:
                self.refresh_body(GUTTER + placed.start, line, placed.width)

    # The mouse, which is never needed

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self.scroll_rows(3)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self.scroll_rows(-3)

    def on_click(self, event: events.Click) -> None:
        x, y = event.x - self.side - GUTTER, event.y - 1
        if self._header and y == 0:
            for placed in self._placed:
                if placed.start <= x < placed.start + placed.width + GAP:
                    self.post_message(self.SortAsked(self, placed.column.id))
            return
        row = self.at.top + y - self._header
        if 0 <= y - self._header < len(self._drawn):
            self.go(row)
            if event.chain == 2 and self.at.key is not None:
                self.post_message(self.Opened(self, self.at.key))
