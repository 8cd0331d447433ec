"""Runs broken into lines of a width, at spaces where there are any. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rich.cells import split_graphemes

from evaltui.tui.look import Run
from evaltui.tui.runs import Cell, clean, width_of

_MOST_LINES = 12
"""A text of thousands of characters is cut there: what is read whole has a screen of its own."""


def wrapped(line: Cell, width: int, indent: int = 0, *, ascii_only: bool = False) -> list[Cell]:
    """The line in lines of at most `width` cells, those after the first indented."""
    if width <= indent + 4 or sum(width_of(clean(text, ascii_only)) for text, _ in line) <= width:
        return [line]
    lines: list[list[Run]] = [[]]
    room = width
    for part, token in _pieces(line, width - indent, ascii_only):
        size = width_of(clean(part))
        if size > room and part.strip():
            if len(lines) == _MOST_LINES:
                lines[-1].append(("~" if ascii_only else "…", token))
                break
            lines.append([])
            _add(lines[-1], " " * indent, token)
            room = width - indent
            part = part.lstrip(" ")
            size = width_of(clean(part))
        if size <= room:
            _add(lines[-1], part, token)
            room -= size
    return [tuple(each) for each in lines]


def _add(runs: list[Run], text: str, token: str) -> None:
    """Add a text to the last run where that has its token: fewer pieces to draw."""
    if runs and runs[-1][1] == token:
        runs[-1] = (runs[-1][0] + text, token)
    elif text:
        runs.append((text, token))


def _pieces(line: Cell, width: int, ascii_only: bool) -> Iterator[Run]:
    """Words with the spaces before them, none wider than `width`."""
    for text, token in line:
        for word in re.findall(r" *[^ ]+| +$", clean(text, ascii_only)):
            for part in _parts(word, width):
                yield part, token


def _parts(word: str, width: int) -> list[str]:
    """A word that is wider than a line, in parts that are not."""
    if width_of(word) <= width:
        return [word]
    parts, part, size = [], "", 0
    for start, end, cells in split_graphemes(word)[0]:
        if size + cells > width:
            parts.append(part)
            part, size = "", 0
        part += word[start:end]
        size += cells
    return [*parts, part] if part else parts
