"""Whether a report passes what a person set as a bar, and why it does not. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evaltui.stats.document import Report, Row
from evaltui.text import score

_MEANS = ("accuracy", "mean", "score")


class GateError(Exception):
    """A bar that no score can be held against; one sentence."""


@dataclass(frozen=True, slots=True)
class Minimum:
    """name: a scorer, a metric that Inspect wrote, or `scorer/metric`; accuracy, mean and score
    name every scorer's score, `all passed` a roll-up of whatever scorers.
    value: the least that passes, in every cell.
    """

    name: str
    value: float

    def measure(self, row: Row) -> float | None:
        """What this bar is held against in a row; None where it does not concern the row."""
        named = row.scorer or ""
        if named == self.name or named.startswith(f"{self.name} ("):
            return row.value
        scorer, _, metric = self.name.rpartition("/")
        if scorer and scorer != row.scorer:
            return None
        if metric in row.inspect:
            return row.inspect[metric]
        return row.value if metric == row.scorer or metric in _MEANS else None


@dataclass(frozen=True, slots=True)
class Bars:
    """max_errors: errored samples over all cells. max_reroll: share of a cell's scored samples that
    had another try. incomplete: pass though planned samples have not run.
    """

    minima: tuple[Minimum, ...] = ()
    max_errors: int | None = None
    max_reroll: float | None = None
    incomplete: bool = False


def failures(report: Report, bars: Bars) -> list[str]:
    """Why the report does not pass, a sentence each; empty when it does. Raises GateError."""
    if not report.rows and not report.skipped:
        return [f"{report.log_dir} holds no logs."]
    found = [f"{s.log} can't be read: {s.reason}" for s in report.skipped]
    for minimum in bars.minima:
        found += _below(report.rows, minimum)
    found += _errors(report.rows, bars.max_errors)
    if bars.max_reroll is not None:
        found += _rerolled(report.rows, bars.max_reroll)
    if not bars.incomplete:
        found += _unfinished(report.rows)
    return found


def _below(rows: Sequence[Row], minimum: Minimum) -> list[str]:
    measured = [(row, minimum.measure(row)) for row in rows]
    if all(value is None for _, value in measured) and any(row.scorer for row in rows):
        known = sorted({n for r in rows for n in (r.scorer or "", *r.inspect) if n})
        raise GateError(
            f"no score or metric is called '{minimum.name}'; there are {', '.join(known)}"
        )
    found = [
        f"{_name(row)}: {minimum.name} is {score(value)}, below {minimum.value:g}."
        for row, value in measured
        if value is not None and value < minimum.value
    ]
    scored = {row.key for row, value in measured if value is not None}
    bare = {row.key: row for row in rows if row.key not in scored}
    return found + [f"{_cell(row)} has no {minimum.name}." for row in bare.values()]


def _errors(rows: Sequence[Row], most: int | None) -> list[str]:
    if most is None:
        return []
    errored = {row.key: row.errored for row in rows}
    total = sum(errored.values())
    if total <= most:
        return []
    return [f"{total} samples errored, more than {most}."]


def _rerolled(rows: Sequence[Row], most: float) -> list[str]:
    return [
        f"{_name(row)}: {row.rerolled} of {row.scored} scored samples were tried again after an "
        f"error, more than a share of {most:g}."
        for row in rows
        if row.rerolled > most * row.scored
    ]


def _unfinished(rows: Sequence[Row]) -> list[str]:
    cells = {row.key: row for row in rows}
    return [
        f"{_cell(row)} is not finished: {row.not_run} of {row.planned} samples have not run, its "
        f"log ended as {row.status}."
        for row in cells.values()
        if row.not_run or row.status != "success"
    ]


def _cell(row: Row) -> str:
    return f"{row.task} × {row.model}"


def _name(row: Row) -> str:
    return f"{_cell(row)}, {row.scorer}"
