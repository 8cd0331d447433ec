"""A line of text being edited: what each key does to it. Pure.

The cursor stands before a character, never within one that is made of several (a letter and its
accent, an emoji and its colour).
"""

from __future__ import annotations

import bisect
import itertools
import re

import msgspec

from evaltui.text import graphemes
from evaltui.tui.runs import clean, width_of


class Edit(msgspec.Struct, frozen=True):
    """A text and the cursor in it (0 to its length, in code points)."""

    text: str = ""
    cursor: int = 0

    @classmethod
    def at_end(cls, text: str) -> Edit:
        return cls(text, len(text))

    def insert(self, text: str) -> Edit:
        """Put a text before the cursor. Of several lines, the first."""
        line = re.split(r"[\r\n]", text, maxsplit=1)[0]
        return Edit(
            self.text[: self.cursor] + line + self.text[self.cursor :], self.cursor + len(line)
        )

    def replace(self, start: int, end: int, text: str) -> Edit:
        """Put a text in place of another, the cursor behind it."""
        return Edit(self.text[:start] + text + self.text[end:], start + len(text))

    def press(self, key: str) -> Edit | None:
        """What an editing key makes of it; None for a key that edits nothing."""
        stops = self._stops()
        place = bisect.bisect_left(stops, self.cursor)
        left = stops[max(0, place - 1)]
        right = stops[min(len(stops) - 1, bisect.bisect_right(stops, self.cursor))]
        match key:
            case "left" | "ctrl+b":
                return Edit(self.text, left)
            case "right" | "ctrl+f":
                return Edit(self.text, right)
            case "home" | "ctrl+a":
                return Edit(self.text, 0)
            case "end" | "ctrl+e":
                return Edit.at_end(self.text)
            case "ctrl+left" | "alt+left" | "alt+b":
                return Edit(self.text, self._word_left())
            case "ctrl+right" | "alt+right" | "alt+f":
                return Edit(self.text, self._word_right())
            case "backspace" | "ctrl+h":
                return self.replace(left, self.cursor, "")
            case "delete" | "ctrl+d":
                return self.replace(self.cursor, right, "")
            case "ctrl+w" | "alt+backspace" | "ctrl+backspace":
                return self.replace(self._word_left(), self.cursor, "")
            case "ctrl+u":
                return self.replace(0, self.cursor, "")
            case "ctrl+k":
                return self.replace(self.cursor, len(self.text), "")
        return None

    def view(self, width: int, first: int, *, ascii_only: bool = False) -> View:
        """The pieces that `width` cells show, the cursor among them. first: the piece before."""
        pieces = self._pieces(ascii_only)
        at = next((n for n, piece in enumerate(pieces) if piece.start >= self.cursor), len(pieces))
        # Behind the end one cell is kept for the cursor.
        room = width - (pieces[at].width if at < len(pieces) else 1)
        least = at
        while least and pieces[least - 1].width <= room:
            least -= 1
            room -= pieces[least].width
        first = max(min(first, at), least)
        shown: list[Piece] = []
        used = 0
        for piece in pieces[first:]:
            used += piece.width
            if used > width:
                break
            shown.append(piece)
        return View(tuple(shown), first)

    def _pieces(self, ascii_only: bool) -> list[Piece]:
        return [
            Piece(clean(self.text[start:end], ascii_only), start)
            for start, end in itertools.pairwise(self._stops())
        ]

    def _stops(self) -> list[int]:
        """Where the cursor may stand."""
        if self.text.isascii():
            return list(range(len(self.text) + 1))
        return [0, *itertools.accumulate(map(len, graphemes(self.text)))]

    def _word_left(self) -> int:
        found = re.search(r"\w+\W*$|\W+$", self.text[: self.cursor])
        place = found.start() if found else 0
        return max(stop for stop in self._stops() if stop <= place)

    def _word_right(self) -> int:
        found = re.match(r"\W*\w+|\W+", self.text[self.cursor :])
        place = self.cursor + found.end() if found else len(self.text)
        return min(stop for stop in self._stops() if stop >= place)


class Piece(msgspec.Struct, frozen=True):
    """A character of the text as it is shown, and where it starts in the text."""

    shown: str
    start: int

    @property
    def width(self) -> int:
        return width_of(self.shown)


class View(msgspec.Struct, frozen=True):
    """What of a text is shown. first: how many pieces stand to the left of it."""

    pieces: tuple[Piece, ...]
    first: int
