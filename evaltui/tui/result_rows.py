"""The results as a list: one line for each score of each cell, with what it stands on. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from evaltui.text import Glyphs, count, score
from evaltui.tui.columns import Column
from evaltui.tui.query import Value
from evaltui.tui.result_document import ScoreRow, scorer_name
from evaltui.tui.result_facts import CellFacts, told_apart
from evaltui.tui.result_words import Remark, dash, remarks, sign_of
from evaltui.tui.runs import Cell, cell

_FIGURES = (
    Column("scorer", "SCORER", 8, 14, priority=4),
    Column("score", "SCORE", 5, 6, align="right"),
    Column("interval", "95%", 9, 11, priority=2, align="right"),
    Column("scored", "SCORED", 7, 11, priority=2, align="right"),
    Column("err", "ERR", 3, 5, priority=3, align="right"),
    Column("bounds", "BETWEEN", 9, 11, priority=5, align="right"),
    Column("flags", "NOTES", 7, 22, priority=3, grow=1),
    Column("log", "LOG", 48, 60, priority=6),
)
ATTRIBUTES = ("task", "model", "scorer", "score", "err", "scored", "flag", "log")
STATES = ("scored", "unscored", "flagged", "partial", "errored", "mixed", "running")


class ListedScore(msgspec.Struct, frozen=True):
    """A score with the names of its task and model, and what is to be known of it.

    facts: None for a log that belongs to no cell.
    """

    score: ScoreRow
    task: str
    model: str
    facts: CellFacts | None = None
    remarks: tuple[Remark, ...] = ()

    @property
    def key(self) -> str:
        return self.score.row_key

    def attributes(self) -> dict[str, Value]:
        """What a filter may ask for."""
        row = self.score
        kinds = {remark.kind for remark in self.remarks}
        states = ["scored" if row.value is not None else "unscored"]
        states += ["flagged"] if row.flags else []
        states += ["partial"] if row.scored < row.planned or "partial" in kinds else []
        states += ["errored"] if row.errored else []
        states += [kind for kind in ("mixed", "running") if kind in kinds]
        return {
            "task": self.task,
            "model": self.model,
            "scorer": row.scorer or "",
            "score": row.value if row.value is not None else -1.0,
            "err": row.errored,
            "scored": row.scored,
            "flag": list(row.flags),
            "log": row.log,
            "is": states,
        }


def listed(rows: Sequence[ScoreRow], facts: Sequence[CellFacts]) -> tuple[ListedScore, ...]:
    """All scores in the order of the set, those of logs of no cell last."""
    by_log = {each.log: (place, each) for place, each in enumerate(facts) if each.log}
    strangers = [row for row in rows if row.log not in by_log]
    names = told_apart((row.key, row.task, row.task_args) for row in strangers)
    found = []
    for row in sorted(rows, key=lambda row: by_log.get(row.log, (len(facts), None))[0]):
        _, known = by_log.get(row.log, (0, None))
        task, model = (known.task, known.model) if known else (names[row.key], row.model)
        found.append(ListedScore(row, task, model, known, remarks(row, known)))
    return tuple(found)


def columns_of(rows: Sequence[ListedScore]) -> tuple[Column, ...]:
    """The columns of a list of these scores."""
    task = max([len(each.task) for each in rows], default=8)
    model = max([len(each.model) for each in rows], default=14)
    return (
        Column("task", "TASK", 8, min(task, 28), grow=1),
        Column("model", "MODEL", 14, min(model, 30), priority=1, grow=1),
        *_FIGURES,
    )


def row_cells(each: ListedScore, glyphs: Glyphs) -> tuple[Cell, ...]:
    """The cells of a row, as `columns_of` has them."""
    row = each.score
    whole = row.scored >= row.planned
    return (
        cell(each.task),
        cell(each.model),
        cell(scorer_name(row), "muted"),
        cell(score(row.value), "strong" if row.value is not None else "muted"),
        cell(_interval(row, glyphs)),
        (
            (count(row.scored), "text" if whole else "warn"), (f"/{count(row.planned)}", "muted"),
        ),
        cell(count(row.errored) if row.errored else "", "fail"),
        cell(_bounds(row, glyphs), "muted"),
        _notes(each, glyphs),
        cell(row.log, "muted"),
    )  # fmt: skip


def sort_value(each: ListedScore, column: str) -> Value:
    """What a row is sorted by."""
    row = each.score
    values: Mapping[str, Any] = {
        "task": each.task,
        "model": each.model,
        "scorer": scorer_name(row),
        "score": row.value,
        "interval": row.interval.low if row.interval else None,
        "scored": row.scored,
        "err": row.errored,
        "bounds": row.bounds[0] if row.bounds else None,
        "log": row.log,
        "flags": len(each.remarks),
    }
    value: Value = values.get(column)
    return value


def _interval(row: ScoreRow, glyphs: Glyphs) -> str:
    if row.interval is None:
        return "-"
    return f"{score(row.interval.low)}{dash(glyphs)}{score(row.interval.high)}"


def _bounds(row: ScoreRow, glyphs: Glyphs) -> str:
    """The least and the most it can be; nothing where nothing is missing."""
    if row.bounds is None or row.scored >= row.planned:
        return ""
    return f"{score(row.bounds[0])}{dash(glyphs)}{score(row.bounds[1])}"


def _notes(each: ListedScore, glyphs: Glyphs) -> Cell:
    notes: list[Cell] = []
    for remark in each.remarks:
        sign, token = sign_of(remark.kind, glyphs)
        notes.append(((f"{sign} ", token), (remark.short, token)))
    if each.score.epochs > 1:
        notes.append(cell(f"{each.score.epochs} epochs", "muted"))
    gap = ("  ", "text")
    return tuple(run for note in notes for run in (gap, *note))[1:]
