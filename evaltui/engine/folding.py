"""Journal entries and worker events folded into a `SetState`: the only way it changes. Pure.

What an entry means for the set is said here and nowhere else; deciding is the engine's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from evaltui.engine.state import MOST_FINISHES, CellState, CellStatus, Progress, SetState
from evaltui.engine.tally import with_events
from evaltui.logs import attempt as ev
from evaltui.logs import journal as jn


class AttemptEvents(msgspec.Struct, frozen=True):
    """Events of one attempt of one cell, in the order the worker wrote them."""

    cell: str
    attempt: str
    events: Sequence[ev.Event]


def fold_entry(state: SetState, entry: jn.Entry) -> SetState:
    """`state` after one journal entry."""
    return fold(state, [entry])


def fold_event(state: SetState, cell: str, attempt: str, event: ev.Event) -> SetState:
    """`state` after one event of one attempt of the cell with this key."""
    return fold(state, [AttemptEvents(cell, attempt, (event,))])


def fold(state: SetState, records: Iterable[jn.Entry | AttemptEvents]) -> SetState:
    """`state` after all `records`, in order; copies the cells once, however many records.

    Records of cells that the spec no longer has are passed over, and so are events of any but a
    cell's latest attempt.
    """
    draft = _Draft(state)
    for record in records:
        if isinstance(record, AttemptEvents):
            draft.take_events(record)
        else:
            draft.take_entry(record)
    return draft.state()


class _Draft:
    """A set's state while records are folded into it."""

    def __init__(self, state: SetState) -> None:
        self.before = state
        self.cells = dict(state.cells)
        self.lanes = dict(state.lanes)
        self.whole = state
        self.changes = state.changes

    def state(self) -> SetState:
        if self.changes == self.before.changes:
            return self.before
        return replace(
            self.whole,
            cells=MappingProxyType(self.cells),
            lanes=MappingProxyType(self.lanes),
            changes=self.changes,
        )

    def take_events(self, record: AttemptEvents) -> None:
        cell = self.cells.get(record.cell)
        self.changes += len(record.events)
        if cell is None or cell.progress is None or cell.progress.attempt != record.attempt:
            return
        self.cells[record.cell] = with_events(cell, record.events)
        finishes = [
            event.t
            for event in record.events
            if isinstance(event, ev.SampleEnd) and not event.reused
        ]
        if finishes:
            lane = self.lanes[cell.cell.lane]
            latest = sorted((*lane.finishes, *finishes))[-MOST_FINISHES:]
            self.lanes[lane.name] = replace(lane, finishes=tuple(latest))

    def take_entry(self, entry: jn.Entry) -> None:
        self.changes += 1
        match entry:
            case jn.Held(scope=scope, target=target):
                self.hold(scope, target, True, entry.reason)
            case jn.Released(scope=scope, target=target):
                self.hold(scope, target, False, "")
            case jn.LaneWaits():
                if entry.lane in self.lanes:
                    lane = self.lanes[entry.lane]
                    self.lanes[entry.lane] = replace(lane, waits=entry.waits, message=entry.message)
            case jn.CommandTaken():
                self.command(entry)
            case _ if (rule := _CELL_RULES.get(type(entry))) is not None:
                self.change(entry.cell, lambda cell: rule(cell, entry))  # type: ignore[union-attr]
            case _:
                pass
        self.whole = _whole(self.whole, entry)

    def change(self, key: str, rule: Callable[[CellState], CellState]) -> None:
        cell = self.cells.get(key)
        if cell is not None:
            self.cells[key] = self.settled(rule(cell))

    def hold(self, scope: str, target: str, held: bool, reason: str) -> None:
        if scope == "cell":
            self.change(target, lambda cell: replace(cell, held=held, message=reason))
            return
        if scope == "lane" and target in self.lanes:
            lane = self.lanes[target]
            self.lanes[target] = replace(lane, held=held, message=reason)
        elif scope == "set":
            self.whole = replace(self.whole, held=held)
        self.cells = {key: self.settled(cell) for key, cell in self.cells.items()}

    def command(self, entry: jn.CommandTaken) -> None:
        if entry.refused or entry.command not in _BEGINS_AGAIN:
            return
        for key in entry.cells:
            self.change(key, _begun_again)

    def settled(self, cell: CellState) -> CellState:
        """A cell that no worker runs is held, waits for its time, or queues."""
        if cell.status not in ("queued", "waiting", "held"):
            return cell
        if cell.held or self.whole.held or self.lanes[cell.cell.lane].held:
            return replace(cell, status="held")
        return replace(cell, status="queued" if cell.due is None else "waiting")


_BEGINS_AGAIN = frozenset({"rerun", "retry_errors", "rescore", "resume"})
_GAVE_UP = frozenset({"failed", "stuck", "cancelled", "dropped", "blocked", "complete", "idle"})


