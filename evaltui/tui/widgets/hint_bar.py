"""The bar of keys at the bottom: a projection of the table of actions, nothing else.

What is off stays where it is, so that keys do not jump about; pressing it says why it is off.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment
from textual import events
from textual.message import Message

from evaltui.tui.actions import Offer
from evaltui.tui.runs import Cell, clean, width_of
from evaltui.tui.widgets.line_panel import LineWidget

_LAST = 20
"""Hints from this number on stand at the right and stay when the others have no room."""


class HintBar(LineWidget):
    """One line of `key title` pairs."""

    class Chosen(Message):
        """A hint was clicked."""

        def __init__(self, action: str) -> None:
            super().__init__()
            self.action = action

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._offers: tuple[Offer, ...] = ()
        self._spans: list[tuple[int, int, str]] = []

    def set(self, offers: Sequence[Offer]) -> None:
        """Show these, in order."""
        if tuple(offers) != self._offers:
            self._offers = tuple(offers)
            self.refresh()

    def line(self, y: int, width: int) -> list[Segment]:
        last = [offer for offer in self._offers if offer.action.hint >= _LAST]
        first = [offer for offer in self._offers if offer.action.hint < _LAST]
        while last and _width(last) > width:
            last.pop(0)
        room = width - _width(last)
        while first and _width(first) > room:
            first.pop()
        self._spans = []
        runs: list[tuple[str, str]] = []
        self._put(first, 0, runs)
        gap = room - _width(first)
        runs.append((" " * gap, "text"))
        self._put(last, room, runs)
        return self.fitted(tuple(runs), width)

    def on_click(self, event: events.Click) -> None:
        for start, end, action in self._spans:
            if start <= event.x < end:
                self.post_message(self.Chosen(action))

    def _put(self, offers: Sequence[Offer], start: int, runs: list[tuple[str, str]]) -> None:
        for offer in offers:
            content = _content(offer)
            size = sum(width_of(text) for text, _ in content)
            self._spans.append((start, start + size, offer.action.id))
            runs += content
            start += size


def _content(offer: Offer) -> Cell:
    on = offer.off is None
    return (
        (" ", "text"),
        (clean(offer.key), "key" if on else "off"),
        (f" {offer.action.title} ", "muted" if on else "off"),
    )


def _width(offers: Sequence[Offer]) -> int:
    return sum(width_of(text) for offer in offers for text, _ in _content(offer))
