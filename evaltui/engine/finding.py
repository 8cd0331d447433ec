"""What a new engine finds: attempts that still run, ones that died unseen, logs nobody finished."""

from __future__ import annotations

from evaltui.engine.desk import Desk
from evaltui.engine.holds import released
from evaltui.logs.writers import writer_of
from evaltui.plan import Known, pair_logs


def take_over(desk: Desk, *, asked: bool) -> None:
    """Adopt what runs, have recovered what crashed, and leave the rest to be planned.

    asked: a person started this engine, which is the word that automatic holds wait for.
    """
    _adopt(desk)
    if asked and (free := released(desk.book.past, desk.book.state.cells.keys(), desk.now)):
        desk.book.say(*free)
    desk.unplanned |= {
        cell.cell.key for cell in desk.cells() if desk.attempts.of(cell.cell.key) is None
    }
    _recover(desk)


def _adopt(desk: Desk) -> None:
    """Attempts that the journal has launched and not ended, whether or not they still run."""
    for state in list(desk.cells()):
        if state.status == "running" and state.progress is not None:
            desk.attempts.adopt(state.cell, state.progress.attempt)


def _recover(desk: Desk) -> None:
    """Logs of the set's cells that their writers left unfinished, those of other tools included.

    A log whose writer lives is its writer's.
    """
    rows = desk.index.refresh()
    unfinished = [row for row in rows if row.header is not None and not row.finished]
    if not unfinished:
        return
    ours = {
        state.progress.log.rsplit("/", 1)[-1]
        for state in desk.cells()
        if state.progress is not None
        and state.progress.log is not None
        and desk.attempts.of(state.cell.key) is not None
    }
    cells = [state.cell for state in desk.cells()]
    paired = pair_logs(cells, desk.wanted.spec, Known(logs=unfinished))
    names = [
        row.name
        for rows in paired.logs.values()
        for row in rows
        if row.name not in ours and writer_of(desk.layout.log_dir / row.name) is None
    ]
    if names:
        desk.recoveries.want("found", names)
