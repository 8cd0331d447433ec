"""A set as lines of text: for `status`, for plain `run`, and for its live display. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evaltui.engine.rows import CellRow, LaneRow, set_counts
from evaltui.text import Glyphs, bar, count, error_gauge, errors_said, fit, number, visible

BAR = 10
WIDEST_NAME = 30


def set_lines(
    rows: Sequence[CellRow],
    lanes: Sequence[LaneRow],
    attributes: Mapping[str, Mapping[str, Any]],
    glyphs: Glyphs,
    width: int,
) -> list[str]:
    """Cells, then lanes that have something to say, then the totals; each at most `width` cells.

    attributes: cell key -> args that tell cells of one name apart.
    """
    names = {row.key: _task(row.task, attributes.get(row.key, {})) for row in rows}
    task = _widest(names.values())
    model = _widest(row.model for row in rows)
    lines = [_cell_line(row, names[row.key], task, model, glyphs) for row in rows]
    lines += [
        f"  {fit(lane.name, model, glyphs=glyphs)}  {lane.says}" for lane in lanes if lane.says
    ]
    return [fit(line, width, glyphs=glyphs).rstrip() for line in [*lines, totals(rows)]]


def totals(rows: Sequence[CellRow]) -> str:
    complete, cells, done, samples, errors = set_counts(tuple(rows))
    said = f"{complete}/{cells} cells  {count(done)}/{count(samples)} samples"
    return f"{said}  {errors_said(errors)}" if errors else said


def _cell_line(row: CellRow, name: str, task: int, model: int, glyphs: Glyphs) -> str:
    mark = getattr(glyphs, row.mark)
    gauge = error_gauge(
        row.errors, row.fails_at, at_end=row.judged_at_end, settled=row.settled, glyphs=glyphs
    )
    drawn = bar(row.kept, row.done, row.total, BAR, glyphs).text
    done = f"{number(row.kept + row.done, 6)}/{count(row.total)}"
    line = (
        f"{mark} {fit(name, task, glyphs=glyphs)}  {fit(row.model, model, glyphs=glyphs)}  "
        f"{drawn}{done:<13} {gauge:<9} {row.next}"
    )
    return f"{line}  {visible(row.message, glyphs)}" if row.message else line


def _task(name: str, args: Mapping[str, Any]) -> str:
    return " ".join((name, *(f"{key}={value}" for key, value in args.items())))


def _widest(names: Any) -> int:
    return min(WIDEST_NAME, max((len(name) for name in names), default=0))


def cell_names(cells: Sequence[Any], times: str) -> dict[str, str]:
    """Of each cell, by key, the name that people know it by: `task n=4 × model`."""
    telling = telling_args(cells)
    return {
        cell.key: f"{_task(cell.task, telling[cell.key])} {times} {cell.model}" for cell in cells
    }


def telling_args(cells: Sequence[Any]) -> dict[str, dict[str, Any]]:
    """Of each cell the args whose values differ among the cells of its task."""
    by_task: dict[tuple[str, str], list[Any]] = {}
    for cell in cells:
        by_task.setdefault((cell.task_file, cell.task), []).append(cell)
    found: dict[str, dict[str, Any]] = {}
    for group in by_task.values():
        names = dict.fromkeys(name for cell in group for name in cell.task_args)
        differing = [n for n in names if len({str(cell.task_args.get(n)) for cell in group}) > 1]
        for cell in group:
            found[cell.key] = {n: cell.task_args[n] for n in differing if n in cell.task_args}
    return found
