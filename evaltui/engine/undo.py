"""Bringing back logs from the trash: by the engine where one decides, else under its lock."""

from __future__ import annotations

from collections.abc import Sequence

from evaltui.engine import inbox
from evaltui.engine.clock import Clock
from evaltui.engine.lock import EngineLock, HeldError
from evaltui.engine.trash import ENDING, TrashError, bring_back
from evaltui.logs import journal as jn
from evaltui.logs.files import append_line, read_lines
from evaltui.logs.layout import Layout

SECONDS_TO_ANSWER = 10.0


def restore(layout: Layout, trash: Sequence[str], clock: Clock) -> list[str]:
    """Bring back the logs of these names in the trash; their names in the log directory.

    Journalled, so that no cleanup moves them again. Raises TrashError and OSError.
    """
    logs = {name: log_name(layout, name) for name in trash}
    try:
        lock = EngineLock.take(layout, now=clock.now())
    except HeldError:
        return _asked(layout, logs, clock)
    try:
        for name, log in logs.items():
            bring_back(layout, name, log)
            append_line(layout.journal, jn.Restored(t=clock.now(), log=log, trash=name), sync=True)
    finally:
        lock.release()
    return list(logs.values())


def _asked(layout: Layout, logs: dict[str, str], clock: Clock) -> list[str]:
    sent = inbox.send(layout, "restore", scope="set", arguments={"trash": list(logs)})
    answer = inbox.outcome(layout, sent, clock, SECONDS_TO_ANSWER)
    if answer is None:
        raise TrashError(f"The engine of {layout.log_dir} has not answered; ask again.")
    if answer.refused:
        raise TrashError(answer.outcome)
    return list(logs.values())


def log_name(layout: Layout, trash: str) -> str:
    """The name that a log had before it was moved to the trash under this one."""
    entries: list[jn.Entry]
    entries, _ = read_lines(layout.journal, jn.Entry)
    for entry in reversed(entries):
        if isinstance(entry, jn.Trashed) and entry.trash == trash:
            return entry.log
    return trash.removesuffix(ENDING)
