"""Which cells run in sandboxes, and whether the host has any left for another one.

Each worker gets one at least; so where the limit is below the cells at once, fewer of them run.
"""

from __future__ import annotations

import os

from evaltui.engine.desk import Desk
from evaltui.engine.state import CellState


def processors() -> int:
    """Of this host, as far as this process may use them."""
    return len(os.sched_getaffinity(0))


def sandbox_kind(desk: Desk, cell: CellState) -> str | None:
    """The kind of sandbox that a cell's samples run in; None for none, or where it is not known:
    its task was neither loaded nor run, and the spec does not say.
    """
    asked = desk.wanted.spec.settings.get("sandbox")
    if asked is not None:
        kind = asked[0] if isinstance(asked, list | tuple) else asked
        return str(kind).split(":", 1)[0]
    loaded = desk.loads.of(cell.cell)
    if loaded is not None:
        return loaded.sandbox
    return cell.progress.sandbox if cell.progress is not None else None


def most_sandboxes(desk: Desk, kind: str | None) -> int | None:
    """Sandboxes of this kind at once on the host; None for any number.

    Where nothing is set it is Inspect's own number, which it means for each of its processes.
    """
    limit = desk.wanted.spec.settings.get("max_sandboxes")
    if limit is not None:
        return int(limit)
    return 2 * processors() if kind == "docker" else None


def has_sandboxes(desk: Desk, cell: CellState) -> bool:
    """Whether a cell that starts now gets the sandboxes it needs, or needs none."""
    kind = sandbox_kind(desk, cell)
    limit = most_sandboxes(desk, kind)
    if kind is None or limit is None:
        return True
    return sum(sandbox_kind(desk, each) == kind for each in desk.with_status("running")) < limit
