"""What of a frame must really be sent: a picture of the terminal, and the difference to it. Pure.

Textual sends whole lines of a widget where a digit changed, and each piece of text with all its
colours before it and a reset behind. Here a frame is compared with what already stands there, and
only cells that differ go out, with only those attributes that change. It halves what a cursor
move costs and makes a ticking digit a dozen bytes, which is what counts over a slow line.

A frame it does not understand passes through as it is, and the picture is forgotten.
"""

from __future__ import annotations

import itertools
import re
from functools import lru_cache
from typing import NamedTuple

from rich.cells import split_graphemes

_TOKEN = re.compile(
    r"\x1b\[(?P<y>\d+);(?P<x>\d+)H|\x1b\[(?P<sgr>[\d;]*)m|(?P<text>[^\x00-\x1f\x7f-\x9f]+)|\n"
)
_OFF = {"1": "22", "2": "22", "3": "23", "4": "24", "5": "25", "7": "27", "8": "28", "9": "29"}
"""What ends each attribute."""

_ON_BLANKS = frozenset("4579")
"""Attributes that a blank shows."""

_CHEAP_GAP = 4
"""Unchanged cells that cost less to send again than to move over."""


class Pen(NamedTuple):
    """How the terminal writes: attributes that are on, foreground, ground, as SGR parameters."""

    on: frozenset[str] = frozenset()
    fore: str = ""
    ground: str = ""


_PLAIN = Pen()


class Picture:
    """What stands on the terminal, cell by cell."""

    def __init__(self) -> None:
        self._text: dict[int, list[str | None]] = {}
        self._pens: dict[int, list[Pen]] = {}

    def forget(self) -> None:
        """Nothing is known of what stands there: the next frame is sent whole."""
        self._text.clear()
        self._pens.clear()

    def reduce(self, frame: str) -> str:
        """The part of a frame that changes something, which then stands there; may be empty."""
        dirty: dict[int, set[int]] = {}
        x = y = end = 0
        pen: Pen | None = _PLAIN
        for token in _TOKEN.finditer(frame):
            if token.start() != end or pen is None:
                break
            end = token.end()
            if (text := token["text"]) is not None:
                x = self._put(text, x, y, pen, dirty)
            elif (sgr := token["sgr"]) is not None:
                pen = _pen(sgr)
            elif token["y"] is not None:
                x, y = int(token["x"]) - 1, int(token["y"]) - 1
        if end != len(frame) or pen is None:
            self.forget()
            return frame
        out: list[str] = []
        pen = _PLAIN
        for line, cells in sorted(dirty.items()):
            pen = self._send(line, sorted(cells), pen, out)
        if pen != _PLAIN:
            out.append("\x1b[m")
        return "".join(out)

    def _put(self, text: str, x: int, y: int, pen: Pen, dirty: dict[int, set[int]]) -> int:
        """Write a text into the picture from (x, y) on; the cell behind it."""
        marks, cells = ("", list(text)) if text.isascii() else _cells(text)
        line, pens = self._text.setdefault(y, []), self._pens.setdefault(y, [])
        stop = x + len(cells)
        if stop > len(line):
            line += [None] * (stop - len(line))
            pens += [_PLAIN] * (stop - len(pens))
        if marks and x > 0:
            line[x - 1] = (line[x - 1] or " ") + marks
            dirty.setdefault(y, set()).add(x - 1)
        if line[x:stop] == cells and pens[x:stop] == [pen] * len(cells):
            return stop
        changed = dirty.setdefault(y, set())
        for position, character in enumerate(cells, x):
            if line[position] != character or pens[position] is not pen:
                line[position], pens[position] = character, pen
                changed.add(position)
        return stop

    def _send(self, y: int, dirty: list[int], pen: Pen, out: list[str]) -> Pen:
        """Add what draws these cells of a line; the pen that is then in hand."""
        text, pens = self._text[y], self._pens[y]
        at = -1
        for x in dirty:
            character = text[x] or ""
            if not character:
                continue  # the right half of a wide character
            if x != at:
                if at >= 0 and x - at <= _CHEAP_GAP and self._as_cheap(y, at, x, pen):
                    out += [each or "" for each in text[at:x]]
                else:
                    out.append(f"\x1b[{y + 1};{x + 1}H")
            wanted = pens[x] if character != " " else _for_blank(pen, pens[x])
            if wanted is not pen:
                out.append(step(pen, wanted))
                pen = wanted
            out.append(character)
            wide = x + 1 < len(text) and text[x + 1] == ""
            # Terminals differ on how wide such a character is: never trust where it leaves us.
            at = -1 if wide or len(character) > 1 else x + 1
        return pen

    def _as_cheap(self, y: int, start: int, end: int, pen: Pen) -> bool:
        """Whether the cells between are narrow ones of the pen in hand, to be sent again."""
        text, pens = self._text[y], self._pens[y]
        return all(
            pens[x] == pen and text[x] is not None and len(text[x] or "") == 1
            for x in range(start, end)
        )


