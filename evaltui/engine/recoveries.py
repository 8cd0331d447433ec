"""Recoveries of crashed logs: their finished samples brought back, each in a worker."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from evaltui.engine.launcher import LaunchError
from evaltui.engine.orders import VERSION
from evaltui.engine.workers import Starts, Worker
from evaltui.logs.attempt import RecoveredLog, RecoverOrder, Recovery
from evaltui.logs.files import write_atomic
from evaltui.logs.layout import AttemptPaths, Layout


class Recovered(msgspec.Struct, frozen=True):
    """What came of the recovery of one log, and the key of the cell that it belongs to."""

    cell: str
    log: RecoveredLog


class Recoveries:
    """The recoveries under way. A log that is being recovered is named by `busy`."""

    def __init__(self, layout: Layout, launcher: Starts) -> None:
        self._layout = layout
        self._launcher = launcher
        self._under_way: dict[str, tuple[Mapping[str, str], Worker]] = {}
        self._waiting: dict[str, Mapping[str, str]] = {}

    def __len__(self) -> int:
        return len(self._under_way) + len(self._waiting)

    @property
    def busy(self) -> set[str]:
        """Names of the logs that are being recovered."""
        started = [logs for logs, _ in self._under_way.values()]
        return {name for logs in (*started, *self._waiting.values()) for name in logs}

    def want(self, name: str, logs: Mapping[str, str]) -> None:
        """Have `logs` (name -> key of its cell) recovered, in a folder called `name`."""
        self._waiting[name] = dict(logs)

    def poll(self, exits: Mapping[int, int], now: float) -> list[Recovered]:
        """Start what waits and take in what is done. Raises OSError."""
        done: list[Recovered] = []
        for name, (logs, worker) in list(self._under_way.items()):
            if worker.gone(exits, now):
                del self._under_way[name]
                done += _results(worker, logs)
        while self._waiting and self._launcher.ready:
            name, logs = self._waiting.popitem()
            self._under_way[name] = (logs, self._start(name, logs))
        return done

    def _start(self, name: str, logs: Mapping[str, str]) -> Worker:
        paths = AttemptPaths(self._layout.recoveries / name)
        paths.recovered.unlink(missing_ok=True)
        order = RecoverOrder(VERSION, name, str(self._layout.log_dir), tuple(logs))
        write_atomic(paths.recovery, msgspec.json.encode(order))
        worker = Worker(paths, None, expected=True)
        try:
            worker.pid = self._launcher.recover(name)
        except LaunchError:
            worker.exit = 1
        return worker


def _results(worker: Worker, logs: Mapping[str, str]) -> list[Recovered]:
    """One for each of `logs`, whatever the worker has left behind."""
    try:
        data = worker.paths.recovered.read_bytes()
        found = {each.log: each for each in msgspec.json.decode(data, type=Recovery).logs}
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        found = {}
    why = worker.why("the worker that did it ended without a word").rstrip(".")
    silent = f"{why}; {worker.paths.output} may say more"
    return [
        Recovered(cell, found.get(log) or RecoveredLog(log, error=silent))
        for log, cell in logs.items()
    ]
