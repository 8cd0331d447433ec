"""Which cell starts next. Pure: it sees who is ready and who runs, and picks one.

The next cell is the earliest in spec order whose lane has the fewest running cells; spec order is
task-major, so an interrupted set stays comparable.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import msgspec

IN_PROCESS = frozenset({"hf", "vllm", "sglang", "transformer_lens", "nnterp", "llama_cpp"})
"""Providers that load a model's weights into the worker: two workers would load them twice."""


class Ready(msgspec.Struct, frozen=True):
    """A cell that could start now. index: its place in spec order."""

    key: str
    lane: str
    index: int


class Pick(msgspec.Struct, frozen=True):
    """The cell that starts, and the running cells by lane that decided it."""

    cell: Ready
    counts: Mapping[str, int]


def default_max_tasks(models: int) -> int:
    return max(10, models)


def lane_limit(lane: str, max_connections: int | None) -> int | None:
    """How many cells of a lane may run at once, None for any number.

    A lane with `max_connections` runs at most that many cells, since each needs one connection.
    """
    if lane.split("/", 1)[0] in IN_PROCESS:
        return 1
    return max_connections


def pick(
    ready: Iterable[Ready],
    running: Mapping[str, int],
    max_tasks: int,
    limits: Mapping[str, int | None],
    closed: Collection[str] = (),
) -> Pick | None:
    """The cell to start now, or None when nothing may start.

    running: cells that run, by lane. limits: most running cells by lane. closed: lanes in which
    nothing starts (held, or their breaker is open).
    """
    if sum(running.values()) >= max_tasks:
        return None
    open_cells = [
        cell
        for cell in ready
        if cell.lane not in closed and not _full(running.get(cell.lane, 0), limits.get(cell.lane))
    ]
    if not open_cells:
        return None
    first = min(open_cells, key=lambda cell: (running.get(cell.lane, 0), cell.index))
    return Pick(first, dict(running))


def _full(running: int, limit: int | None) -> bool:
    return limit is not None and running >= limit