@lru_cache(4096)
def step(old: Pen, new: Pen) -> str:
    """The shortest sequence from one pen to another."""
    if new == old:
        return ""
    if new == _PLAIN:
        return "\x1b[m"
    gone = old.on - new.on
    parts = sorted({_OFF[each] for each in gone})
    # 22 ends bold and dim alike, so that the one which stays must be said again.
    again = new.on & {"1", "2"} if gone & {"1", "2"} else frozenset()
    parts += sorted((new.on - old.on) | again)
    if new.fore != old.fore:
        parts.append(new.fore or "39")
    if new.ground != old.ground:
        parts.append(new.ground or "49")
    whole = ["0", *sorted(new.on), *(each for each in (new.fore, new.ground) if each)]
    return min(f"\x1b[{';'.join(parts)}m", f"\x1b[{';'.join(whole)}m", key=len)


@lru_cache(4096)
def _for_blank(pen: Pen, wanted: Pen) -> Pen:
    """The pen nearest to the one in hand that makes the blank that is wanted."""
    shows = wanted.on & _ON_BLANKS
    fore = wanted.fore if shows else pen.fore
    return Pen((pen.on - _ON_BLANKS) | shows, fore, wanted.ground)


@lru_cache(4096)
def _pen(sgr: str) -> Pen | None:
    """The pen that a reset and then these SGR parameters give; None where one is not known.

    One object for each pen, so that pens can be told apart by identity.
    """
    on: set[str] = set()
    fore = ground = ""
    parts = [part for part in sgr.split(";") if part]
    while parts:
        part = parts.pop(0)
        if part in ("38", "48"):
            count = 4 if parts[:1] == ["2"] else 2
            colour = _short(part, *parts[:count])
            del parts[:count]
            fore, ground = (colour, ground) if part == "38" else (fore, colour)
        elif part in _OFF:
            on.add(part)
        elif re.fullmatch("3[0-7]|9[0-7]", part):
            fore = part
        elif re.fullmatch("4[0-7]|10[0-7]", part):
            ground = part
        elif part not in ("0", "39", "49"):
            return None
    return Pen(frozenset(on), fore, ground)


def _short(kind: str, *colour: str) -> str:
    """A colour as SGR parameters; one of the 256-colour palette by its number, which is shorter."""
    if colour[:1] == ("2",) and len(colour) == 4:
        number = _PALETTE.get(tuple(map(int, colour[1:])))
        if number is not None:
            return f"{kind};5;{number}"
    return ";".join([kind, *colour])


def _palette() -> dict[tuple[int, ...], int]:
    levels = (0, 95, 135, 175, 215, 255)
    cube = itertools.product(levels, repeat=3)
    numbers = {colour: number for number, colour in enumerate(cube, 16)}
    numbers |= {(grey, grey, grey): 232 + n for n, grey in enumerate(range(8, 239, 10))}
    # What stands below 22 is changed by many colour schemes.
    return {colour: number for colour, number in numbers.items() if number > 21}


_PALETTE = _palette()


def _cells(text: str) -> tuple[str, list[str]]:
    """Marks that join what stands before the text, and its cells.

    A wide character is followed by an empty cell; marks within the text join their letter.
    """
    marks = ""
    cells: list[str] = []
    for start, end, width in split_graphemes(text)[0]:
        if width == 0:
            marks += text[start:end]
            continue
        cells.append(text[start:end])
        cells += [""] * (width - 1)
    return marks, cells
