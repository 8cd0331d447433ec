"""Logs of the set that other programs are writing now: their cells wait for them.

Such a log is neither recovered nor paid for a second time. When its writer is gone, what it left
unfinished is recovered, and the cell is planned by what is there then.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from evaltui.engine.desk import Desk
from evaltui.engine.directory import written_elsewhere
from evaltui.engine.state import CellState
from evaltui.logs.records import LogFile

SECONDS_BETWEEN_LOOKS = 1.0


class Others:
    """Which cells of a desk wait for other programs."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._waiting: dict[str, tuple[str, int]] = {}
        self._looked = float("-inf")
        self._recovered: set[str] = set()

    def still_waiting(self, cells: Iterable[CellState]) -> bool:
        """Whether all these cells were seen to wait a moment ago: no need to look again yet."""
        lately = self._desk.now - self._looked < SECONDS_BETWEEN_LOOKS
        return lately and all(cell.cell.key in self._waiting for cell in cells)

    def left_alone(
        self, cells: Sequence[CellState], logs: Mapping[str, Sequence[LogFile]]
    ) -> list[CellState]:
        """The cells of these that nobody else works on. Raises OSError."""
        desk = self._desk
        keys = {cell.cell.key for cell in cells}
        before, self._looked = self._waiting, desk.now
        self._waiting = written_elsewhere(
            desk.layout, {key: rows for key, rows in logs.items() if key in keys}
        )
        for key, (log, pid) in self._waiting.items():
            if before.get(key) != (log, pid):
                desk.book.tell(self._says(key, log, pid))
        for key in before.keys() - self._waiting.keys():
            self._recover(key, logs.get(key, ()))
        busy = desk.recoveries.busy
        return [
            cell
            for cell in cells
            if cell.cell.key not in self._waiting
            and not any(row.name in busy for row in logs.get(cell.cell.key, ()))
        ]

    def _recover(self, key: str, rows: Iterable[LogFile]) -> None:
        """What a writer left behind that is gone now, each log once."""
        names = [row.name for row in rows if row.header is not None and not row.finished]
        fresh = [name for name in names if name not in self._recovered]
        if fresh:
            self._recovered.update(fresh)
            self._desk.recoveries.want(f"found-{len(self._recovered)}", dict.fromkeys(fresh, key))

    def _says(self, key: str, log: str, pid: int) -> str:
        cell = self._desk.cell(key)
        return (
            f"{cell.task} on {cell.model} waits: another program (pid {pid}) is writing {log}; "
            "it goes on when that has ended."
        )
