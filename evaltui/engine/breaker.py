"""The lane breaker: no further cell starts in a lane whose model answers nobody. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evaltui.engine.state import CellState, Progress, SetState

PATIENCE = 120.0
"""Seconds without a finished sample in the whole lane before it waits."""


def waiting_lanes(state: SetState, now: float) -> Mapping[str, str]:
    """Lanes in which nothing further may start, each with the sentence that says why.

    A lane waits when every worker in it retries its model and none has finished a sample for
    `PATIENCE`; as soon as one finishes, or none runs, it goes on.
    """
    running: dict[str, list[Progress]] = {}
    for cell in state.cells.values():
        if _runs(cell) and cell.progress is not None:
            running.setdefault(cell.cell.lane, []).append(cell.progress)
    return {
        lane: _sentence(lane, workers)
        for lane, workers in running.items()
        if all(_retries_in_vain(worker, now) for worker in workers)
    }


def _runs(cell: CellState) -> bool:
    return cell.status == "running"


def _retries_in_vain(worker: Progress, now: float) -> bool:
    if worker.retry_at is None or worker.retried_at is None:
        return False
    answered = worker.last_done
    if answered is not None and answered >= worker.retried_at:
        return False
    since = answered if answered is not None else worker.loaded_at or worker.launched_at or now
    return now - since >= PATIENCE


def _sentence(lane: str, workers: Sequence[Progress]) -> str:
    statuses = sorted({worker.retry_status for worker in workers if worker.retry_status})
    what = f" ({', '.join(map(str, statuses))})" if statuses else ""
    errors = next((worker.retry_error for worker in workers if worker.retry_error), None)
    what = what or (f" ({errors})" if errors else "")
    return (
        f"{lane} has answered nobody for {PATIENCE / 60:.0f} minutes{what}: no further cell of "
        "it starts until it does. Nothing to do: its workers go on trying."
    )
