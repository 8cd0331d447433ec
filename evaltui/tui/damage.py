"""What of a frame must really be sent: a picture of the terminal, and the difference to it. Pure.

Textual sends whole lines of a widget where a digit changed, and each piece of text with all its
colours before it and a reset behind. Here a frame is compared with what already stands there, and
only cells that differ go out, with only those attributes that change, and of a line that is mostly
blank the blanks are erased in one go. It halves what a cursor move costs and makes a ticking digit
a dozen bytes, which is what counts over a slow line.

A frame it does not understand passes through as it is, and the picture is forgotten.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from rich.cells import split_graphemes

_TEXT = r"[^\x00-\x1f\x7f-\x9f]"
_TOKEN = re.compile(rf"\x1b\[([\d;]*)m({_TEXT}*)(\x1b\[0m)?|\x1b\[(\d+);(\d+)H|({_TEXT}+)|\n")
"""A piece of text behind its looks, as a rule with a reset behind it; a move; a text alone."""

_OFF = {"1": "22", "2": "22", "3": "23", "4": "24", "5": "25", "7": "27", "8": "28", "9": "29"}
"""What ends each attribute."""

_FORE = frozenset(str(first + n) for first in (30, 90) for n in range(8))
_GROUND = frozenset(str(first + n) for first in (40, 100) for n in range(8))
"""The colours that have a number of their own."""

_ON_BLANKS = frozenset("4579")
"""Attributes that a blank shows."""

_CHEAP_GAP = 4
"""Unchanged cells that cost less to send again than to move over."""

_MOVE = 5
"""What a move within a line costs."""

_LONG_BLANK = re.compile(f" {{{_MOVE + 1},}}")


class Pen(NamedTuple):
    """How the terminal writes: attributes that are on, foreground, ground, as SGR parameters."""

    on: frozenset[str] = frozenset()
    fore: str = ""
    ground: str = ""


_PLAIN = Pen()


class Picture:
    """What stands on the terminal, cell by cell.

    erases: what the terminal erases takes the ground in hand.
    """

    def __init__(self, *, erases: bool = True) -> None:
        self._erases = erases
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
            sgr, styled, reset, line, column, bare = token.groups()
            if line is not None:
                x, y = int(column) - 1, int(line) - 1
                continue
            pen = pen if sgr is None else _pen(sgr)
            if (text := styled or bare) and pen is not None:
                x = self._put(text, x, y, pen, dirty)
            if reset and pen is not None:
                pen = _PLAIN
        if end != len(frame) or pen is None:
            self.forget()
            return frame
        out: list[str] = []
        pen = _PLAIN
        for y, cells in sorted(dirty.items()):
            pen = self._send(y, sorted(cells), pen, out)
        if pen != _PLAIN:
            out.append("\x1b[m")
        return "".join(out)

    def _put(self, text: str, x: int, y: int, pen: Pen, dirty: dict[int, set[int]]) -> int:
        """Write a text into the picture from (x, y) on; the cell behind it."""
        marks, cells = ("", text) if text.isascii() else _cells(text)
        line, pens = self._text.setdefault(y, []), self._pens.setdefault(y, [])
        stop = x + len(cells)
        if stop > len(line):
            line += [None] * (stop - len(line))
            pens += [_PLAIN] * (stop - len(pens))
        if marks and x > 0:
            line[x - 1] = (line[x - 1] or " ") + marks
            dirty.setdefault(y, set()).add(x - 1)
        there, now = line[x:stop], list(cells)
        held, holds = pens[x:stop], [pen] * len(now)
        if there != now or held != holds:
            line[x:stop], pens[x:stop] = now, holds
            changed: Iterable[int] = range(x, stop)
            if there.count(None) < len(there):
                both = zip(changed, there, now, held, strict=True)
                changed = (at for at, old, new, was in both if old != new or was is not pen)
            dirty.setdefault(y, set()).update(changed)
        return stop

    def _send(self, y: int, dirty: Sequence[int], pen: Pen, out: list[str]) -> Pen:
        """Add what draws these cells of a line; the pen that is then in hand."""
        at = -1
        for start, stop in self._runs(y, dirty):
            out.append(f"\x1b[{y + 1};{start + 1}H" if at < 0 else f"\x1b[{start - at}C")
            pen, at = self._draw(y, start, stop, pen, out)
        return pen

    def _runs(self, y: int, dirty: Sequence[int]) -> Iterator[tuple[int, int]]:
        """The cells as (first, behind the last) of those in a row, with what is cheap between."""
        start = stop = dirty[0]
        if dirty[-1] - start >= len(dirty):
            for x in dirty:
                if x != stop and (x - stop > _CHEAP_GAP or not self._as_cheap(y, stop, x)):
                    yield start, stop
                    start = x
                stop = x + 1
        yield start, dirty[-1] + 1

    def _draw(self, y: int, start: int, stop: int, pen: Pen, out: list[str]) -> tuple[Pen, int]:
        """Add what draws these cells, at the first of which the terminal stands.

        The pen that is then in hand, and where the terminal stands; -1 where that is not known.
        """
        cells, pens = self._text[y][start:stop], self._pens[y][start:stop]
        text = "".join(filter(None, cells))
        if len(text) != len(cells) or "" in cells:
            return self._draw_odd(y, start, stop, pen, out)
        blanks = self._long_blanks(text, pens)
        if blanks:
            wanted = _for_blank(pen, pens[0])
            out.append(f"{step(pen, wanted)}\x1b[{len(text)}X")
            pen = wanted
        here = drawn = 0
        for first, last in (*blanks, (len(text), len(text))):
            if drawn < first:
                if here < drawn:
                    out.append(f"\x1b[{drawn - here}C")
                pen = _write(text[drawn:first], pens[drawn:first], pen, out)
                here = first
            drawn = last
        return pen, start + here

    def _draw_odd(self, y: int, start: int, stop: int, pen: Pen, out: list[str]) -> tuple[Pen, int]:
        """As `_draw`, for cells that are not one narrow character each.

        Terminals differ on how wide such a character is: it is never trusted where it leads to.
        """
        text, pens = self._text[y], self._pens[y]
        at = start
        for x in range(start, stop):
            character = text[x]
            if not character:
                continue  # the right half of a wide character
            if x != at:
                out.append(f"\x1b[{y + 1};{x + 1}H")
            pen = _write(character, [pens[x]], pen, out)
            at = x + 1
            if len(character) > 1 or text[at : at + 1] == [""]:
                at = -1
        return pen, at

    def _long_blanks(self, text: str, pens: Sequence[Pen]) -> list[tuple[int, int]]:
        """Where in a text there are blanks to be moved over, once all of it has been erased."""
        spans = [each.span() for each in _LONG_BLANK.finditer(text)] if self._erases else []
        if sum(last - first - _MOVE for first, last in spans) <= _MOVE:
            return []
        looks = {(pen.ground, pen.on & _ON_BLANKS) for pen in set(pens)}
        return spans if len(looks) == 1 and not looks.pop()[1] else []

    def _as_cheap(self, y: int, start: int, end: int) -> bool:
        """Whether the cells between can be sent again with the pen of the one before them."""
        text, pens = self._text[y], self._pens[y]
        pen = pens[start - 1]
        return all(
            len(text[x] or "") == 1
            and (pens[x] == pen or (text[x] == " " and _for_blank(pen, pens[x]) == pen))
            for x in range(start, end)
        )


def _write(text: str, pens: Sequence[Pen], pen: Pen, out: list[str]) -> Pen:
    """Add a text whose characters have these pens; the pen that is then in hand."""
    at = 0
    for held, same in itertools.groupby(pens):
        piece = text[at : (at := at + len(list(same)))]
        if held is not pen:
            wanted = held if piece.strip(" ") else _for_blank(pen, held)
            out.append(step(pen, wanted))
            pen = wanted
        out.append(piece)
    return pen


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
    found = Pen((pen.on - _ON_BLANKS) | shows, fore, wanted.ground)
    return next((each for each in (pen, wanted) if each == found), found)


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
        elif part in _FORE:
            fore = part
        elif part in _GROUND:
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


@lru_cache(1024)
def _cells(text: str) -> tuple[str, tuple[str, ...]]:
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
    return marks, tuple(cells)
