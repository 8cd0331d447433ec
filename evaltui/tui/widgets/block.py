"""Some lines of text that say something and take no keys; as high as they need to be."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment
from textual.geometry import Size

from evaltui.tui.runs import Cell
from evaltui.tui.widgets.line_panel import LineWidget
from evaltui.tui.wrapping import wrapped


class Block(LineWidget):
    """Lines, broken at the width.

    indent: of what is broken off. least: lines it is high at least, so that little jumps.
    """

    DEFAULT_CSS = "Block { height: auto; }"

    def __init__(
        self,
        lines: Sequence[Cell] = (),
        *,
        indent: int = 0,
        least: int = 0,
        id: str | None = None,
    ) -> None:
        super().__init__(id=id)
        self._lines: tuple[Cell, ...] = tuple(lines)
        self._indent = indent
        self._least = least
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
            self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return max(len(self._at(width)), self._least)

    def line(self, y: int, width: int) -> list[Segment]:
        broken = self._at(width)
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
