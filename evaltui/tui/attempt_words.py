"""An attempt in words: why it was started, what came of it, and what followed. Pure."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from evaltui.engine.state import CellState
from evaltui.logs import journal as jn
from evaltui.text import Glyphs, count, duration
from evaltui.tui.columns import Column
from evaltui.tui.picture import AttemptLine
from evaltui.tui.query import Value
from evaltui.tui.runs import Cell, cell

ATTEMPT_COLUMNS = (
    Column("mark", "", 1, 1),
    Column("number", "", 3, 3, align="right"),
    Column("when", "", 8, 8, 3),
    Column("status", "", 8, 10),
    Column("why", "", 12, 30, 1, grow=1),
    Column("log", "", 12, 30, 4),
)
ATTEMPT_ATTRIBUTES = ("status", "reason", "error", "log")
ATTEMPT_STATES = ("running", "success", "error", "cancelled", "crashed", "replan")

ANOTHER_RUN = "written by another run, or by inspect"
IN_TRASH = "its log went to the trash: a later one has all of it"
_STATUS_TOKENS = {"running": "run", "success": "ok", "cancelled": "muted", "replan": "muted"}

_REASONS: Mapping[str, tuple[str, str]] = {
    "new": ("new", "new"),
    "new_epoch": ("in a new epoch", "in new epochs"),
    "errored": ("errored", "errored"),
    "cancelled": ("cancelled", "cancelled"),
    "invalidated": ("invalidated", "invalidated"),
    "content_changed": ("with another question", "with other questions"),
    "limit_raised": ("with a limit raised", "with a limit raised"),
}
"""Reason to run a sample -> its words for one, and for several."""

_ASKED: Mapping[str, str] = {
    "asked": "asked for",
    "errors again": "errored samples again, as asked",
    "rescore": "scores again",
    "merge": "joins logs",
}
_AFTER: Mapping[str, str] = {
    "crashed": "after a crash",
    "cancelled": "after a cancel",
    "error": "after errors",
    "success": "after a success: more is asked for",
}


def why_launched(entry: jn.Launched, planned: jn.Planned | None, before: AttemptLine | None) -> str:
    """Why an attempt was started, and of what. before: the attempt before it."""
    if entry.reason in _ASKED:
        said = _ASKED[entry.reason]
    elif before is None:
        said = "first run" if entry.reason == "new" else "resumed from logs"
    else:
        what = "rerun" if entry.reason == "rerun" else "resumed"
        said = f"{what} {_AFTER.get(before.status, '')}".strip()
    return f"{said}: {_counted(planned)}" if planned is not None and planned.total else said


def _counted(planned: jn.Planned) -> str:
    """`3 errored, 40 in new epochs; keeps 61`."""
    reasons = {name: number for name, number in planned.reasons.items() if number}
    unsaid = planned.run - sum(reasons.values())
    if unsaid > 0:
        reasons["new"] = reasons.get("new", 0) + unsaid
    runs = [
        f"{count(number)} {_REASONS.get(name, (name, name))[number != 1].replace('_', ' ')}"
        for name, number in reasons.items()
    ]
    keeps = planned.reuse + planned.tolerated
    parts = [", ".join(runs) or "nothing runs", *([f"keeps {count(keeps)}"] if keeps else [])]
    return "; ".join(parts)


def attempt_rows(
    attempts: Sequence[AttemptLine], best: str | None, now: float, glyphs: Glyphs
) -> list[tuple[str, tuple[Cell, ...]]]:
    """A row for each attempt, oldest first. best: name of the log that counts for the cell."""
    return [(line.key, _attempt_cells(line, best, now, glyphs)) for line in attempts]


def attempt_attributes(line: AttemptLine) -> dict[str, Value]:
    """What a filter may ask of an attempt."""
    return {
        "status": line.status,
        "reason": line.reason,
        "error": line.error,
        "log": line.log,
        "is": line.status,
    }


def _attempt_cells(
    line: AttemptLine, best: str | None, now: float, glyphs: Glyphs
) -> tuple[Cell, ...]:
    token = _STATUS_TOKENS.get(line.status, "fail")
    counts = line.log is not None and line.log == best
    said = [first_line(part) for part in (line.error, line.reason, line.then) if part]
    return (
        cell(_mark(line, glyphs), token),
        cell(f"{line.number}" if line.number else "", "strong"),
        cell(time.strftime("%H:%M:%S", time.localtime(line.began)) if line.began else "", "muted"),
        cell(line.status, token),
        (("; ".join(said), "text"), (_lasted(line, now), "muted")),
        ((f"{glyphs.kept} " if counts else "", "kept"), (line.log or "", "muted")),
    )


def attempt_lines(
    line: AttemptLine | None, best: str | None, now: float, glyphs: Glyphs, said: str = ""
) -> list[Cell]:
    """The attempt under the cursor, nothing of it cut: why it ran, how it ended, its log.

    said: of its cell already; what is in that is not said again.
    """
    if line is None:
        return []
    token = _STATUS_TOKENS.get(line.status, "fail")
    name = f"attempt {line.number}" if line.number else "log"
    lines: list[Cell] = [
        (
            (f"{_mark(line, glyphs)} ", token),
            (name, "strong"),
            (f"  {line.reason}{_lasted(line, now)}", "text"),
        )
    ]
    if line.error and one_sentence(line.error)[:60] not in one_sentence(said):
        lines.append(cell(f"ended with {line.status}: {one_sentence(line.error)}", "fail"))
    if line.then and line.then[:60] not in said:
        lines.append(cell(f"then {line.then}", "muted"))
    if line.log:
        counts = f"{glyphs.kept} counts  " if line.log == best else ""
        lines.append(((counts, "kept"), (line.log, "muted")))
    return lines


def cell_lines(state: CellState, glyphs: Glyphs) -> list[Cell]:
    """What stands between a cell and its end, whole."""
    if not state.message or state.status == "complete":
        return []
    fails = state.status in ("failed", "stuck", "blocked")
    signs = {"waiting": glyphs.rerun, "cancelled": glyphs.cancelled}
    sign = glyphs.failed if fails else signs.get(state.status, glyphs.held)
    said = f"{sign} {state.status}: {one_sentence(state.message)}"
    return [cell(said, "error" if fails else "warn")]


def one_sentence(text: str) -> str:
    """A message as one line: a traceback says what it is about in its last line."""
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    if not lines:
        return ""
    return lines[-1] if lines[0].startswith("Traceback") else " ".join(lines)


def first_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[0] if lines else ""


def _mark(line: AttemptLine, glyphs: Glyphs) -> str:
    marks = {
        "running": glyphs.running,
        "success": glyphs.complete,
        "cancelled": glyphs.cancelled,
        "replan": glyphs.rerun,
    }
    return marks.get(line.status, glyphs.failed)


def _lasted(line: AttemptLine, now: float) -> str:
    return f"  {duration((line.ended or now) - line.began)}" if line.began is not None else ""
