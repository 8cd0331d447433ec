"""From a planned cell to a started worker: the next cell is picked, its shares and order made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evaltui.engine import scheduler
from evaltui.engine.desk import Desk, Wish
from evaltui.engine.orders import Attempt, order
from evaltui.engine.sandboxes import has_sandboxes, most_sandboxes, processors, sandbox_kind
from evaltui.engine.scheduler import Pick, Ready
from evaltui.engine.shares import cells_beside, connections_share, host_share, max_connections
from evaltui.engine.state import CellState
from evaltui.logs import journal as jn
from evaltui.logs.attempt import Action
from evaltui.logs.draws import write_draw
from evaltui.plan import CellPlan


def launch(desk: Desk) -> None:
    """Start what may start now. Raises OSError where nothing can be written any more."""
    while desk.launcher.ready and (picked := _next(desk)) is not None:
        _start(desk, picked)


def _next(desk: Desk) -> Pick | None:
    if desk.book.state.held:
        return None
    ready = [
        Ready(cell.cell.key, cell.cell.lane, cell.cell.index)
        for cell in desk.due()
        if cell.cell.key in desk.plans and has_sandboxes(desk, cell)
    ]
    if not ready:
        return None
    limits = {cell.lane: _lane_limit(desk, cell.key) for cell in ready}
    closed = [lane for lane in limits if _is_closed(desk, lane, limits[lane])]
    return scheduler.pick(ready, desk.attempts.by_lane(), max_tasks(desk), limits, closed)


def _is_closed(desk: Desk, lane: str, limit: int | None) -> bool:
    """Held, waiting for its model, or all its connections are given away."""
    state = desk.book.state.lanes[lane]
    given_away = limit is not None and desk.attempts.connections(lane) >= limit
    return state.held or state.waits or given_away


def max_tasks(desk: Desk) -> int:
    """Cells at once: the spec's, else ten or one for each model."""
    spec = desk.wanted.spec
    return int(spec.settings.get("max_tasks") or scheduler.default_max_tasks(len(spec.models)))


def _lane_limit(desk: Desk, key: str) -> int | None:
    cell = desk.cell(key)
    bound = max_connections(desk.wanted.spec.settings, cell.model_config)
    return scheduler.lane_limit(cell.lane, bound)


def _start(desk: Desk, picked: Pick) -> None:
    key = picked.cell.key
    state = desk.book.state.cells[key]
    cell, plan = state.cell, desk.plans.pop(key)
    attempt = _attempt(desk, state, plan, desk.wishes.get(key, Wish()))
    spec = desk.wanted.spec
    connections = connections_share(
        spec.settings,
        cell.model_config,
        desk.attempts.connections(cell.lane),
        _to_come(desk, key, picked.counts.get(cell.lane, 0)),
    )
    made = order(
        spec,
        cell,
        attempt,
        connections,
        _host_shares(desk, key),
        log_dir=str(desk.layout.log_dir),
        eval_set_id=desk.eval_set_id,
        task_names=desk.task_names,
    )
    launched = jn.Launched(
        t=desk.now,
        cell=key,
        attempt=attempt.name,
        number=attempt.number,
        reason=attempt.reason,
        action=attempt.action,
        counts=picked.counts,
    )
    if plan.draw is not None:
        write_draw(desk.layout, key, plan.draw)
    desk.attempts.start(cell, made, launched, connections.connections, desk.spec_number)


def _attempt(desk: Desk, state: CellState, plan: CellPlan, wish: Wish) -> Attempt:
    key = state.cell.key
    number = len(state.attempts) + 1
    while desk.layout.attempt(f"{key}-{number:03d}").folder.exists():
        number += 1
    return Attempt(
        name=f"{key}-{number:03d}",
        number=number,
        reason=wish.reason or _reason(state, plan),
        action=_action(plan),
        since=desk.since,
        rerun=state.failures > 0,
        retry_errors=wish.retry_errors,
        rescore=wish.rescore,
        logs=plan.logs,
        verdicts=plan.verdicts if plan.checked else None,
    )


def _action(plan: CellPlan) -> Action:
    return plan.action if plan.action in ("merge", "rescore") else "run"


def _reason(state: CellState, plan: CellPlan) -> str:
    if state.failures:
        return "rerun"
    if plan.action in ("merge", "rescore"):
        return plan.action
    return "resumed" if plan.reuse else "new"


def _to_come(desk: Desk, key: str, running: int) -> int:
    """Cells of the lane that may run beside those that run, this one included."""
    lane = desk.cell(key).lane
    unfinished = desk.unfinished
    of_lane = sum(cell.cell.lane == lane for cell in unfinished)
    lanes = [cell.cell.lane for cell in unfinished]
    beside = cells_beside(of_lane, _lane_limit(desk, key), max_tasks(desk), lanes)
    return max(1, beside - running)


def _host_shares(desk: Desk, key: str) -> Mapping[str, Any]:
    """This worker's part of the host's subprocesses and sandboxes, by their names in `eval()`."""
    settings = desk.wanted.spec.settings
    at_once = min(max_tasks(desk), max(1, len(desk.unfinished)))
    most = most_sandboxes(desk, sandbox_kind(desk, desk.book.state.cells[key]))
    shares = {
        "max_subprocesses": host_share(settings.get("max_subprocesses", processors()), at_once),
        "max_sandboxes": host_share(most, at_once),
    }
    return {name: share for name, share in shares.items() if share is not None}
