"""From a picture to rows: what the lists of the main screen show, filtered and sorted. Pure.

Figures come from `engine.rows`, so that screen and plain output tell one story. Here they become
cells of a list, with a style token each; no widget is known here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from evaltui.cells import Cell as SetCell
from evaltui.engine.rows import CellRow, cell_rows, set_counts
from evaltui.engine.state import CellStatus
from evaltui.text import (
    ASCII,
    Glyphs,
    bar,
    count,
    duration,
    error_gauge,
)
from evaltui.tui.columns import EDGE, Column
from evaltui.tui.constant_strip import Constants, split
from evaltui.tui.picture import Picture
from evaltui.tui.query import Query, Value, select
from evaltui.tui.row_memory import RowMemory, plain
from evaltui.tui.runs import Cell, cell
from evaltui.tui.time_left import time_left

STATUS_TOKENS: Mapping[CellStatus, str] = {
    "idle": "queued",
    "queued": "queued",
    "running": "run",
    "waiting": "wait",
    "held": "held",
    "blocked": "blocked",
    "failed": "fail",
    "stuck": "fail",
    "cancelled": "muted",
    "dropped": "muted",
    "complete": "ok",
}
STATES: tuple[CellStatus, ...] = tuple(STATUS_TOKENS)

FIGURES = ("err", "done", "all", "next")
"""Attributes of a cell's row that are figures; filters compare them, they are no columns."""

_SHORT = {"temperature": "T", "max_tokens": "max tokens"}
_SPARK_MINUTES = 8


class CellTable(msgspec.Struct, frozen=True):
    """The cells as a list. keys, rows and attributes go by row; shown: those the filter lets
    through, in the order of the sort."""

    keys: tuple[str, ...]
    rows: tuple[CellRow, ...]
    attributes: tuple[Mapping[str, Value], ...]
    shown: tuple[int, ...]
    constants: Constants
    columns: tuple[Column, ...]

    @property
    def shown_keys(self) -> tuple[str, ...]:
        return tuple(self.keys[index] for index in self.shown)


# --- cells ----------------------------------------------------------------------------------------


def cell_table(
    picture: Picture,
    now: float,
    query: Query,
    sort: tuple[str, bool] | None,
    *,
    wide: bool = False,
    bar_width: int = 9,
    memory: RowMemory | None = None,
) -> CellTable:
    """The list of cells. sort: (column id, descending). wide: shared attributes are columns too.

    memory: of the last call, where there was one.
    """
    rows, attributes = (memory or RowMemory()).rows(picture, now)
    cells = picture.cells
    shown = select(query, attributes)
    if sort is not None:
        shown = sorted_rows(
            shown, sort, lambda index: _sort_value(sort[0], rows, attributes, index)
        )
    names = cell_names(cells)
    constants = split(names, [attributes[index] for index in shown])
    listed = listed_names(names, constants, wide=wide)
    return CellTable(
        keys=tuple(row.key for row in rows),
        rows=rows,
        attributes=attributes,
        shown=tuple(shown),
        constants=constants,
        columns=_cell_columns(listed, rows, attributes, bar_width),
    )


def cell_cells(
    table: CellTable, glyphs: Glyphs, bar_width: int
) -> Callable[[int], tuple[Cell, ...]]:
    """What stands in the columns of a shown row, by its number in the list."""
    drawers = [_drawer(column, glyphs, bar_width) for column in table.columns]

    def cells(place: int) -> tuple[Cell, ...]:
        index = table.shown[place]
        row, attributes = table.rows[index], table.attributes[index]
        return tuple(draw(row, attributes) for draw in drawers)

    return cells


def sorted_rows(
    rows: Sequence[int], sort: tuple[str, bool], value: Callable[[int], Value]
) -> list[int]:
    """Row numbers in the order of a column; rows without a value come last, ties keep theirs."""
    known = [row for row in rows if value(row) not in (None, "")]
    numbers = all(isinstance(value(row), int | float) for row in known)

    def key(row: int) -> Any:
        found = value(row)
        return found if numbers else str(found).casefold()

    ordered = sorted(known, key=key, reverse=sort[1])
    placed = set(known)
    return [*ordered, *(row for row in rows if row not in placed)]


def cell_attributes(picture: Picture) -> tuple[str, ...]:
    """What a filter of the cells may ask for."""
    return ("task", "model", "file", *cell_names(picture.cells)[2:], *FIGURES)


def listed_names(names: Sequence[str], constants: Constants, *, wide: bool) -> tuple[str, ...]:
    """The attributes that are columns: those in which rows differ, with `wide` the shared too."""
    return tuple(
        name for name in names
        if name in constants.varying or (wide and name not in constants.absent)
    )  # fmt: skip


