"""A set that nobody minds, as its logs show it, laid over what the journal last said. Pure.

The journal of a set at rest may be stale (logs deleted, the spec edited, Inspect run on it since):
what the logs say stands above it.
"""

from __future__ import annotations

import math
from types import MappingProxyType

from msgspec.structs import replace

from evaltui.engine.folding import fold_entry
from evaltui.engine.planned import planned
from evaltui.engine.state import CellState, SetState
from evaltui.plan import CellPlan, Plan


def at_rest(
    state: SetState, plan: Plan, metrics: dict[str, dict[str, dict[str, float]]]
) -> SetState:
    """`state` with every cell as `plan` finds it; untouched while an engine minds the set.

    metrics: log name -> scorer -> metric -> value.
    """
    if state.engine is not None:
        return state
    for cell in plan.cells:
        if cell.key in state.cells and state.cells[cell.key].status != "running":
            state = _with_plan(state, cell, metrics.get(cell.log or "", {}))
    return state


def _with_plan(state: SetState, plan: CellPlan, metrics: dict[str, dict[str, float]]) -> SetState:
    entry = planned(plan, metrics, math.inf)
    if plan.action == "none":
        return fold_entry(state, entry)
    cell = state.cells[plan.key]
    stale = cell.status == "complete"
    shown: CellState = replace(
        cell, planned=entry, status="idle" if stale else cell.status, log=plan.log or cell.log
    )
    return replace(state, cells=MappingProxyType({**state.cells, plan.key: shown}))
