"""Cells planned before anything of them starts: their logs read, their tasks loaded, a plan made.

A cell without logs needs no load: its worker sees what there is to run. Everything else is loaded
first, so that what is kept is known and said before anything runs.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from evaltui.engine.desk import Desk, Wish
from evaltui.engine.housekeeping import after_completion
from evaltui.engine.orders import utc
from evaltui.engine.state import CellState
from evaltui.logs import journal as jn
from evaltui.logs.draws import Draw, read_draw
from evaltui.logs.history import read_histories
from evaltui.logs.records import LogFile, LogHeader
from evaltui.plan import Asked, CellPlan, Known, Pairing, make_plan, pair_logs

AT_ONCE = 25
"""Cells planned in one turn of the engine: reading their logs must not keep it from all else."""


class Planning:
    """Turns the desk's unplanned cells into plans."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._loading: set[str] = set()
        self._paired_for: object = None
        self._pairing = Pairing({}, ())

    def turn(self) -> None:
        """Plan what can be planned now, have loaded what must be. Raises OSError."""
        desk = self._desk
        here = desk.book.state.cells
        desk.unplanned &= here.keys()
        self._loading &= desk.unplanned
        cells = [here[key] for key in here if key in desk.unplanned]
        free = [cell for cell in cells if cell.status != "running" and not self._waits(cell)]
        if not free:
            return
        logs = self._logs(desk.index.refresh())
        ready = []
        for cell in free[:AT_ONCE]:
            if self._is_ready(cell, logs.get(cell.cell.key, ())):
                ready.append(cell)
        self._plan(ready, logs)

    def _waits(self, cell: CellState) -> bool:
        if self._desk.is_recovering(cell):
            return True
        return cell.cell.key in self._loading and self._desk.loads.of(cell.cell) is None

    def _logs(self, rows: Sequence[LogFile]) -> Mapping[str, tuple[LogFile, ...]]:
        """The directory's logs by cell; paired again only when logs, cells or loads changed."""
        desk = self._desk
        cells = [cell.cell for cell in desk.cells()]
        seen = ([id(row) for row in rows], cells, len(desk.loads.done))
        if seen != self._paired_for:
            known = Known(logs=rows, loads=desk.loads.done)
            self._pairing = pair_logs(cells, desk.wanted.spec, known)
            self._paired_for = seen
            self._rows = rows  # kept alive, so that ids stay theirs
        return self._pairing.logs

    def _is_ready(self, cell: CellState, logs: Sequence[LogFile]) -> bool:
        if self._desk.loads.of(cell.cell) is not None:
            return True
        if not logs and not self._draws():
            return True
        histories, _ = read_histories(self._desk.layout, logs)
        unprinted = [name for name, log in histories.items() if not log.fingerprinted]
        self._desk.loads.want(self._desk.wanted.spec, cell.cell, unprinted)
        self._loading.add(cell.cell.key)
        return False

    def _draws(self) -> bool:
        """Whether a slice leaves items out: which it drew is recorded before anything runs."""
        settings = self._desk.wanted.spec.settings
        return any(settings.get(key) is not None for key in ("limit", "sample_id"))

    def _plan(self, ready: Sequence[CellState], logs: Mapping[str, Sequence[LogFile]]) -> None:
        desk = self._desk
        if not ready:
            return
        keys = {cell.cell.key for cell in ready}
        rows = [row for key in keys for row in logs.get(key, ())]
        plans = make_plan(
            [cell.cell for cell in desk.cells()],
            desk.wanted.spec,
            self._known(ready, rows),
            salt=desk.eval_set_id,
        )
        by_name = {row.name: row for row in rows}
        for plan in plans.cells:
            if plan.key in keys:
                self._take(plan, by_name)

    def _known(self, ready: Sequence[CellState], rows: Sequence[LogFile]) -> Known:
        desk = self._desk
        histories, unreadable = read_histories(desk.layout, rows)
        draws: dict[str, Draw] = {}
        for cell in ready:
            draw = read_draw(desk.layout, cell.cell.key)
            if draw is not None:
                draws[cell.cell.key] = draw
        load_keys = {cell.cell.load_key for cell in ready}
        return Known(
            logs=rows,
            histories=histories,
            unreadable=unreadable,
            loads={key: load for key, load in desk.loads.done.items() if key in load_keys},
            draws=draws,
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

    def _take(self, plan: CellPlan, rows: Mapping[str, LogFile]) -> None:
        """Journal a plan, and keep it where something is to start."""
        desk = self._desk
        desk.unplanned.discard(plan.key)
        self._loading.discard(plan.key)
        row = rows.get(plan.log) if plan.log else None
        metrics = metrics_of(row.header) if row is not None and row.header is not None else {}
        planned = jn.Planned(
            t=desk.now,
            cell=plan.key,
            action=plan.action,
            total=plan.total,
            reuse=plan.reuse,
            tolerated=plan.tolerated,
            run=plan.run,
            reasons=plan.reasons,
            notes=plan.notes,
            log=plan.log,
            metrics=metrics if plan.action == "none" else {},
            blocked=plan.blocked,
        )
        desk.book.say(planned)
        match plan.action:
            case "run" | "merge" | "rescore":
                desk.plans[plan.key] = plan
            case "none":
                desk.wishes.pop(plan.key, None)
                after_completion(desk, plan.key)
            case "held":
                held = jn.Held(t=desk.now, scope="cell", target=plan.key, reason=plan.held or "")
                desk.book.say(held)
            case _:
                pass


def metrics_of(header: LogHeader) -> dict[str, dict[str, float]]:
    """Scorer -> metric -> value; a scorer reduced in several ways is named with each reducer."""
    scores = header.results.scores if header.results else ()
    times = Counter(score.name for score in scores)
    found: dict[str, dict[str, float]] = {}
    for score in scores:
        many = times[score.name] > 1 and score.reducer
        name = f"{score.name}/{score.reducer}" if many else score.name
        values = {
            metric.name: float(metric.value)
            for metric in score.metrics.values()
            if math.isfinite(metric.value)
        }
        found.setdefault(name, {}).update(values)
    return found
