"""What the logs of a set say while nobody minds it: read bit by bit, planned, laid over the state.

For the reading thread. Headers come first, so that there is something to see at once; then each
log's samples; then, where somebody asks, the tasks, loaded in workers.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

from evaltui.cells import Cell, Problem
from evaltui.engine.directory import Directory
from evaltui.engine.idle import at_rest
from evaltui.engine.launcher import Launcher
from evaltui.engine.loads import Loads
from evaltui.engine.state import SetState
from evaltui.engine.wanted import cells_of, spec_of_logs
from evaltui.logs.archive import LogError
from evaltui.logs.attempt import LoadedTask
from evaltui.logs.layout import Layout
from evaltui.logs.loads import read_load
from evaltui.logs.manifests import read_eval_set_id
from evaltui.logs.metrics import metrics_of
from evaltui.logs.records import LogFile
from evaltui.plan import Known, Plan, make_plan
from evaltui.spec import SetSpec
from evaltui.tui.picture import Rests

BETWEEN_LISTINGS = 2.0
BUSY = ("running", "held")
AT_ONCE = 0.15
"""Seconds of reading logs before the screen gets to see what there is so far."""


class Resting:
    """The logs of one directory, and the plan they make. Not for several threads."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._directory = Directory(layout, unrecovered=True)
        self._listed_at = 0.0
        self._elsewhere: frozenset[str] = frozenset()
        self._loads: Loads | None = None
        self._loaded: dict[str, LoadedTask] = {}
        self._wanted: Callable[[], Launcher] | None = None
        self._cells: tuple[Cell, ...] = ()
        self._spec: SetSpec | None = None
        self._planned_for: object = None
        self._laid: tuple[SetState, Plan, SetState] | None = None
        self._metrics: dict[str, dict[str, dict[str, float]]] = {}
        self.current: Plan | None = None
        self.rests: Rests = "nothing"
        self.logs: Mapping[str, LogFile] = {}
        self.spec: SetSpec | None = None
        self.problems: tuple[Problem, ...] = ()

    @property
    def wanted(self) -> bool:
        """Whether somebody wants the plan checked, engine or not."""
        return self._wanted is not None

    @property
    def unread(self) -> int:
        """Logs whose samples are still to be read."""
        return self._directory.unread

    @property
    def checking(self) -> int:
        """Loads of tasks under way."""
        return len(self._loads) if self._loads is not None else 0

    def stale(self) -> None:
        """The directory may have changed: list it at the next turn."""
        self._listed_at = 0.0

    def check(self, launcher: Callable[[], Launcher]) -> None:
        """From now on the set's tasks are to be loaded for the plan."""
        self._wanted = launcher
        self._loads = None
        self._loaded = {}
        self._planned_for = None

    def leave_checking(self) -> None:
        """Somebody else has the launcher now."""
        self._wanted, self._loads = None, None

    def turn(
        self, cells: tuple[Cell, ...], spec: SetSpec | None, state: SetState, now: float
    ) -> None:
        """Read a bit more, and plan again where something is new."""
        first = not self._listed_at
        self._cells, self._spec = cells, spec
        self._list()
        if not first and self._directory.read_for(AT_ONCE):
            self._planned_for = None
        self._check(state, now)
        if spec is None:
            return
        busy = {key: cell.message for key, cell in state.cells.items() if cell.status in BUSY}
        made_of = (cells, spec, self._elsewhere, len(self._loaded), busy)
        if made_of != self._planned_for:
            self._planned_for = made_of
            self.current = self.plan(cells, spec, state)
        self.rests = "headers" if self.unread else "samples"

    def plan(self, cells: Sequence[Cell], spec: SetSpec, state: SetState | None = None) -> Plan:
        """The plan of these cells from what was read so far.

        state: for cells that run or are held; without it they are planned as if they were not.
        """
        return make_plan(cells, spec, self.known(cells, spec, state), salt=self._salt())

    def _salt(self) -> str:
        try:
            return read_eval_set_id(self._layout.log_dir) or ""
        except LogError:
            return ""

    def known(
        self, cells: Sequence[Cell], spec: SetSpec | None, state: SetState | None = None
    ) -> Known:
        """What was read so far, in the form that plans are made from."""
        return self._directory.known(
            cells,
            spec or SetSpec(),
            loads=self._loaded,
            state=state,
            elsewhere=self._elsewhere if state is not None else (),
        )

    def laid_over(self, state: SetState) -> SetState:
        """`state` as the logs show it; the same object again where nothing is new."""
        plan = self.current
        if plan is None:
            return state
        if self._laid is None or self._laid[0] is not state or self._laid[1] is not plan:
            self._laid = (state, plan, at_rest(state, plan, self._metrics))
        return self._laid[2]

    def rebuilt(self) -> SetSpec | None:
        """The spec that the logs stand for, where the directory has none."""
        if self.spec is None:
            headers = [row.header for row in self._directory.rows if row.header is not None]
            self.spec = spec_of_logs(self._layout, headers) if headers else None
            if self.spec is not None:
                self.problems = cells_of(self.spec, self._layout.log_dir).problems
        return self.spec

    # --- logs -----------------------------------------------------------------------------------

    def _list(self) -> None:
        now = time.monotonic()
        if self._listed_at and now - self._listed_at < BETWEEN_LISTINGS:
            return
        self._listed_at = now
        try:
            changed = self._directory.refresh()
        except OSError:
            return
        if changed:
            rows = self._directory.rows
            self.logs = {row.name: row for row in rows}
            self._metrics = {
                row.name: metrics_of(row.header.results) for row in rows if row.header is not None
            }
            self._planned_for = None
        if self._spec is not None:
            found = self._directory.written_elsewhere(self._cells, self._spec, self._loaded)
            self._elsewhere = frozenset(found)

    # --- tasks ----------------------------------------------------------------------------------

    def _check(self, state: SetState, now: float) -> None:
        if self._wanted is None or self._spec is None:
            return
        if state.engine is not None:
            self._loads = None
            self._take_stored()
            return
        if self.unread:
            return
        if self._loads is None:
            self._begin_loads(self._wanted())
        loads = self._loads
        assert loads is not None
        loads.poll(self._wanted().poll(), now)
        if len(loads.done) != len(self._loaded):
            self._loaded = dict(loads.done)
            self._directory.forget_unprinted()

    def _begin_loads(self, launcher: Launcher) -> None:
        assert self._spec is not None
        self._loads = Loads(self._layout, launcher)
        logs = self._directory.pairing(self._cells, self._spec).logs
        for cell in self._cells:
            unprinted = self._directory.unprinted(logs.get(cell.key, ()))
            self._loads.want(self._spec, cell, unprinted)

    def _take_stored(self) -> None:
        stored = {cell.load_key: read_load(self._layout, cell.load_key) for cell in self._cells}
        found = {key: load for key, load in stored.items() if load is not None}
        if found.keys() != self._loaded.keys():
            self._loaded = found
