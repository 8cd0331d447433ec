"""The plan of a directory, checked: tasks loaded in workers, contents compared. Runs nothing."""

from __future__ import annotations

import threading

from evaltui.engine.clock import Clock
from evaltui.engine.directory import Directory
from evaltui.engine.loads import Loads
from evaltui.engine.state import SetState
from evaltui.engine.wanted import Wanted
from evaltui.engine.workers import Starts
from evaltui.logs.layout import Layout
from evaltui.logs.manifests import read_eval_set_id
from evaltui.plan import Asked, Plan, make_plan

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
    cells, spec = wanted.cells.cells, wanted.spec
    salt = read_eval_set_id(layout.log_dir) or ""
    directory = Directory(layout, unrecovered=True)
    directory.refresh()
    loads = _loaded(layout, wanted, directory, launcher, clock).done
    directory.read_paired(cells, spec, loads)
    elsewhere = directory.written_elsewhere(cells, spec, loads)
    known = directory.known(cells, spec, loads=loads, state=state, elsewhere=elsewhere, asked=asked)
    return make_plan(cells, spec, known, salt=salt)


def _loaded(
    layout: Layout, wanted: Wanted, directory: Directory, launcher: Starts, clock: Clock
) -> Loads:
    """Every task of the set loaded once; what has no fingerprints yet gets them."""
    loads = Loads(layout, launcher)
    logs = directory.pairing(wanted.cells.cells, wanted.spec).logs
    for cell in wanted.cells.cells:
        loads.want(wanted.spec, cell, directory.unprinted(logs.get(cell.key, ())))
    never = threading.Event()
    while len(loads):
        loads.poll(launcher.poll(), clock.now())
        clock.sleep(BETWEEN_LOOKS, never)
    directory.forget_unprinted()
    return loads
