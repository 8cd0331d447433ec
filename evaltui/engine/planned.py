"""A cell's plan as the journal has it: of an engine's cell, or of one in a set at rest. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from evaltui.logs import journal as jn
from evaltui.plan import CellPlan


def planned(plan: CellPlan, metrics: Mapping[str, Mapping[str, float]], t: float) -> jn.Planned:
    """metrics: of the log that the plan finds complete. t: unix seconds."""
    return jn.Planned(
        t=t,
        cell=plan.key,
        action=plan.action,
        total=plan.total,
        reuse=plan.reuse,
        tolerated=plan.tolerated,
        run=plan.run,
        reasons=plan.reasons,
        notes=plan.notes,
        log=plan.log,
        metrics=metrics,
        blocked=plan.blocked,
    )
