"""Some lines of text that say something and take no keys; as high as they need to be."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment
from textual.geometry import Size

from evaltui.text import count
from evaltui.tui.runs import Cell, cell
from evaltui.tui.widgets.line_panel import LineWidget
from evaltui.tui.wrapping import wrapped


class Block(LineWidget):
    """Lines, broken at the width; those that have no room are counted in the last that has.

    indent: of what is broken off. least: lines it is high at least, so that little jumps; with
    `stays` it is never less high than it was at its width, so that what stands above it stays too.
    """

    DEFAULT_CSS = "Block { height: auto; }"

    def __init__(
        self,
        lines: Sequence[Cell] = (),
        *,
        indent: int = 0,
        least: int = 0,
        stays: bool = False,
        id: str | None = None,
    ) -> None:
        super().__init__(id=id)
        self._lines: tuple[Cell, ...] = tuple(lines)
        self._indent = indent
        self._least = least
        self._stays = stays
        self._was_high = (-1, 0)
        self._broken: tuple[int, list[Cell]] = (-1, [])
        self.display = bool(lines) or least > 0

    @property
    def lines(self) -> tuple[Cell, ...]:
        """As they were set."""
        return self._lines

    def set(self, lines: Sequence[Cell]) -> None:
        """Show these lines; none takes no room beyond `least`."""
        if tuple(lines) != self._lines:
            self._lines = tuple(lines)
            self._broken = (-1, [])
            self.display = bool(lines) or self._least > 0
            size = self.size
            same = bool(size) and self.get_content_height(size, size, size.width) == size.height
            self.refresh(layout=not same)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        height = max(len(self._at(width)), self._least)
        if self._stays:
            was = self._was_high[1] if self._was_high[0] == width else 0
            height = max(height, was)
            self._was_high = (width, height)
        return height

    def line(self, y: int, width: int) -> list[Segment]:
        broken, height = self._at(width), self.size.height
        more = len(broken) - height
        if more > 0 and y == height - 1:
            return self.fitted(cell(f"and {count(more + 1)} more lines", "muted"), width)
        return self.fitted(broken[y] if y < len(broken) else (), width)

    def _at(self, width: int) -> list[Cell]:
        if self._broken[0] != width:
            ascii_only = self.look.ascii_only
            self._broken = (
                width,
                [
                    part
                    for line in self._lines
                    for part in wrapped(line, width, self._indent, ascii_only=ascii_only)
                ],
            )
        return self._broken[1]
