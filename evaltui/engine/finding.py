"""What a new engine finds: attempts that still run, ones that died unseen, logs nobody finished."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from evaltui.engine.desk import Desk
from evaltui.engine.holds import held_for, let_go, released
from evaltui.engine.workers import lives
from evaltui.logs import journal as jn
from evaltui.logs.records import LogFile
from evaltui.logs.writers import writer_of
from evaltui.plan import Known, pair_logs

_GIVEN_UP: Final = ("cancelled", "dropped", "failed", "stuck")
"""What an engine that goes on with another's run leaves as it is: a plan would queue it."""


def take_over(desk: Desk, *, asked: bool, goes_on: bool = False) -> None:
    """Adopt what runs, have recovered what crashed, and leave the rest to be planned.

    asked: a person started this engine, which is the word that automatic holds wait for.
    goes_on: nobody did, and the engine before let go of its run for this one.
    """
    _adopt(desk, desk.book.state.cells)
    _drain_the_gone(desk)
    if asked and (free := released(desk.book.past, desk.book.state.cells.keys(), desk.now)):
        desk.book.say(*free)
    desk.unplanned |= {
        cell.cell.key
        for cell in desk.cells()
        if desk.attempts.of(cell.cell.key) is None and not (goes_on and cell.status in _GIVEN_UP)
    }
    rows = desk.index.refresh()
    _let_go(desk, rows)
    _recover(desk, rows)


def take_back(desk: Desk, cells: Collection[str]) -> None:
    """The same for cells that an edit has put into the set, which may have been in it before."""
    _adopt(desk, cells)
    _recover(desk, desk.index.refresh(), f"added-{desk.spec_number}", cells)


def _adopt(desk: Desk, cells: Collection[str]) -> None:
    """Attempts that the journal has launched and not ended, whether or not they still run."""
    for state in list(desk.cells()):
        key = state.cell.key
        if state.status != "running" or state.progress is None or key not in cells:
            continue
        if desk.attempts.of(key) is None:
            desk.attempts.adopt(key, state.cell.lane, state.progress.attempt)


def _drain_the_gone(desk: Desk) -> None:
    """Workers of cells that left the set while nobody minded it pay for no further samples."""
    ended = {entry.attempt for entry in desk.book.past if isinstance(entry, jn.AttemptEnded)}
    for entry in desk.book.past:
        if not isinstance(entry, jn.Launched) or entry.attempt in ended:
            continue
        in_set = entry.cell in desk.book.state.cells
        if not in_set and lives(desk.layout.attempt(entry.attempt)):
            gone = desk.attempts.adopt(entry.cell, "", entry.attempt)
            gone.left_set = True
            desk.attempts.stop(gone, "drain")


def _let_go(desk: Desk, rows: Sequence[LogFile]) -> None:
    """Cells held for a log that somebody has mended or moved away since."""
    left = {row.name for row in rows if not row.finished}
    over = [cell for cell, logs in held_for(desk.book.past).items() if not logs & left]
    if over:
        desk.book.say(*(let_go(cell, desk.now) for cell in over))


def _recover(
    desk: Desk, rows: Sequence[LogFile], name: str = "found", of: Collection[str] | None = None
) -> None:
    """Logs of cells that their writers left unfinished, those of other tools included.

    of: whose logs are looked at, by key; None for those of all cells of the set.

    A log whose writer lives is its writer's.
    """
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
    left = {
        row.name: key
        for key, rows in paired.logs.items()
        if of is None or key in of
        for row in rows
        if row.name not in ours and writer_of(desk.layout.log_dir / row.name) is None
    }
    if left:
        desk.recoveries.want(name, left)
