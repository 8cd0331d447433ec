"""A report of scores as lines of text, Markdown and CSV. Pure."""

from __future__ import annotations

import csv as csv_format
import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from evaltui.commands.lines import telling_args
from evaltui.text import Glyphs, clip, count, score, visible, width_of

if TYPE_CHECKING:
    from evaltui.stats.document import Interval, Report, Row

_HEAD = ("TASK", "MODEL", "SCORER", "SCORE", "95%", "STDERR", "SCORED", "MISSING", "BOUNDS")
_LEFT = 3
_WIDEST = 40


def lines(report: Report, glyphs: Glyphs, width: int) -> list[str]:
    """One line for each score, the findings on it below, then the logs that can't be read."""
    names = _names(report)
    rows = [[clip(cell, _WIDEST, glyphs) for cell in _cells(row, names)] for row in report.rows]
    widths = [max(width_of(row[i]) for row in [_HEAD, *rows]) for i in range(len(_HEAD))]
    told = [_aligned(_HEAD, widths)] if rows else []
    for row, cells in zip(report.rows, rows, strict=True):
        told.append(_aligned(cells, widths))
        told += [f"  ! {visible(finding, glyphs)}" for finding in findings(row)]
    told += [f"{visible(s.log, glyphs)}: {visible(s.reason, glyphs)}" for s in report.skipped]
    return [clip(line, width, glyphs).rstrip() for line in told]


def findings(row: Row) -> list[str]:
    """What a reader of the score must know: retries, samples left out, texts that are no score."""
    told = [row.sentence] if row.sentence else []
    if row.limited:
        told.append(f"{_samples(row.limited)} stopped by a sample limit.")
    if row.unreadable:
        told.append(f"{_samples(row.unreadable)} scored with a text that is no number, taken as 0.")
    return told


def markdown(report: Report) -> list[str]:
    """A table, with the findings as a list below it."""
    told = [_bars(_HEAD), _bars(["---"] * _LEFT + ["---:"] * (len(_HEAD) - _LEFT))]
    names = _names(report)
    told += [_bars([_escaped(cell) for cell in _cells(row, names)]) for row in report.rows]
    remarks = [
        f"- {_escaped(f'{names[row.key]} × {row.model}, {_scorer(row)}')}: {_escaped(finding)}"
        for row in report.rows
        for finding in findings(row)
    ]
    remarks += [f"- {_escaped(s.log)}: {_escaped(s.reason)}" for s in report.skipped]
    return [*told, "", *remarks] if remarks else told


def csv(report: Report) -> str:
    """A line for each score with all its figures; lists are joined by spaces."""
    out = io.StringIO()
    writer = csv_format.writer(out, lineterminator="\n")
    writer.writerow(_FIELDS)
    writer.writerows([_plain(value) for value in _flat(row).values()] for row in report.rows)
    return out.getvalue()


_FIELDS = (
    "key", "task", "model", "scorer", "reducer", "value", "low", "high", "level", "method",
    "effective_n", "stderr", "planned", "scored", "errored", "errored_scored", "limited",
    "unscored", "not_run", "reused", "rerolled", "unreadable", "samples", "epochs", "lowest",
    "highest", "flags", "without_retries", "sentence", "status", "log",
)  # fmt: skip


def _flat(row: Row) -> dict[str, Any]:
    interval, bounds = row.interval, row.bounds or (None, None)
    spread = {
        name: getattr(interval, name) if interval else None
        for name in ("low", "high", "level", "method", "effective_n")
    }
    spread |= {"lowest": bounds[0], "highest": bounds[1]}
    return {name: spread[name] if name in spread else getattr(row, name) for name in _FIELDS}


def _plain(value: Any) -> str:
    if value is None:
        return ""
    return " ".join(value) if isinstance(value, tuple) else str(value)


def _names(report: Report) -> dict[str, str]:
    """Cell key -> task, with the args that tell it from others of that name."""
    telling = telling_args(report.rows)
    return {
        row.key: " ".join([row.task, *(f"{k}={v}" for k, v in telling[row.key].items())])
        for row in report.rows
    }


def _cells(row: Row, names: Mapping[str, str]) -> list[str]:
    return [
        names[row.key],
        row.model,
        _scorer(row),
        score(row.value),
        _interval(row.interval),
        score(row.stderr),
        f"{count(row.scored)}/{count(row.planned)}",
        _missing(row),
        f"{score(row.bounds[0])}–{score(row.bounds[1])}" if row.bounds else "-",
    ]


def _scorer(row: Row) -> str:
    named = row.scorer or "-"
    return named if row.reducer == "mean" else f"{named} [{row.reducer or 'unreduced'}]"


def _interval(interval: Interval | None) -> str:
    return f"{score(interval.low)}–{score(interval.high)}" if interval else "-"


def _missing(row: Row) -> str:
    errored = row.errored - row.errored_scored
    parts = ((errored, "errored"), (row.unscored, "unscored"), (row.not_run, "not run"))
    return ", ".join(f"{count(number)} {what}" for number, what in parts if number) or "-"


def _samples(number: int) -> str:
    return f"{count(number)} sample{' was' if number == 1 else 's were'}"


def _aligned(cells: Sequence[str], widths: Sequence[int]) -> str:
    parts = []
    for index, (cell, width) in enumerate(zip(cells, widths, strict=True)):
        space = " " * (width - width_of(cell))
        parts.append(cell + space if index < _LEFT else space + cell)
    return "  ".join(parts)


def _bars(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _escaped(text: str) -> str:
    """Text that Markdown shows as it is, also within a table."""
    shown = visible(text)
    for mark in "\\`*_[]<>|#":
        shown = shown.replace(mark, f"\\{mark}")
    return shown
