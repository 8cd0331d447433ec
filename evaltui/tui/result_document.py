"""The report on scores as the results screen reads it. Pure.

The document is that of `evaltui.stats.report`, which a process of its own makes; only what is shown
is decoded here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

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


def scorer_name(row: ScoreRow) -> str:
    """The scorer, with the reducer of epochs where that is not the mean."""
    named = row.scorer or "-"
    return named if row.reducer in ("mean", None) else f"{named} [{row.reducer}]"
