"""A frame around other widgets, drawn line by line: the box of a dialog.

Not a CSS border, whose title would be read as markup and whose lines have no ASCII twin.
"""

from __future__ import annotations

from typing import cast

from rich.segment import Segment
from textual.containers import Vertical
from textual.geometry import Region
from textual.layout import Layout
from textual.strip import Strip

from evaltui.tui.look import Look
from evaltui.tui.runs import Cell, fit, width_of
from evaltui.tui.widgets.giving_way import Giving, GivingWay
from evaltui.tui.widgets.line_panel import HasLook, Lines

_UNICODE = Lines(*"┏━┓┃┗┛")
_ASCII = Lines(*"#=####")


class Frame(Vertical):
    """Widgets in a frame with a title at the left and a short text at the right of its top line.

    giving: which of them give way where not all have room, and the lines that each keeps.
    """

    ALLOW_SELECT = False
    DEFAULT_CSS = "Frame { height: auto; max-height: 88vh; padding: 1 2; }"

    def __init__(
        self, title: Cell, right: Cell = (), *, giving: Giving = (), id: str | None = None
    ) -> None:
        super().__init__(id=id)
        self._title, self._right = title, right
        self._arrangement = GivingWay(giving)

    @property
    def layout(self) -> Layout:
        return self._arrangement

    def set_title(self, title: Cell, right: Cell = ()) -> None:
        """What the top line says. Data in it is text, as everywhere."""
        if (title, right) != (self._title, self._right):
            self._title, self._right = title, right
            self.refresh()

    @property
    def look(self) -> Look:
        return cast(HasLook, self.app).look

    def render_lines(self, crop: Region) -> list[Strip]:
        """Frame and ground; the widgets within are laid over it."""
        width, height = self.outer_size
        strips = [Strip(self._line(y, width, height), width) for y in range(crop.y, crop.bottom)]
        return [strip.crop(crop.x, crop.right) for strip in strips]

    def _line(self, y: int, width: int, height: int) -> list[Segment]:
        look = self.look
        lines = _ASCII if look.ascii_only else _UNICODE
        style = look.style("focus")
        room = max(0, width - 2)
        if y == 0:
            return [
                Segment(lines.top_left, style),
                *self._top(room, lines.flat),
                Segment(lines.top_right, style),
            ]
        if y == height - 1:
            return [Segment(lines.bottom_left + lines.flat * room + lines.bottom_right, style)]
        side = Segment(lines.upright, style)
        return [side, Segment(" " * room, look.style("text")), side]

    def _top(self, room: int, flat: str) -> list[Segment]:
        right = _spaced(self._right, flat)
        left = _spaced(self._title, flat)
        right_width = min(_width(right), max(0, room - 8))
        left_width = min(_width(left), room - right_width)
        look = self.look
        style = look.style("focus")
        fitted = [
            look.segments(fit(runs, width, ascii_only=look.ascii_only))
            for runs, width in ((left, left_width), (right, right_width))
        ]
        rule = Segment(flat * max(0, room - left_width - right_width), style)
        return [*fitted[0], rule, *fitted[1]]


def _spaced(runs: Cell, flat: str) -> Cell:
    return ((f"{flat} ", "focus"), *runs, (f" {flat}", "focus")) if runs else ()


def _width(runs: Cell) -> int:
    return sum(width_of(text) for text, _ in runs)
