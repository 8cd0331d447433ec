"""What one line about a cell or a lane says: the figures people read, from a `SetState`. Pure.

Shared by the screen and by plain output, so that the two never tell different stories.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from evaltui.engine.state import (
    CellState,
    CellStatus,
    LaneState,
    OtherModel,
    Progress,
    SetState,
)
from evaltui.engine.thresholds import Threshold, threshold
from evaltui.text import countdown, duration, score

Mark = Literal["complete", "failed", "running", "queued", "rerun", "cancelled", "held"]

MARKS: Mapping[CellStatus, Mark] = {
    "idle": "queued",
    "queued": "queued",
    "running": "running",
    "waiting": "rerun",
    "held": "held",
    "blocked": "failed",
    "failed": "failed",
    "stuck": "failed",
    "cancelled": "cancelled",
    "dropped": "cancelled",
    "complete": "complete",
}
UNKNOWN = 1_000_000_000
"""A total that is not known yet: a count is what it will be, a share is judged later."""

RATE_WINDOW = 60.0
"""Seconds over which a lane's finished samples are counted."""


class CellRow(msgspec.Struct, frozen=True):
    """One cell in figures.

    kept: samples reused; done: finished without error by the running or last attempt; total: asked
    for; errors: errored samples, which are not done; left: what the cell still has to finish.
    settled: the cell has ended, only the count of errors is left to say.
    next: the one thing to know: time left, countdown, place in the queue, or the headline score.
    """

    key: str
    task: str
    model: str
    status: CellStatus
    mark: Mark
    kept: int
    done: int
    total: int
    left: int
    errors: int
    fails_at: int | None
    judged_at_end: bool
    settled: bool
    next: str
    message: str


class LaneRow(msgspec.Struct, frozen=True):
    """One lane in figures, cells by what they do. per_minute: samples finished in the last minute.

    waiting: cells that failed and run again when their time has come.
    """

    name: str
    running: int
    queued: int
    waiting: int
    busy: int
    per_minute: int
    says: str


class OtherRow(msgspec.Struct, frozen=True):
    """A model that cells call beside their own, in figures. role: `grader`, or empty if unknown."""

    name: str
    role: str
    calls: int
    retries: int
    says: str


def cell_rows(state: SetState, settings: Mapping[str, Any], now: float) -> tuple[CellRow, ...]:
    """A row for every cell, in spec order. settings: the spec's. now: unix seconds."""
    places = _places(state)
    minded = state.engine is not None
    return tuple(
        cell_row(cell, settings, now, places.get(key), minded=minded)
        for key, cell in state.cells.items()
    )


def cell_row(
    cell: CellState,
    settings: Mapping[str, Any],
    now: float,
    place: int | None = None,
    *,
    minded: bool = True,
) -> CellRow:
    """place: where the cell stands in the queue, from 1. minded: an engine minds the set."""
    kept, done, total, errors = _counts(cell, settings)
    limit = cell_threshold(cell, settings, total)
    return CellRow(
        key=cell.cell.key,
        task=cell.cell.task,
        model=cell.cell.model,
        status=cell.status,
        mark=MARKS[cell.status],
        kept=kept,
        done=done,
        total=total,
        left=max(0, total - kept - done - (errors if cell.status in _ENDS_WITH_ERRORS else 0)),
        errors=errors,
        fails_at=limit.fails_at,
        judged_at_end=limit.at_end,
        settled=cell.status == "complete",
        next=_next(cell, kept, total, now, place, minded),
        message=cell.message,
    )


def cell_threshold(cell: CellState, settings: Mapping[str, Any], total: int) -> Threshold:
    """What the cell tolerates: as its task was loaded where the spec leaves it open."""
    rule = settings.get("error_rule", "more-than")
    progress = cell.progress
    if total == 0 and cell.status != "complete":
        return threshold(settings.get("fail_on_error"), rule, UNKNOWN, growing=True)
    if "fail_on_error" in settings or progress is None or progress.loaded_at is None:
        growing = progress is not None and progress.growing
        return threshold(settings.get("fail_on_error"), rule, total, growing=growing)
    if progress.tolerates is None:
        return threshold(False, rule, total)
    return threshold(int(progress.tolerates) or True, "more-than", total)


_ENDS_WITH_ERRORS = frozenset({"running", "complete"})
"""Statuses in which errored samples are not run again by themselves."""


def _counts(cell: CellState, settings: Mapping[str, Any]) -> tuple[int, int, int, int]:
    """(kept, done, total, errors): of the attempt that runs or ran last, or of a later plan."""
    progress, planned = cell.progress, cell.planned
    if progress is not None and not _planned_since(cell, progress):
        total = _total(progress, settings)
        kept = min(progress.reused, total)
        return kept, min(progress.clean, total - kept), total, progress.errored
    if planned is not None:
        errors = planned.tolerated + planned.reasons.get("errored", 0)
        return planned.reuse, 0, planned.total, errors
    return 0, 0, cell.samples, cell.errored


