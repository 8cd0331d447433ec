"""A set that nobody minds, as its logs show it, laid over what the journal last said. Pure.

The journal of a set at rest may be stale (logs deleted, the spec edited, Inspect run on it since):
what the logs say stands above it.
"""

from __future__ import annotations

import math
from types import MappingProxyType

from msgspec.structs import replace

from evaltui.engine.folding import fold
from evaltui.engine.planned import planned
from evaltui.engine.state import CellState, SetState
from evaltui.logs.journal import Planned
from evaltui.plan import Plan


def at_rest(
    state: SetState, plan: Plan, metrics: dict[str, dict[str, dict[str, float]]]
) -> SetState:
    """`state` with every cell as `plan` finds it; untouched while an engine minds the set.

    metrics: log name -> scorer -> metric -> value.
    """
    if state.engine is not None:
        return state
    completed: list[Planned] = []
    cells = dict(state.cells)
    for each in plan.cells:
        cell = cells.get(each.key)
        if cell is None or cell.status == "running":
            continue
        entry = planned(each, metrics.get(each.log or "", {}), math.inf)
        if each.action == "none":
            completed.append(entry)
        else:
            cells[each.key] = _as_planned(cell, entry)
    return fold(replace(state, cells=MappingProxyType(cells)), completed)


def _as_planned(cell: CellState, entry: Planned) -> CellState:
    """A cell that is not complete, whatever the journal says of it."""
    status = "idle" if cell.status == "complete" else cell.status
    return replace(cell, planned=entry, status=status, log=entry.log or cell.log)
