"""Rows of the plan screen: what a resume would do for every cell, then logs of no cell. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from evaltui.cells import Cell as SetCell
from evaltui.plan import CellPlan, Plan, StrayLog
from evaltui.plan_words import ACTIONS, notes
from evaltui.text import Glyphs, count, short_count
from evaltui.tui.columns import Column, Sort
from evaltui.tui.constant_strip import Constants, split
from evaltui.tui.picture import Picture
from evaltui.tui.query import Query, Value, select
from evaltui.tui.row_memory import named_attributes
from evaltui.tui.runs import Cell, cell
from evaltui.tui.selectors import (
    cell_names,
    listed_names,
    name_columns,
    shown_value,
    sorted_rows,
)
from evaltui.tui.verdict_words import legend, saves_and_costs, verdict_bar

STRAY = "\x00log:"
"""Before the name in the key of a row that is a log of no cell."""

BAR = 16

_FIGURES = (
    Column("bar", "PLAN", BAR, BAR, priority=6),
    Column("keep", "KEEP", 6, 7, priority=2, align="right"),
    Column("run", "RUN", 6, 7, priority=1, align="right"),
    Column("action", "ACTION", 9, 11, priority=1),
    Column("saves", "SAVES", 6, 6, priority=8, align="right"),
    Column("costs", "COSTS", 6, 6, priority=7, align="right"),
)

_ACTIONS: Mapping[str, tuple[str, str]] = {
    "run": ("new", "new"),
    "merge": ("rerun", "kept"),
    "none": ("complete", "ok"),
    "running": ("running", "run"),
    "rescore": ("rerun", "changed"),
    "held": ("held", "held"),
    "blocked": ("failed", "blocked"),
}
"""Action -> name of its glyph, its token."""


class PlanRow(msgspec.Struct, frozen=True):
    """One cell with its plan, or a stray log."""

    key: str
    set_cell: SetCell | None = None
    plan: CellPlan | None = None
    stray: StrayLog | None = None

    def attributes(self) -> dict[str, Value]:
        """What a filter may ask for."""
        if self.plan is None or self.set_cell is None:
            assert self.stray is not None
            return {"task": self.stray.name, "action": self.stray.kind, "is": self.stray.kind}
        return {
            **named_attributes(self.set_cell),
            "action": self.plan.action,
            "is": self.plan.action,
            "keep": self.plan.reuse,
            "run": self.plan.run,
            "total": self.plan.total,
        }


STATES = (*_ACTIONS, "foreign", "broken")
FIGURES = ("action", "keep", "run", "total")
"""Attributes beside those that tell cells apart."""


class PlanTable(msgspec.Struct, frozen=True):
    """The plan as a list. rows: all; shown: numbers of those the filter lets through, in order.

    names: attributes that are columns; constants: what is shared by all shown.
    """

    rows: tuple[PlanRow, ...]
    shown: tuple[int, ...]
    constants: Constants
    names: tuple[str, ...]
    columns: tuple[Column, ...]


def plan_table(
    rows: tuple[PlanRow, ...], query: Query, sort: Sort | None, *, wide: bool = False
) -> PlanTable:
    """The rows as the filter, the sort and the width have them."""
    attributes = [row.attributes() for row in rows]
    shown = select(query, attributes)
    if sort is not None:
        column = sort[0]
        shown = sorted_rows(shown, sort, lambda n: _sort_value(rows[n], attributes[n], column))
    cells = [row.set_cell for row in rows if row.set_cell is not None]
    all_names = cell_names(cells)
    of_cells = [attributes[n] for n in shown if rows[n].set_cell is not None]
    constants = split(all_names, of_cells)
    if len(of_cells) < len(shown):  # a log of no cell is named in these two columns
        shared = tuple(each for each in constants.shared if each[0] not in ("task", "model"))
        varying = dict.fromkeys(("task", "model", *constants.varying))
        constants = Constants(shared, tuple(varying), constants.absent)
    names = listed_names(all_names, constants, wide=wide)
    columns = (Column("glyph", "", 1), *name_columns(names, attributes, least=14), *_FIGURES)
    return PlanTable(rows, tuple(shown), constants, names, columns)


def _sort_value(row: PlanRow, attributes: Mapping[str, Value], column: str) -> Value:
    if column in ("bar", "saves", "costs"):
        plan = row.plan
        if plan is None:
            return None
        share = plan.reuse / plan.total if plan.total else None
        return {"bar": share, "saves": plan.saves_tokens, "costs": plan.costs_tokens}[column]
    if column in ("glyph", "action"):
        return STATES.index(str(attributes["action"]))
    return attributes.get(column)


def plan_rows(picture: Picture) -> tuple[PlanRow, ...]:
    """A row for each cell of the plan, in spec order, then the strays."""
    plan = picture.plan
    if plan is None:
        return ()
    cells = {each.key: each for each in picture.cells}
    rows = [PlanRow(p.key, cells[p.key], p) for p in plan.cells if p.key in cells]
    return (*rows, *(PlanRow(STRAY + stray.name, stray=stray) for stray in plan.strays))


def row_cells(row: PlanRow, names: Sequence[str], glyphs: Glyphs) -> tuple[Cell, ...]:
    """The cells of a row, as a table's columns have them. names: the table's."""
    if row.plan is None or row.set_cell is None:
        return _stray_cells(row, names, glyphs)
    plan, attributes = row.plan, row.attributes()
    sign, token = _ACTIONS[plan.action]
    mark = "" if plan.checked or not plan.logs else "?"
    costs = f"~{short_count(plan.costs_tokens)}" if plan.run and plan.costs_tokens else ""
    return (
        cell(getattr(glyphs, sign), token),
        *(cell(shown_value(attributes.get(name)), _name_token(name)) for name in names),
        verdict_bar(plan, BAR, glyphs),
        cell(count(plan.reuse), "kept" if plan.reuse else "muted"),
        cell(count(plan.run), "new" if plan.run else "muted"),
        (*cell(ACTIONS[plan.action], token), (mark, "warn")),
        cell(short_count(plan.saves_tokens) if plan.reuse else "", "muted"),
        cell(costs, "muted"),
    )


def _name_token(name: str) -> str:
    return "text" if name in ("task", "model") else "muted"


def _stray_cells(row: PlanRow, names: Sequence[str], glyphs: Glyphs) -> tuple[Cell, ...]:
    stray = row.stray
    assert stray is not None
    token = "fail" if stray.kind == "broken" else "muted"
    told: Mapping[str, Cell] = {
        "task": cell(stray.name, "muted"),
        "model": cell(stray.reason, token),
    }
    blank: Cell = ()
    return (
        cell(glyphs.failed if stray.kind == "broken" else glyphs.queued, token),
        *(told.get(name, blank) for name in names),
        *[blank] * 3,
        cell(stray.kind, token),
        blank,
        blank,
    )


def total(plan: Plan) -> CellPlan:
    """All cells as if they were one: sums over them, what is not known of one left out."""
    reasons: dict[str, int] = {}
    for each in plan.cells:
        for reason, number in each.reasons.items():
            reasons[reason] = reasons.get(reason, 0) + number
    costs = [each for each in plan.cells if each.run and each.costs_tokens is not None]
    return CellPlan(
        key="",
        action="run",
        total=sum(each.total for each in plan.cells),
        reuse=sum(each.reuse for each in plan.cells),
        tolerated=sum(each.tolerated for each in plan.cells),
        run=sum(each.run for each in plan.cells),
        reasons=reasons,
        saves_tokens=sum(each.saves_tokens or 0 for each in plan.cells),
        saves_seconds=sum(each.saves_seconds or 0.0 for each in plan.cells),
        costs_tokens=sum(each.costs_tokens or 0 for each in costs) if costs else None,
        costs_seconds=sum(each.costs_seconds or 0.0 for each in costs) if costs else None,
    )


def total_lines(plan: Plan, width: int, glyphs: Glyphs) -> tuple[Cell, ...]:
    """The whole plan in three lines: its bar, its counts, what it saves and costs."""
    summed = total(plan)
    return (
        verdict_bar(summed, width, glyphs),
        legend(summed, glyphs) or cell("no samples are known yet", "muted"),
        saves_and_costs(summed) or cell("nothing is kept and nothing runs", "muted"),
    )


def detail_lines(row: PlanRow | None, glyphs: Glyphs) -> tuple[Cell, ...]:
    """The row under the cursor in some lines: its counts, costs, notes, its log."""
    if row is None:
        return ()
    if row.stray is not None:
        said = "belongs to no cell" if row.stray.kind == "foreign" else "can't be read"
        return (
            (*cell(row.stray.name, "strong"), *cell(f" {said}: {row.stray.reason}", "text")),
        )  # fmt: skip
    assert row.plan is not None
    assert row.set_cell is not None
    plan = row.plan
    name = f"{row.set_cell.task} {glyphs.times} {row.set_cell.model}"
    lines: list[Cell] = [(*cell(name, "strong"), *cell(_args(row.set_cell), "muted"))]
    if plan.total:
        costs = saves_and_costs(plan)
        lines.append((*legend(plan, glyphs), *((("   ", "text"), *costs) if costs else ())))
    else:
        lines.append(cell("its size is not known until the task is loaded", "muted"))
    lines += [cell(note, "muted") for note in notes(plan)]
    return tuple(lines)


def _args(set_cell: SetCell) -> str:
    return "".join(f"  {name}={value}" for name, value in set_cell.task_args.items())
