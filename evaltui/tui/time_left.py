"""How long the set still takes, at the pace of its lanes; and whether that is all of it. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from evaltui.engine.rows import CellRow
from evaltui.engine.state import SetState

_TO_COME = ("running", "queued", "waiting")
_PACE_OF = 300.0
"""Seconds over which finished samples make a lane's pace."""


class TimeLeft(msgspec.Struct, frozen=True):
    """seconds: until the slowest lane is done, of those whose pace is known.

    at_least: there is more to come whose time is not known.
    """

    seconds: float
    at_least: bool


class _Lane(msgspec.Struct):
    """What one lane has before it. due: when its last rerun may start, unix seconds."""

    samples: int = 0
    unsized: bool = False
    runs: bool = False
    due: float = 0.0


def time_left(state: SetState, rows: Sequence[CellRow], now: float) -> TimeLeft | None:
    """None while no lane has a pace. now: unix seconds.

    While no cell of a lane runs it has no pace, and it is not done before its last rerun is due.
    """
    known: list[float] = []
    at_least = False
    for name, lane in _lanes(state, rows).items():
        pace = _pace(state.lanes[name].finishes, now) if lane.runs else None
        at_least |= lane.unsized or (pace is None and lane.samples > 0)
        if pace is not None and lane.samples:
            known.append(max(lane.samples / pace, lane.due - now))
    return TimeLeft(max(known), at_least) if known else None


def _lanes(state: SetState, rows: Sequence[CellRow]) -> dict[str, _Lane]:
    lanes: dict[str, _Lane] = {}
    for row in rows:
        if row.status in _TO_COME:
            cell = state.cells[row.key]
            lane = lanes.setdefault(cell.cell.lane, _Lane())
            lane.samples += row.left
            lane.unsized |= not row.total
            lane.runs |= row.status == "running"
            if row.status == "waiting":
                lane.due = max(lane.due, cell.due or 0.0)
    return lanes


def _pace(finishes: Sequence[float], now: float) -> float | None:
    """Samples a second in the last minutes; None where too few have finished to say."""
    lately = [each for each in finishes if each > now - _PACE_OF]
    return len(lately) / max(now - lately[0], 1.0) if len(lately) > 1 else None
