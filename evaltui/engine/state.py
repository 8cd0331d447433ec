"""The set as it stands: the types of an immutable `SetState`, which `folding` brings about. Pure.

The one truth that screens and plain output show. It keeps counts and decisions; a sample's own
story is read from its attempt's events where somebody looks at it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Literal

import msgspec
from msgspec.structs import replace

from evaltui.cells import Cell
from evaltui.logs import journal as jn

CellStatus = Literal[
    "idle",  # in the spec, no engine has planned it
    "queued", "running", "waiting", "held", "blocked", "failed", "stuck", "cancelled", "dropped",
    "complete",
]  # fmt: skip

SetStatus = Literal["idle", "running", "complete", "incomplete", "cancelled"]


class OtherModel(msgspec.Struct, frozen=True):
    """What a worker says of a model beside its cell's own: a grader's, another role's.

    calls: answered ones. retry_at: when its latest retry is made (unix seconds).
    """

    calls: int = 0
    retries: int = 0
    retry_at: float | None = None
    retry_status: int | None = None


class Progress(msgspec.Struct, frozen=True):
    """The running (or last) attempt of a cell, counted.

    total: samples x epochs asked for; reused: kept; done: finished by this attempt, errored ones
    included; errored: of those, and of kept ones, which `errored_kept` counts alone; retried:
    samples that Inspect retried.
    first_done, last_done: unix seconds of the first and last sample this attempt finished.
    errors: message -> count, at most MOST_ERRORS messages.
    """

    attempt: str
    number: int = 1
    reason: str = ""
    pid: int | None = None
    log: str | None = None
    total: int = 0
    samples: int = 0
    epochs: int = 1
    reused: int = 0
    done: int = 0
    errored: int = 0
    errored_kept: int = 0
    limited: int = 0
    retried: int = 0
    busy: int = 0
    tokens: int = 0
    launched_at: float | None = None
    loaded_at: float | None = None
    first_done: float | None = None
    last_done: float | None = None
    errors: Mapping[str, int] = msgspec.field(default_factory=dict)
    tolerates: float | None = 0.0
    growing: bool = False
    sandbox: str | None = None
    retry_at: float | None = None
    """When the latest model retry of this attempt will be made (unix seconds)."""
    retried_at: float | None = None
    """When that retry was reported."""
    retry_status: int | None = None
    retry_error: str | None = None
    retries: int = 0
    others: Mapping[str, OtherModel] = msgspec.field(default_factory=dict)
    ended: str | None = None

    @property
    def clean(self) -> int:
        """Samples that this attempt finished without an error: what counts as done."""
        return max(0, self.done - self.errored + self.errored_kept)


class CellState(msgspec.Struct, frozen=True):
    cell: Cell
    status: CellStatus = "idle"
    progress: Progress | None = None
    attempts: tuple[str, ...] = ()
    failures: int = 0
    due: float | None = None
    message: str = ""
    held: bool = False
    planned: jn.Planned | None = None
    log: str | None = None
    metrics: Mapping[str, Mapping[str, float]] = msgspec.field(default_factory=dict)
    samples: int = 0
    errored: int = 0


class LaneState(msgspec.Struct, frozen=True):
    """All cells of one model. finishes: unix seconds of the last finished samples, oldest first."""

    name: str
    held: bool = False
    waits: bool = False
    message: str = ""
    finishes: tuple[float, ...] = ()


class SetState(msgspec.Struct, frozen=True):
    """cells and lanes in spec order. engine: pid and host of who decides, None if nobody does.

    message: the last word that is of weight until another comes. answer: what came of the last
    command, which matters to whoever gave it and for a moment.
    """

    cells: Mapping[str, CellState] = msgspec.field(default_factory=dict)
    lanes: Mapping[str, LaneState] = msgspec.field(default_factory=dict)
    engine: tuple[int, str] | None = None
    ended: str | None = None
    held: bool = False
    message: jn.Message | None = None
    answer: jn.Message | None = None
    spec_error: jn.SpecBroken | None = None
    trashed: tuple[jn.Trashed, ...] = ()
    changes: int = 0
    """Grows with every record folded, so that a reader sees at once whether anything changed."""

    @property
    def status(self) -> SetStatus:
        if self.engine is not None:
            return "running"
        statuses = {cell.status for cell in self.cells.values()}
        if statuses and statuses <= {"complete"}:
            return "complete"
        if self.ended in ("incomplete", "cancelled"):
            return "incomplete" if self.ended == "incomplete" else "cancelled"
        return "idle"


MOST_ERRORS = 20
MOST_FINISHES = 600


def with_cells(state: SetState, cells: Iterable[Cell]) -> SetState:
    """`state` with exactly these cells, in their order; what is known of each is kept."""
    kept = {
        cell.key: replace(state.cells[cell.key], cell=cell)
        if cell.key in state.cells
        else CellState(cell)
        for cell in cells
    }
    lanes = dict.fromkeys(cell.cell.lane for cell in kept.values())
    return replace(
        state,
        cells=MappingProxyType(kept),
        lanes=MappingProxyType({name: state.lanes.get(name) or LaneState(name) for name in lanes}),
        changes=state.changes + 1,
    )
