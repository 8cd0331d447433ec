"""A framed panel that is drawn line by line, and its frame. Knows nothing of what it shows.

Not a Textual ScrollView and no CSS border: a title from CSS would be read as markup, a scrollbar
is a widget of its own that is drawn again at each move, and a change of the virtual size lays the
whole screen out again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, Self, cast

import msgspec
from rich.segment import Segment
from rich.style import Style
from textual.app import RenderResult
from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widget import Widget

from evaltui.tui.actions import Place
from evaltui.tui.look import Look, Run
from evaltui.tui.runs import Cell, fit, width_of


class HasLook(Protocol):
    """What a widget here expects of the app it is in."""

    look: Look


class Lines(msgspec.Struct, frozen=True):
    """The characters of a frame."""

    top_left: str
    flat: str
    top_right: str
    upright: str
    bottom_left: str
    bottom_right: str


_LINES = {
    (False, False): Lines(*"╭─╮│╰╯"),
    (False, True): Lines(*"┏━┓┃┗┛"),
    (True, False): Lines(*"+-+|++"),
    (True, True): Lines(*"#=####"),
}
"""By (ASCII, in focus)."""


class LineWidget(Widget):
    """A widget that is lines of segments."""

    ALLOW_SELECT = False
    DEFAULT_CSS = "LineWidget { height: 1; width: 1fr; }"

    @property
    def look(self) -> Look:
        return cast(HasLook, self.app).look

    def focus(self, scroll_visible: bool = False) -> Self:
        """Take the keys at once: the next one that is typed is for this widget."""
        if not (self.is_attached and self.focusable):
            return super().focus(scroll_visible)
        self.screen.set_focus(self, scroll_visible=scroll_visible)
        return self

    def line(self, y: int, width: int) -> list[Segment]:
        """Line `y` as segments of exactly `width` cells."""
        raise NotImplementedError

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        return Strip(self.line(y, width), width)

    def render(self) -> RenderResult:
        return ""

    def fitted(self, runs: Cell, width: int, ground: str | None = None) -> list[Segment]:
        """Runs as segments of exactly `width` cells, on a ground."""
        look = self.look
        return look.segments(fit(runs, width, ascii_only=look.ascii_only), ground)

    def blank(self, width: int, ground: str | None = None) -> list[Segment]:
        return [Segment(" " * width, self.look.style("text", ground))] if width > 0 else []

    def refresh_lines(self, first: int, count: int = 1) -> None:
        self.refresh(Region(0, first, self.size.width, count))


class LinePanel(LineWidget, can_focus=True):
    """Lines in a frame. Its top line holds a title at the left and a short text at the right.

    place: where the keys go while it has the focus. always_active: looks focused even if it is not;
    set before it is shown. framed: with a line at each side, else only
    the top line is drawn, which saves two columns and a line in a small terminal.
    """

    DEFAULT_CSS = "LinePanel { height: 1fr; width: 1fr; }"

    def __init__(
        self, place: Place, title: Cell = (), *, id: str | None = None, framed: bool = True
    ) -> None:
        super().__init__(id=id)
        self.place = place
        self._title = title
        self._right: Cell = ()
        self._framed = framed
        self.always_active = False
        self._laid_out_for = Size(0, 0)

    def body_line(self, y: int, width: int) -> list[Segment]:
        """Line `y` within the frame, as segments of exactly `width` cells."""
        return self.blank(width)

    def thumb(self) -> tuple[int, int] | None:
        """First body line and length of the mark that shows where in its content it is."""
        return None

    @property
    def active(self) -> bool:
        """Whether it looks like the one that has the keys: a list that a field moves does too."""
        return self.has_focus or self.always_active

    @property
    def body_width(self) -> int:
        return max(0, self.size.width - 2 * self.side)

    @property
    def body_height(self) -> int:
        return max(0, self.size.height - 1 - self.side)

    @property
    def side(self) -> int:
        """How many cells the frame takes at the left, the right and the bottom."""
        return 1 if self._framed else 0

    @property
    def framed(self) -> bool:
        return self._framed

    @framed.setter
    def framed(self, framed: bool) -> None:
        if framed != self._framed:
            self._framed = framed
            self.resized()
            self.refresh()

    def set_title(self, title: Cell, right: Cell = ()) -> None:
        """What the top line says. Data in it is text, as everywhere."""
        if (title, right) != (self._title, self._right):
            self._title, self._right = title, right
            self.refresh_lines(0)

    def resized(self) -> None:
        """The body has another size now; called before it is drawn."""

    def line(self, y: int, width: int) -> list[Segment]:
        size = self.size
        if size != self._laid_out_for:
            # Textual paints before it tells a widget of its new size.
            self._laid_out_for = size
            self.resized()
        if self._framed and min(size) < 2:
            return self.blank(width)
        if y == 0:
            return self._top(width)
        if not self._framed:
            return self.body_line(y - 1, width)
        lines = self._lines()
        if y == size.height - 1:
            flat = lines.flat * max(0, width - 2)
            return self._rule(lines.bottom_left + flat + lines.bottom_right)
        side = Segment(lines.upright, self._frame_style())
        return [side, *self.body_line(y - 1, width - 2), self._right_side(y - 1)]

    def refresh_body(self, x: int, y: int, width: int, height: int = 1) -> None:
        """Draw again a part of the body, in its own coordinates."""
        if width > 0 and height > 0:
            self.refresh(Region(x + self.side, y + 1, width, height))

    def _top(self, width: int) -> list[Segment]:
        lines = self._lines()
        flat = lines.flat
        corner, end = (lines.top_left, lines.top_right) if self._framed else ("", "")
        room = width - width_of(corner) - width_of(end)
        right = _spaced(self._right, flat)
        left = _spaced(self._title, flat)
        right_width = min(sum(width_of(text) for text, _ in right), max(0, room - 8))
        left_width = min(sum(width_of(text) for text, _ in left), max(0, room - right_width))
        rule = flat * max(0, room - left_width - right_width)
        return [
            *self._rule(corner),
            *self._frame_text(left, left_width),
            *self._rule(rule),
            *self._frame_text(right, right_width),
            *self._rule(end),
        ]

    def _frame_text(self, runs: Cell, width: int) -> list[Segment]:
        """Title runs; the token `frame` takes the colour of the frame."""
        look = self.look
        frame = "focus" if self.active else "border"
        strong = "accent" if self.active else "strong"
        swapped = {"frame": frame, "title": strong}
        return [
            Segment(text, look.style(swapped.get(token, token)))
            for text, token in fit(runs, width, ascii_only=look.ascii_only)
        ]

    def _rule(self, text: str) -> list[Segment]:
        return [Segment(text, self._frame_style())] if text else []

    def _right_side(self, y: int) -> Segment:
        thumb = self.thumb()
        vertical = self._lines().upright
        if thumb is not None and thumb[0] <= y < thumb[0] + thumb[1]:
            vertical = "#" if self.look.ascii_only else "█"
        return Segment(vertical, self._frame_style())

    def _lines(self) -> Lines:
        return _LINES[self.look.ascii_only, self.active]

    def _frame_style(self) -> Style:
        return self.look.style("focus" if self.active else "border")


def _spaced(runs: Sequence[Run], flat: str) -> Cell:
    """Runs as they stand in a rule: a bit of it, a space, the text, a space, a bit of it."""
    if not runs:
        return ()
    return ((flat + " ", "frame"), *runs, (" " + flat, "frame"))
