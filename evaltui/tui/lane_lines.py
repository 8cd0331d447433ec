"""The lanes as rows: their cells, their pace, and why one waits. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from evaltui.engine.rows import LaneRow, OtherRow, lane_rows
from evaltui.engine.state import SetState
from evaltui.text import Glyphs, count, number, sparkline
from evaltui.tui.columns import Column
from evaltui.tui.query import Query, Value, select
from evaltui.tui.runs import Cell, cell, joined, width_of

_SPARK_MINUTES = 8
_LEAST_COUNTS = 15


def lane_columns(lines: Sequence[tuple[Cell, ...]]) -> tuple[Column, ...]:
    """The name, and as much as stands at the right of these lines."""
    width = max((width_of(joined(line[1])) for line in lines), default=_LEAST_COUNTS)
    ideal = max(_LEAST_COUNTS, width)
    return (
        Column("lane", "LANE", 10, 10, grow=1),
        Column("counts", "", _LEAST_COUNTS, ideal, align="right"),
    )


def lane_counts(row: LaneRow) -> str:
    """Its cells in a few words; waiting ones only where there are any, then without a zero: the
    longest of these takes its room from the names of all.
    """
    if row.waiting and not row.queued:
        return f"{row.running} run {row.waiting:>2} waiting"
    counts = f"{row.running} run {row.queued:>2} queued"
    return f"{counts} {row.waiting} waiting" if row.waiting else counts


def lane_attributes(row: LaneRow) -> dict[str, Value]:
    return {
        "lane": row.name,
        "run": row.running,
        "queued": row.queued,
        "waiting": row.waiting,
        "busy": row.busy,
        "rate": row.per_minute,
        "is": "held" if row.says == "held" else "running" if row.running else "idle",
    }


LANE_ATTRIBUTES = ("lane", "run", "queued", "waiting", "busy", "rate")
LANE_STATES = ("held", "running", "idle")


def lanes_shown(state: SetState, now: float, query: Query) -> list[LaneRow]:
    """The lanes that the filter lets through, in spec order; a set at rest has no pace."""
    rows = lane_rows(state, now)
    if state.engine is None:
        rows = tuple(replace(row, per_minute=0) for row in rows)
    return [rows[index] for index in select(query, [lane_attributes(row) for row in rows])]


def lane_lines(
    row: LaneRow, finishes: Sequence[float], now: float, glyphs: Glyphs, *, short: bool
) -> tuple[tuple[Cell, ...], ...]:
    """A lane as one line (short), or as two: its cells, then its pace or why it waits."""
    counts = lane_counts(row)
    says: Cell = ()
    spark: Cell = ()
    if row.says:
        says = cell(row.says.replace("×", glyphs.times), "held" if row.says == "held" else "wait")
    elif row.per_minute or row.running:
        says = cell(f"{number(row.per_minute, 4)}/min ", "muted")
        spark = cell(sparkline(pace(finishes, now), _SPARK_MINUTES, glyphs), "spark")
    token = "text" if row.running or row.queued or row.waiting else "muted"
    if short:
        busy = row.running and not row.says
        tail = (*says, *spark) if row.says or busy else cell(counts, "muted")
        return (((cell(row.name, token)), tail),)
    second = ((), says) if row.says else ((("  ", "text"), *says), spark)
    return ((cell(row.name, token), cell(counts, "muted")), second)


def other_line(row: OtherRow, glyphs: Glyphs) -> tuple[Cell, ...]:
    """A model that is called beside the lanes': what it is for, its calls, and whether it waits."""
    name = cell(f"{row.role or 'also'} {row.name}", "muted")
    if row.says:
        return (name, cell(row.says.replace("×", glyphs.times), "wait"))
    calls = "1 call" if row.calls == 1 else f"{count(row.calls)} calls"
    retried = f", {count(row.retries)} retried" if row.retries else ""
    return (name, cell(f"{calls}{retried}", "muted"))


def pace(finishes: Sequence[float], now: float) -> list[float | None]:
    """Samples finished in each of the last minutes, oldest first; None before there were any."""
    if not finishes:
        return []
    minutes: list[float | None] = []
    for back in range(_SPARK_MINUTES, 0, -1):
        begin, end = now - back * 60, now - (back - 1) * 60
        if end < finishes[0]:
            minutes.append(None)
        else:
            minutes.append(float(sum(begin < finish <= end for finish in finishes)))
    return minutes
