"""The line that says what happened, what it means and what to do; and asks yes or no.

While it asks, it has the keys and no other key does anything: a slip changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from rich.segment import Segment
from textual import events
from textual.widget import Widget

from evaltui.tui.actions import Place
from evaltui.tui.runs import Cell, joined, width_of
from evaltui.tui.widgets.line_panel import LineWidget

Answer = Callable[[bool], object]

_ANSWERS: Final[Cell] = (("  y yes  ", "key"), ("N no", "key"))
"""What is never cut from a question."""


class MessageLine(LineWidget, can_focus=False):
    """One line above the hint bar."""

    place = Place.QUESTION

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._said: Cell = ()
        self._asked: Cell = ()
        self._answer: Answer | None = None
        self._came_from: Widget | None = None

    @property
    def asking(self) -> bool:
        return self._answer is not None

    def say(self, said: Cell) -> None:
        """Show a message, or none. A question that is open stays until it is answered."""
        if said != self._said:
            self._said = said
            if not self.asking:
                self.refresh()

    def ask(self, question: Cell, answer: Answer) -> None:
        """Ask yes or no; `answer` is called once. No is the answer of Enter and of Esc.

        A question that is still open is answered with no first.
        """
        before, self._answer = self._answer, answer
        self._asked = question
        if before is not None:
            before(False)
        else:
            self._came_from = self.screen.focused
        self.can_focus = True
        self.focus(scroll_visible=False)
        self.refresh()

    def line(self, y: int, width: int) -> list[Segment]:
        if not self.asking:
            return self.fitted(self._spaced(self._said), width)
        asked: Cell = ((" ", "text"), *self._asked)
        room = max(0, width - width_of(joined(_ANSWERS)))
        if width_of(joined(asked)) <= room:
            return self.fitted((*asked, *_ANSWERS), width)
        return [*self.fitted(asked, room), *self.fitted(_ANSWERS, width - room)]

    def on_key(self, event: events.Key) -> None:
        if not self.asking:
            return
        event.stop()
        event.prevent_default()
        if event.key in ("y", "Y"):
            self._end(True)
        elif event.key in ("n", "N", "escape", "enter", "q", "ctrl+c"):
            self._end(False)

    def on_blur(self, _: events.Blur) -> None:
        if self.asking and self.screen.focused is not self:
            self._end(False)

    def _end(self, yes: bool) -> None:
        answer, self._answer, self._asked = self._answer, None, ()
        came_from, self._came_from = self._came_from, None
        if came_from is not None and came_from.is_attached:
            came_from.focus(scroll_visible=False)
        self.can_focus = False
        self.refresh()
        if answer is not None:
            answer(yes)

    @staticmethod
    def _spaced(runs: Cell) -> Cell:
        return ((" ", "text"), *runs) if runs else ()