def cell_names(cells: Sequence[SetCell]) -> tuple[str, ...]:
    """Attributes that tell cells apart, task and model first."""
    names = dict.fromkeys(["task", "model"])
    files: dict[str, set[str]] = {}
    for each in cells:
        files.setdefault(each.task, set()).add(each.task_file)
        if each.solver:
            names.setdefault("solver")
        names.update(dict.fromkeys(each.task_args))
        names.update(dict.fromkeys(each.model_config))
    if any(len(each) > 1 for each in files.values()):
        names.setdefault("file")
    return tuple(names)


def _sort_value(
    column: str, rows: Sequence[CellRow], attributes: Sequence[Mapping[str, Value]], index: int
) -> Value:
    row = rows[index]
    match column:
        case "status":
            return STATES.index(row.status)
        case "samples":
            return (row.kept + row.done) / row.total if row.total else 0
        case "done":
            return row.kept + row.done
        case "err":
            return row.errors
        case "next":
            return row.next
        case _:
            return attributes[index].get(column)


def _cell_columns(
    listed: Sequence[str],
    rows: Sequence[CellRow],
    attributes: Sequence[Mapping[str, Value]],
    bar_width: int,
) -> tuple[Column, ...]:
    done, errors, after = _figure_widths(rows)
    columns = [Column("status", "", 1, 1), *name_columns(listed, attributes)]
    if not any(column.grow for column in columns):
        columns.append(Column("task", "TASK", 8, 12, grow=1))
    return (
        *columns,
        Column("samples", "SAMPLES", bar_width, bar_width, 4),
        Column("done", "DONE/ALL", max(8, done), max(11, done), 2, align="right"),
        Column("err", "ERR", max(3, errors), max(7, errors), 3, align="left"),
        Column("next", "NEXT", max(4, after), 9, 2, align="right"),
        Column(EDGE, "", 1, 1, 6),
    )


def _figure_widths(rows: Sequence[CellRow]) -> tuple[int, int, int]:
    """Cells that the figures of DONE/ALL, ERR and NEXT take: what is cut is another figure.

    Of all rows, so that a filter moves no column.
    """
    done = 2 * len(count(max((row.total for row in rows), default=0))) + 1
    gauges = {(row.errors, row.fails_at, row.judged_at_end, row.settled) for row in rows}
    errors = max(
        (
            len(error_gauge(number, fails, at_end=at_end, settled=settled, glyphs=ASCII))
            for number, fails, at_end, settled in gauges
        ),
        default=0,
    )
    return done, errors, max((len(row.next) for row in rows), default=0)


def name_columns(
    listed: Sequence[str], attributes: Sequence[Mapping[str, Value]], least: int = 8
) -> list[Column]:
    """A column for each of these attributes; task and model are the last to give way.

    least: of task and model, as far as their texts are that wide.
    """
    columns = []
    for name in listed:
        widest = max((len(str(each.get(name) or "")) for each in attributes), default=4)
        if name in ("task", "model"):
            priority = 0 if name == "task" else 1
            size = max(8, min(least, widest))
            columns.append(Column(name, name.upper(), size, min(widest, 26), priority, grow=1))
        else:
            title = _SHORT.get(name, name).upper()
            ideal = max(len(title), min(widest, 14))
            columns.append(Column(name, title, min(5, ideal), ideal, 5))
    return columns


def _drawer(
    column: Column, glyphs: Glyphs, bar_width: int
) -> Callable[[CellRow, Mapping[str, Value]], Cell]:
    if column.id == EDGE:
        return lambda row, _: ()
    match column.id:
        case "status":
            return lambda row, _: cell(getattr(glyphs, row.mark), STATUS_TOKENS[row.status])
        case "samples":
            return lambda row, _: bar_cell(row, glyphs, bar_width)
        case "done":
            return lambda row, _: (
                ((f"{count(row.kept + row.done)}", "text"), (f"/{count(row.total)}", "muted"))
                if row.total
                else cell("-", "muted")
            )
        case "err":
            return lambda row, _: error_cell(row, glyphs)
        case "next":
            return lambda row, _: cell(row.next, _next_token(row))
        case "task":
            return lambda row, _: cell(row.task, "text")
        case "model":
            return lambda row, _: cell(row.model, "text")
        case name:
            return lambda _, attributes: cell(shown_value(attributes.get(name)), "muted")


def shown_value(value: Value) -> str:
    """An attribute's value in a column."""
    return "" if value is None else str(value)


def bar_cell(row: CellRow, glyphs: Glyphs, width: int) -> Cell:
    """Kept, done now and left, each in its colour."""
    drawn = bar(row.kept, row.done, row.total, width, glyphs)
    done = "fail" if row.status in ("failed", "stuck") else "done"
    return ((drawn.kept, "kept"), (drawn.done, done), (drawn.rest, "muted"))


