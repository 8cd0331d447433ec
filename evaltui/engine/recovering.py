"""What follows from the recovery of a crashed log: its samples are told of, or its cell is held.

What a log could not be recovered of may be paid for already: nothing of the cell runs until it can
be, or until a person says to go on without.
"""

from __future__ import annotations

from evaltui.engine.desk import Desk
from evaltui.engine.holds import given_up, held_by_engine, held_for, let_go, unrecovered
from evaltui.engine.recoveries import Recovered
from evaltui.logs import journal as jn
from evaltui.logs.reading import read_log


def take_in(desk: Desk, recovered: Recovered) -> None:
    """Journal what came of a recovery. Raises OSError."""
    cell, log = recovered.cell, recovered.log
    if log.error is not None:
        _failed(desk, cell, log.log, log.error)
        return
    if log.samples:
        attempt = _attempt_of(desk, log.log)
        desk.book.say(
            jn.Recovered(t=desk.now, cell=cell, attempt=attempt, log=log.log, samples=log.samples)
        )
    logs = held_for(desk.book.past).get(cell, set())
    if logs and not any(_is_unfinished(desk, name) for name in logs - {log.log}):
        desk.book.say(let_go(cell, desk.now))


def _failed(desk: Desk, cell: str, log: str, why: str) -> None:
    desk.book.tell(f"{log} can't be recovered: {why.rstrip('.')}.", "warning")
    past = desk.book.past
    if log in held_for(past).get(cell, ()) or log in given_up(past):
        return
    desk.book.say(held_by_engine(cell, unrecovered(log, why), desk.now, log))


def _is_unfinished(desk: Desk, log: str) -> bool:
    path = desk.layout.log_dir / log
    return path.exists() and not read_log(path).finished


def _attempt_of(desk: Desk, log: str) -> str:
    """The attempt of this set that wrote a log, empty for another's."""
    for entry in reversed(desk.book.past):
        if isinstance(entry, jn.AttemptEnded) and entry.log == log:
            return entry.attempt
    return ""
