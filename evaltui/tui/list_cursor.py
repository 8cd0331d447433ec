"""Cursor, marks and scroll of a list, kept by the keys of its rows. Pure: draws and sends nothing.

So that all of them stay where they are when rows come, go, are filtered or change places.
"""

from __future__ import annotations

from collections.abc import Sequence


class ListCursor:
    """Where somebody is in a list of keys. `row` is 0 in an empty list."""

    def __init__(self) -> None:
        self.keys: Sequence[str] = ()
        self.row = 0
        self.top = 0
        self._marks: frozenset[str] = frozenset()
        self._anchor: str | None = None
        self._anchor_row = 0

    @property
    def key(self) -> str | None:
        """The key of the row under the cursor, None in an empty list."""
        return self.keys[self.row] if self.keys else None

    @property
    def marks(self) -> frozenset[str]:
        """Marked keys, the open range among them; also of rows that are not shown now."""
        return self._marks.union(self.keys[row] for row in self.open_range())

    @property
    def targets(self) -> tuple[str, ...]:
        """What an action takes: the marked rows that are shown, else the one under the cursor."""
        marks = self.marks
        shown = tuple(key for key in self.keys if key in marks) if marks else ()
        if shown or self.key is None:
            return shown
        return (self.key,)

    def set_keys(self, keys: Sequence[str], height: int) -> None:
        """Other rows. What stands under the cursor stays, also on its line of the screen.

        height: how many rows can be seen. Where its row is gone, the cursor keeps its place.
        """
        key, row = self.key, self.row
        self.keys = keys
        self.row = self._found(key, row)
        self._anchor_row = self._found(self._anchor, self._anchor_row)
        self.scroll(self.row - row, height)
        self.keep_in_view(height)

    def go(self, row: int, height: int) -> bool:
        """Put the cursor on a row, the nearest there is; whether it moved."""
        row = max(0, min(row, len(self.keys) - 1))
        moved = row != self.row
        self.row = row
        self.keep_in_view(height)
        return moved

    def scroll(self, rows: int, height: int) -> None:
        """Move the view, not the cursor."""
        self.top = max(0, min(self.top + rows, len(self.keys) - height))

    def keep_in_view(self, height: int) -> None:
        """Move the view as little as shows the cursor."""
        height = max(1, height)
        self.top = min(max(self.top, self.row - height + 1), self.row)
        self.scroll(0, height)

    def toggle_mark(self) -> None:
        """Mark the row, or take its mark away. Ends an open range, whose rows stay marked."""
        if self._anchor is not None:
            self._keep_range()
        elif self.key is not None:
            self._marks ^= {self.key}

    def toggle_range(self) -> None:
        """Open a range at the cursor, or keep what the open one has marked."""
        if self._anchor is not None:
            self._keep_range()
        else:
            self._anchor, self._anchor_row = self.key, self.row

    @property
    def range_is_open(self) -> bool:
        return self._anchor is not None

    def clear(self) -> bool:
        """Take all marks away; whether there were any."""
        had = bool(self.marks)
        self._marks, self._anchor = frozenset(), None
        return had

    def open_range(self) -> range:
        """Rows of the open range."""
        if self._anchor is None or not self.keys:
            return range(0)
        first, last = sorted((self._anchor_row, self.row))
        return range(first, last + 1)

    def is_marked(self, row: int) -> bool:
        return self.keys[row] in self._marks or row in self.open_range()

    def _keep_range(self) -> None:
        self._marks, self._anchor = self.marks, None

    def _found(self, key: str | None, row: int) -> int:
        """Where the row of `key` is now; where it is gone, the row that stands in its place."""
        place = max(0, min(row, len(self.keys) - 1))
        if key is None or not self.keys or self.keys[place] == key:
            return place
        try:
            return self.keys.index(key)
        except ValueError:
            return place
