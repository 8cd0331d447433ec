"""Which columns fit a width, and where they stand. Pure.

Columns give way by priority, so that the one thing a list is about is the last to go.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

Align = Literal["left", "right"]

Sort = tuple[str, bool]
"""By which column (its id) a list is sorted, and whether descending."""

SPEC_ORDER = ("spec order", "as evalset.toml has it")
"""The order that rows have while they are not sorted: its name, and what it is."""

GAP = 1
"""Cells between two columns."""

EDGE = "edge"
"""Id of a column that holds nothing and keeps the last one from the frame."""


class Column(msgspec.Struct, frozen=True):
    """A column of a list. Widths are in cells.

    least: narrower than this it goes. ideal: what its content would like. grow: its share of
    what is left when all have their ideal. priority: 0 stays longest.
    """

    id: str
    title: str
    least: int
    ideal: int = 0
    priority: int = 0
    grow: int = 0
    align: Align = "left"


class Placed(msgspec.Struct, frozen=True):
    """A column that is shown. index: its place among all columns; start: its first cell."""

    column: Column
    index: int
    start: int
    width: int


def turned(now: Sort | None, column: str) -> Sort:
    """The sort after a column was asked for: ascending first, the other way round when again."""
    return column, now is not None and now[0] == column and not now[1]


def place(columns: Sequence[Column], width: int) -> tuple[Placed, ...]:
    """The columns that fit into `width` cells, left to right, with their widths.

    Those of lowest priority (highest number; of equals the rightmost) go first. What is left is
    given up to their ideal in the order of priority, then by `grow`. At least one stays, cut to
    the width.
    """
    if not columns or width < 1:
        return ()
    shown = list(range(len(columns)))
    while len(shown) > 1 and _needed(columns, shown) > width:
        shown.remove(max(shown, key=lambda index: (columns[index].priority, index)))
    widths = {index: min(columns[index].least, width) for index in shown}
    spare = width - sum(widths.values()) - GAP * (len(shown) - 1)
    for index in sorted(shown, key=lambda index: (columns[index].priority, index)):
        more = max(0, min(spare, columns[index].ideal - widths[index]))
        widths[index] += more
        spare -= more
    _grow(columns, shown, widths, spare)
    placed, start = [], 0
    for index in shown:
        placed.append(Placed(columns[index], index, start, widths[index]))
        start += widths[index] + GAP
    return tuple(placed)


def _needed(columns: Sequence[Column], shown: Sequence[int]) -> int:
    return sum(columns[index].least for index in shown) + GAP * (len(shown) - 1)


def _grow(
    columns: Sequence[Column], shown: Sequence[int], widths: dict[int, int], spare: int
) -> None:
    shares = sum(columns[index].grow for index in shown)
    if spare <= 0 or not shares:
        return
    given = 0
    growing = [index for index in shown if columns[index].grow]
    for index in growing:
        more = spare * columns[index].grow // shares
        widths[index] += more
        given += more
    widths[growing[-1]] += spare - given