def _total(progress: Progress, settings: Mapping[str, Any]) -> int:
    """What the spec asks for now: it may ask for other epochs than when the attempt began."""
    epochs = settings.get("epochs")
    if not progress.samples or epochs in (None, progress.epochs):
        return progress.total
    return progress.samples * int(epochs)


def _planned_since(cell: CellState, progress: Progress) -> bool:
    if cell.planned is None or cell.status in ("running", "complete"):
        return False
    return progress.loaded_at is None or cell.planned.t > (progress.last_done or progress.loaded_at)


def _next(
    cell: CellState, kept: int, total: int, now: float, place: int | None, minded: bool
) -> str:
    match cell.status:
        case "complete":
            return headline(cell.metrics)
        case "waiting" if not minded:
            return "at resume"
        case "waiting":
            return countdown(max(0.0, (cell.due or now) - now))
        case "queued":
            return f"#{place}" if place else "queued"
        case "running":
            left = seconds_left(cell, now)
            return duration(left) if left is not None else ""
        case "idle":
            return "" if total and kept >= total else "-"
        case _:
            return cell.status


def seconds_left(cell: CellState, now: float) -> float | None:
    """How long the running attempt still takes at its pace so far; None before it has one."""
    progress = cell.progress
    if progress is None or progress.loaded_at is None or not progress.done:
        return None
    left = progress.total - progress.reused - progress.done
    elapsed = max(now - progress.loaded_at, 0.001)
    return left * elapsed / progress.done


def headline(metrics: Mapping[str, Mapping[str, float]]) -> str:
    """The first metric of the first scorer, as the score of a finished cell."""
    for values in metrics.values():
        for value in values.values():
            return score(value)
    return "-"


def _places(state: SetState) -> dict[str, int]:
    waiting = [key for key, cell in state.cells.items() if cell.status == "queued"]
    return {key: place for place, key in enumerate(waiting, 1)}


def lane_rows(state: SetState, now: float) -> tuple[LaneRow, ...]:
    """A row for every lane, in spec order."""
    return tuple(_lane_row(state, lane, now) for lane in state.lanes.values())


def _lane_row(state: SetState, lane: LaneState, now: float) -> LaneRow:
    cells = [cell for cell in state.cells.values() if cell.cell.lane == lane.name]
    running = [cell for cell in cells if cell.status == "running"]
    return LaneRow(
        name=lane.name,
        running=len(running),
        queued=sum(cell.status == "queued" for cell in cells),
        waiting=sum(cell.status == "waiting" for cell in cells),
        busy=sum(cell.progress.busy for cell in running if cell.progress),
        per_minute=sum(finish > now - RATE_WINDOW for finish in lane.finishes),
        says=_lane_says(lane, running, now),
    )


def other_rows(state: SetState, now: float) -> tuple[OtherRow, ...]:
    """A row for every model that the last attempts called beside their cells' own."""
    heard: dict[str, list[OtherModel]] = {}
    roles: dict[str, str] = {}
    for cell in state.cells.values():
        if cell.progress is not None and cell.progress.others:
            roles |= cell.cell.roles_by_model
            for name, other in cell.progress.others.items():
                heard.setdefault(name, []).append(other)
    return tuple(
        OtherRow(
            name=name,
            role=roles.get(name, ""),
            calls=sum(other.calls for other in others),
            retries=sum(other.retries for other in others),
            says=_waits([(o.retry_at, o.retry_status) for o in others if o.retry_at], now),
        )
        for name, others in heard.items()
    )


def _lane_says(lane: LaneState, running: list[CellState], now: float) -> str:
    if lane.held:
        return "held"
    if lane.waits:
        return lane.message or "waits until a sample finishes"
    progresses = [cell.progress for cell in running if cell.progress]
    return _waits([(p.retry_at, p.retry_status) for p in progresses if p.retry_at], now)


def _waits(retries: list[tuple[float, int | None]], now: float) -> str:
    """What those say who wait to call again: (when, for what status)."""
    waits = [wait for wait in retries if wait[0] > now]
    if not waits:
        return ""
    until, status = max(waits, key=lambda wait: wait[0])
    return f"{status or 'error'} ×{len(waits)}, waits {countdown(until - now)}"


def set_counts(rows: tuple[CellRow, ...]) -> tuple[int, int, int, int, int]:
    """(cells complete, cells, samples kept or done, samples, errors) of the whole set; errored
    samples are not done.
    """
    return (
        sum(row.status == "complete" for row in rows),
        len(rows),
        sum(row.kept + row.done for row in rows),
        sum(row.total for row in rows),
        sum(row.errors for row in rows),
    )
