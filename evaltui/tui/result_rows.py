"""Rows of the results screen: scores with what they stand on, from the report's document. Pure.

The document is that of `evaltui.stats.report`, which a process of its own makes; only what is shown
is decoded here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from evaltui.text import Glyphs, count, score
from evaltui.tui.columns import Column
from evaltui.tui.runs import Cell, cell

VERSION = 1


class Interval(msgspec.Struct, frozen=True):
    low: float
    high: float
    level: float = 0.95
    method: str = ""
    effective_n: float | None = None


class ScoreRow(msgspec.Struct, frozen=True, kw_only=True):
    """One score of one cell; the fields as in the report."""

    key: str
    task: str
    task_args: Mapping[str, Any] = {}
    model: str
    log: str
    status: str = "success"
    scorer: str | None = None
    reducer: str | None = None
    value: float | None = None
    interval: Interval | None = None
    stderr: float | None = None
    planned: int = 0
    scored: int = 0
    errored: int = 0
    limited: int = 0
    unscored: int = 0
    not_run: int = 0
    unreadable: int = 0
    samples: int = 0
    epochs: int = 1
    bounds: tuple[float, float] | None = None
    flags: tuple[str, ...] = ()
    sentence: str | None = None
    without_retries: float | None = None

    @property
    def row_key(self) -> str:
        return "\x00".join((self.key, self.log, self.scorer or "", self.reducer or ""))


class SkippedLog(msgspec.Struct, frozen=True):
    log: str
    reason: str


class Results(msgspec.Struct, frozen=True):
    version: int
    rows: tuple[ScoreRow, ...] = ()
    skipped: tuple[SkippedLog, ...] = ()


def read_results(document: bytes) -> Results:
    """The document. Raises ValueError with one sentence."""
    try:
        found = msgspec.json.decode(document, type=Results)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise ValueError(f"the report can't be read: {error}") from None
    if found.version > VERSION:
        raise ValueError(f"the report has version {found.version}; this evaltui reads {VERSION}")
    return found


def in_order(results: Results, keys: Mapping[str, int]) -> tuple[ScoreRow, ...]:
    """The rows in the order of the set. keys: log name -> place of its cell."""
    last = len(keys)
    return tuple(sorted(results.rows, key=lambda row: keys.get(row.log, last)))


COLUMNS = (
    Column("task", "TASK", 8, 20, grow=2),
    Column("model", "MODEL", 14, 22, priority=1, grow=1),
    Column("scorer", "SCORER", 8, 14, priority=4),
    Column("score", "SCORE", 5, 6, align="right"),
    Column("interval", "95%", 9, 11, priority=2, align="right"),
    Column("scored", "SCORED", 7, 11, priority=2, align="right"),
    Column("err", "ERR", 3, 5, priority=3, align="right"),
    Column("flags", "NOTES", 7, 22, priority=3),
)
ATTRIBUTES = ("task", "model", "scorer", "score", "err", "scored", "flag")
STATES = ("scored", "unscored", "flagged", "partial", "errored")

_FLAGS: Mapping[str, str] = {"shift": "retries shift it", "share": "many retried"}


def attributes(row: ScoreRow) -> dict[str, Any]:
    """What a filter may ask for."""
    states = ["scored" if row.value is not None else "unscored"]
    states += ["flagged"] if row.flags else []
    states += ["partial"] if row.scored < row.planned else []
    states += ["errored"] if row.errored else []
    return {
        "task": row.task,
        "model": row.model,
        "scorer": row.scorer or "",
        "score": row.value if row.value is not None else -1.0,
        "err": row.errored,
        "scored": row.scored,
        "flag": list(row.flags),
        "is": states,
    }


def row_cells(
    row: ScoreRow, args: Mapping[str, Any], glyphs: Glyphs, asked: int = 0
) -> tuple[Cell, ...]:
    """The cells of a row.

    args: those that tell its cell from others of the task. asked: samples that the set asks for
    now, which may be more than the log was made for; 0 where that is not known.
    """
    name = " ".join([row.task, *(f"{key}={value}" for key, value in args.items())])
    whole = row.scored >= row.planned
    return (
        cell(name),
        cell(row.model),
        cell(scorer_name(row), "muted"),
        cell(score(row.value), "strong" if row.value is not None else "muted"),
        cell(_interval(row), "text"),
        ((count(row.scored), "text" if whole else "warn"), (f"/{count(row.planned)}", "muted")),
        cell(count(row.errored) if row.errored else "", "fail"),
        _notes(row, asked),
    )


def scorer_name(row: ScoreRow) -> str:
    named = row.scorer or "-"
    return named if row.reducer in ("mean", None) else f"{named} [{row.reducer}]"


def _interval(row: ScoreRow) -> str:
    return f"{score(row.interval.low)}–{score(row.interval.high)}" if row.interval else "-"


def _notes(row: ScoreRow, asked: int) -> Cell:
    notes = [(f"! {_FLAGS.get(flag, flag)}", "warn") for flag in row.flags]
    if row.status != "success":
        notes.append((row.status, "fail"))
    if asked > row.planned:
        notes.append((f"asks {count(asked)}", "warn"))
    if row.epochs > 1:
        notes.append((f"{row.epochs} epochs", "muted"))
    gap = ("  ", "text")
    return tuple(run for note in notes for run in (gap, note))[1:]


def detail_lines(row: ScoreRow | None, glyphs: Glyphs) -> tuple[Cell, ...]:
    """The row under the cursor: what its score stands on, and what a reader must know of it."""
    if row is None:
        return ()
    name = f"{row.task} {glyphs.times} {row.model}"
    lines: list[Cell] = [
        (*cell(name, "strong"), *cell(f"  {scorer_name(row)}  {row.log}", "muted"))
    ]
    lines.append(cell(_stands_on(row)))
    if row.sentence:
        lines.append((("! ", "warn"), (row.sentence, "text")))
    if row.limited:
        lines.append(cell(f"{_samples(row.limited)} stopped by a sample limit.", "muted"))
    if row.unreadable:
        said = f"{_samples(row.unreadable)} scored with a text that is no number, taken as 0."
        lines.append(cell(said, "muted"))
    return tuple(lines)


def _stands_on(row: ScoreRow) -> str:
    parts = [f"{score(row.value)} over {count(row.scored)} of {count(row.planned)} planned"]
    if row.interval is not None:
        level = f"{row.interval.level:.0%}"
        low, high = score(row.interval.low), score(row.interval.high)
        parts.append(f"{level} {low} to {high} ({row.interval.method})")
    missing = [
        f"{count(number)} {what}"
        for number, what in (
            (row.errored, "errored"),
            (row.unscored, "unscored"),
            (row.not_run, "not run"),
        )
        if number
    ]
    if missing:
        parts.append(", ".join(missing))
    if row.bounds is not None and row.scored < row.planned:
        low, high = score(row.bounds[0]), score(row.bounds[1])
        parts.append(f"between {low} and {high} whatever the missing ones are")
    return "; ".join(parts)


def _samples(number: int) -> str:
    return f"{count(number)} sample{' was' if number == 1 else 's were'}"


def telling_args(rows: Sequence[ScoreRow]) -> dict[str, dict[str, Any]]:
    """By row key, the args whose values differ among the cells of its task."""
    by_task: dict[str, list[ScoreRow]] = {}
    for row in rows:
        by_task.setdefault(row.task, []).append(row)
    found: dict[str, dict[str, Any]] = {}
    for group in by_task.values():
        names = dict.fromkeys(name for row in group for name in row.task_args)
        differing = [n for n in names if len({str(row.task_args.get(n)) for row in group}) > 1]
        for row in group:
            found[row.row_key] = {n: row.task_args[n] for n in differing if n in row.task_args}
    return found
