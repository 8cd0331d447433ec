"""Cells planned before anything of them starts: their logs read, their tasks loaded, a plan made.

A cell without logs needs no load: its worker sees what there is to run. Everything else is loaded
first, so that what is kept is known and said before anything runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evaltui.engine.desk import Desk, Wish
from evaltui.engine.directory import Directory
from evaltui.engine.holds import held_by_engine
from evaltui.engine.housekeeping import after_completion
from evaltui.engine.orders import utc
from evaltui.engine.others import Others
from evaltui.engine.planned import planned
from evaltui.engine.state import CellState
from evaltui.logs import journal as jn
from evaltui.logs.metrics import metrics_of
from evaltui.logs.records import LogFile
from evaltui.plan import Asked, CellPlan, Known, make_plan

LOADED_FIRST = ("limit", "sample_id", "max_sandboxes")
"""Settings that make a load necessary even where nothing could be kept."""

AT_ONCE = 25
"""Cells planned in one turn of the engine: reading their logs must not keep it from all else."""


class Planning:
    """Turns the desk's unplanned cells into plans."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._loading: set[str] = set()
        self._directory = Directory(desk.layout, desk.index)
        self._others = Others(desk)

    def turn(self) -> None:
        """Plan what can be planned now, have loaded what must be. Raises OSError."""
        desk = self._desk
        here = desk.book.state.cells
        desk.unplanned &= here.keys()
        self._loading &= desk.unplanned
        cells = [here[key] for key in here if key in desk.unplanned]
        free = [cell for cell in cells if cell.status != "running" and not self._waits(cell)]
        if not free or self._others.still_waiting(free):
            return
        self._directory.refresh()
        logs = self._logs()
        free = self._others.left_alone(free, logs)
        needs_load = self._needs_load()
        fresh = [cell for cell in free if not needs_load and cell.cell.key not in logs]
        others = [cell for cell in free if needs_load or cell.cell.key in logs]
        loaded = [cell for cell in others[:AT_ONCE] if self._is_loaded(cell, logs)]
        self._plan([*fresh, *loaded], logs)

    def _waits(self, cell: CellState) -> bool:
        if self._desk.is_recovering(cell):
            return True
        return cell.cell.key in self._loading and self._desk.loads.of(cell.cell) is None

    def _logs(self) -> Mapping[str, tuple[LogFile, ...]]:
        """The directory's logs by cell."""
        desk = self._desk
        cells = [cell.cell for cell in desk.cells()]
        return self._directory.pairing(cells, desk.wanted.spec, desk.loads.done).logs

    def _is_loaded(self, cell: CellState, logs: Mapping[str, Sequence[LogFile]]) -> bool:
        """Whether the cell's task has been loaded; else it will be."""
        if self._desk.loads.of(cell.cell) is not None:
            return True
        unprinted = self._directory.unprinted(logs.get(cell.cell.key, ()))
        self._desk.loads.want(self._desk.wanted.spec, cell.cell, unprinted)
        self._loading.add(cell.cell.key)
        return False

    def _needs_load(self) -> bool:
        """Whether cells without logs are loaded too: which items a slice drew is recorded before
        anything runs, and so is known which cells take of a host's sandboxes.
        """
        settings = self._desk.wanted.spec.settings
        return any(settings.get(key) is not None for key in LOADED_FIRST)

    def _plan(self, ready: Sequence[CellState], logs: Mapping[str, Sequence[LogFile]]) -> None:
        if not ready:
            return
        rows = [row for cell in ready for row in logs.get(cell.cell.key, ())]
        try:
            plans = self._made(ready, rows)
        except Exception as error:
            if len(ready) > 1:  # one of them has what nobody foresaw: the others are not stopped
                for cell in ready:
                    self._plan([cell], logs)
                return
            plans = [_unplannable(ready[0], error)]
        self._take(plans, {row.name: row for row in rows})
        self._directory.forget(row.name for row in rows)

    def _made(self, ready: Sequence[CellState], rows: Sequence[LogFile]) -> Sequence[CellPlan]:
        desk = self._desk
        plan = make_plan(
            [cell.cell for cell in ready],
            desk.wanted.spec,
            self._known(ready, rows),
            salt=desk.eval_set_id,
            task_names=desk.task_names,
        )
        return plan.cells

    def _known(self, ready: Sequence[CellState], rows: Sequence[LogFile]) -> Known:
        desk = self._desk
        self._directory.forget_unprinted()
        histories, unreadable = self._directory.histories(rows)
        load_keys = {cell.cell.load_key for cell in ready}
        return Known(
            logs=rows,
            histories=histories,
            unreadable=unreadable,
            loads={key: load for key, load in desk.loads.done.items() if key in load_keys},
            draws=self._directory.draws(cell.cell for cell in ready),
            asked={cell.cell.key: self._asked(cell) for cell in ready},
        )

    def _asked(self, cell: CellState) -> Asked:
        wish = self._desk.wishes.get(cell.cell.key, Wish())
        return Asked(
            retry_errors=wish.retry_errors,
            rescore=wish.rescore,
            rerun=cell.failures > 0,
            since=utc(self._desk.since),
        )

    def _take(self, plans: Sequence[CellPlan], rows: Mapping[str, LogFile]) -> None:
        """Journal plans, and keep those by which something is to start."""
        desk = self._desk
        desk.book.say(*(_planned(plan, rows, desk.now) for plan in plans))
        for plan in plans:
            desk.unplanned.discard(plan.key)
            self._loading.discard(plan.key)
            match plan.action:
                case "run" | "merge" | "rescore":
                    desk.plans[plan.key] = plan
                case "none":
                    desk.wishes.pop(plan.key, None)
                    after_completion(desk, plan.key)
                case "held":
                    desk.book.say(held_by_engine(plan.key, plan.held or "", desk.now))
                case _:
                    pass


def _unplannable(cell: CellState, error: Exception) -> CellPlan:
    why = f"Its logs can't be planned with ({type(error).__name__}: {error}); move them elsewhere."
    return CellPlan(cell.cell.key, "blocked", blocked=why)


def _planned(plan: CellPlan, rows: Mapping[str, LogFile], now: float) -> jn.Planned:
    row = rows.get(plan.log) if plan.log and plan.action == "none" else None
    results = row.header.results if row is not None and row.header is not None else None
    return planned(plan, metrics_of(results), now)
