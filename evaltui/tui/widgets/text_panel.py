"""Lines of text in a frame, to scroll through; new lines at the end are followed where wanted."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.segment import Segment
from textual import events

from evaltui.tui.actions import Place
from evaltui.tui.runs import Cell
from evaltui.tui.widgets.line_panel import LinePanel


class TextPanel(LinePanel):
    """Any number of lines, of which only the visible ones are asked for.

    follow: stay at the end while lines come, until somebody scrolls up.
    """

    def __init__(
        self,
        place: Place,
        title: Cell = (),
        *,
        id: str | None = None,
        framed: bool = True,
        follow: bool = False,
    ) -> None:
        super().__init__(place, title, id=id, framed=framed)
        self._count = 0
        self._line: Callable[[int], Cell] = lambda _: ()
        self._top_line = 0
        self.follow = follow
        self._shown: tuple[Cell, ...] = ()

    def set(self, lines: Sequence[Cell]) -> None:
        """Show these lines."""
        kept = tuple(lines)
        self.set_lines(len(kept), lambda index: kept[index])

    def set_lines(self, count: int, line: Callable[[int], Cell]) -> None:
        """Show this many lines; `line` gives one by its number."""
        at_end = self._top_line >= self._last_top
        self._count, self._line = count, line
        wanted = self._last_top if self.follow and at_end else self._top_line
        self._show_from(wanted)

    @property
    def line_count(self) -> int:
        return self._count

    @property
    def _last_top(self) -> int:
        return max(0, self._count - max(1, self.body_height))

    def scroll_lines(self, lines: int) -> None:
        """Move the view down, or up where negative."""
        self._show_from(self._top_line + lines)

    def _show_from(self, top: int) -> None:
        self._top_line = max(0, min(top, self._last_top))
        self._redraw()

    def _redraw(self) -> None:
        """Draw again the lines that differ from what is on the screen."""
        if not self.is_mounted:
            return
        shown = tuple(self._at(y) for y in range(self.body_height))
        if shown == self._shown:
            return
        before, self._shown = self._shown, shown
        if len(before) != len(shown):
            self.refresh()
            return
        for y, (old, new) in enumerate(zip(before, shown, strict=True)):
            if old != new:
                self.refresh_body(0, y, self.body_width + self.side)

    def _at(self, y: int) -> Cell:
        index = self._top_line + y
        return self._line(index) if index < self._count else ()

    def resized(self) -> None:
        self._top_line = max(0, min(self._top_line, self._last_top))
        if self.follow and not self._shown:
            self._top_line = self._last_top
        self._shown = tuple(self._at(y) for y in range(self.body_height))

    def thumb(self) -> tuple[int, int] | None:
        height = self.body_height
        if self._count <= height or not height:
            return None
        length = max(1, height * height // self._count)
        return round(self._top_line * (height - length) / (self._count - height)), length

    def body_line(self, y: int, width: int) -> list[Segment]:
        runs = self._at(y)
        return self.fitted(((" ", "text"), *runs) if runs else (), width)

    def do_go_down(self) -> None:
        self.scroll_lines(1)

    def do_go_up(self) -> None:
        self.scroll_lines(-1)

    def do_go_top(self) -> None:
        self._show_from(0)

    def do_go_bottom(self) -> None:
        self._show_from(self._count)

    def do_go_page_down(self) -> None:
        self.scroll_lines(max(1, self.body_height // 2))

    def do_go_page_up(self) -> None:
        self.scroll_lines(-max(1, self.body_height // 2))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self.scroll_lines(3)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self.scroll_lines(-3)
