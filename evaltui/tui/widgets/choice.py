"""A few words of which one is chosen: left and right, Enter. The first is the safe one."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment
from textual import events
from textual.message import Message

from evaltui.tui.actions import Place
from evaltui.tui.runs import clean, width_of
from evaltui.tui.widgets.line_panel import LineWidget


class Choice(LineWidget, can_focus=True):
    """One line of words."""

    place = Place.FIELD

    class Chosen(Message):
        """A word was taken. index: its place, from 0."""

        def __init__(self, choice: Choice, index: int) -> None:
            super().__init__()
            self.choice = choice
            self.index = index

        @property
        def control(self) -> Choice:
            return self.choice

    def __init__(self, words: Sequence[str], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._words = tuple(words)
        self._at = 0

    @property
    def at(self) -> int:
        """The word that Enter would take."""
        return self._at

    def line(self, y: int, width: int) -> list[Segment]:
        look = self.look
        segments: list[Segment] = []
        used = 0
        for n, word in enumerate(self._words):
            here = n == self._at and self.has_focus
            pointer = ("> " if look.ascii_only else "› ") if here else "  "
            text = f"{pointer}{clean(word, look.ascii_only)}  "
            segments.append(
                Segment(text, look.style("strong" if here else "text", "cursor" if here else None))
            )
            used += width_of(text)
        return [*segments, *self.blank(width - used)]

    def watch_has_focus(self, has_focus: bool) -> None:
        super().watch_has_focus(has_focus)
        self.refresh()

    def do_field_accept(self) -> None:
        self.post_message(self.Chosen(self, self._at))

    def on_key(self, event: events.Key) -> None:
        step = {"right": 1, "l": 1, "tab": 1, "down": 1, "left": -1, "h": -1, "shift+tab": -1,
                "up": -1}.get(event.key)  # fmt: skip
        if step is None:
            return
        event.stop()
        event.prevent_default()
        self._at = (self._at + step) % len(self._words)
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        at = 0
        for n, word in enumerate(self._words):
            at += width_of(clean(word, self.look.ascii_only)) + 4
            if event.x < at:
                self._at = n
                self.refresh()
                self.post_message(self.Chosen(self, n))
                return
