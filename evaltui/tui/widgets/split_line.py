"""One line that says something at the left and something at the right."""

from __future__ import annotations

from rich.segment import Segment

from evaltui.tui.runs import Cell, clean, width_of
from evaltui.tui.widgets.line_panel import LineWidget


class SplitLine(LineWidget):
    """The right part stays whole as long as there is room; the left is cut first."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._left: Cell = ()
        self._right: Cell = ()

    def set(self, left: Cell, right: Cell = ()) -> None:
        """Say these."""
        if (left, right) != (self._left, self._right):
            self._left, self._right = left, right
            self.refresh()

    def line(self, y: int, width: int) -> list[Segment]:
        right = ((" ", "text"), *self._right, (" ", "text")) if self._right else ()
        size = sum(width_of(clean(text, self.look.ascii_only)) for text, _ in right)
        size = min(size, width)
        left = ((" ", "text"), *self._left) if self._left else ()
        return [*self.fitted(left, width - size), *self.fitted(right, size)]