def _begun_again(cell: CellState) -> CellState:
    """A person asked: the wait is over; what had been given up starts with a clean record."""
    if cell.status == "running":
        return cell
    failures = 0 if cell.status in _GAVE_UP else cell.failures
    return replace(cell, status="queued", due=None, failures=failures, message="")


def _whole(state: SetState, entry: jn.Entry) -> SetState:
    match entry:
        case jn.EngineStarted():
            return replace(state, engine=(entry.pid, entry.host), ended=None)
        case jn.EngineStopped():
            return replace(state, engine=None, ended=entry.state)
        case jn.SpecRead():
            return replace(state, spec_error=None)
        case jn.SpecBroken():
            return replace(state, spec_error=entry)
        case jn.Trashed():
            return replace(state, trashed=(*state.trashed, entry))
        case jn.Restored():
            left = tuple(gone for gone in state.trashed if gone.trash != entry.trash)
            return replace(state, trashed=left)
        case jn.Message():
            return replace(state, message=entry)
        case jn.CommandTaken() if entry.outcome:
            level: Literal["warning", "info"] = "warning" if entry.refused else "info"
            return replace(state, answer=jn.Message(t=entry.t, text=entry.outcome, level=level))
        case _:
            return state


def _planned(cell: CellState, entry: jn.Planned) -> CellState:
    cell = replace(cell, planned=entry, log=entry.log or cell.log)
    if cell.status == "running":
        return cell
    if entry.action == "none":
        done = jn.Completed(
            t=entry.t,
            cell=entry.cell,
            log=entry.log,
            metrics=entry.metrics,
            samples=entry.total,
            errored=entry.tolerated,
        )
        return _completed(cell, done)
    if entry.action == "blocked":
        return replace(cell, status="blocked", message=entry.blocked or "", due=None)
    if cell.status in _GAVE_UP:
        said = cell.message if cell.held else ""
        return replace(cell, status="queued", due=None, failures=0, message=said)
    return cell


def _launched(cell: CellState, entry: jn.Launched) -> CellState:
    planned = cell.planned
    return replace(
        cell,
        status="running",
        attempts=(*(name for name in cell.attempts if name != entry.attempt), entry.attempt),
        due=None,
        message="",
        progress=Progress(
            attempt=entry.attempt,
            number=entry.number,
            reason=entry.reason,
            pid=entry.pid,
            launched_at=entry.t,
            total=planned.total if planned else 0,
            reused=planned.reuse if planned else 0,
        ),
    )


def _attempt_ended(cell: CellState, entry: jn.AttemptEnded) -> CellState:
    progress = cell.progress
    if progress is None or progress.attempt != entry.attempt:
        return cell
    return replace(
        cell,
        status="queued" if cell.status == "running" else cell.status,
        progress=replace(progress, ended=entry.status, busy=0, log=entry.log or progress.log),
        message=entry.error or (cell.message if cell.held else ""),
        log=entry.log or cell.log,
        metrics=entry.metrics or cell.metrics,
    )


def _completed(cell: CellState, entry: jn.Completed) -> CellState:
    progress = cell.progress
    if progress is not None and progress.loaded_at is None:
        reused = min(cell.planned.reuse if cell.planned else 0, entry.samples)
        progress = replace(
            progress,
            total=entry.samples,
            reused=reused,
            done=entry.samples - reused,
            errored=entry.errored,
            busy=0,
            ended=progress.ended or "success",
        )
    return replace(
        cell,
        status="complete",
        progress=progress,
        due=None,
        failures=0,
        message="",
        log=entry.log,
        metrics=entry.metrics or cell.metrics,
        samples=entry.samples,
        errored=entry.errored,
    )


def _rerun_scheduled(cell: CellState, entry: jn.RerunScheduled) -> CellState:
    return replace(cell, status="waiting", due=entry.due, failures=entry.failures)


def _failed(cell: CellState, entry: jn.Failed) -> CellState:
    status: CellStatus = "stuck" if entry.why == "stuck" else "failed"
    return replace(cell, status=status, due=None, message=entry.message)


_CELL_RULES: Mapping[type, Callable[[CellState, Any], CellState]] = {
    jn.Planned: _planned,
    jn.Launched: _launched,
    jn.AttemptEnded: _attempt_ended,
    jn.RerunScheduled: _rerun_scheduled,
    jn.Failed: _failed,
    jn.Completed: _completed,
    jn.Blocked: lambda cell, entry: replace(cell, status="blocked", due=None, message=entry.reason),
    jn.Cancelled: lambda cell, entry: replace(cell, status="cancelled", due=None),
    jn.Dropped: lambda cell, entry: replace(cell, status="dropped", due=None),
}
