"""The plan of a directory, checked: tasks loaded in workers, contents compared. Runs nothing."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from evaltui.cells import Cell
from evaltui.engine.clock import Clock
from evaltui.engine.loads import Loads
from evaltui.engine.others import written_elsewhere
from evaltui.engine.state import SetState
from evaltui.engine.wanted import Wanted
from evaltui.engine.workers import Starts
from evaltui.logs.draws import read_draw
from evaltui.logs.history import read_histories
from evaltui.logs.index import list_logs
from evaltui.logs.layout import Layout
from evaltui.logs.manifests import read_eval_set_id
from evaltui.logs.records import LogFile
from evaltui.plan import Asked, Known, Plan, make_plan, pair_logs

BETWEEN_LOOKS = 0.05


def foresee(
    layout: Layout,
    wanted: Wanted,
    state: SetState,
    launcher: Starts,
    clock: Clock,
    *,
    asked: Asked | None = None,
) -> Plan:
    """What a resume of the set would do now, sample by sample.

    state: as a tail shows it, for cells that run and for holds. Raises OSError where the directory
    can't take the orders of the loads, and LogError where the id of the set can't be read.
    """
    cells = wanted.cells.cells
    salt = read_eval_set_id(layout.log_dir) or ""
    logs = list_logs(layout.log_dir)
    loads = _loaded(layout, wanted, logs, launcher, clock)
    rows = [log for log in logs if log.header is not None]
    histories, unreadable = read_histories(layout, rows)
    draws = {cell.key: read_draw(layout, cell.key) for cell in cells}
    pairing = pair_logs(cells, wanted.spec, Known(logs=logs, loads=loads.done))
    running = {key for key, cell in state.cells.items() if cell.status == "running"}
    known = Known(
        logs=logs,
        histories=histories,
        unreadable=unreadable,
        loads=loads.done,
        draws={key: draw for key, draw in draws.items() if draw is not None},
        running=running | written_elsewhere(layout.log_dir, pairing.logs).keys(),
        holds={key: cell.message for key, cell in state.cells.items() if cell.status == "held"},
        asked_of_all=asked or Asked(),
    )
    return make_plan(cells, wanted.spec, known, salt=salt)


def _loaded(
    layout: Layout,
    wanted: Wanted,
    logs: Sequence[LogFile],
    launcher: Starts,
    clock: Clock,
) -> Loads:
    """Every task of the set loaded once; what has no fingerprints yet gets them."""
    loads = Loads(layout, launcher)
    pairing = pair_logs(wanted.cells.cells, wanted.spec, Known(logs=logs))
    for cell in wanted.cells.cells:
        loads.want(wanted.spec, cell, _unprinted(layout, cell, pairing.logs.get(cell.key, ())))
    never = threading.Event()
    while len(loads):
        loads.poll(launcher.poll(), clock.now())
        clock.sleep(BETWEEN_LOOKS, never)
    return loads


def _unprinted(layout: Layout, cell: Cell, logs: Sequence[LogFile]) -> list[str]:
    histories, _ = read_histories(layout, logs)
    return [name for name, log in histories.items() if not log.fingerprinted]
