"""Runs (text with a style token) cut or padded to a number of cells. Pure.

Everything that is drawn passes through here: text is data, so `evaltui.text` makes visible what a
terminal would obey, and widths are cells, not characters.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from evaltui.text import ASCII, UNICODE, clip, graphemes, visible, width_of
from evaltui.tui.look import Run

Cell = tuple[Run, ...]
"""The content of one place in a list."""


def cell(text: str, token: str = "text") -> Cell:
    """A cell of one run."""
    return ((text, token),)


@lru_cache(8192)
def clean(text: str, ascii_only: bool = False) -> str:
    """`text` with nothing in it that a terminal would obey, or that joins what stands before."""
    shown = visible(text, ASCII if ascii_only else UNICODE)
    if shown and not shown.isascii() and not width_of(shown[0]):
        return ("o" if ascii_only else "◌") + shown
    return shown


def fit(runs: Cell, width: int, align: str = "left", *, ascii_only: bool = False) -> list[Run]:
    """The runs, cleaned, in exactly `width` cells: padded, or cut with `…` (`~` in ASCII)."""
    if width <= 0:
        return []
    ready: list[Run] = [(clean(text, ascii_only), token) for text, token in runs if text]
    total = sum(width_of(text) for text, _ in ready)
    if total < width:
        pad = (" " * (width - total), "text")
        return [pad, *ready] if align == "right" else [*ready, pad]
    if total > width:
        return _cut(ready, width, (ASCII if ascii_only else UNICODE).ellipsis)
    return ready


def cut(text: str, width: int, *, ascii_only: bool = False) -> str:
    """A text, cleaned, in at most `width` cells."""
    return clip(text, width, ASCII if ascii_only else UNICODE)


def joined(runs: Sequence[Run]) -> str:
    """The text of runs."""
    return "".join(text for text, _ in runs)


def _cut(runs: Sequence[Run], width: int, mark: str) -> list[Run]:
    """The first `width - 1` cells and the mark; half a wide character is never shown."""
    left = width - 1
    kept: list[Run] = []
    token = runs[0][1]
    for text, token in runs:
        size = width_of(text)
        if size > left:
            head = _head(text, left)
            if head:
                kept.append((head, token))
            left -= width_of(head)
            break
        kept.append((text, token))
        left -= size
    kept.append((mark + " " * left, token))
    return kept


def _head(text: str, width: int) -> str:
    """As much of the start of a clean text as `width` cells take."""
    if text.isascii():
        return text[:width]
    end = 0
    for piece in graphemes(text[: 16 * width + 16]):
        width -= width_of(piece)
        if width < 0:
            break
        end += len(piece)
    return text[:end]


__all__ = ["Cell", "Run", "cell", "clean", "cut", "fit", "joined", "width_of"]