def error_cell(row: CellRow, glyphs: Glyphs) -> Cell:
    """Errors against the number that fails the cell."""
    gauge = error_gauge(
        row.errors, row.fails_at, at_end=row.judged_at_end, settled=row.settled, glyphs=glyphs
    )
    return cell(gauge, error_token(row))


def error_token(row: CellRow) -> str:
    """How errors are coloured: as a failure where they are as many as fail the cell."""
    if row.fails_at is not None and row.errors >= row.fails_at and not row.settled:
        return "fail"
    return "text" if row.errors else "muted"


def _next_token(row: CellRow) -> str:
    if row.status == "complete":
        return "strong"
    return STATUS_TOKENS[row.status] if row.status not in ("running", "queued", "idle") else "muted"


# --- the lines above ------------------------------------------------------------------------------


def header(
    picture: Picture,
    crumb: str,
    now: float,
    glyphs: Glyphs,
    rows: tuple[CellRow, ...] | None = None,
) -> tuple[Cell, Cell]:
    """The top line: whose set and where we are at the left, how it stands at the right.

    rows: of all cells, where the caller has them.
    """
    name = picture.log_dir.resolve().name or str(picture.log_dir)
    left: Cell = (
        ("evaltui  ", "muted"),
        (name, "strong"),
        (f" {glyphs.crumb} {crumb}", "muted"),
    )
    if not picture.ready:
        return left, cell("reading", "muted")
    if rows is None:
        rows = cell_rows(picture.state, picture.settings, now)
    if not rows:
        return left, _standing(picture, glyphs)
    complete, cells, done, samples, errors = set_counts(rows)
    right: Cell = (
        *_standing(picture, glyphs),
        (f"   {complete}/{cells} cells", "text"),
        (f"  {count(done)}/{count(samples)} samples" if samples else "", "text"),
    )
    if errors:
        right = (*right, (f"  {glyphs.failed} {count(errors)}", "fail"))
    ahead = time_left(picture.state, rows, now) if picture.engine != "none" else None
    if ahead is not None:
        more = glyphs.at_least if ahead.at_least else ""
        right = (*right, (f"   left {more}{duration(ahead.seconds)}", "strong"))
    return left, right


def strays_said(picture: Picture) -> str:
    """`; 12 logs of no cell` where there are such logs."""
    strays = len(picture.plan.strays) if picture.plan is not None else 0
    return f"; {count(strays)} log{'s' if strays != 1 else ''} of no cell" if strays else ""


def _standing(picture: Picture, glyphs: Glyphs) -> Cell:
    state = picture.state
    if picture.engine == "here":
        return cell(f"{glyphs.running} running here", "run")
    if picture.engine == "elsewhere":
        pid, host = state.engine or (0, "")
        return cell(f"{glyphs.running} running, pid {pid} on {host}", "run")
    if not state.cells:
        return cell(f"no cells{strays_said(picture)}", "muted")
    tokens = {"complete": "ok", "incomplete": "fail", "cancelled": "muted"}
    marks = {"complete": glyphs.complete, "incomplete": glyphs.failed,
             "cancelled": glyphs.cancelled}  # fmt: skip
    mark = marks.get(state.status, glyphs.queued)
    unchecked = "" if picture.rests == "samples" else ", reading logs"
    return cell(f"{mark} {state.status}{unchecked}", tokens.get(state.status, "muted"))


def dot(glyphs: Glyphs) -> str:
    """What stands between things that are named side by side."""
    return " - " if glyphs.ascii_only else " · "


def constant_line(
    picture: Picture, constants: Constants, glyphs: Glyphs, *, wide: bool
) -> tuple[Cell, Cell]:
    """What all shown cells share, said once; at the right how to see it as columns."""
    shared = [
        (_SHORT.get(name, name), shown_value(plain(value))) for name, value in constants.shared
    ]
    settings = [
        (name.replace("_", " "), _setting(picture.settings[name]))
        for name in ("limit", "sample_id", "epochs", "fail_on_error")
        if name in picture.settings
    ]
    said = dot(glyphs).join(f"{name} {value}" for name, value in (*shared, *settings))
    if not said:
        return (), ()
    hidden = len(constants.shared)
    right = ""
    if hidden:
        right = (
            "w hides what is shared" if wide else f"{hidden} shared, hidden as columns (w shows)"
        )
    return (("= ", "kept"), (said, "muted")), cell(right, "muted")


def _setting(value: Any) -> str:
    if isinstance(value, tuple) and len(value) == 2 and all(isinstance(v, int) for v in value):
        return f"{value[0] + 1}-{value[1]}"
    return shown_value(plain(value))
