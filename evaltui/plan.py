"""What a resume would do now: (spec, cells, logs, loads) -> Plan. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from evaltui.logs.attempt import Verdict

CellAction = Literal["run", "merge", "none", "running", "held", "blocked", "rescore"]


@dataclass(frozen=True)
class CellPlan:
    """What a resume would do for one cell.

    total: samples x epochs asked for; reuse + tolerated + run = total.
    reasons: why samples run, reason -> count. remapped: kept samples whose place in the dataset
    changed, found by content. notes: `code_changed:16`, `media_unchecked:3`, …
    checked: the task was loaded and contents were compared; else the plan is provisional.
    saves_*, costs_*: tokens and seconds, summed over sample summaries; None where unknown.
    log: the best log of the cell; logs: all of them, best first.
    """

    key: str
    action: CellAction
    total: int = 0
    reuse: int = 0
    tolerated: int = 0
    run: int = 0
    reasons: Mapping[str, int] = field(default_factory=dict)
    remapped: int = 0
    notes: tuple[str, ...] = ()
    checked: bool = False
    log: str | None = None
    logs: tuple[str, ...] = ()
    blocked: str | None = None
    saves_tokens: int | None = None
    saves_seconds: float | None = None
    costs_tokens: int | None = None
    costs_seconds: float | None = None
    grader_calls: int = 0
    verdicts: tuple[Verdict, ...] = ()


@dataclass(frozen=True)
class StrayLog:
    """A log that belongs to no cell (foreign), or that can't be read (broken), and why."""

    name: str
    kind: Literal["foreign", "broken"]
    reason: str
    nearest: str | None = None
    """Key of the cell it comes nearest to."""


@dataclass(frozen=True)
class Plan:
    cells: tuple[CellPlan, ...]
    strays: tuple[StrayLog, ...] = ()

    def by_key(self) -> dict[str, CellPlan]:
        return {cell.key: cell for cell in self.cells}
