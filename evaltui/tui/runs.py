"""Runs (text with a style token) cut or padded to a number of cells. Pure.

Everything that is drawn passes through here: text is data, so what could move the cursor, change
the direction of writing or hide something is made visible, and widths are cells, not characters.
Widths are Rich's, because Textual places what it draws by them.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from rich.cells import cell_len, split_graphemes

from evaltui.tui.look import Run

Cell = tuple[Run, ...]
"""The content of one place in a list."""


def cell(text: str, token: str = "text") -> Cell:
    """A cell of one run."""
    return ((text, token),)


@lru_cache(8192)
def clean(text: str, ascii_only: bool = False) -> str:
    """`text` with nothing in it that a terminal would obey.

    Control characters become their pictures (`␛`; `^[` in ASCII), other invisible ones and
    surrogates their number (`<U+202E>`). Blanks of all kinds become spaces of the same width.
    Letters stay as they are even with ASCII glyphs: those stand for what evaltui draws.
    """
    if not text.isprintable():
        text = "".join(_visible(character, ascii_only) for character in text)
    if text and not text.isascii() and cell_len(text[0]) == 0:
        return ("o" if ascii_only else "◌") + text  # a mark alone would join what stands before
    return text


def width_of(text: str) -> int:
    """How many cells a clean text takes."""
    return len(text) if text.isascii() else cell_len(text)


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
        return _cut(ready, width, "~" if ascii_only else "…")
    return ready


def cut(text: str, width: int, *, ascii_only: bool = False) -> str:
    """A text, cleaned, in at most `width` cells."""
    text = clean(text, ascii_only)
    if width_of(text) <= width:
        return text
    return "".join(part for part, _ in _cut([(text, "")], width, "~" if ascii_only else "…"))


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
    if text.isascii():
        return text[:width]
    taken = end = 0
    for _, stop, size in split_graphemes(text[: 8 * width + 8])[0]:
        if taken + size > width:
            break
        taken += size
        end = stop
    return text[:end]


def _visible(character: str, ascii_only: bool) -> str:
    code = ord(character)
    if character == " ":
        return character
    if code < 0x20 or code == 0x7F:
        if ascii_only:
            return "^" + chr(code ^ 0x40)
        return "␡" if code == 0x7F else chr(0x2400 + code)
    if unicodedata.category(character) == "Zs":
        return " " * max(1, cell_len(character))
    if not character.isprintable() and character not in _JOINERS:
        return f"<U+{code:04X}>"
    return character


_JOINERS = "\u200c\u200d"
"""Part of words in Indic scripts and of emoji; they show nothing and move nothing."""
