"""A few words of which one is chosen: a key for the last, else left and right, and Enter.

The first is the safe one, and Enter takes it unless somebody went on. What the keys do stands in
the hint bar (`titles`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, cast

from rich.segment import Segment
from textual import events
from textual.message import Message

from evaltui.tui.actions import Keymap, Place
from evaltui.tui.keys import key_label
from evaltui.tui.runs import clean, width_of
from evaltui.tui.widgets.line_panel import LineWidget

_GAP = "   "


class HasKeys(Protocol):
    """What a choice expects of the app it is in."""

    keys: Keymap


class Choice(LineWidget, can_focus=True):
    """One line of words."""

    place = Place.CHOICE

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

    @property
    def titles(self) -> Mapping[str, str]:
        """What the hint bar calls its actions; an empty title leaves one out."""
        several = len(self._words) > 1
        return {
            "choice.take": self._words[self._at],
            "choice.yes": self._words[-1] if several else "",
            "choice.next": f"to {self._words[self._next(1)]}" if several else "",
        }

    def line(self, y: int, width: int) -> list[Segment]:
        look = self.look
        segments: list[Segment] = []
        used = 0
        for n in range(len(self._words)):
            here = n == self._at and self.has_focus
            ground = "cursor" if here else None
            for text, token in self._shown(n, here):
                segments.append(Segment(text, look.style(token, ground)))
                used += width_of(text)
            segments.append(Segment(_GAP, look.style("text")))
            used += len(_GAP)
        return [*segments, *self.blank(width - used)]

    def _shown(self, n: int, here: bool) -> tuple[tuple[str, str], ...]:
        ascii_only = self.look.ascii_only
        pointer = ("> " if ascii_only else "› ") if here else "  "
        word = f"{pointer}{clean(self._words[n], ascii_only)}"
        last = n and n == len(self._words) - 1
        return (
            (word, "strong" if here else "text"),
            *(((self._yes, "strong" if here else "key"),) if last else ()),
        )

    @property
    def _yes(self) -> str:
        keys = cast(HasKeys, self.app).keys["choice.yes"].keys
        return f" ({key_label(keys[0], ascii_only=self.look.ascii_only)})" if keys else ""

    def watch_has_focus(self, has_focus: bool) -> None:
        super().watch_has_focus(has_focus)
        self.refresh()

    def do_choice_take(self) -> None:
        self.post_message(self.Chosen(self, self._at))

    def do_choice_yes(self) -> None:
        self._go(len(self._words) - 1)
        self.do_choice_take()

    def do_choice_next(self) -> None:
        self._go(self._next(1))

    def do_choice_previous(self) -> None:
        self._go(self._next(-1))

    def _next(self, step: int) -> int:
        return (self._at + step) % len(self._words)

    def _go(self, at: int) -> None:
        self._at = at
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        at = 0
        for n in range(len(self._words)):
            at += sum(width_of(text) for text, _ in self._shown(n, False)) + len(_GAP)
            if event.x < at:
                self._go(n)
                self.do_choice_take()
                return
